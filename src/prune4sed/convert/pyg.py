"""PyTorch Geometric ``Data`` objects, both ways; reading needs neither torch nor torch_geometric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import GraphError, GraphTypeError, require
from prune4sed.graph import Graph
from prune4sed.labels import Label

__all__ = ["from_pyg", "to_pyg"]


def from_pyg(data: Any) -> Graph:
    """See `Graph.from_pyg`."""
    if getattr(data, "edge_index", None) is None:
        raise GraphTypeError(f"expected a PyG Data object with edge_index, not a {type(data).__name__}")
    index = _array(data.edge_index)
    if index.size == 0:
        index = np.zeros((2, 0), dtype=np.int64)
    if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
        raise GraphError(
            f"edge_index must be integers of shape (2, edges), not {index.dtype} of {index.shape}"
        )
    labels = _labels(getattr(data, "x", None), getattr(data, "label_names", None), "x", "node")
    if labels is None:
        labels = [0] * _count(data, index)
    bonds = _labels(
        getattr(data, "edge_attr", None), getattr(data, "edge_label_names", None), "edge_attr", "edge"
    )
    if bonds is not None and len(bonds) != index.shape[1]:
        raise GraphError(f"edge_attr has {len(bonds)} rows for {index.shape[1]} columns of edge_index")
    edges, kept = _undirected(index.T.tolist(), bonds)
    name = getattr(data, "id", None)
    return Graph(
        labels,
        edges,
        None if bonds is None else [bonds[i] for i in kept],
        name if isinstance(name, str) else None,
    )


def _array(values: Any) -> NDArray[Any]:
    return np.asarray(values.detach().cpu().numpy() if hasattr(values, "detach") else values)


def _count(data: Any, index: NDArray[Any]) -> int:
    known = getattr(data, "num_nodes", None)
    return int(known) if known is not None else int(index.max(initial=-1)) + 1


def _labels(values: Any, names: Sequence[str] | None, field: str, what: str) -> list[Label] | None:
    """Labels from a column of integers or one-hot rows."""
    if values is None:
        return None
    array = _array(values)
    if array.ndim not in (1, 2) or array.dtype.kind not in "iufb":
        raise GraphError(
            f"{field} must be one column of integers or one-hot rows, not {array.dtype} of {array.shape}"
        )
    if array.ndim == 2 and array.shape[1] == 0:
        return None
    if array.ndim == 2 and array.shape[1] > 1:
        wrong = ((array != 0) & (array != 1)).any(axis=1) | ((array != 0).sum(axis=1) != 1)
        if wrong.any():
            raise GraphError(f"{field} of {what} {int(wrong.argmax())} is not one-hot; labels are discrete")
        codes = array.argmax(axis=1)
    else:
        codes = array.reshape(-1)
        wrong = codes != np.trunc(codes)
        if wrong.any():
            i = int(wrong.argmax())
            raise GraphError(f"{field} of {what} {i} is {codes[i]}, not an integer; labels are discrete")
        codes = codes.astype(np.int64)
    if names is None:
        return list(codes.tolist())
    wrong = (codes < 0) | (codes >= len(names))
    if wrong.any():
        i = int(wrong.argmax())
        raise GraphError(f"{field} of {what} {i} is {codes[i]}, but there are {len(names)} label names")
    return [names[code] for code in codes.tolist()]


def _undirected(pairs: list[list[int]], bonds: list[Label] | None) -> tuple[list[tuple[int, int]], list[int]]:
    """Each edge once, as first met, and where it stood; both directions must agree about the label."""
    first: dict[tuple[int, int], int] = {}
    for i, (u, v) in enumerate(pairs):
        if (u, v) in first:
            raise GraphError(f"column {i} of edge_index, ({u}, {v}), repeats column {first[u, v]}")
        first[u, v] = i
        back = first.get((v, u))
        if bonds is not None and back is not None and bonds[back] != bonds[i]:
            raise GraphError(f"edge ({v}, {u}) has label {bonds[back]!r} one way and {bonds[i]!r} the other")
    kept = [i for (u, v), i in first.items() if first.get((v, u), i) >= i]
    return [(pairs[i][0], pairs[i][1]) for i in kept], kept


def to_pyg(graph: Graph) -> Any:
    """See `Graph.to_pyg`."""
    torch = require("torch", "nn", "to make PyG data")
    pyg = require("torch_geometric.data", "nn", "to make PyG data")
    codes, names = _numbered(graph.labels)
    edges = torch.tensor(graph.edges, dtype=torch.long).reshape(-1, 2).T
    data = pyg.Data(
        x=torch.tensor(codes, dtype=torch.long).reshape(-1, 1),
        edge_index=torch.cat([edges, edges.flip(0)], dim=1).contiguous(),
    )
    if names is not None:
        data.label_names = names
    if graph.edge_labels is not None:
        bonds, bond_names = _numbered(graph.edge_labels)
        data.edge_attr = torch.tensor(bonds + bonds, dtype=torch.long).reshape(-1, 1)
        if bond_names is not None:
            data.edge_label_names = bond_names
    if graph.id is not None:
        data.id = graph.id
    return data


def _numbered(labels: tuple[Label, ...]) -> tuple[list[int], list[str] | None]:
    numbers = [label for label in labels if isinstance(label, int)]
    if len(numbers) == len(labels):
        wide = next((label for label in numbers if not -(2**63) <= label < 2**63), None)
        if wide is not None:
            raise GraphError(f"the label {wide} does not fit in a 64-bit tensor")
        return numbers, None
    names = sorted({str(label) for label in labels})
    code = {name: i for i, name in enumerate(names)}
    return [code[str(label)] for label in labels], names
