"""How long models were trained, as pages tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune4sed.studies.methods import METHODS
from prune4sed.studies.record import Record
from prune4sed.studies.shelf import drawn_pairs
from prune4sed.studies.study import Cell
from prune4sed.studies.trained import training_table, tuned


@pytest.mark.parametrize("info", [{}, {"training": {"done": 3}}, {"training": None, "recipe": 1}, None])
def test_what_is_not_told_is_not_guessed(info: object) -> None:
    assert drawn_pairs(info) is None


def test_a_chain_of_starts_is_added_up() -> None:
    first = {"steps": 7, "batch_size": 10, "start": None}
    second = {"steps": 2, "batch_size": 100, "start": first}
    info = {"training": {"done": 3}, "recipe": {"batch_size": 1000}, "start": second}
    assert drawn_pairs(info) == 3000 + 200 + 70


def test_the_table_has_models_that_were_trained_and_no_others(tmp_path: Path) -> None:
    class Known(Record):
        def figures(self, **key: str):  # type: ignore[no-untyped-def, override]
            if key == {"method": "neurosed", "dataset": "citeseer", "set": "test"}:
                return {"training": {"drawn": 2_340_000, "pairs": 400_000}}
            if key == {"method": "plus", "dataset": "aids", "set": "test"}:
                return {"training": {"drawn": 9_000, "pairs": 800, "variants": 2}}
            return {"training": {"pairs": 5}} if key["method"] == "simgnn" else None

    record = Known(tmp_path / "none.json", "accuracy", {})
    shown = training_table(record, METHODS.values(), ["aids", "citeseer"])
    assert shown.splitlines()[2:] == [
        "| NeuroSED | – | 2.3 M of 400 k |",
        "| Prune4SED-plus | 9 k of 800 × 3 | – |",
    ]


def test_only_models_that_prune_otherwise_than_the_papers_are_named(tmp_path: Path) -> None:
    record, told = Record(tmp_path / "none.json", "accuracy", {}), {"citeseer": {"k": 10}, "aids": {}}
    for name, training in told.items():
        cell = Cell({"method": "prune4sed", "dataset": name, "set": "test"}, {})
        record.store(cell, {"rmse": 1.0, "training": training}, 0.1)
    key = {"method": "prune4sed", "set": "test"}
    assert tuned(record, ["aids", "protein"], **key) == ""
    expected = "Prune4SED prunes by the paper's k = 5 and h = 4, but that of CiteSeer by k = 10."
    assert tuned(record, ["aids", "citeseer"], **key) == expected
