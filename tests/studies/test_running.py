"""Cells are computed once, kept, computed anew when their sources change, and missing if need be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prune4sed.errors import FormatError, OptionError
from prune4sed.studies.record import Record
from prune4sed.studies.running import reproduce
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell, Study


class Squares(Study):
    """Squares of numbers; notes which were computed. `broken` numbers raise what they are told to."""

    name, title = "squares", "Squares"

    def __init__(self, *numbers: int, version: int = 1) -> None:
        self.numbers, self.version, self.asked = numbers, version, []
        self.broken: dict[int, BaseException] = {}
        self.absent: set[int] = set()

    def cells(self, setting: Setting) -> Iterator[Cell]:
        for n in self.numbers:
            key = {"number": str(n)}
            if n in self.absent:
                yield Cell.absent("not here", **key)
            else:
                yield Cell(key, {"version": self.version}, lambda show, n=n: self._square(n))

    def _square(self, n: int) -> dict[str, Any]:
        self.asked.append(n)
        if n in self.broken:
            raise self.broken[n]
        return {"square": n * n, "third": n / 3, "none": float("nan")}

    def page(self, record: Record) -> str:
        found = [record.figures(number=str(n)) for n in self.numbers]
        return " ".join("–" if x is None else str(x["square"]) for x in found)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path / "out", tmp_path / "pages", command="prune4sed reproduce squares")


def test_a_second_run_computes_only_what_is_missing(setting: Setting) -> None:
    first = Squares(2, 3)
    assert reproduce(first, setting).computed == 2
    more = Squares(2, 3, 4)
    found = reproduce(more, setting)
    assert (found.computed, found.kept, more.asked) == (1, 2, [4])
    stored = json.loads((setting.out / "squares.json").read_text())
    assert [cell["figures"]["square"] for cell in stored["cells"]] == [4, 9, 16]
    assert stored["cells"][0]["figures"]["third"] == 0.6666667
    assert stored["cells"][0]["figures"]["none"] is None
    assert stored["cells"][0]["command"] == "prune4sed reproduce squares"
    assert {"date", "version", "commit", "machine", "load", "seconds"} <= stored["cells"][0].keys()
    again = Squares(2, 3, 4)
    reproduce(again, setting, fresh=True)
    assert again.asked == [2, 3, 4]


def test_what_a_cell_is_made_from_decides(setting: Setting) -> None:
    reproduce(Squares(2), setting)
    changed = Squares(2, version=2)
    assert reproduce(changed, setting).computed == 1
    assert changed.asked == [2]


def test_missing_is_told_and_tried_again(setting: Setting) -> None:
    study = Squares(2, 3)
    study.broken[3] = OptionError("3 is odd")
    found = reproduce(study, setting)
    assert found.missing == [("3", "3 is odd")]
    page = (setting.pages / "squares.md").read_text()
    assert "4 –" in page
    assert "3 is odd (1 cell)" in page
    later = Squares(2, 3)
    assert reproduce(later, setting).computed == 1
    assert later.asked == [3]
    assert "What is missing" not in (setting.pages / "squares.md").read_text()


def test_figures_stay_when_their_model_is_gone(setting: Setting) -> None:
    reproduce(Squares(2), setting)
    gone = Squares(2, 5)
    gone.absent = {2, 5}
    found = reproduce(gone, setting)
    assert (found.kept, found.missing) == (1, [("5", "not here")])
    assert found.record.figures(number="2") == {"square": 4, "third": 0.6666667, "none": None}
    assert found.record.why(number="5") == "not here"


def test_what_is_done_survives_a_stop(setting: Setting) -> None:
    study = Squares(2, 3, 4)
    study.broken[3] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        reproduce(study, setting)
    rest = Squares(2, 3, 4)
    assert reproduce(rest, setting).kept == 1
    assert rest.asked == [3, 4]


def test_two_runs_at_a_time_lose_nothing(setting: Setting) -> None:
    one = Record(setting.out / "x.json", "x", {"quick": False})
    setting.out.mkdir()
    two = Record(setting.out / "x.json", "x", {"quick": False})
    one.store(Cell({"n": "1"}, {}), {"a": 1}, 0.0)
    two.store(Cell({"n": "2"}, {}), {"a": 2}, 0.0)
    one.store(Cell({"n": "3"}, {}), {"a": 3}, 0.0)
    assert [x["figures"]["a"] for x in Record(one.path, "x", {"quick": False}).entries()] == [1, 2, 3]


def test_cells_from_another_machine(setting: Setting, tmp_path: Path) -> None:
    away = Setting(tmp_path / "away", tmp_path / "away")
    reproduce(Squares(3, 4), away)
    study = Squares(2, 3)
    found = reproduce(study, replace(setting, merge=away.out / "squares.json"))
    assert (study.asked, found.kept) == ([2], 1)
    assert (found.record.figures(number="4") or {})["square"] == 16
    with pytest.raises(FormatError, match="there is no file"):
        reproduce(study, replace(setting, merge=tmp_path / "nothing.json"))
    (tmp_path / "other").mkdir()
    Record(tmp_path / "other" / "x.json", "x", {"quick": False}).save()
    with pytest.raises(OptionError, match="of the study 'x'"):
        reproduce(study, replace(setting, merge=tmp_path / "other" / "x.json"))


def test_small_samples_never_go_into_a_full_run(setting: Setting, tmp_path: Path) -> None:
    reproduce(Squares(2), setting)
    quick = Setting(setting.out, setting.pages, quick=True)
    with pytest.raises(OptionError, match="holds the figures of a full run; choose another --out"):
        reproduce(Squares(2), quick)
    elsewhere = Setting(tmp_path / "q", tmp_path / "q", quick=True)
    reproduce(Squares(2), elsewhere)
    assert "Small samples" in (tmp_path / "q" / "squares.md").read_text()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "prune4sed.study"}', '{"format": 1, "cells": 2}']
)
def test_a_damaged_file_is_named_and_left_alone(setting: Setting, text: str) -> None:
    setting.out.mkdir()
    path = setting.out / "squares.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"squares\.json does not hold figures of a study"):
        reproduce(Squares(2), setting)
    assert path.read_text() == text


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="cannot make the folder"):
        reproduce(Squares(2), Setting(tmp_path / "file" / "out", tmp_path))
