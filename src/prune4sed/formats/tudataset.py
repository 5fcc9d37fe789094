"""TUDataset: a folder or zip with DS_A.txt, DS_graph_indicator.txt and, where there are labels,
DS_node_labels.txt and DS_edge_labels.txt. Nodes and graphs are counted from 1, and every edge is usually
listed in both directions.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.arrays import offsets_of
from prune4sed.errors import FormatError, GraphError
from prune4sed.formats.tufiles import TUFiles
from prune4sed.graphset import GraphSet

__all__ = ["read", "write"]

Ints = NDArray[np.int64]


def read(source: Path) -> GraphSet:
    """All graphs of a data set; without node labels every label is 0."""
    files = TUFiles(source)
    owner = files.numbers("graph_indicator", 1)[:, 0]
    ends = files.numbers("A", 2)
    labels = _column(files, "node_labels", len(owner))
    bonds = _column(files, "edge_labels", len(ends))
    _check(files, owner, ends)
    if labels is None:
        labels = np.zeros(len(owner), dtype=np.int64)
    try:
        return _assemble(files, owner - 1, ends - 1, labels, bonds)
    except GraphError as error:
        raise FormatError(f"{files.name}: {error}") from None


def _column(files: TUFiles, part: str, lines: int) -> Ints | None:
    if not files.has(part):
        return None
    values = files.numbers(part, 1)[:, 0]
    files.expect(len(values) == lines, part, f"expected {lines} lines, found {len(values)}")
    return values


def _check(files: TUFiles, owner: Ints, ends: Ints) -> None:
    files.expect(len(owner) > 0, "graph_indicator", "there are no graphs in it")
    files.refuse("graph_indicator", owner < 1, "expected graph numbers from 1")
    # A damaged number must not become a huge allocation: there cannot be more graphs than nodes.
    files.refuse("graph_indicator", owner > len(owner), "this graph number exceeds the number of nodes")
    outside = (ends < 1) | (ends > len(owner))
    files.refuse("A", outside[:, 0] | outside[:, 1], f"expected two nodes from 1 to {len(owner)}")
    one, other = owner[ends[:, 0] - 1], owner[ends[:, 1] - 1]
    files.refuse("A", np.not_equal(one, other), "this edge joins two different graphs")
    files.refuse("A", np.equal(ends[:, 0], ends[:, 1]), "this edge is a self-loop")


def _assemble(files: TUFiles, owner: Ints, ends: Ints, labels: Ints, bonds: Ints | None) -> GraphSet:
    order = np.argsort(owner, kind="stable")
    offsets = offsets_of(np.bincount(owner))
    local = np.empty(len(owner), dtype=np.int64)
    local[order] = np.arange(len(owner)) - offsets[:-1][owner[order]]
    first = _first_seen(files, ends, len(owner), bonds)
    first = first[np.argsort(owner[ends[first, 0]], kind="stable")]
    return GraphSet.from_arrays(
        offsets,
        labels[order],
        offsets_of(np.bincount(owner[ends[first, 0]], minlength=len(offsets) - 1)),
        local[ends[first]],
        edge_labels=None if bonds is None else bonds[first],
    )


def _first_seen(files: TUFiles, ends: Ints, n: int, bonds: Ints | None) -> Ints:
    """Lines on which an undirected edge is first met, in order; both directions must agree on the label."""
    keys = ends.min(axis=1, initial=n) * n + ends.max(axis=1, initial=-1)
    _, first, back = np.unique(keys, return_index=True, return_inverse=True)
    if bonds is not None:
        files.refuse(
            "edge_labels", bonds[first[back]] != bonds, "the other direction of this edge has another label"
        )
    return np.sort(first)


def write(graphs: GraphSet, path: Path, name: str) -> None:
    """A zip with a folder `name` in it, as the collection offers them for download."""
    texts = {
        "A": _edge_lines(graphs),
        "graph_indicator": _lines(np.repeat(np.arange(len(graphs)) + 1, graphs.num_nodes)),
    }
    texts["node_labels"] = _lines(_labels(graphs, "node"))
    if graphs.edge_vocabulary is not None:
        texts["edge_labels"] = _lines(np.repeat(_labels(graphs, "edge"), 2))
    empty = np.flatnonzero(graphs.num_nodes == 0)
    if len(empty):
        raise FormatError(f"graph {empty[0]} has no nodes, which TUDataset files cannot say; use jsonl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in texts.items():
            # A fixed date: the same graphs always give the same file.
            archive.writestr(zipfile.ZipInfo(f"{name}/{name}_{part}.txt"), text, zipfile.ZIP_DEFLATED)


def _edge_lines(graphs: GraphSet) -> str:
    start, stop = int(graphs.edge_offsets[0]), int(graphs.edge_offsets[-1])
    shift = np.repeat(graphs.node_offsets[:-1] - graphs.node_offsets[0], graphs.num_edges)[:, None]
    ends = graphs.edges[start:stop] + shift + 1
    return "".join(f"{u}, {v}\n{v}, {u}\n" for u, v in ends.tolist())


def _labels(graphs: GraphSet, what: str) -> NDArray[Any]:
    names = graphs.node_vocabulary if what == "node" else graphs.edge_vocabulary or ()
    codes = graphs.node_labels if what == "node" else graphs.edge_label_codes
    offsets = graphs.node_offsets if what == "node" else graphs.edge_offsets
    if any(isinstance(name, str) for name in names):
        raise FormatError(
            f"TUDataset files hold integer labels, but {what} labels are strings; use jsonl or tve"
        )
    if codes is None or not names:
        return np.zeros(0, dtype=np.int64)
    return np.array(names, dtype=object)[codes[int(offsets[0]) : int(offsets[-1])]]


def _lines(values: NDArray[Any]) -> str:
    return "".join(f"{value}\n" for value in values.tolist())
