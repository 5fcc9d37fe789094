"""Ask a model in labels that it knows from queries.

A model may know a label from targets alone: the queries of AIDS, for one, have no halogens. What it makes of
a query with such a label is a guess. But SED does not mind what labels are called, as long as both graphs
call them the same. So such a label changes its name with one that queries had and that this query does not
use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["QUERY_LABELS", "Asked", "in_known_labels", "query_labels", "stand_ins", "told_labels"]

#: Where headers of checkpoints tell it.
QUERY_LABELS = "query_labels"
# What `query_labels` finds in datasets whose bundled models do not tell it themselves.
_TOLD: dict[str, tuple[Label, ...]] = {"aids": ("O", "N", "S", "C")}


class Asked(NamedTuple):
    """Pairs that are asked about in the same labels.

    Attributes
    ----------
    rows : array of int64
        Which pairs they are.
    queries, targets : GraphSet
        With the labels to ask in.
    pairs : array of int64, (rows, 2)
        Positions of query and target.
    """

    rows: NDArray[np.int64]
    queries: GraphSet
    targets: GraphSet
    pairs: NDArray[np.int64]


def query_labels(pairs: PairSet) -> list[Label]:
    """The labels that the queries of some pairs have, the best to stand in for others first.

    That is the one that queries have most often; but the commonest label of targets comes last, for a target
    in which it had another name would look like none that a model has seen.
    """
    queries = pairs.queries.take(np.unique(pairs.pairs.query))
    often, in_targets = _counts(queries), _counts(pairs.targets)
    commonest = max(in_targets, key=lambda name: in_targets[name], default=None)
    return sorted(often, key=lambda name: (name == commonest, -often[name]))


def _counts(graphs: GraphSet) -> dict[Label, int]:
    """How many nodes have each label."""
    codes = graphs.node_labels[graphs.node_offsets[0] : graphs.node_offsets[-1]]
    counts = np.bincount(codes, minlength=len(graphs.node_vocabulary)).tolist()
    return {name: count for name, count in zip(graphs.node_vocabulary, counts, strict=True) if count}


def told_labels(info: Mapping[str, Any]) -> tuple[Label, ...] | None:
    """The same, by what the header of a checkpoint tells; None if it does not."""
    told, data = info.get(QUERY_LABELS), info.get("dataset")
    if isinstance(told, list):
        return tuple(told)
    return _TOLD.get(str(data.get("name"))) if isinstance(data, Mapping) else None


def stand_ins(
    query: set[Label], met: tuple[Label, ...], known: frozenset[Label]
) -> tuple[tuple[Label, Label], ...]:
    """Which labels change names, in twos; those for which nothing is left keep theirs.

    Parameters
    ----------
    query : set
        The labels of a query.
    met : tuple
        Those that the model knows from queries, the best to stand in first.
    known : frozenset
        Those that it knows at all.

    Examples
    --------
    >>> stand_ins({"C", "Cl", "F"}, ("S", "O", "C"), frozenset(["C", "Cl", "F", "O", "S"]))
    (('Cl', 'S'), ('F', 'O'))
    >>> stand_ins({"C", "O"}, ("S", "O", "C"), frozenset(["C", "O", "S"]))
    ()
    """
    unmet = sorted((query & known) - set(met), key=str)
    return tuple(zip(unmet, [name for name in met if name in known and name not in query], strict=False))


def in_known_labels(
    queries: GraphSet,
    targets: GraphSet,
    index: NDArray[np.int64],
    met: tuple[Label, ...] | None,
    known: frozenset[Label],
) -> Iterator[Asked]:
    """Pairs in groups, each in the labels to ask about it in; all as they are if the model knows them."""
    queries.validate()  # codes are read here; and what has other names would be checked again every time
    targets.validate()
    changes = _changes(queries, met, known) if met is not None else {}
    of_query = np.zeros(len(queries), np.int64)
    for number, chosen in enumerate(changes.values(), start=1):
        of_query[chosen] = number
    of_pair = of_query[index[:, 0]]
    for number, swaps in enumerate([(), *changes]):
        rows = np.flatnonzero(of_pair == number)
        if len(rows):
            names = {a: b for one, other in swaps for a, b in ((one, other), (other, one))}
            yield Asked(rows, queries.renamed(names), targets.renamed(names), index[rows])


def _changes(
    queries: GraphSet, met: tuple[Label, ...], known: frozenset[Label]
) -> dict[tuple[tuple[Label, Label], ...], list[int]]:
    """Queries that need stand-ins, by what changes names with what."""
    names = queries.node_vocabulary
    foreign = np.array([name not in met for name in names], dtype=np.bool_)
    first, last = queries.node_offsets[0], queries.node_offsets[-1]
    of_node = np.repeat(np.arange(len(queries)), queries.num_nodes)
    codes = queries.node_labels[first:last]
    found: dict[tuple[tuple[Label, Label], ...], list[int]] = {}
    for one in np.unique(of_node[foreign[codes]]).tolist():
        start, end = queries.node_offsets[one : one + 2]
        labels = {names[code] for code in np.unique(queries.node_labels[start:end])}
        swaps = stand_ins(labels, met, known)
        if swaps:
            found.setdefault(swaps, []).append(one)
    return found
