"""What stand-ins are worth: queries with labels that the models of AIDS know from targets alone.

    python benchmarks/stand_ins.py

Connected pieces of AIDS molecules around a halogen or a phosphorus atom, each against random molecules, with
the distances that the engine proves; no training query has such labels. Each model predicts them as it is,
and once more without putting labels in the place of others. Beside them, pieces of the same sizes around
other atoms that have nothing but C, N, O and S: what the model's error on such pieces is anyway.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prune4sed as ps
from _record import RESULTS, record, write
from prune4sed import Graph, GraphSet
from prune4sed.models.base import SedModel

MODELS = ("aids-plus", "aids", "aids-neurosed")
FOREIGN, KNOWN = frozenset(["F", "Cl", "Br", "I", "P"]), frozenset(["C", "N", "O", "S"])
SIZES = (4, 12)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=200, help="pieces of either kind")
    parser.add_argument("--targets", type=int, default=10, help="molecules for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "stand_ins.json")
    asked = parser.parse_args()
    sizes = {"pairs": asked.queries * asked.targets, "seed": asked.seed}
    result = record("stand_ins.py", ("torch",)) | sizes
    random, targets = np.random.default_rng(asked.seed), ps.datasets.load("aids")["test"].targets
    foreign = pieces(targets, FOREIGN, FOREIGN | KNOWN, asked.queries, random)
    ordinary = pieces(targets, KNOWN, KNOWN, asked.queries, random)
    others = random.integers(len(targets), size=asked.queries * asked.targets)
    pairs = np.column_stack([np.repeat(np.arange(asked.queries), asked.targets), others])
    found = {name: errors(name, foreign, ordinary, targets, pairs) for name in MODELS}
    print(found)
    write(asked.out, result | {"models": found})


def pieces(
    graphs: GraphSet,
    centres: frozenset[str],
    allowed: frozenset[str],
    count: int,
    random: np.random.Generator,
) -> GraphSet:
    """Random connected pieces around atoms of some elements, without elements that are not allowed."""
    found: list[Graph] = []
    while len(found) < count:
        graph = graphs[int(random.integers(len(graphs)))]
        starts = [u for u, label in enumerate(graph.labels) if label in centres]
        if starts:
            size = int(random.integers(SIZES[0], SIZES[1] + 1))
            nodes = grown(graph, int(random.choice(starts)), size, random)
            if len(nodes) == size and {graph.labels[u] for u in nodes} <= allowed:
                found.append(graph.subgraph(nodes))
    return GraphSet(found)


def grown(graph: Graph, start: int, size: int, random: np.random.Generator) -> list[int]:
    """A node, and neighbours of what there is, one at a time."""
    nodes = [start]
    while len(nodes) < size:
        edge = [v for ends in graph.edges for u, v in (ends, ends[::-1]) if u in nodes and v not in nodes]
        if not edge:
            break
        nodes.append(int(random.choice(edge)))
    return nodes


def errors(
    name: str, foreign: GraphSet, ordinary: GraphSet, targets: GraphSet, pairs: np.ndarray
) -> dict[str, float]:
    """RMSE with stand-ins, without them, and on ordinary pieces."""
    model = ps.load_model(name, "cpu")
    assert isinstance(model, SedModel)
    found = {"rmse": rmse(model, foreign, targets, pairs)}
    found["rmse_ordinary"] = rmse(model, ordinary, targets, pairs)
    model.met = None
    return found | {"rmse_without": rmse(model, foreign, targets, pairs)}


def rmse(model: SedModel, queries: GraphSet, targets: GraphSet, pairs: np.ndarray) -> float:
    true = ps.sed_pairs(queries, targets, pairs)
    assert true.certified.all()
    wrong = model.predict(queries, targets, pairs) - true.upper
    return round(float(np.sqrt(np.mean(wrong**2))), 4)


if __name__ == "__main__":
    main()
