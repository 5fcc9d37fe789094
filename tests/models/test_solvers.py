"""The solvers behind the models' interface."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from oracles import brute_force
from prune4sed.errors import GraphError, GraphTypeError, OptionError
from prune4sed.exact.branch import branch
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.predictor import Predictor
from prune4sed.models.solvers import SOLVERS, Branch, Exact, MipF2
from random_graphs import hard_pair, random_graph


@pytest.fixture(scope="module")
def pairs() -> tuple[GraphSet, GraphSet, list[float]]:
    """Pairs small enough to try every mapping, some of them with a query larger than its target."""
    rng = random.Random(3)
    queries = GraphSet([random_graph(rng, rng.randint(1, 5), 0.6, 2) for _ in range(12)])
    targets = GraphSet([random_graph(rng, rng.randint(1, 5), 0.5, 2) for _ in range(12)])
    return queries, targets, [brute_force(q, t) for q, t in zip(queries, targets, strict=True)]


def test_exact_and_mip_give_the_distance(pairs: tuple[GraphSet, GraphSet, list[float]]) -> None:
    pytest.importorskip("highspy")
    queries, targets, true = pairs
    assert len(set(true)) > 3
    for solver in (Exact(), MipF2(time_limit=20)):
        answers = solver.predict(queries, targets)
        assert answers.dtype == np.float32
        assert answers.tolist() == true


def test_every_solver_bounds_the_distance(pairs: tuple[GraphSet, GraphSet, list[float]]) -> None:
    pytest.importorskip("highspy")
    queries, targets, true = pairs
    for kind in SOLVERS.values():
        predicted, lower, upper = kind().predict(queries, targets, bounds=True)
        assert (lower <= true).all()
        assert (upper >= true).all()
        assert ((lower <= predicted) & (predicted <= upper)).all()


def test_branch_predicts_the_middle_of_its_bounds() -> None:
    q, t = hard_pair(query=12, target=20)
    one = branch(q, t)
    assert one.lower < one.upper
    assert Branch().predict(q, t)[0] == (one.lower + one.upper) / 2
    assert Branch(estimate="lower").predict(q, t)[0] == one.lower
    assert Branch(estimate="upper").predict(q, t)[0] == one.upper


def test_limits_are_passed_on() -> None:
    q, t = hard_pair()
    quick = Exact(time_limit=0).predict(q, t, bounds=True)
    longer = Exact(time_limit=None, node_limit=20).predict(q, t, bounds=True)
    assert quick.upper[0] - quick.lower[0] > longer.upper[0] - longer.lower[0] > 0
    again = Exact(time_limit=None, node_limit=20, threads=2).predict(q, t, bounds=True)
    assert (again.lower, again.upper) == (longer.lower, longer.upper)


def test_pairs_are_those_of_the_models() -> None:
    a, b, c = Graph(["C"]), Graph(["N"]), Graph(["C", "N"], [(0, 1)])
    assert Exact().predict(a, [a, b, c]).tolist() == [0, 1, 0]
    assert Exact().predict([a, c], [a, b, c], [(1, 0), (0, 1), (1, 2)]).tolist() == [2, 1, 0]
    assert Branch().predict([a], [a], []).shape == (0,)
    assert Exact().predict([a], [a], []).dtype == np.float32


def test_empty_graphs() -> None:
    empty, path = Graph([]), Graph(["C", "C"], [(0, 1)])
    for solver in (Exact(), Branch()):
        assert solver.predict([empty, path, empty], [path, empty, empty]).tolist() == [0, 3, 0]


def test_bad_arguments() -> None:
    g = Graph(["C"])
    with pytest.raises(OptionError, match="estimate must be lower, middle or upper"):
        Exact(estimate="best")
    with pytest.raises(OptionError, match="time_limit must be"):
        Exact(time_limit=-1).predict(g, g)
    with pytest.raises(OptionError, match="batch_size must be"):
        Branch().predict(g, g, batch_size=0)
    with pytest.raises(GraphError, match="labels"):
        Branch().predict(Graph(["C"]), Graph([1]))
    with pytest.raises(OptionError, match="queries must be graphs, got str"):
        Exact().predict("CCO", g)
    with pytest.raises(GraphTypeError, match="item 0 is a int, not a Graph"):
        Exact().predict(g, [3])
    assert all(isinstance(kind(), Predictor) for kind in SOLVERS.values())


def test_a_foreign_graph_is_told_by_its_package() -> None:
    nx = pytest.importorskip("networkx")
    with pytest.raises(GraphTypeError, match=r"item 0 is a networkx\.Graph, not a Graph"):
        Exact().predict(Graph(["C"]), [nx.path_graph(3)])


def test_solvers_need_no_torch() -> None:
    code = (
        "import sys, prune4sed as ps; ps.load_model('exact').predict(ps.Graph(['C']), ps.Graph(['C'])); "
        "ps.load_model('branch'); ps.load_model('MIP_F2'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
