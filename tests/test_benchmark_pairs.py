"""The pairs that the benchmarks draw."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prune4sed.datasets.sampling import SampledSet, fingerprint

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import _pairs

    yield _pairs
    sys.modules.pop("_pairs", None)


def _hash(drawn: Any) -> str:
    return fingerprint(SampledSet("test", drawn.queries, drawn.targets, drawn.index))


@pytest.mark.skipif(
    not os.environ.get("PRUNE4SED_MIRROR"), reason="PRUNE4SED_MIRROR names no folder of raw data"
)
@pytest.mark.parametrize("name", ["aids", "citeseer"])
def test_pairs_come_from_the_seed(pairs: Any, name: str) -> None:
    if name == "aids":
        pytest.importorskip("rdkit")
    drawn = pairs.sample(name, 30, 5)
    assert len(drawn.index) == 30
    assert _hash(drawn) == _hash(pairs.sample(name, 30, 5)) != _hash(pairs.sample(name, 30, 6))
    few = drawn.where(np.arange(30) % 10 == 0)
    assert [len(q) for q, _ in few.graphs()] == drawn.queries.num_nodes[drawn.index[::10, 0]].tolist()
    assert few.sizes()["paper_target_nodes"] == {"aids": 14, "citeseer": 73}[name]


def test_missing_raw_data_ends_with_one_line(
    pairs: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRUNE4SED_MIRROR", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        pairs.sample("citeseer", 3, 0)
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
