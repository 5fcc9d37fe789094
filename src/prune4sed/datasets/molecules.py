"""Pairs of the dataset ``molecules``: functional groups and pieces of molecules to find in molecules.

The molecules are split by shape, so that no two sets have isomorphic targets: most are for training, one in
twenty each for validation, test and strict_test. Pieces are grown in the molecules of their own set, and one
shape in ten is kept out of training: no piece of the other sets is isomorphic to one that is trained on.
Functional groups are shared, but for one in ten that only strict_test uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets import draws
from prune4sed.datasets.draws import Stream
from prune4sed.datasets.fragments import fragments
from prune4sed.datasets.relabelling import relabelled
from prune4sed.datasets.sampled import SampledSet
from prune4sed.datasets.set_groups import checked_pairs, checked_seed
from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["PROTOCOL", "MoleculeProtocol", "held_out", "known_labels", "sample_molecules"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class MoleculeProtocol:
    """How the pairs are drawn; shares are in percent.

    Attributes
    ----------
    pairs : three int
        Standard numbers of pairs to train, validate and test on.
    smallest_query, largest_query : int
        Atoms of a query.
    groups, own, near : int
        Share of pairs whose query is a functional group; a piece of its own target; a piece of a molecule
        that stands near the target in the list, where related molecules stand together. Of the rest the query
        is a piece of any molecule.
    reach : int
        How many places away from it a near molecule stands at most.
    relabelled, most_labels : int
        Share of queries with changed labels, and the most labels that are changed.
    strict_one_in : int
        One shape of a query in so many is kept from training.
    target_parts : int
        Of so many parts of the molecules, one each is for validation, test and strict_test.
    rare : int
        A label that fewer molecules have is one of the unknown ones to a model.
    """

    pairs: tuple[int, int, int] = (300_000, 5_000, 10_000)
    smallest_query: int = 4
    largest_query: int = 25
    groups: int = 50
    own: int = 10
    near: int = 10
    reach: int = 3
    relabelled: int = 20
    most_labels: int = 3
    strict_one_in: int = 10
    target_parts: int = 20
    rare: int = 50


PROTOCOL = MoleculeProtocol()
_SETS = ("train", "validation", "test", "strict_test")
_DRAWS = ("kinds", "pieces", "groups", "targets", "steps", "labels")
# Molecules are split by these digits of their shape, pieces by the last ones: one says nothing of the other.
_DIGITS = np.uint64(1_000_003)
# The first parts: one each for validation, test and strict_test.
_HELD_OUT = 3


def sample_molecules(
    molecules: GraphSet,
    groups: GraphSet,
    pairs: Sequence[int] = PROTOCOL.pairs,
    seed: int = 0,
    extras: bool = True,
) -> dict[str, SampledSet]:
    """Draw the pairs; the same seed gives the same pairs everywhere.

    Parameters
    ----------
    molecules, groups : GraphSet
        Targets, and functional groups, without edge labels.
    pairs : three int
        Pairs of train, validation and test; strict_test is as large as test.
    seed : int
        0 or more.
    extras : bool
        Whether to draw strict_test.

    Returns
    -------
    dict
        Sets by name, in order.
    """
    counts, seed = checked_pairs(pairs), checked_seed(seed)
    parts = _parts(molecules)
    apart = draws.strict(groups, PROTOCOL.strict_one_in)
    sizes = (*counts, counts[2]) if extras else counts
    return {
        name: _drawn(
            name,
            _some(molecules, parts >= _HELD_OUT if name == "train" else parts == _SETS.index(name) - 1, name),
            _some(groups, apart == (name == "strict_test"), name),
            seed,
            count,
        )
        for name, count in zip(_SETS, sizes, strict=False)
    }


def held_out(molecules: GraphSet) -> GraphSet:
    """The molecules that are not for training, to judge a trained model on.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> chains = GraphSet([Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)]) for n in range(1, 101)])
    >>> 5 < len(held_out(chains)) < 25
    True
    """
    return molecules.take(_parts(molecules) < _HELD_OUT)


def known_labels(molecules: GraphSet, least: int = PROTOCOL.rare) -> tuple[Label, ...]:
    """Labels that at least so many of the graphs have, in sorted order.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> known_labels(GraphSet([Graph(["C", "O"]), Graph(["C", "C"])]), least=2)
    ('C',)
    """
    owner = np.repeat(np.arange(len(molecules)), molecules.num_nodes)
    nodes = slice(int(molecules.node_offsets[0]), int(molecules.node_offsets[-1]))
    seen = np.unique(np.column_stack([molecules.node_labels[nodes], owner]), axis=0)
    counts = np.bincount(seen[:, 0], minlength=len(molecules.node_vocabulary))
    return tuple(sorted(molecules.node_vocabulary[code] for code in np.flatnonzero(counts >= least)))


def _parts(molecules: GraphSet) -> NDArray[np.uint64]:
    """Which part of the whole every molecule belongs to, by its shape."""
    parts: NDArray[np.uint64] = draws.shapes(molecules) // _DIGITS % np.uint64(PROTOCOL.target_parts)
    return parts


def _some(graphs: GraphSet, mask: NDArray[np.bool_], name: str) -> GraphSet:
    if not mask.any():
        raise OptionError(
            f"none of the {len(graphs):,} graphs can be used for {name}: by shape, all go elsewhere"
        )
    return graphs.take(mask)


def _drawn(name: str, targets: GraphSet, groups: GraphSet, seed: int, count: int) -> SampledSet:
    def stream(what: str) -> Stream:
        return Stream(seed, len(_DRAWS) * _SETS.index(name) + _DRAWS.index(what))

    kind = draws.partners(100, stream("kinds"), count)
    of_groups = kind < PROTOCOL.groups
    chosen = draws.partners(len(groups), stream("groups"), count)
    sizes = PROTOCOL.smallest_query, PROTOCOL.largest_query
    pieces, sources = fragments(
        targets, sizes, PROTOCOL.strict_one_in, name != "train", stream("pieces"), count
    )
    # Pieces stand first in what is joined, one for every pair: those that come to use keep their places.
    both = GraphSet.concat([pieces, groups]).take(np.where(of_groups, count + chosen, np.arange(count)))
    images = draws.partners(len(targets), stream("targets"), count)
    own, near = PROTOCOL.groups + PROTOCOL.own, PROTOCOL.groups + PROTOCOL.own + PROTOCOL.near
    images = np.where((kind >= PROTOCOL.groups) & (kind < own), sources, images)
    beside = _beside(sources, len(targets), draws.partners(2 * PROTOCOL.reach, stream("steps"), count))
    images = np.where((kind >= own) & (kind < near), beside, images)
    queries = relabelled(
        both, _codes(targets, both), PROTOCOL.relabelled, PROTOCOL.most_labels, stream("labels")
    )
    return SampledSet(name, queries, targets, np.column_stack([np.arange(count), images]))


def _beside(places: Longs, count: int, numbers: Longs) -> Longs:
    """A place one to `reach` before or after each; at the ends the list goes on at its other end."""
    steps = numbers - PROTOCOL.reach
    return (places + np.where(steps < 0, steps, steps + 1)) % count


def _codes(targets: GraphSet, queries: GraphSet) -> NDArray[np.int32]:
    """The labels of all nodes of the targets, by their codes among the queries."""
    code = {label: number for number, label in enumerate(queries.node_vocabulary)}
    table = np.array([code.get(label, 0) for label in targets.node_vocabulary], dtype=np.int32)
    return table[targets.node_labels[int(targets.node_offsets[0]) : int(targets.node_offsets[-1])]]
