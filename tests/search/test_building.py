"""Building from files: what is left out, going on after a kill, and models."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rdkit")

from molecules import library, smiles

from prune4sed.errors import FormatError, OptionError
from prune4sed.formats import streaming
from prune4sed.graph import Graph
from prune4sed.search.building import build_index
from prune4sed.search.index import Index
from prune4sed.search.index_meta import BUILDING

QUERY = Graph.from_smiles("Nc1ccccc1")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "library.smi"
    path.write_text("".join(f"{text} m{i}\n" for i, text in enumerate(smiles(200))))
    return path


def test_an_index_of_a_file_is_that_of_its_graphs(source: Path, tmp_path: Path) -> None:
    done: list[int] = []
    meta = build_index(source, tmp_path / "out", segment_size=1, progress=done.append)
    built, made = Index.open(tmp_path / "out", verify=True), Index.build(library(200))
    assert (meta.graphs, done[0], done[-1]) == (200, 0, 200)
    assert built.search(QUERY, time_limit=None).hits == made.search(QUERY, time_limit=None).hits
    assert meta.info["request"]["source"] == str(source)


def test_bad_lines_salts_and_repeated_ids_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("name,smiles\na,CCO\na,[Na+].[Cl-]\nb,C1CC.[Na+]\n,c1ccccc1\n")
    meta = build_index(path, tmp_path / "out")
    assert (meta.graphs, meta.info["problems"], meta.info["in_pieces"], meta.info["repeated_ids"]) == (
        3,
        1,
        1,
        1,
    )
    assert meta.info["listed"] == [
        f"{path}:4: cannot parse SMILES 'C1CC.[Na+]' (unclosed ring?); expected SMILES in column 'smiles'"
    ]
    assert meta.info["salts"] == ["a"]
    index = Index.open(tmp_path / "out")
    assert [index.library.id(i) for i in range(3)] == ["a", "a", "2"]


def test_salts_of_an_sd_file_are_counted_as_those_of_smiles(tmp_path: Path) -> None:
    from rdkit import Chem

    texts = ["CCO", "[Na+].[Cl-]", "CC(=O)[O-].[K+]", "c1ccccc1"]
    (tmp_path / "a.smi").write_text("\n".join(texts))
    with Chem.SDWriter(str(tmp_path / "a.sdf")) as writer:
        for text in texts:
            writer.write(Chem.MolFromSmiles(text))
    for kind in ("smi", "sdf"):
        info = build_index(tmp_path / f"a.{kind}", tmp_path / kind).info
        assert (info["in_pieces"], info["salts"]) == (2, ["1", "2"])


def test_several_processes_give_the_same(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "BATCH", 20)
    one, two = (list(streaming.stream_graphs(source, size=70, processes=processes)) for processes in (1, 2))
    assert [len(part.graphs) for part in one] == [80, 80, 40]
    assert [list(part.graphs) for part in one] == [list(part.graphs) for part in two]
    rest = list(streaming.stream_graphs(source, size=70, skip=80))
    assert [list(part.graphs) for part in rest] == [list(part.graphs) for part in one[1:]]


class Stop(Exception):
    """As good as Ctrl-C."""


def test_an_interrupted_build_goes_on(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BATCH", 20)
    out = tmp_path / "out"

    def stop(done: int) -> None:
        if done >= 80:
            raise Stop

    with pytest.raises(Stop):
        build_index(source, out, segment_size=40, progress=stop, threads=1)
    with pytest.raises(FormatError, match="this index is not finished"):
        Index.open(out)
    seen: list[int] = []
    meta = build_index(source, out, segment_size=40, progress=seen.append, threads=1)
    assert seen == [80, 120, 160, 200]
    assert (meta.graphs, (out / BUILDING).exists()) == (200, False)
    whole = Index.build(library(200)).search(QUERY, time_limit=None)
    assert Index.open(out, verify=True).search(QUERY, time_limit=None).hits == whole.hits
    # Another source, or other options: from the beginning.
    with pytest.raises(Stop):
        build_index(source, out, segment_size=40, progress=stop, threads=1)
    assert len(Index.open(out)) == 200  # the old index is there until the new one is complete
    seen.clear()
    assert build_index(source, out, edge_labels=True, progress=seen.append, threads=1).edge_labels
    assert seen[0] == 0


CHILD = """
import sys
from prune4sed.formats import streaming
from prune4sed.search.building import build_index
streaming.BATCH = 20
build_index(sys.argv[1], sys.argv[2], segment_size=20, threads=1, progress=lambda n: print(n, flush=True))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_kill_and_go_on(source: Path, tmp_path: Path) -> None:
    out, command = tmp_path / "out", [sys.executable, "-c", CHILD, str(source), str(tmp_path / "out")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    line = next(line for line in child.stdout if int(line) >= 40)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout.split()[0]) >= int(line)
    index = Index.open(out, verify=True)
    assert [index.library.id(i) for i in range(200)] == [f"m{i}" for i in range(200)]
    assert not [name for name in os.listdir(out) if name.endswith(".part")]


def test_two_builds_at_once(source: Path, tmp_path: Path) -> None:
    def meanwhile(done: int) -> None:
        with pytest.raises(FormatError, match="somebody else is writing"):
            build_index(source, tmp_path / "out")

    build_index(source, tmp_path / "out", progress=meanwhile)


@pytest.mark.parametrize(
    ("text", "line"),
    [("C1CC\n(((\n", "none of 2 records can be read; the first: "), ("", None)],
)
def test_nothing_that_can_be_read(tmp_path: Path, text: str, line: str | None) -> None:
    path = tmp_path / "bad.smi"
    path.write_text(text)
    if line is None:
        assert build_index(path, tmp_path / "out").graphs == 0
        assert len(Index.open(tmp_path / "out")) == 0
    else:
        with pytest.raises(FormatError, match=line):
            build_index(path, tmp_path / "out")


def test_refusals(source: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        build_index(tmp_path / "nothing.smi", tmp_path / "out")
    with pytest.raises(OptionError, match="there is no model 'of-none'"):
        build_index(source, tmp_path / "out", model="of-none")
    with pytest.raises(OptionError, match="would overwrite its own source"):
        build_index(source, source)


@pytest.mark.parametrize("name", ["meta.json", BUILDING])
def test_a_damaged_record_does_not_keep_anyone_from_building_again(
    source: Path, tmp_path: Path, name: str
) -> None:
    build_index(source, tmp_path / "out")
    (tmp_path / "out" / name).write_text('{"magic": "prune4s')
    assert build_index(source, tmp_path / "out").graphs == 200
    assert len(Index.open(tmp_path / "out", verify=True)) == 200


def test_a_damaged_part_is_built_again(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BATCH", 20)
    out = tmp_path / "out"

    def stop(done: int) -> None:
        if done >= 80:
            raise Stop

    with pytest.raises(Stop):
        build_index(source, out, segment_size=40, progress=stop, threads=1)
    part = next(out.glob("*.bits.npy"))
    part.write_bytes(part.read_bytes()[:-1])
    seen: list[int] = []
    build_index(source, out, segment_size=40, progress=seen.append, threads=1)
    assert (seen[0], len(Index.open(out, verify=True))) == (0, 200)


@pytest.mark.parametrize("name", ["mine.npy", "mine.arrow", "mine.safetensors", ".mine.part", "meta.json"])
def test_files_of_others_are_never_touched(source: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text('{"mine": 1}')
    with pytest.raises(FormatError, match="it holds other things than an index"):
        build_index(source, out)
    with pytest.raises(FormatError, match="it holds other things than an index"):
        Index.build(library(2)).save(out)
    assert (out / name).read_text() == '{"mine": 1}'


def test_nothing_is_left_of_a_build_that_did_nothing(source: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.smi"
    bad.write_text("C1CC\n")
    with pytest.raises(FormatError):
        build_index(bad, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    build_index(source, tmp_path / "old")
    before = sorted(os.listdir(tmp_path / "old"))
    with pytest.raises(FormatError):
        build_index(bad, tmp_path / "old")
    assert sorted(os.listdir(tmp_path / "old")) == before
    assert len(Index.open(tmp_path / "old", verify=True)) == 200


def test_a_solver_cannot_be_kept(source: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="model exact: a solver has no weights"):
        build_index(source, tmp_path / "out", model="exact")
    assert not (tmp_path / "out").exists()
