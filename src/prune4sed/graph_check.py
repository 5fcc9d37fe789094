"""The slow road of Graph: convert unusual input, and name the first offender in bad input."""

from __future__ import annotations

from itertools import chain
from typing import Any, NoReturn, cast

import numpy as np

from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.labels import Label

__all__ = ["check_edges", "clean_edges", "clean_labels"]

Pairs = tuple[tuple[int, int], ...]


def clean_labels(labels: Any, what: str) -> tuple[Label, ...]:
    """Labels as plain str or int, all of one kind; `what` is "node" or "edge" and only used in messages."""
    name = "labels" if what == "node" else "edge_labels"
    if isinstance(labels, (str, bytes)):
        raise GraphTypeError(f"{name} is the string {labels!r}; give a list with one label per {what}")
    if isinstance(labels, (dict, set, frozenset)) or not hasattr(labels, "__iter__"):
        raise GraphTypeError(f"{name} must be a sequence with one label per {what}, not {_kind(labels)}")
    clean = tuple(_label(label, f"{what} {i}") for i, label in enumerate(_plain(labels)))
    kinds = {type(label) for label in clean}
    if len(kinds) > 1:
        first = type(clean[0])
        other = next(i for i, label in enumerate(clean) if type(label) is not first)
        title = "labels" if what == "node" else "edge labels"
        raise GraphError(
            f"{title} mix strings and integers: {what} 0 is {clean[0]!r}, {what} {other} is {clean[other]!r}"
        )
    return clean


def _label(label: object, where: str) -> Label:
    if isinstance(label, str):
        return str(label)
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int(label)
    raise GraphTypeError(f"the label of {where} is {label!r}; a label is a string or an integer")


def clean_edges(edges: Any) -> Pairs:
    """Edges as a tuple of pairs of plain int; nothing is said yet about which nodes exist."""
    if isinstance(edges, np.ndarray):
        edges = edges.tolist() if edges.size else ()
    try:
        pairs = tuple(map(tuple, edges))
    except TypeError:
        _refuse_edges(edges)
    if set(map(len, pairs)) <= {2}:
        ends = set(map(type, chain.from_iterable(pairs)))
        if ends <= {int}:
            return cast(Pairs, pairs)
    return tuple(_edge(pair, i) for i, pair in enumerate(pairs))


def _edge(pair: tuple[object, ...], position: int) -> tuple[int, int]:
    if len(pair) != 2:
        raise GraphTypeError(f"edge {position} is {pair!r}; an edge is a pair of node numbers")
    for end in pair:
        if not isinstance(end, (int, np.integer)) or isinstance(end, bool):
            raise GraphTypeError(
                f"edge {position} is {pair!r}; an edge is a pair of node numbers, not {_kind(end)}"
            )
    return int(cast(int, pair[0])), int(cast(int, pair[1]))


def _refuse_edges(edges: Any) -> NoReturn:
    if not hasattr(edges, "__iter__"):
        raise GraphTypeError(
            f"edges must be a sequence of pairs of node numbers, not {_kind(edges)}"
        ) from None
    for position, pair in enumerate(edges):
        if not hasattr(pair, "__iter__"):
            raise GraphTypeError(f"edge {position} is {pair!r}; an edge is a pair of node numbers") from None
    raise GraphTypeError("edges must be a sequence of pairs of node numbers") from None


def check_edges(pairs: Pairs, n: int) -> None:
    """Raise for the first edge that leaves the graph, is a self-loop or repeats another."""
    seen: dict[tuple[int, int], int] = {}
    for i, (u, v) in enumerate(pairs):
        for end in (u, v):
            if not 0 <= end < n:
                size = f"{n} node{'s' * (n != 1)}"
                raise GraphError(
                    f"edge {i} is ({u}, {v}), but node {end} does not exist: the graph has {size}"
                )
        if u == v:
            raise GraphError(f"edge {i} ({u}, {v}) is a self-loop at node {u}")
        first = seen.setdefault((min(u, v), max(u, v)), i)
        if first != i:
            raise GraphError(f"edge {i} ({u}, {v}) repeats edge {first}")


def _plain(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values


def _kind(value: object) -> str:
    return (
        f"{value!r} ({type(value).__name__})"
        if isinstance(value, (int, float, str))
        else f"a {type(value).__name__}"
    )
