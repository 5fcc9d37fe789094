"""Bad arguments to the engine: one clear line that names the argument and what was given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from prune4sed.errors import CostError, OptionError, Prune4SEDError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.graph import Graph

G = Graph(["C", "O"], [(0, 1)])

BAD = [
    ("time_limit", -1),
    ("time_limit", math.nan),
    ("time_limit", "1"),
    ("time_limit", True),
    ("node_limit", -1),
    ("node_limit", 1.5),
    ("node_limit", True),
    ("node_limit", "many"),
    ("threshold", -0.5),
    ("threshold", math.nan),
    ("threshold", "2"),
    ("threshold", False),
    ("costs", None),
    ("costs", (1, 1, 1, 1)),
    ("costs", {"node_deletion": 1}),
]


@pytest.mark.parametrize(("option", "value"), BAD)
def test_options_are_named_with_their_value(option: str, value: Any) -> None:
    for function in (sed, sed_pairs):
        with pytest.raises(OptionError) as caught:
            function(G, G, **{option: value})  # type: ignore[operator]
        assert option in str(caught.value)
        assert repr(value) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "all", math.nan])
def test_threads(threads: Any) -> None:
    with pytest.raises(OptionError, match="threads must be a whole number, 1 or more"):
        sed_pairs(G, G, threads=threads)


@pytest.mark.parametrize("progress", [5, "bar", [print]])
def test_progress(progress: Any) -> None:
    with pytest.raises(OptionError, match="progress must be a function"):
        sed_pairs(G, G, progress=progress)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([(0, 2)], "pair 0 names target 2, but there are only 2"),
        ([(0, 0), (-1, 0)], "pair 1 names query -1"),
        ([(0.0, 1.0)], "pairs must be"),
        ([0, 1], "pairs must be"),
        ([(0, 1, 0)], "pairs must be"),
        ([(0, 1), (0,)], "pairs must be"),
        ("01", "pairs must be"),
        ([(True, False)], "pairs must be"),
        ([(0, 2**70)], "pairs must be"),
        ({"query": 0}, "pairs must be"),
    ],
)
def test_pairs(pairs: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        sed_pairs([G, G], [G, G], pairs)


@pytest.mark.parametrize("wrong", [None, 5, "CCO", b"CCO", 1.5])
def test_what_cannot_be_a_set(wrong: Any) -> None:
    with pytest.raises(Prune4SEDError, match="queries must be graphs"):
        sed_pairs(wrong, G)
    with pytest.raises(Prune4SEDError, match="targets must be graphs"):
        sed_pairs(G, wrong)


def test_sets_of_something_else() -> None:
    with pytest.raises(Prune4SEDError):
        sed_pairs([G, "CCO"], G)  # type: ignore[list-item]
    with pytest.raises(Prune4SEDError):
        sed_pairs([Graph(["C"]), Graph([6])], G)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", None, True, 1j])
def test_costs(value: Any) -> None:
    for field in ("node_deletion", "node_relabel", "edge_deletion", "edge_relabel"):
        with pytest.raises(CostError, match=field):
            EditCosts(**{field: value})


@pytest.mark.parametrize("cost", [5e-324, 1e-300, 1e-12, 1e12, 1e100, 1e300])
def test_costs_of_any_size_scale(cost: float) -> None:
    """One deleted edge costs what it costs, however far from 1 that is."""
    prices, t = EditCosts(cost, cost, cost, cost), Graph(["C", "O"])
    assert sed(G, t, costs=prices).upper == cost
    assert sed_pairs(G, t, costs=prices).upper[0] == cost
    assert sed_pairs(G, t, costs=prices).certified[0]


def test_numbers_of_numpy_are_numbers() -> None:
    result = sed(G, G, time_limit=np.float32(0.5), node_limit=np.int64(5), threshold=np.float64(1))
    assert result.certified
    table = sed_pairs([G], [G], threads=np.int32(1), node_limit=np.uint8(3), time_limit=np.int64(1))
    assert table.certified.all()


def test_limits_beyond_all_measure_mean_none() -> None:
    assert sed(G, G, time_limit=math.inf, node_limit=10**30, threshold=math.inf).certified
    assert sed(G, G, time_limit=None, threshold=1e300).certified
    assert sed_pairs([G], [G], threads=10**9).certified.all()
