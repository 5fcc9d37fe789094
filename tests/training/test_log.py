"""The log of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune4sed.errors import FormatError
from prune4sed.training.log import Log, read_log


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path)
    log.write(step=1, loss=2.0)
    with path.open("a") as file:
        file.write('{"step": 2, "lo')
    assert read_log(path) == [{"step": 1, "loss": 2.0}]
    again = Log(path, keep=lambda line: True)
    again.write(step=2, loss=1.0)
    assert [line["step"] for line in read_log(path)] == [1, 2]


def test_what_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\n[2]\n')
    with pytest.raises(FormatError, match="line 2: not a JSON object"):
        read_log(path)
    with pytest.raises(FormatError, match="cannot read the log"):
        read_log(tmp_path / "none.jsonl")
