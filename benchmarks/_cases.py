"""Small pairs to be wrong about: random ones of every kind, and pieces of real graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from _pairs import DATASETS, Pairs, sample
from prune4sed import EditCosts, Graph

UNIT = EditCosts()
SOURCE = 100  # queries and targets of each dataset to draw from
WHOLE = (0, 1, 2, 3)
ODD = (0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, 1.5, 3.14159)
ALPHABETS: tuple[Sequence[str] | Sequence[int], ...] = (["C"], ["C", "N"], ["C", "N", "O", "S"], [7, -3, 0])
BONDS: tuple[Sequence[str] | None, ...] = (None, None, ["single", "double"], ["a", "b", "c"])


@dataclass(frozen=True)
class Case:
    """A query, a target and what edits cost."""

    query: Graph
    target: Graph
    costs: EditCosts = UNIT

    def as_json(self) -> dict[str, object]:
        """All that is needed to see a wrong answer again."""
        return {"query": _as_json(self.query), "target": _as_json(self.target), "costs": vars(self.costs)}


def random_case(rng: np.random.Generator, query: tuple[int, int], target: tuple[int, int]) -> Case:
    """Any labels, edge labels, density and costs; sizes within the ranges given, either side the larger."""
    alphabet = ALPHABETS[rng.integers(len(ALPHABETS))]
    bonds = BONDS[rng.integers(len(BONDS))]
    q = random_graph(rng, int(rng.integers(query[0], query[1] + 1)), alphabet, bonds)
    t = random_graph(rng, int(rng.integers(target[0], target[1] + 1)), alphabet, bonds)
    return Case(q, t, random_costs(rng))


def random_graph(
    rng: np.random.Generator,
    nodes: int,
    alphabet: Sequence[str] | Sequence[int],
    bonds: Sequence[str] | None,
) -> Graph:
    """Each edge with a probability that is itself random: empty, sparse, dense and complete graphs."""
    density = float(rng.choice([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], p=[0.05, 0.2, 0.3, 0.25, 0.15, 0.05]))
    ends = [(a, b) if rng.random() < 0.5 else (b, a) for a, b in combinations(range(nodes), 2)]
    chosen = [pair for pair in ends if rng.random() < density]
    labels = [alphabet[i] for i in rng.integers(len(alphabet), size=nodes)]
    return Graph(labels, chosen, None if bonds is None else _pick(bonds, len(chosen), rng))


def random_costs(rng: np.random.Generator) -> EditCosts:
    """Unit costs, whole costs with zeros, or fractions without a common step."""
    kind = rng.random()
    if kind < 0.4:
        return UNIT
    values = rng.choice(WHOLE if kind < 0.7 else ODD, size=4)
    return EditCosts(*(float(value) for value in values))


def real_case(rng: np.random.Generator, query: tuple[int, int], target: tuple[int, int], seed: int) -> Case:
    """Connected pieces of two real graphs of a random dataset, with random edge labels now and then."""
    pairs = _source(DATASETS[rng.integers(len(DATASETS))], seed)
    q = _piece(pairs.queries[int(rng.integers(len(pairs.queries)))], query, rng)
    t = _piece(pairs.targets[int(rng.integers(len(pairs.targets)))], target, rng)
    bonds = BONDS[rng.integers(len(BONDS))]
    if bonds is not None:
        q, t = (Graph(g.labels, g.edges, _pick(bonds, len(g.edges), rng)) for g in (q, t))
    return Case(q, t, random_costs(rng))


def full_size_case(rng: np.random.Generator, seed: int) -> Case:
    """A query and a target of a random dataset as they are, with unit costs."""
    pairs = _source(DATASETS[rng.integers(len(DATASETS))], seed)
    query, target = rng.integers(len(pairs.queries)), rng.integers(len(pairs.targets))
    return Case(pairs.queries[int(query)], pairs.targets[int(target)])


def planted_case(rng: np.random.Generator, seed: int) -> Case:
    """A query cut out of its target, some edges left out, and in half of the cases changed in one place."""
    whole = real_case(rng, (5, 10), (10, 40), seed).target
    nodes = rng.permutation(grow(whole, int(rng.integers(len(whole))), 3, rng))[:10].tolist()
    q = whole.subgraph(nodes)
    kept = [i for i in range(len(q.edges)) if rng.random() < 0.9]
    bonds = None if q.edge_labels is None else [q.edge_labels[i] for i in kept]
    q = Graph(q.labels, [q.edges[i] for i in kept], bonds)
    return Case(q if rng.random() < 0.5 else _changed(q, whole, rng), whole)


def _changed(q: Graph, t: Graph, rng: np.random.Generator) -> Graph:
    """The graph with one label replaced, or one edge added: perhaps contained all the same."""
    missing = [
        pair for pair in combinations(range(len(q)), 2) if pair not in {(min(e), max(e)) for e in q.edges}
    ]
    if missing and rng.random() < 0.5:
        bonds = None if q.edge_labels is None else [*q.edge_labels, (t.edge_labels or ("a",))[0]]
        return Graph(q.labels, [*q.edges, missing[int(rng.integers(len(missing)))]], bonds)
    labels = list(q.labels)
    labels[int(rng.integers(len(labels)))] = t.labels[int(rng.integers(len(t)))]
    return Graph(labels, q.edges, q.edge_labels)


def _piece(g: Graph, sizes: tuple[int, int], rng: np.random.Generator) -> Graph:
    """A connected piece of at most a random size."""
    wanted = int(rng.integers(sizes[0], sizes[1] + 1))
    best: list[int] = []
    for _ in range(10):
        nodes = grow(g, int(rng.integers(len(g))), 5, rng)[:wanted]
        best = max(best, nodes, key=len)
        if len(best) == wanted:
            break
    return g.subgraph(rng.permutation(best).tolist())


def grow(g: Graph, centre: int, depth: int, rng: np.random.Generator) -> list[int]:
    """Nodes reached from the centre when each neighbour not yet taken is taken with probability one half."""
    around: list[list[int]] = [[] for _ in g.labels]
    for u, v in g.edges:
        around[u].append(v)
        around[v].append(u)
    taken, layer = {centre: None}, [centre]
    for _ in range(depth):
        fresh: list[int] = []
        for u in layer:
            for v in around[u]:
                if v not in taken and rng.random() < 0.5:
                    taken[v] = None
                    fresh.append(v)
        layer = fresh
    return list(taken)


@cache
def _source(name: str, seed: int) -> Pairs:
    return sample(name, SOURCE, seed)


def _pick(bonds: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    return [bonds[i] for i in rng.integers(len(bonds), size=count)]


def _as_json(g: Graph) -> dict[str, object]:
    return {"labels": g.labels, "edges": g.edges, "edge_labels": g.edge_labels}
