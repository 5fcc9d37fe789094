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


def test_a_busy_machine_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "_SECONDS", 0.05)
    setting = bench.setting(methods=("branch",), quick=True)
    for load, busy in ((99.0, True), (0.0, False)):
        monkeypatch.setattr(time, "load_average", lambda load=load: load)
        record = reproduce(time.Time(), setting, fresh=True).record
        entry = record.entry(method="branch", dataset="made", device="cpu") or {}
        assert entry["figures"]["load_at_start"] == load
        page = (setting.pages / "time.md").read_text()
        told = f"(load 99 on {entry['machine']['cores']} cores: BRANCH, 0.1 s (CPU))."
        assert (told in page) == busy
        del entry["figures"]["load_at_start"]  # as in cells that were stored before it was noted
        assert "had other work" not in time.time_page(record)
