"""SNAP edge lists, plain, compressed and in a tar."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from time import perf_counter

import networkx as nx
import numpy as np
import pytest

from prune4sed.datasets.edge_list import read
from prune4sed.errors import FormatError

TEXT = "# Undirected graph\n# FromNodeId\tToNodeId\n7\t3\n3\t100\r\n7 3\n3 7\n\n100 100\n"


def tar(path: Path, **files: str) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_nodes_are_numbered_in_increasing_order(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXT.encode()) if name.endswith("gz") else TEXT.encode())
    network = read(path)  # 3, 7, 100 become 0, 1, 2
    assert network.labels.tolist() == [0, 0, 0]
    assert network.starts.tolist() == [0, 2, 3, 4]
    assert network.neighbours.tolist() == [1, 2, 0, 0]


def test_a_tar(tmp_path: Path) -> None:
    files = {
        "amazon/a-1.90.ungraph.txt": TEXT,
        "amazon/a-1.90.cmty.txt": "1 2 3",
        "amazon/._a.ungraph.txt": "x",
    }
    assert read(tar(tmp_path / "a.tgz", **files)).num_edges == 2
    with pytest.raises(FormatError, match=r"b.tgz: expected one \*.ungraph.txt in it, found none"):
        read(tar(tmp_path / "b.tgz", readme="hello"))
    with pytest.raises(FormatError, match=r"c.tgz/a.ungraph.txt:1: expected two node numbers, found 'x'"):
        read(tar(tmp_path / "c.tgz", **{"a.ungraph.txt": "x"}))


def test_as_networkx_reads_it(tmp_path: Path) -> None:
    ends = np.random.default_rng(5).integers(0, 300, (400, 2)) * 7
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{u}\t{v}\n" for u, v in ends.tolist()))
    other = nx.read_edgelist(path, nodetype=int)
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    network = read(path)
    assert (len(network), network.num_edges) == (len(other), other.number_of_edges())
    assert np.diff(network.starts).tolist() == [other.degree(node) for node in sorted(other)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n3\n", r"a.txt:2: expected two node numbers, found '3'"),
        ("# c\n\n1 2 5\n3 4 5\n", r"a.txt:3: expected two node numbers, found '1 2 5'"),
        ("1 2\n3 x\n", r"a.txt:2: expected two node numbers, found '3 x'"),
        ("1 2 # fine\n3\n", r"a.txt:2: expected two node numbers, found '3'"),
        ("1,2\n", r"a.txt:1: expected two node numbers, found '1,2'"),
        ("1 2\n3 -4\n", r"a.txt:2: expected two node numbers, found '3 -4'"),
        ("1 2.5\n", r"a.txt:1: expected two node numbers, found '1 2.5'"),
        ("1 99999999999999999999\n", r"a.txt:1: expected two node numbers, found '1 9999"),
        ("", "a.txt: there are no edges in it"),
        ("# nothing\n", "a.txt: there are no edges in it"),
        ("1 2\0\n", "a.txt: this is binary data"),
    ],
)
def test_bad_lines(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(FormatError, match=words) as caught:
        read(tmp_path / "a.txt")
    assert "\n" not in str(caught.value)


def test_cut_short(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"{i} {i + 1}\n" for i in range(5000)).encode())
    (tmp_path / "a.txt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"a.txt.gz: the compressed data is damaged or cut short"):
        read(tmp_path / "a.txt.gz")
    with pytest.raises(FormatError, match=r"b.txt.gz: no such file"):
        read(tmp_path / "b.txt.gz")


def test_the_size_of_the_full_amazon_network_takes_seconds(tmp_path: Path) -> None:
    ends = np.random.default_rng(6).integers(0, 548_552, (925_872, 2))
    body = "\n".join(map("%d\t%d".__mod__, map(tuple, ends.tolist())))
    (tmp_path / "a.txt").write_text(f"# Nodes: many\n{body}\n")
    start = perf_counter()
    network = read(tmp_path / "a.txt")
    assert perf_counter() - start < 20  # half a second on an idle core
    low, high = ends.min(axis=1), ends.max(axis=1)
    assert len(network) == np.count_nonzero(np.bincount(ends.ravel()))
    assert network.num_edges == len(set((low * 600_000 + high)[low != high].tolist()))
