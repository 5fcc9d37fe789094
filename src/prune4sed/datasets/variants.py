"""Pairs whose distance follows from that of another pair: more to train on, without a search.

With unit costs, three changes of a pair leave what is known about its distance known:

- What the match does not use may go from the target. Nothing comes closer to a smaller target, and the match
  is still there: both bounds stay.
- Steps of the edit script may be taken in the query, each of cost 1. The distance falls by 1 for every one,
  no less, for the match needs that much less, and no more, for whoever takes the steps first pays for them.
- Labels may change their names, the same way in both graphs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import KNOWN_LABELS, Dataset, PairSet
from prune4sed.datasets.joining import join_pairs, with_training
from prune4sed.datasets.table import PairTable
from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["variants", "with_variants"]

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Half of the variants lose parts of the target, and half have steps taken: up to this share of all there are.
_MOST = 0.5
# New names for labels that are drawn together: some pairs' worth.
_AT_ONCE = 500_000


def with_variants(dataset: Dataset, copies: int) -> Dataset:
    """A dataset that trains on so many variants of every pair as well; its other sets stay as they are."""
    if not copies:
        return dataset
    found = variants(dataset["train"], copies, dataset.seed, dataset.info.get(KNOWN_LABELS))
    return with_training(dataset, [found], variants=copies)


def variants(one: PairSet, copies: int, seed: int = 0, labels: Collection[Label] | None = None) -> PairSet:
    """So many random variants of every pair, each with graphs of its own.

    Parameters
    ----------
    one : PairSet
        Labelled with unit costs.
    copies : int
        1 or more.
    seed : int
        The same seed gives the same variants.
    labels : collection of labels, optional
        Only these change names, among themselves: of others, which are all one to a model, it could not tell
        which is which. By default all that there are.

    Raises
    ------
    OptionError
        If there are no pairs, or `copies` is less than 1.

    Examples
    --------
    >>> from prune4sed import Graph
    >>> query, target = (Graph(list(text), [(0, 1), (1, 2)]) for text in ("CCO", "CCNN"))
    >>> match = np.array([[0, 1, 2]], dtype=np.int32)
    >>> table = PairTable(np.array([[0, 0]]), np.ones(1), np.ones(1), match)
    >>> pair = PairSet(GraphSet([query]), GraphSet([target]), table)
    >>> found = variants(pair, 400)
    >>> sorted({(t.num_nodes, int(d)) for t, d in zip(found.targets, found.pairs.upper)})
    [(3, 0), (3, 1), (4, 0), (4, 1)]
    """
    if copies < 1 or not len(one.pairs):
        raise OptionError(
            f"{copies} variants of {len(one.pairs)} pairs cannot be made; both must be 1 or more"
        )
    random = np.random.default_rng(seed)
    both = GraphSet.concat([one.queries, one.targets])  # numbers of labels that mean the same in either
    queries, targets = both[: len(one.queries)], both[len(one.queries) :]
    names, step = both.node_vocabulary, max(1, _AT_ONCE // max(1, len(both.node_vocabulary)))
    used = np.unique(both.node_labels).astype(np.int32)
    if labels is not None:
        used = used[[names[code] in labels for code in used]]
    parts = [
        _changed(queries, targets, used, one.pairs[first : first + step], random)
        for _ in range(copies)
        for first in range(0, len(one.pairs), step)
    ]
    return join_pairs(parts)


class _Flat(NamedTuple):
    """One graph for each of n pairs; nodes are numbered throughout."""

    first: Longs  # node of every pair, (n + 1,)
    pair: Longs  # of every node
    labels: NDArray[np.int32]
    ends: Longs  # of every edge, (edges, 2)
    edge_pair: Longs
    bonds: NDArray[np.int32] | None

    @classmethod
    def of(cls, graphs: GraphSet) -> _Flat:
        pair, edge_pair = (np.repeat(np.arange(len(graphs)), x) for x in (graphs.num_nodes, graphs.num_edges))
        first = graphs.node_offsets - graphs.node_offsets[0]
        ends = graphs.edges + first[edge_pair][:, None]
        return cls(first, pair, graphs.node_labels, ends, edge_pair, graphs.edge_label_codes)


def _changed(
    queries: GraphSet,
    targets: GraphSet,
    used: NDArray[np.int32],
    table: PairTable,
    random: np.random.Generator,
) -> PairSet:
    """A variant of every pair of a table."""
    query, target = _Flat.of(queries.take(table.query)), _Flat.of(targets.take(table.target))
    image = _images(query, target, table)
    partner = _partners(query, target, image)
    nodes, edges = _spared(target, image, partner, random)
    their_labels = _at(target.labels, image)
    relabelled, cut = _steps(query, target, their_labels, partner, random)
    taken = sum(np.bincount(x, minlength=len(table)) for x in (query.pair[relabelled], query.edge_pair[cut]))
    labels = np.where(relabelled, their_labels, query.labels)
    names = _new_names(len(table), used, len(queries.node_vocabulary), random)
    place = np.cumsum(nodes) - 1  # of the nodes that stay, numbered throughout
    first = np.concatenate([[0], np.cumsum(np.bincount(target.pair[nodes], minlength=len(table)))])
    moved = np.where(image >= 0, _at(place, image) - first[query.pair], -1)
    mapping = np.full_like(table.mapping, -1)
    mapping[query.pair, np.arange(len(moved)) - query.first[query.pair]] = moved
    return PairSet(
        _part(query, names[query.pair, labels], np.ones_like(relabelled), ~cut, queries),
        _part(target, names[target.pair, target.labels], nodes, edges, targets),
        PairTable(
            np.repeat(np.arange(len(table)), 2).reshape(-1, 2),
            np.maximum(table.lower - taken, 0),
            table.upper - taken,
            mapping,
        ),
    )


def _new_names(
    count: int, used: NDArray[np.int32], codes: int, random: np.random.Generator
) -> NDArray[np.int32]:
    """For every pair, what each label is called now: those in use change names among themselves."""
    names = np.tile(np.arange(codes, dtype=np.int32), (count, 1))
    names[:, used] = used[random.random((count, len(used))).argsort(1)]
    return names


def _images(query: _Flat, target: _Flat, table: PairTable) -> Longs:
    """The target node of every query node; -1 for none."""
    local = np.arange(len(query.pair)) - query.first[query.pair]
    image = table.mapping[query.pair, local]
    return np.where(image >= 0, target.first[query.pair] + image, -1)


def _partners(query: _Flat, target: _Flat, image: Longs) -> Longs:
    """The target edge between the images of the ends of every query edge; -1 for none."""
    step = len(target.pair) + 1
    keys = np.sort(target.ends, 1) @ np.array([step, 1])
    order = np.argsort(keys)
    ends = np.sort(image[query.ends], 1)
    wanted = np.where(ends[:, 0] >= 0, ends @ np.array([step, 1]), -1)
    if not len(keys):
        return np.full(len(wanted), -1)
    at = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)


def _spared(target: _Flat, image: Longs, partner: Longs, random: np.random.Generator) -> tuple[Mask, Mask]:
    """Target nodes and edges that stay: all that the match uses, and some others."""
    share = _shares(len(target.first) - 1, random)
    nodes = random.random(len(target.pair)) >= share[target.pair]
    nodes[image[image >= 0]] = True
    edges = random.random(len(target.ends)) >= share[target.edge_pair]
    edges[partner[partner >= 0]] = True
    return nodes, edges & nodes[target.ends].all(1)


def _steps(
    query: _Flat,
    target: _Flat,
    their_labels: NDArray[np.int32],
    partner: Longs,
    random: np.random.Generator,
) -> tuple[Mask, Mask]:
    """Query nodes to relabel, and edges to delete, out of those that the match pays for.

    The only edge of a node stays, for queries have few nodes without neighbours.
    """
    share = _shares(len(query.first) - 1, random)
    relabelled = (their_labels >= 0) & (their_labels != query.labels)
    paid = partner < 0
    if query.bonds is not None and target.bonds is not None:
        paid |= _at(target.bonds, partner) != query.bonds
    degrees = np.bincount(query.ends.ravel(), minlength=len(query.pair))
    cut = paid & (degrees[query.ends] > 1).all(1) & (random.random(len(paid)) < share[query.edge_pair])
    return relabelled & (random.random(len(relabelled)) < share[query.pair]), cut


def _at(values: NDArray[Any], places: Longs) -> NDArray[Any]:
    """Values at these places; -1 for place -1."""
    return np.append(values, np.array(-1, values.dtype))[places]


def _shares(count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """For every pair, which share of what may change does: none for half of them."""
    return np.where(random.random(count) < 0.5, random.random(count) * _MOST, 0)


def _part(flat: _Flat, labels: NDArray[np.int32], nodes: Mask, edges: Mask, source: GraphSet) -> GraphSet:
    """The graphs that some nodes and edges make, with new labels."""
    count = len(flat.first) - 1
    offsets = [
        np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))])
        for owner in (flat.pair[nodes], flat.edge_pair[edges])
    ]
    ends = (np.cumsum(nodes) - 1)[flat.ends[edges]] - offsets[0][flat.edge_pair[edges]][:, None]
    bonds: dict[str, Any] = {}
    if flat.bonds is not None:
        bonds = {"edge_labels": flat.bonds[edges], "edge_vocabulary": source.edge_vocabulary}
    return GraphSet.from_arrays(
        offsets[0],
        labels[nodes],
        offsets[1],
        ends.astype(np.int32),
        node_vocabulary=source.node_vocabulary,
        **bonds,
    )
