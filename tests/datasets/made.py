"""Small made datasets for the tests."""

from __future__ import annotations

import random

import numpy as np

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.network import Network
from prune4sed.datasets.table import PairTable
from prune4sed.exact.engine import sed_pairs
from prune4sed.graphset import GraphSet
from random_graphs import random_graph


def made_graphs(seed: int, count: int, nodes: tuple[int, int], labels: int = 3) -> GraphSet:
    """Random graphs, the first without a name."""
    rng = random.Random(seed)
    return GraphSet(
        random_graph(rng, rng.randint(*nodes), 0.3, labels, id=f"{seed}/{i}" if i else None)
        for i in range(count)
    )


def made_set(seed: int, targets: GraphSet, count: int, nodes: tuple[int, int] = (3, 6)) -> PairSet:
    """Queries of their own, each paired with a random target and labelled by the engine."""
    queries = made_graphs(seed, count, nodes)
    rng = random.Random(seed)
    index = np.array([(i, rng.randrange(len(targets))) for i in range(count)], dtype=np.int64)
    found = sed_pairs(queries, targets, index, time_limit=None, threads=1)
    return PairSet(queries, targets, PairTable(index, found.lower, found.upper, found.mapping))


def made_dataset() -> Dataset:
    """Three sets: two share their targets; queries of the third are larger, and some exceed their target."""
    pool, other = made_graphs(1, 5, (5, 9)), made_graphs(2, 4, (2, 8))
    sets = {
        "train": made_set(3, pool, 12),
        "test": made_set(4, pool, 5),
        "strict_test": made_set(5, other, 6, (4, 9)),
    }
    limits = {name: {"fingerprint": f"print of {name}", "node_limit": 100} for name in sets}
    return Dataset("made", 7, sets, {"source": {"file": "made.smi"}, "sets": limits})


def made_network(nodes: int = 400, labels: int = 9) -> Network:
    """A ring with chords: connected, and with ego-nets of many shapes and sizes."""
    rng = random.Random(0)
    ring = [(i, (i + 1) % nodes) for i in range(nodes)]
    chords = [(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(5 * nodes // 2)]
    return Network.from_edges(ring + chords, [rng.randrange(labels) for _ in range(nodes)])
