"""The file of a record: read back as it was, lists on one line, and refused where it is no such file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.errors import FormatError
from prune4sed.studies.record import Record, _dense
from prune4sed.studies.study import Cell

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab[]{}",\n\\ '),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("k[ "), inner, max_size=3),
    max_leaves=20,
)


@given(PLAIN)
def test_dense_text_means_the_same(value: Any) -> None:
    assert json.loads(_dense(json.dumps(value, indent=1))) == value


def test_lists_of_figures_take_a_line_each(tmp_path: Path) -> None:
    record = Record(tmp_path / "a.json", "a", {"quick": True})
    record.store(Cell({"method": "x"}, {}), {"bubbles": [[1, 2, 3], [4, 5, 6]], "name": "a [ b"}, 0.0)
    text = (tmp_path / "a.json").read_text()
    assert "[1, 2, 3]" in text
    again = Record(tmp_path / "a.json", "a", {"quick": True}).figures(method="x")
    assert again == {"bubbles": [[1, 2, 3], [4, 5, 6]], "name": "a [ b"}


CELL = {"key": {"m": "x"}, "figures": {}, "from": {}, "machine": {}, "date": "2024-01-01"}


@pytest.mark.parametrize(
    "cells",
    [3, [3], [{}], [{"key": 3}], [{"key": {"m": 3}, "missing": ""}], [{"key": {"m": "x"}}]]
    + [[{name: value for name, value in CELL.items() if name != gone}] for gone in CELL],
    ids=str,
)
def test_what_is_no_record_is_refused(cells: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    told = {"format": "prune4sed.study", "version": 1, "study": "a", "config": {"quick": True}}
    path.write_text(json.dumps({**told, "cells": [CELL]}))
    assert Record(path, "a", {"quick": True}).figures(m="x") == {}
    path.write_text(json.dumps({**told, "cells": cells}))
    with pytest.raises(FormatError, match="does not hold figures of a study"):
        Record(path, "a", {"quick": True})
