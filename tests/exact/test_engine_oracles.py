"""The engine against answers somebody else gave: brute force, HiGHS, networkx, RDKit."""

from __future__ import annotations

import math
import os
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from effort import cases
from oracles import UNIT, brute_force, contained, costs, graphs, pairs_of_graphs
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.graph import Graph
from random_graphs import random_graph

#: No common divisor worth a tick; the engine rounds them down to a very small one.
AWKWARD = st.sampled_from([0.0, 1e-3, 1 / 3, 0.1, 0.5, 1.0, math.sqrt(2), math.e, math.pi])


@settings(max_examples=cases(400))
@given(pairs_of_graphs(), costs())
def test_equals_brute_force(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    q, t = pair
    result = sed(q, t, time_limit=None, costs=prices)
    assert result.certified
    assert result.upper == pytest.approx(brute_force(q, t, prices), rel=1e-9)


@settings(max_examples=cases(200))
@given(pairs_of_graphs(), st.builds(EditCosts, AWKWARD, AWKWARD, AWKWARD, AWKWARD))
def test_equals_brute_force_for_costs_without_a_common_step(
    pair: tuple[Graph, Graph], prices: EditCosts
) -> None:
    q, t = pair
    result = sed(q, t, time_limit=None, costs=prices)
    truth = brute_force(q, t, prices)
    assert result.certified
    assert result.upper == pytest.approx(truth, rel=1e-7)
    table = sed_pairs(q, t, time_limit=None, costs=prices)
    assert (table.lower[0], table.upper[0]) == (result.lower, result.upper)


@settings(max_examples=cases(60))
@given(
    pairs_of_graphs(),
    st.lists(st.sampled_from([0.0, 1e-9, 1e-3, 1.0, math.pi, 1e6, 1e12]), min_size=4, max_size=4),
)
def test_bounds_hold_for_costs_of_very_unlike_size(pair: tuple[Graph, Graph], values: list[float]) -> None:
    q, t = pair
    prices = EditCosts(*values)
    truth = brute_force(q, t, prices)
    for lower, upper in _both_ways(q, t, prices):
        assert 0 <= lower <= upper
        assert lower <= truth * (1 + 1e-9)
        assert upper >= truth * (1 - 1e-9)


def _both_ways(q: Graph, t: Graph, prices: EditCosts) -> list[tuple[float, float]]:
    result, table = sed(q, t, costs=prices), sed_pairs(q, t, costs=prices)
    return [(result.lower, result.upper), (float(table.lower[0]), float(table.upper[0]))]


@settings(max_examples=cases(100))
@given(graphs(6, min_nodes=3), graphs(3), costs())
def test_a_query_larger_than_the_target(q: Graph, t: Graph, prices: EditCosts) -> None:
    assume(len(q) > len(t))
    result = sed(q, t, time_limit=None, costs=prices)
    assert result.certified
    assert result.upper == pytest.approx(brute_force(q, t, prices), rel=1e-9)
    assert result.mapping.count(None) >= len(q) - len(t)


EMPTY, DOT = Graph([]), Graph(["C"])
BOND = Graph(["C", "O"], [(0, 1)])
SCATTERED = Graph(["C", "O", "C", "N"], [(0, 1)])


@pytest.mark.parametrize("q", [EMPTY, DOT, BOND, SCATTERED])
@pytest.mark.parametrize("t", [EMPTY, DOT, BOND, SCATTERED])
@pytest.mark.parametrize(
    "prices", [UNIT, EditCosts(3, 2, 7, 5), EditCosts(0, 0, 0, 0), EditCosts(1, 3, 0, 2)]
)
def test_the_smallest_graphs(q: Graph, t: Graph, prices: EditCosts) -> None:
    result = sed(q, t, costs=prices)
    assert result.certified
    assert result.upper == brute_force(q, t, prices)
    assert len(result.mapping) == len(q)


@pytest.mark.parametrize("bonds", [["a"], ["b"], ["a", "a"], ["c", "c"], []])
def test_targets_that_lack_some_of_the_query_edge_labels(bonds: list[str]) -> None:
    """Every count of edge labels in common, none included: each takes its own way through the root bound."""
    q = Graph([0, 0, 0], [(0, 1), (1, 2)], ["a", "b"])
    t = Graph([0, 0, 0, 0], [(0, 1), (2, 3)][: len(bonds)], bonds)
    for prices in (UNIT, EditCosts(4, 4, 3, 1)):
        assert sed(q, t, costs=prices).upper == brute_force(q, t, prices)


def test_a_known_pair_under_node_limits() -> None:
    """A pair on which a limited search once claimed to have proven 182; the distance is 180."""
    edges = [
        (0, 1), (1, 3), (2, 3), (0, 4), (1, 4), (2, 4), (3, 4), (1, 5), (3, 5), (4, 5), (0, 6),
        (1, 6), (2, 6), (4, 6), (5, 6), (0, 7), (2, 7), (3, 7), (4, 7), (6, 7), (0, 8), (1, 8),
        (2, 8), (3, 8), (5, 8), (7, 8), (1, 9), (2, 9), (5, 9), (7, 9), (8, 9), (0, 10), (2, 10),
        (4, 10), (6, 10), (7, 10), (8, 10), (9, 10), (0, 11), (1, 11), (3, 11), (5, 11), (6, 11), (8, 11),
        (1, 12), (2, 12), (3, 12), (4, 12), (5, 12), (6, 12), (8, 12), (10, 12), (11, 12),
    ]  # fmt: skip
    q = Graph([3, 5, 1, 4, 0, 5, 0, 2, 5, 3, 2, 2, 1], edges)
    edges = [
        (1, 2), (2, 3), (1, 4), (6, 8), (3, 9), (5, 9), (3, 11), (7, 11), (2, 12), (2, 13), (3, 13), (11, 13),
        (13, 14), (2, 15), (11, 15), (5, 16), (11, 16), (13, 16), (14, 16),
    ]  # fmt: skip
    t = Graph([3, 2, 1, 0, 3, 0, 0, 0, 2, 0, 1, 0, 2, 3, 1, 3, 3], edges)
    prices = EditCosts(node_deletion=10, node_relabel=1, edge_deletion=5, edge_relabel=1)
    for node_limit in [*range(50, 800, 50), None]:
        result = sed(q, t, time_limit=None, costs=prices, node_limit=node_limit)
        assert result.lower <= 180 <= result.upper
    assert repr(result) == "SED = 180 (certified)"


@settings(max_examples=cases(150))
@given(pairs_of_graphs(6, 9))
def test_zero_exactly_when_networkx_finds_it(pair: tuple[Graph, Graph]) -> None:
    q, t = pair
    assert (sed(q, t, time_limit=None).upper == 0) == contained(q, t)


@pytest.mark.parametrize("edge_labels", [0, 2])
def test_zero_exactly_when_networkx_finds_it_in_larger_graphs(edge_labels: int) -> None:
    """Half the queries are cut out of their target, half of those spoilt by one relabel."""
    rng = random.Random(edge_labels)
    found = 0
    for k in range(cases(60)):
        t = random_graph(rng, rng.randint(10, 25), rng.uniform(0.08, 0.25), 3, edge_labels)
        q = random_graph(rng, rng.randint(3, 7), 0.4, 3, edge_labels) if k % 2 else _cut_out(rng, t)
        truth = contained(q, t)
        found += truth
        result = sed(q, t, time_limit=None)
        assert result.certified
        assert (result.upper == 0) == truth
    assert cases(60) * 0.2 < found < cases(60)


def _cut_out(rng: random.Random, t: Graph) -> Graph:
    """Some nodes of the target in random order, most of their edges, at times one label changed."""
    nodes = rng.sample(range(len(t)), rng.randint(3, 8))
    place = {v: i for i, v in enumerate(nodes)}
    kept = [k for k, (a, b) in enumerate(t.edges) if a in place and b in place and rng.random() < 0.8]
    labels = [t.labels[v] for v in nodes]
    if rng.random() < 0.5:
        labels[0] = (int(labels[0]) + 1) % 3
    bonds = None if t.edge_labels is None else [t.edge_labels[k] for k in kept]
    return Graph(labels, [(place[t.edges[k][0]], place[t.edges[k][1]]) for k in kept], bonds)


def test_equals_mip_f2() -> None:
    pytest.importorskip("highspy")
    rng = random.Random(3)
    choices = [UNIT, EditCosts(2, 1, 3, 1), EditCosts(1, 2, 1, 0.5), EditCosts(0.7, 1 / 3, math.pi, 0.1)]
    for k in range(cases(16)):
        bonds = 2 * (k % 2)
        q = random_graph(rng, rng.randint(5, 7), rng.uniform(0.3, 0.6), 2, bonds)
        t = random_graph(rng, rng.randint(6, 9), rng.uniform(0.2, 0.5), 3, bonds)
        prices = choices[k % len(choices)]
        ours, theirs = sed(q, t, time_limit=None, costs=prices), mip_f2(q, t, prices, solver="highs")
        assert ours.certified
        assert theirs.certified
        assert ours.upper == pytest.approx(theirs.upper, rel=1e-6)


FRAGMENTS = [
    "CCO",
    "c1ccccc1",
    "CC(=O)N",
    "O=[N+][O-]",
    "C1CCNCC1",
    "c1ccncc1",
    "CCCl",
    "S(=O)(=O)N",
    "c1ccc2ccccc2c1",
]


def test_zero_exactly_when_rdkit_finds_the_fragment() -> None:
    """Elements only: RDKit is asked with any-bond queries of plain atoms by number."""
    chem = pytest.importorskip("rdkit.Chem")
    config = pytest.importorskip("rdkit.RDConfig")
    with open(os.path.join(config.RDDataDir, "NCI", "first_5K.smi")) as file:
        smiles = [line.split()[0] for line in file]
    chosen = random.Random(5).sample([s for s in smiles if chem.MolFromSmiles(s) is not None], cases(300, 10))
    molecules = [chem.MolFromSmiles(s) for s in chosen]
    targets = [Graph.from_smiles(s) for s in chosen]
    hits = 0
    for fragment in FRAGMENTS:
        pattern = _any_bond_query(chem, fragment)
        table = sed_pairs(Graph.from_smiles(fragment), targets, time_limit=None)
        assert table.certified.all()
        truth = [molecule.HasSubstructMatch(pattern) for molecule in molecules]
        assert (table.upper == 0).tolist() == truth
        hits += sum(truth)
    assert 0.1 < hits / (len(FRAGMENTS) * len(chosen)) < 0.9


def _any_bond_query(chem, smiles: str):  # type: ignore[no-untyped-def]
    molecule, query = chem.MolFromSmiles(smiles), chem.RWMol()
    for atom in molecule.GetAtoms():
        query.AddAtom(chem.AtomFromSmarts(f"[#{atom.GetAtomicNum()}]"))
    for bond in molecule.GetBonds():
        query.AddBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), chem.BondType.UNSPECIFIED)
        query.ReplaceBond(query.GetNumBonds() - 1, chem.BondFromSmarts("~"))
    return query.GetMol()
