"""The folder of an index: it comes back as it was, and whatever happens to it is noticed and named."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from prune4sed.errors import FormatError, GraphError, OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search import index_files, index_meta
from prune4sed.search.index import Index
from prune4sed.search.lock import writing
from random_graphs import random_graph


def graphs(count: int, seed: int = 0) -> GraphSet:
    rng = random.Random(seed)
    return GraphSet(random_graph(rng, rng.randint(1, 12), 0.3, 3, id=f"g{seed}-{i}") for i in range(count))


QUERY = Graph([0, 1, 2, 0], [(0, 1), (1, 2), (2, 3)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Index.build(graphs(50)).save(tmp_path / "index")
    return tmp_path / "index"


def test_what_is_opened_is_what_was_saved(folder: Path) -> None:
    made, opened = Index.build(graphs(50)), Index.open(folder)
    assert len(opened) == 50
    assert opened.search(QUERY, time_limit=None).hits == made.search(QUERY, time_limit=None).hits
    assert isinstance(opened.library.parts[0].bits, np.memmap)
    assert [opened.library.id(i) for i in (0, 49)] == ["g0-0", "g0-49"]


def test_an_empty_index(tmp_path: Path) -> None:
    Index.build([]).save(tmp_path / "none")
    opened = Index.open(tmp_path / "none")
    assert len(opened) == 0
    opened.add(graphs(3))
    assert len(Index.open(tmp_path / "none")) == 3


def test_adding(folder: Path) -> None:
    opened = Index.open(folder)
    opened.add(graphs(7, seed=1))
    again = Index.open(folder)
    assert (len(opened), len(again), again.library.id(50)) == (57, 57, "g1-0")
    whole = Index.build([*graphs(50), *graphs(7, seed=1)])
    assert again.search(QUERY, k=20, time_limit=None).hits == whole.search(QUERY, k=20, time_limit=None).hits
    with pytest.raises(GraphError, match="they can never be equal"):
        again.add([Graph(["C"])])


def test_saving_again_leaves_nothing_behind(folder: Path) -> None:
    Index.build(graphs(5)).save(folder)
    assert len(Index.open(folder)) == 5
    assert len(os.listdir(folder)) == 4  # meta.json, the lock, graphs and bits


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_anywhere_is_found(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    files = sorted(path for path in folder.iterdir() if path.name != ".lock")
    path = files[seed % len(files)]
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"damaged|version|not the meta.json"):
        Index.open(folder)


@pytest.mark.parametrize("quickly", [0, 1 << 30])
@pytest.mark.parametrize("cut", [0, 0.5, 0.99])
def test_a_file_cut_short_is_named(
    folder: Path, cut: float, quickly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_files, "QUICKLY_VERIFIED", quickly)
    for path in sorted(path for path in folder.iterdir() if path.name != ".lock"):
        data = path.read_bytes()
        path.write_bytes(data[: int(cut * len(data))])
        with pytest.raises(FormatError, match=path.name):
            Index.open(folder)
        path.write_bytes(data)
    assert len(Index.open(folder)) == 50


def test_a_large_index_is_verified_when_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_files, "QUICKLY_VERIFIED", 0)
    path = next(folder.glob("*.bits.npy"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    Index.open(folder)
    with pytest.raises(FormatError, match=f"{path.name} is damaged: its checksum does not fit"):
        Index.open(folder, verify=True)


def test_a_missing_file_and_other_folders(folder: Path, tmp_path: Path) -> None:
    next(folder.glob("*.bits.npy")).unlink()
    with pytest.raises(FormatError, match=r"bits.npy: a file of the index cannot be read"):
        Index.open(folder)
    (tmp_path / "other").mkdir()
    with pytest.raises(FormatError, match=r"not an index: there is no meta\.json"):
        Index.open(tmp_path / "other")
    with pytest.raises(FormatError, match="there is no such folder"):
        Index.open(tmp_path / "nowhere")


def test_another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_meta, "VERSION", 2)
    with pytest.raises(FormatError, match="version 1 of the index format; this prune4sed reads 2"):
        Index.open(folder)


def test_a_folder_with_other_things_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(FormatError, match=r"it holds other things than an index \(thesis.tex\)"):
        Index.build(graphs(2)).save(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]
    with pytest.raises(FormatError, match="it is not a folder"):
        Index.build(graphs(2)).save(tmp_path / "thesis.tex")


def test_two_writers(folder: Path) -> None:
    opened, other = Index.open(folder), Index.open(folder)
    with writing(folder):
        for write in (lambda: opened.add(graphs(2)), lambda: opened.save(folder)):
            with pytest.raises(FormatError, match="somebody else is writing to this index"):
                write()
    opened.add(graphs(2, seed=1))
    with pytest.raises(FormatError, match="somebody has written to this index since; open it again"):
        other.add(graphs(3, seed=2))
    assert len(Index.open(folder)) == 52


def test_a_reader_keeps_what_it_opened(folder: Path) -> None:
    reader = Index.open(folder)
    before = reader.search(QUERY, time_limit=None).hits
    Index.build(graphs(5, seed=3)).save(folder)
    assert reader.search(QUERY, time_limit=None).hits == before


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
@pytest.mark.parametrize("room", [100, 5_000, 20_000])
def test_a_disk_that_is_really_full(folder: Path, room: int) -> None:
    code = f"""
import resource, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from test_index_files import graphs
from prune4sed.search.index import Index
from prune4sed.errors import FormatError
index = Index.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
for write in (lambda: index.add(graphs(100, 1)), lambda: Index.build(graphs(100, 1)).save(sys.argv[1])):
    try:
        write()
    except FormatError as error:
        print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    assert [line.rpartition(": ")[2] for line in run.stdout.splitlines()] == ["File too large"] * 2
    assert len(Index.open(folder, verify=True)) == 50


def test_what_a_dead_writer_left_is_swept(folder: Path) -> None:
    (folder / "segment-dead.graphs.arrow").write_bytes(b"half")
    opened = Index.open(folder)
    opened.add(graphs(1, seed=9))
    assert not (folder / "segment-dead.graphs.arrow").exists()


def test_an_index_that_is_added_to_often_has_few_segments(tmp_path: Path) -> None:
    all_of_them = graphs(70)
    index = Index.build(all_of_them[:6])
    index.save(tmp_path / "index")
    for at in range(6, 70):
        index.add(all_of_them[at : at + 1])
    assert index.meta is not None
    assert len(index.meta.segments) == len(index.library.parts) <= 8
    opened = Index.open(tmp_path / "index", verify=True)
    whole = Index.build(all_of_them)
    assert list(opened.library) == list(all_of_them)
    for query in all_of_them[:3]:
        expected = whole.search(query, time_limit=None)
        assert opened.search(query, time_limit=None).hits == expected.hits
        assert index.search(query, time_limit=None).hits == expected.hits
    used = {file.name for file in index.meta.files}
    assert {path.name for path in (tmp_path / "index").glob("segment-*")} == used


def test_a_solver_cannot_be_kept(tmp_path: Path) -> None:
    index = Index.build([Graph(["C", "O"], [(0, 1)])], model="branch")
    with pytest.raises(OptionError, match="branch is a solver, which an index in a folder cannot keep"):
        index.save(tmp_path / "index")
    assert not list((tmp_path / "index").glob("segment-*"))
