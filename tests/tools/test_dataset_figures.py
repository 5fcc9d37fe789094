"""tools/dataset_figures.py: what is summed and what stays unknown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prune4sed import Graph, GraphSet
from prune4sed.datasets.labelling import Labels
from prune4sed.datasets.sampling import SampledSet

TOOLS = Path(__file__).parents[2] / "tools"
UNKNOWN = ("node_limit", "certified_percent", "open", "mean_gap", "mean_upper")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import dataset_figures

    yield dataset_figures
    for name in ("dataset_figures", "dataset_tables"):
        sys.modules.pop(name, None)


def _drawn() -> SampledSet:
    queries = GraphSet([Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)]) for n in (2, 3, 4, 7)])
    return SampledSet("test", queries, queries, np.array([[i, 3 - i] for i in range(4)]))


def test_set_without_labels_is_null(tool: Any) -> None:
    row = tool.set_figures(_drawn(), None, None)
    assert (row["pairs"], row["query_nodes"], row["target_nodes"]) == (4, 4.0, 4.0)
    assert [row[key] for key in UNKNOWN] == [None] * len(UNKNOWN)


def test_gap_is_that_of_open_pairs_only(tool: Any) -> None:
    lower, upper = np.array([0, 1, 2, 3], dtype=np.int32), np.array([0, 2, 5, 3], dtype=np.int32)
    row = tool.set_figures(_drawn(), Labels(lower, upper, np.zeros((4, 7), dtype=np.int32)), 50)
    assert [row[key] for key in UNKNOWN] == [50, 50.0, 2, 2.0, 2.5]
    closed = tool.set_figures(_drawn(), Labels(upper, upper, np.zeros((4, 7), dtype=np.int32)), 50)
    assert (closed["certified_percent"], closed["open"], closed["mean_gap"]) == (100.0, 0, None)


def test_times_are_summed_by_set(tool: Any, tmp_path: Path) -> None:
    slices = [("test", 30, 2.0, 2), ("train", 10, 1.5, 4), ("test", 70, 3.0, 1)]
    lines = [
        {"dataset": "aids", "set": one, "pairs": pairs, "seconds": seconds, "threads": threads}
        for one, pairs, seconds, threads in slices
    ]
    path = tmp_path / "label-times.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = tool.labelling(tool.read_times(path))
    assert found["sets"]["test"] == {"pairs": 100, "seconds": 5.0, "core_seconds": 7.0}
    assert (found["pairs"], found["seconds"], found["core_seconds"]) == (110, 6.5, 13.0)
    assert tool.labelling(tool.read_times(tmp_path / "missing")) is None


def _record(share: float | None) -> dict[str, Any]:
    row = {"pairs": 100_000, "query_nodes": 9.0, "target_nodes": 14.0} | dict.fromkeys(UNKNOWN)
    sets = {one: row | {"certified_percent": share} for one in ("train", "test", "strict_test")}
    unknown = dict.fromkeys(("label_bytes", "labelling", "build_seconds", "load_seconds"))
    paper = {"query_nodes": 9, "target_nodes": 14, "labels": 38}
    size = {"query_nodes": 9.08, "target_nodes": 13.7, "source": {"labels": 38}}
    return {"aids": size | unknown | {"paper": paper, "sets": sets}}


@pytest.mark.parametrize(
    ("share", "shown"),
    [(99.997, "99.99 %"), (99.648, "99.65 %"), (100.0, "100 %"), (0.0, "0.00 %"), (None, "–")],
)
def test_table_rounds_but_never_up_to_all(tool: Any, share: float | None, shown: str) -> None:
    lines = tool.tables(_record(share)).splitlines()
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells == ["AIDS", "9.1 (9)", "13.7 (14)", "38 (38)", shown, shown, shown, "–", "–", "–", "–"]
    assert len(lines) == 3 + 1 + 2 + 3
    assert all(f"| {shown} |" in line for line in lines[-3:])
