"""MIP-F2 against brute force and networkx."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

import pytest
from hypothesis import given, settings

from oracles import brute_force, contained, costs, pairs_of_graphs
from prune4sed.errors import MissingExtraError, OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.graph import Graph

pytest.importorskip("highspy")

SQUARE = Graph(labels=["C"] * 4, edges=[(0, 1), (1, 2), (2, 3), (3, 0)])
GRID = Graph(
    labels=["C"] * 100,
    edges=[(i, i + 1) for i in range(100) if i % 10 < 9] + [(i, i + 10) for i in range(90)],
)
KNOT = Graph(labels=["C"] * 12, edges=[(i, j) for j in range(12) for i in range(j) if (i * j + i + j) % 3])


@settings(max_examples=60)
@given(pairs_of_graphs(), costs())
def test_equals_brute_force(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    q, t = pair
    result = mip_f2(q, t, prices, solver="highs")
    assert result.certified
    assert result.upper == pytest.approx(brute_force(q, t, prices))
    assert prices.map_cost(q, t, result.mapping) == result.upper


@settings(max_examples=40)
@given(pairs_of_graphs(5, 8))
def test_zero_exactly_when_contained(pair: tuple[Graph, Graph]) -> None:
    q, t = pair
    assert (mip_f2(q, t, solver="highs").upper == 0) == contained(q, t)


def test_one_thread_or_two_give_the_same_distance() -> None:
    wheel = Graph(
        labels=["C"] * 7, edges=[(0, i) for i in range(1, 7)] + [(i, i % 6 + 1) for i in range(1, 7)]
    )
    cube = Graph(labels=["C"] * 8, edges=[(i, i ^ b) for i in range(8) for b in (1, 2, 4) if i < i ^ b])
    results = [mip_f2(wheel, cube, threads=n, solver="highs") for n in (1, 2, 1)]
    assert [repr(r) for r in results] == ["SED = 3 (certified)"] * 3


def test_no_time_gives_bounds_at_once_and_little_time_gives_valid_ones() -> None:
    start = perf_counter()
    at_once = mip_f2(KNOT, GRID, time_limit=0)
    assert perf_counter() - start < 0.1
    assert at_once.nodes == 0
    short = mip_f2(KNOT, GRID, time_limit=0.5, solver="highs")
    assert short.seconds < 0.5 * 1.05 + 0.02
    assert at_once.lower <= short.lower <= short.upper <= at_once.upper
    assert EditCosts().map_cost(KNOT, GRID, short.mapping) == short.upper


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": 0}, "threads"),
        ({"threads": 1.5}, "threads"),
        ({"solver": "cplex"}, "solver"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        mip_f2(SQUARE, SQUARE, **options)  # type: ignore[arg-type]


def test_a_missing_solver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtraError, match=r"prune4sed\[mip\]"):
        mip_f2(SQUARE, SQUARE, solver="highs")


def test_gurobi_where_it_is_installed() -> None:
    pytest.importorskip("gurobipy")
    assert repr(mip_f2(SQUARE, SQUARE, solver="gurobi")) == "SED = 0 (certified)"


def test_without_gurobi_the_refusal_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    with pytest.raises(OptionError, match='solver="highs"'):
        mip_f2(SQUARE, SQUARE, solver="gurobi")


def test_the_package_loads_without_any_solver() -> None:
    code = "import sys, prune4sed.exact; print({'highspy', 'scipy', 'gurobipy', 'rdkit'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"
