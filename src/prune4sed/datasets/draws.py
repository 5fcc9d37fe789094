"""Typed front of the native sampler: ego-nets, grown queries, shapes of graphs and random pairings.

Every item of every stream has a random generator of its own, of our own make: the same seed gives the same
graphs on every machine and with every version of Python and numpy, and the first items of a long draw are
those of a short one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed import _native
from prune4sed.datasets.network import Network
from prune4sed.datasets.protocol import TRIES, Recipe
from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["Stream", "distinct_pairs", "ego_nets", "grown", "partners", "shapes", "strict"]


class Stream(NamedTuple):
    """Where random numbers come from: a seed, and a number that tells draws of the same seed apart."""

    seed: int
    number: int


def shapes(graphs: GraphSet) -> NDArray[np.uint64]:
    """A number per graph that isomorphic graphs share, labels included; the same on every machine.

    Different graphs nearly always have different numbers, but colour refinement does not tell all graphs
    apart.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> path = Graph(["C", "O", "C"], [(0, 1), (1, 2)])
    >>> a, b, c = shapes(GraphSet([path, path.permuted([2, 1, 0]), Graph(["C", "C", "O"], path.edges)]))
    >>> bool(a == b), bool(a == c)
    (True, False)
    """
    graphs.validate()
    certificates: NDArray[np.uint64] = _native.shapes(*_arrays(graphs), *_keys_of(graphs))
    return certificates


def strict(graphs: GraphSet, one_in: int) -> NDArray[np.bool_]:
    """Which graphs have a shape that only strict_test may use: one shape in so many."""
    kept_apart: NDArray[np.bool_] = shapes(graphs) % np.uint64(one_in) == 0
    return kept_apart


def ego_nets(
    network: Network, recipe: Recipe, one_in: int, strict: bool, stream: Stream, count: int
) -> GraphSet:
    """Ego-nets of random nodes, of strict or of ordinary shapes; the centre is node 0.

    Raises
    ------
    OptionError
        If the network has none.
    """
    values, codes = np.unique(network.labels, return_inverse=True)
    names = values.tolist()
    try:
        nodes, labels, ends, edges, _, _ = _native.ego_nets(
            np.ascontiguousarray(network.starts, dtype=np.int64),
            np.ascontiguousarray(network.neighbours, dtype=np.int32),
            codes.astype(np.int32),
            _label_keys(names),
            list(recipe.hops.items()),
            recipe.smallest_target,
            recipe.largest_target,
            one_in,
            strict,
            *stream,
            count,
        )
    except RuntimeError as problem:
        raise OptionError(str(problem)) from None
    return GraphSet.from_arrays(nodes, labels, ends, edges.reshape(-1, 2), node_vocabulary=names)


def grown(
    targets: GraphSet, recipe: Recipe, one_in: int, strict: bool, stream: Stream, count: int
) -> tuple[GraphSet, NDArray[np.int64]]:
    """Queries grown in random targets, of strict or of ordinary shapes, and which target each came from.

    A query grows from node 0 where targets are ego-nets, and from a random node of a collection's graph.

    Raises
    ------
    OptionError
        If the targets hold none.
    """
    targets.validate()
    # One strict shape comes among so many others: with as many more tries, all targets keep their chances.
    tries = TRIES * one_in if strict else TRIES
    try:
        nodes, labels, ends, edges, bonds, sources = _native.grow_queries(
            *_arrays(targets),
            *_keys_of(targets),
            list(recipe.depths.items()),
            bool(recipe.hops),
            tries,
            recipe.smallest_query,
            recipe.largest_query,
            one_in,
            strict,
            *stream,
            count,
        )
    except RuntimeError as problem:
        raise OptionError(str(problem)) from None
    labelled = targets.edge_vocabulary is not None
    queries = GraphSet.from_arrays(
        nodes,
        labels,
        ends,
        edges.reshape(-1, 2),
        node_vocabulary=targets.node_vocabulary,
        edge_labels=bonds if labelled else None,
        edge_vocabulary=targets.edge_vocabulary,
    )
    return queries, sources


def partners(choices: int, stream: Stream, count: int) -> NDArray[np.int64]:
    """For every item one of so many choices, at random and independent of the others."""
    drawn: NDArray[np.int64] = _native.random_below(choices, *stream, count)
    return drawn


def distinct_pairs(rows: int, columns: int, stream: Stream, count: int) -> NDArray[np.int64]:
    """Random (row, column) pairs, (count, 2): every pair comes once before any comes twice.

    Examples
    --------
    >>> pairs = distinct_pairs(2, 3, Stream(0, 0), 6)
    >>> sorted(map(tuple, pairs.tolist()))
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    """
    order = _native.random_order(rows * columns, *stream, count)
    return np.column_stack(np.divmod(order, columns))


def _arrays(graphs: GraphSet) -> tuple[Any, ...]:
    return (
        graphs.node_offsets,
        graphs.node_labels,
        graphs.edge_offsets,
        graphs.edges,
        graphs.edge_label_codes,
    )


def _keys_of(graphs: GraphSet) -> tuple[NDArray[np.uint64], NDArray[np.uint64] | None]:
    bonds = graphs.edge_vocabulary
    return _label_keys(graphs.node_vocabulary), None if bonds is None else _label_keys(bonds)


def _label_keys(labels: Sequence[Label]) -> NDArray[np.uint64]:
    """A fixed number per label, whatever its code: 1 and "1" differ."""
    digests = [hashlib.sha256(f"{type(label).__name__}:{label}".encode()).digest() for label in labels]
    return np.frombuffer(b"".join(digests), dtype="<u8")[::4].astype(np.uint64)
