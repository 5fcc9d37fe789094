"""The time study: plausible times, and no GPU where there is none."""

from __future__ import annotations

import pytest
import torch
from made_studies import Bench

from prune4sed.studies import time
from prune4sed.studies.running import reproduce
from prune4sed.training import latency


def test_times_on_the_cpu(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "_SECONDS", 0.05)
    bench.model("neurosed")
    setting = bench.setting(methods=("branch", "neurosed", "prune4sed", "exact-proof"), quick=True)
    found = reproduce(time.Time(), setting)
    for method in ("branch", "neurosed", "exact-proof"):
        cell = found.record.figures(method=method, dataset="made", device="cpu") or {}
        assert 0.5 < cell["batch_us"] < 1e6
        assert 0.5 < cell["single_us"] < 1e6
        assert 1 <= cell["batch_pairs"] <= 30
    assert found.record.figures(method="branch", dataset="made", device="cuda") is None
    assert found.record.why(method="prune4sed", dataset="made", device="cpu").startswith("no trained")
    if not torch.cuda.is_available():
        assert found.record.why(method="neurosed", dataset="made", device="cuda") == "there was no GPU"
        page = (setting.pages / "time.md").read_text()
        assert next(line for line in page.splitlines() if "| NeuroSED" in line).endswith("| – | – |")
