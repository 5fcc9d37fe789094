"""Sources and targets of every kind, and bad ones: one clear line each, nothing half-written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from prune4sed import Graph, GraphSet, read_graphs, write_graphs
from prune4sed.errors import FormatError, OptionError, Prune4SEDError

GRAPHS = [Graph([1, 2, 1], [(0, 1), (2, 1)], [5, 6], "a"), Graph([3], id="b")]
TEXT = b"t # a\nv 0 1\nv 1 2\nv 2 1\ne 0 1 5\ne 2 1 6\nt # b\nv 0 3\n"
SUFFIXES = [".tve", ".jsonl", ".graphml", ".arrow", ".zip", ".gspan.gz", ".json.bz2", ".tve.xz", ".jsonl.zst"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_by_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_graphs(GRAPHS, path)
    assert list(read_graphs(path)) == GRAPHS
    assert list(read_graphs(str(path), edge_labels=True)) == GRAPHS
    assert read_graphs(path, edge_labels=False)[0].edge_labels is None
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    again = path.with_name(f"y{suffix}")
    write_graphs(GraphSet(GRAPHS), again)
    if suffix != ".zip":  # which holds its own name
        assert again.read_bytes() == path.read_bytes()


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_graphs(GRAPHS, tmp_path / "x.tve")
    assert (tmp_path / "x.tve").stat().st_mode == (tmp_path / "plain").stat().st_mode


def _zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, _zstd])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(TEXT))))
    assert list(read_graphs("-")) == GRAPHS


def test_open_files(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(TEXT)
    with path.open() as text:
        assert list(read_graphs(text)) == GRAPHS
        assert not text.closed
    with path.open("rb") as raw:
        assert list(read_graphs(raw, "tve")) == GRAPHS
    assert list(read_graphs(path, "tve")) == GRAPHS
    with path.open("a") as more:
        more.write("e 5 6 7\n")
    last = TEXT.count(b"\n") + 1
    with path.open() as text, pytest.raises(FormatError, match=rf"x.dat:{last}: edge 0 is \(5, 6\)"):
        read_graphs(text)


@pytest.mark.parametrize("suffix", [".jsonl", ".graphml", ".arrow", ".tve"])
def test_streams_are_recognised(tmp_path: Path, suffix: str) -> None:
    write_graphs(GRAPHS, tmp_path / f"x{suffix}")
    assert list(read_graphs(io.BytesIO((tmp_path / f"x{suffix}").read_bytes()))) == GRAPHS


def test_byte_order_mark_and_windows_lines() -> None:
    assert list(read_graphs(io.BytesIO(b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n")), "tve")) == GRAPHS


def one_line(source: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(FormatError) as caught:
        read_graphs(source, *args, **options)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, Prune4SEDError)
    return str(caught.value)


ALL = ["x.smi", "x.csv", "x.sdf", "x.tve", "x.jsonl", "x.graphml", "x.arrow", "x.zip"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        bytes(range(256)) * 40,
        b"\xff\xfe\x00bad",
        "Größe\n".encode("latin-1"),
        gzip.compress(os.urandom(5000))[:900],
    ],
    ids=["empty", "blank", "binary", "utf-16", "latin-1", "truncated-gz"],
)
def test_bad_content(tmp_path: Path, name: str, content: bytes) -> None:
    if name in ("x.smi", "x.csv", "x.sdf"):
        pytest.importorskip("rdkit")
    path = tmp_path / name
    path.write_bytes(content)
    assert one_line(path).startswith(str(path))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, _zstd])
def test_truncated_compression(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "x.tve.gz"
    path.write_bytes(pack(TEXT + os.urandom(4000).hex().encode())[:-100])
    assert "damaged or cut short" in one_line(path)


def test_bad_lines_are_numbered() -> None:
    assert one_line(io.BytesIO(TEXT + b"v 1 \xff\n"), "tve") == "<input>:9: this line is not UTF-8 text"
    assert one_line(io.BytesIO(TEXT + b"v 1 \0\n"), "tve") == "<input>:9: this is binary data; expected text"


def test_bad_sources(tmp_path: Path) -> None:
    assert one_line(tmp_path / "no.smi") == f"{tmp_path / 'no.smi'}: no such file"
    assert one_line(tmp_path / "no.what", "tve") == f"{tmp_path / 'no.what'}: no such file"
    assert "neither a TUDataset folder (DS_A.txt) nor an index" in one_line(tmp_path)
    (tmp_path / "meta.json").touch()
    assert "an index; expected the graphs themselves" in one_line(tmp_path)
    assert "cannot be opened (Is a directory)" in one_line(tmp_path, "smiles")
    (tmp_path / "x.what").touch()
    assert "the suffix tells no format; rename it (.smi, " in one_line(tmp_path / "x.what")
    assert one_line(tmp_path / "x.what", "cvs").startswith(
        "there is no format 'cvs'; use one of: smiles, table"
    )
    assert "read from a path, '-' or an open file, not from 5" in one_line(5)
    assert "not the path of a file" in one_line("x" * 5000 + ".smi")
    assert one_line("a\0b.smi")
    assert "it is empty" in one_line(io.StringIO(""))


def test_unreadable(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise OSError("the disk is gone")

    assert "it cannot be read (the disk is gone)" in one_line(Broken(), "tve")


def test_bad_options(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="on_error must be 'raise' or 'skip', not 'ignore'"):
        read_graphs(io.BytesIO(TEXT), on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="the tve format has no option 'column'; it has: none of its own"):
        read_graphs(io.BytesIO(TEXT), "tve", column="x")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for name in ("x.smi", "x.csv", "x.sdf"):
        with pytest.raises(FormatError, match="graphs cannot be written as"):
            write_graphs(GRAPHS, tmp_path / name)
    with pytest.raises(FormatError, match="not compressed"):
        write_graphs(GRAPHS, tmp_path / "x.arrow.gz")
    with pytest.raises(FormatError, match="No such file or directory"):
        write_graphs(GRAPHS, tmp_path / "no" / "x.tve")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.tve"
    write_graphs(GRAPHS, path)
    with pytest.raises(FormatError):
        write_graphs([*([Graph(["C"])] * 5000), Graph(["C"], id="a\nb")], path)
    assert list(read_graphs(path)) == GRAPHS
    assert [p.name for p in tmp_path.iterdir()] == ["x.tve"]
