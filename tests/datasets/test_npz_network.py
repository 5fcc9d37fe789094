"""graph2gauss files: made ones, ones as they are in the wild, and bad ones."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from prune4sed.datasets.npz_network import read
from prune4sed.errors import FormatError

# A directed citation network with a self-loop and an edge in both directions.
MATRIX = sp.csr_matrix(np.array([[0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=np.float32))


def make(path: Path, **changes: Any) -> Path:
    arrays: dict[str, Any] = {
        "adj_data": MATRIX.data,
        "adj_indices": MATRIX.indices,
        "adj_indptr": MATRIX.indptr,
        "adj_shape": np.array(MATRIX.shape),
        "labels": np.array([2, 0, 0, 1]),
        **changes,
    }
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_directions_and_loops_are_dropped(tmp_path: Path) -> None:
    network = read(make(tmp_path / "a.npz"))
    assert network.labels.tolist() == [2, 0, 0, 1]
    assert network.starts.tolist() == [0, 2, 4, 5, 6]
    assert network.neighbours.tolist() == [1, 3, 0, 2, 1, 0]


def test_a_random_matrix_as_scipy_and_networkx_see_it(tmp_path: Path) -> None:
    matrix = sp.random(60, 60, 0.05, format="csr", random_state=np.random.default_rng(4))
    path = make(
        tmp_path / "a.npz",
        adj_data=matrix.data,
        adj_indices=matrix.indices,
        adj_indptr=matrix.indptr,
        adj_shape=matrix.shape,
        labels=np.zeros(60, dtype=np.int64),
    )
    other = nx.from_scipy_sparse_array(matrix.maximum(matrix.T))
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    network = read(path)
    assert network.num_edges == other.number_of_edges() > 0
    assert np.diff(network.starts).tolist() == [degree for _, degree in other.degree(range(60))]


def test_a_stored_zero_is_no_edge(tmp_path: Path) -> None:
    data = MATRIX.data.copy()
    data[MATRIX.indices == 3] = 0
    assert read(make(tmp_path / "a.npz", adj_data=data)).num_edges == 2


def test_pickled_names_beside_the_network_are_never_touched(tmp_path: Path) -> None:
    names = np.array({0: "a paper"}, dtype=object)
    path = make(tmp_path / "a.npz", idx_to_node=names, attr_data=np.ones(3), attr_shape=np.array([4, 9]))
    assert read(path).num_edges == 3


class Bomb:
    """Would make a file if it were ever unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("member", ["labels", "adj_data", "adj_shape"])
def test_a_pickle_is_refused(tmp_path: Path, member: str) -> None:
    bomb = np.array([Bomb(tmp_path / "went off")], dtype=object)
    path = make(tmp_path / "a.npz", **{member: bomb})
    with pytest.raises(
        FormatError, match=f"a.npz: {member} is a pickled object, and pickles are never loaded"
    ):
        read(path)
    assert not (tmp_path / "went off").exists()


def test_a_bare_pickle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00}q\x00.")
    with pytest.raises(FormatError, match=r"a.npz: not an npz file; pickles are never loaded"):
        read(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": None}, "there is no labels in it, but adj_data, adj_indices"),
        ({"labels": np.array([0, 1])}, r"an adjacency of 4 x 4 does not fit labels of shape \(2,\)"),
        ({"labels": np.eye(4, dtype=int)}, r"does not fit labels of shape \(4, 4\)"),
        ({"labels": np.array([0.5, 1, 2, 3])}, "labels must hold integers, not float64"),
        ({"adj_shape": np.array([4])}, "an adjacency of 4 does not fit"),
        ({"adj_indices": MATRIX.indices + 2}, "but node 5 does not exist: nodes are 0 to 3"),
        ({"adj_indices": MATRIX.indices[:-1]}, "do not make a sparse matrix"),
        ({"adj_indptr": np.array([0, 2, 1, 5, 5])}, "do not make a sparse matrix"),
        ({"adj_indptr": np.array([0, 5])}, "do not make a sparse matrix"),
        ({"adj_indptr": np.zeros(0, dtype=int)}, "do not make a sparse matrix"),
    ],
)
def test_bad_content(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        read(make(tmp_path / "a.npz", **changes))
    assert "\n" not in str(caught.value)


def test_missing_cut_short_and_other_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a.npz: no such file"):
        read(tmp_path / "a.npz")
    whole = make(tmp_path / "a.npz").read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 5):
        (tmp_path / "cut.npz").write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"cut.npz: not an? (whole )?npz file"):
            read(tmp_path / "cut.npz")
    (tmp_path / "page.npz").write_text("<html>not found</html>")
    with pytest.raises(FormatError, match=r"page.npz: not an npz file"):
        read(tmp_path / "page.npz")
    np.save(tmp_path / "one.npy", np.arange(3))
    with pytest.raises(FormatError, match=r"one.npy: one array; expected an npz with adj_data"):
        read(tmp_path / "one.npy")
    with pytest.raises(FormatError, match="not a whole npz file"):
        read(tmp_path)


def test_a_header_that_is_not_python(tmp_path: Path) -> None:
    path = make(tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["labels.npy"] = parts["labels.npy"].replace(b"}", b" ").replace(b"), ", b" , ")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(FormatError, match="labels is damaged"):
        read(path)


def test_flipped_bytes_are_noticed(tmp_path: Path) -> None:
    path = make(tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("adj_indices.npy").header_offset + 200
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError, match="adj_indices is damaged"):
        read(path)
