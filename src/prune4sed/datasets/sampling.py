"""Sampling: the query-target pairs of a dataset, from its raw data and a seed.

Targets are ego-nets of random nodes of a network, or the graphs of a collection. A query is grown in a random
target: from its centre (from a random node of a collection's graph), every neighbour not yet taken is taken
with probability one half, layer by layer, and all edges among the taken nodes come along. The queries of AIDS
are functional groups. Queries and targets are then paired at random. `protocol` holds the numbers.

A graph belongs to strict_test or to all other sets by its shape alone, so that no target and no query of
strict_test is isomorphic to one that is trained on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets import draws
from prune4sed.datasets.network import Network
from prune4sed.datasets.protocol import OWN, SMALLEST_POOL, Protocol, Recipe, protocol
from prune4sed.datasets.sampled import SampledSet, fingerprint
from prune4sed.datasets.set_groups import FULL, Group, checked_pairs, checked_seed, groups
from prune4sed.errors import OptionError
from prune4sed.exact.comparable import check_sets_comparable
from prune4sed.graphset import GraphSet

__all__ = ["FULL", "SampledSet", "fingerprint", "sample", "sample_own"]


def sample(
    name: str,
    source: Network | GraphSet,
    pairs: Sequence[int] = FULL,
    seed: int = 0,
    extras: bool = True,
    fragments: GraphSet | None = None,
) -> dict[str, SampledSet]:
    """Draw the pairs of one of the seven datasets; the same seed gives the same pairs everywhere.

    Parameters
    ----------
    name : str
        Of the dataset.
    source : Network or GraphSet
        Its raw data.
    pairs : three int
        Pairs of train, validation and test. With fewer than the full 10,000 test pairs, strict_test is as
        large as test and the other extra sets shrink in proportion.
    seed : int
        0 or more.
    extras : bool
        Whether to draw the sets beyond train, validation and test.
    fragments : GraphSet, optional
        The queries of AIDS; by default the functional groups that ship with the package.

    Returns
    -------
    dict
        Sets by name, in order.

    Examples
    --------
    >>> ring = Network.from_edges([(i, (i + d) % 60) for i in range(60) for d in (1, 2)], [0, 1, 2] * 20)
    >>> sets = sample("pubmed", ring, (8, 2, 2), extras=False)
    >>> sets["train"]
    SampledSet(train: 8 pairs with 50 targets)
    """
    rules = protocol(name)
    kind = Network if rules.standard.hops else GraphSet
    if not isinstance(source, kind):
        raise OptionError(f"{name} is drawn from a {kind.__name__}, not from a {type(source).__name__}")
    if rules.standard.depths:
        queries = None
    else:
        queries = _once(_shipped_fragments() if fragments is None else fragments, rules.standard)
    counts, seed = checked_pairs(pairs), checked_seed(seed)
    sets: dict[str, SampledSet] = {}
    for group in groups(rules, counts, extras):
        sets |= _drawn(source, queries, group, seed)
    return sets


def sample_own(
    targets: GraphSet, queries: GraphSet | None = None, pairs: Sequence[int] = FULL, seed: int = 0
) -> dict[str, SampledSet]:
    """Draw pairs of graphs of one's own, split like the seven datasets.

    Parameters
    ----------
    targets : GraphSet
        All are used.
    queries : GraphSet, optional
        Without them, queries of 5 to 25 nodes are grown in random targets.
    pairs : three int
        Pairs of train, validation and test.
    seed : int
        0 or more.

    Returns
    -------
    dict
        train, validation, test and, where the graphs have shapes for it, strict_test.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> rings = GraphSet([Graph(["C"] * n, [(i, (i + 1) % n) for i in range(n)]) for n in range(6, 60)])
    >>> sample_own(rings, pairs=(6, 2, 2))["test"]
    SampledSet(test: 2 pairs with 48 targets)
    """
    counts, seed = checked_pairs(pairs), checked_seed(seed)
    if queries is not None:
        check_sets_comparable(queries, targets)
    standard, strict = groups(Protocol(OWN), counts, extras=True)
    sets = _drawn(targets, queries, standard, seed)
    try:
        return sets | _drawn(targets, queries, strict, seed)
    except OptionError:  # few graphs: none, or none of the right size, has a strict shape
        return sets


def _drawn(
    source: Network | GraphSet, queries: GraphSet | None, group: Group, seed: int
) -> dict[str, SampledSet]:
    targets = _targets(source, group, seed)
    if queries is None:
        drawn, _ = draws.grown(
            targets, group.recipe, group.one_in, group.strict, group.stream(seed, "queries"), group.total
        )
        images = draws.partners(len(targets), group.stream(seed, "pairs"), group.total)
    else:
        drawn, images = _given(queries, targets, group, seed)
    sets, start = {}, 0
    for name, count in group.counts.items():
        stop = min(start + count, len(images))
        index = np.column_stack([np.arange(stop - start), images[start:stop]])
        sets[name] = SampledSet(name, drawn[start:stop], targets, index)
        start = stop
    return sets


def _targets(source: Network | GraphSet, group: Group, seed: int) -> GraphSet:
    recipe = group.recipe
    if isinstance(source, Network):
        count = min(recipe.pool, max(group.total, SMALLEST_POOL))
        return draws.ego_nets(
            source, recipe, group.one_in, group.strict, group.stream(seed, "targets"), count
        )
    sizes = source.num_nodes
    fits = (sizes >= recipe.smallest_target) & (sizes <= recipe.largest_target)
    chosen = source.take(fits & (draws.strict(source, group.one_in) == group.strict))
    if not len(chosen):
        raise OptionError(
            f"none of the {len(source):,} target graphs can be used for {next(iter(group.counts))}"
        )
    return chosen


def _given(
    queries: GraphSet, targets: GraphSet, group: Group, seed: int
) -> tuple[GraphSet, NDArray[np.int64]]:
    """A list of queries against all targets: every combination at most once, in all sets together."""
    usable = queries.take(draws.strict(queries, group.one_in) == group.strict)
    if not len(usable):
        sets = ", ".join(group.counts)
        kept = "other sets" if group.strict else "strict_test"
        raise OptionError(
            f"none of the {len(queries):,} queries can be used for {sets}: by shape, all go to {kept}"
        )
    room, wanted = len(usable) * len(targets), group.total
    if room < wanted and not (group.strict and room):
        raise OptionError(
            f"{len(usable):,} queries and {len(targets):,} targets make only {room:,} pairs, but {wanted:,} "
            f"are wanted for {', '.join(group.counts)}; ask for fewer"
        )
    count = min(wanted, room)
    index = draws.distinct_pairs(len(usable), len(targets), group.stream(seed, "pairs"), count)
    return usable.take(index[:, 0]), np.ascontiguousarray(index[:, 1])


def _once(fragments: GraphSet, recipe: Recipe) -> GraphSet:
    """Fragments of the right size, each shape once: they may differ in what their graphs do not show."""
    sizes = fragments.num_nodes
    fitting = fragments.take((sizes >= recipe.smallest_query) & (sizes <= recipe.largest_query))
    return fitting.take(np.sort(np.unique(draws.shapes(fitting), return_index=True)[1]))


def _shipped_fragments() -> GraphSet:
    from prune4sed.datasets.functional_groups import functional_groups

    return functional_groups()[0]
