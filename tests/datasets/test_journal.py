"""The journal: what was appended comes back, whatever happened to the end of the file."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune4sed.datasets import journal as module
from prune4sed.datasets.journal import Journal, row_type
from prune4sed.errors import FormatError, OptionError, Prune4SEDError

KEY = {"pairs": "abc", "node_limit": 100}
WIDTH = 2


def rows(*numbers: int) -> np.ndarray:
    return np.array([(n, n, n + 1, [n, -1]) for n in numbers], dtype=row_type(WIDTH))


def written(path: Path, *records: tuple[int, ...]) -> list[int]:
    """Make a journal of these records; returns the size of the file after each, the empty one first."""
    with Journal(path, KEY, WIDTH) as log:
        sizes = [path.stat().st_size]
        for record in records:
            log.append(rows(*record))
            sizes.append(path.stat().st_size)
    return sizes


def found(path: Path) -> list[int]:
    with Journal(path, KEY, WIDTH, resume=True) as log:
        return log.rows["row"].tolist()


def test_rows_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    written(path, (4, 2), (7,))
    with Journal(path, KEY, WIDTH, resume=True) as log:
        assert np.array_equal(log.rows, rows(4, 2, 7))
        log.append(rows(9))
    assert found(path) == [4, 2, 7, 9]


def test_each_append_is_with_the_system_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    sizes = written(path, (1,), (2, 3))
    record = row_type(WIDTH).itemsize
    assert [after - before - 8 for before, after in pairwise(sizes)] == [record, 2 * record]


@settings(max_examples=40)
@given(cut=st.integers(0, 10**6), junk=st.binary(max_size=40))
def test_a_torn_tail_is_cut_off(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes) -> None:
    path = tmp_path_factory.mktemp("torn") / "a.journal"
    sizes = written(path, (0,), (1, 2), (3,))
    keep = sizes[0] + cut % (sizes[-1] - sizes[0] + 1)
    rows_within = {sizes[0]: [], sizes[1]: [0], sizes[2]: [0, 1, 2], sizes[3]: [0, 1, 2, 3]}
    kept = rows_within[max(size for size in sizes if size <= keep)]
    path.write_bytes(path.read_bytes()[:keep] + junk)
    with Journal(path, KEY, WIDTH, resume=True) as log:
        assert log.rows["row"].tolist() == kept
        log.append(rows(8))
    assert found(path) == [*kept, 8]  # what comes after a torn tail is not lost


def test_zeros_after_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    size = written(path, (0,))[-1]
    path.write_bytes(path.read_bytes() + bytes(1000))
    assert found(path) == [0]
    assert path.stat().st_size == size


def test_a_flipped_bit_ends_the_valid_part(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    sizes = written(path, (0,), (1,), (2,))
    data = bytearray(path.read_bytes())
    data[sizes[1] + 12] ^= 1
    path.write_bytes(data)
    assert found(path) == [0]
    assert path.stat().st_size == sizes[1]


def test_an_existing_journal_needs_resume(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    written(path, (0,))
    before = path.read_bytes()
    with pytest.raises(OptionError, match="--resume, or delete it") as problem:
        Journal(path, KEY, WIDTH)
    assert "\n" not in str(problem.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("key", "width", "words"),
    [
        ({"pairs": "abd", "node_limit": 100}, WIDTH, "its pairs is abc, not abd"),
        ({"pairs": "abc", "node_limit": 200}, WIDTH, "its node limit is 100, not 200"),
        ({"pairs": "abc"}, WIDTH, "its node limit is 100, not None"),
        (KEY, WIDTH + 1, "its width is 2, not 3"),
    ],
)
def test_the_journal_of_another_run_is_refused(
    tmp_path: Path, key: dict[str, object], width: int, words: str
) -> None:
    path = tmp_path / "a.journal"
    written(path, (0,))
    before = path.read_bytes()
    with pytest.raises(OptionError, match=words):
        Journal(path, key, width, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("data", [b"", b"hello", module.MAGIC, module.MAGIC + b"\xff\0\0\0{}", b"\0" * 100])
def test_another_file_is_not_touched(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a journal"):
        Journal(path, KEY, WIDTH, resume=True)
    assert path.read_bytes() == data


def test_resuming_where_nothing_was_begins(tmp_path: Path) -> None:
    assert found(tmp_path / "new.journal") == []


def test_a_run_that_fails_before_its_first_row_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with pytest.raises(RuntimeError), Journal(path, KEY, WIDTH):
        raise RuntimeError
    assert not path.exists()
    with pytest.raises(RuntimeError), Journal(path, KEY, WIDTH) as log:  # noqa: PT012
        log.append(rows(1))
        raise RuntimeError
    assert found(path) == [1]


def test_delete(tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal", KEY, WIDTH) as log:
        log.delete()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such lock there")
def test_two_runs_cannot_share_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path, KEY, WIDTH) as log:
        log.append(rows(1))
        with pytest.raises(OptionError, match="in use by another run"):
            Journal(path, KEY, WIDTH, resume=True)
        # Not "delete it": that run goes on.
        with pytest.raises(OptionError, match="in use by another run"):
            Journal(path, KEY, WIDTH)
    assert found(path) == [1]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Prune4SEDError, match="cannot write"):
        Journal(tmp_path / "no" / "a.journal", KEY, WIDTH)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal", KEY, WIDTH) as log:
        log.append(rows(1))
        whole, log._file = log._file, open("/dev/full", "wb", buffering=0)  # noqa: SIM115
        with pytest.raises(FormatError, match="No space left") as problem:
            log.append(rows(2))
        log._file.close()
        log._file = whole
    assert "\n" not in str(problem.value)
    assert found(tmp_path / "a.journal") == [1]


def test_the_disk_is_waited_for_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = [0.0], []
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    with Journal(tmp_path / "a.journal", KEY, WIDTH) as log:
        monkeypatch.setattr(os, "fsync", lambda number: calls.append(now[0]))
        for now[0] in (0.1, 0.9, 1.0, 1.5, 2.1):
            log.append(rows(1))
    assert calls == [1.0, 2.1, 2.1]  # the last at the end
