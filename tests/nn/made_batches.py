"""Graphs for the tests of models, and the same graphs as PyG sees them."""

from __future__ import annotations

import random

import torch
from torch import Tensor

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.batch import GraphBatch, graph_batch
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.vocabulary import Vocabulary
from random_graphs import random_graph

LABELS = 4


def some_graphs(
    seed: int, count: int, low: int = 1, high: int = 14, bonds: int = 0, degree: float = 3.0
) -> GraphSet:
    """Random graphs of `low` to `high` nodes, the first two of them of the least and the largest size."""
    rng = random.Random(seed)
    sizes = [low, high, *(rng.randint(low, high) for _ in range(count - 2))][:count]
    return GraphSet([random_graph(rng, n, min(1.0, degree / max(1, n - 1)), LABELS, bonds) for n in sizes])


def words(bonds: int = 0) -> Vocabulary:
    """The labels of `some_graphs`."""
    return Vocabulary(tuple(range(LABELS)), tuple(range(bonds)) if bonds else None)


def batch_of(graphs: GraphSet, vocabulary: Vocabulary, extra: int = 0) -> GraphBatch:
    """All graphs in one batch, padded by `extra` more rows and arcs than they need."""
    placed = DeviceSet.of(graphs, vocabulary)
    rows, arcs = int(placed.num_nodes.sum()) + extra, int(placed.num_arcs.sum()) + extra
    return graph_batch(placed, torch.arange(len(graphs)), rows, arcs)


def noise(batch: GraphBatch, *width: int) -> Tensor:
    """Random features of every row, large ones where there is no node, so that a row that leaks shows."""
    x = torch.randn(batch.rows, *width)
    x[~batch.mask] = 1e3
    return x


def flat_edges(graphs: GraphSet) -> tuple[Tensor, Tensor, Tensor]:
    """Edge index, edge labels and graph of every node, of all graphs side by side, without padding."""
    ends, bonds, owner, base = [], [], [], 0
    for i, g in enumerate(graphs):
        for at, (a, b) in enumerate(g.edges):
            ends += [(base + a, base + b), (base + b, base + a)]
            bonds += [0 if g.edge_labels is None else g.edge_labels[at]] * 2
        owner += [i] * len(g.labels)
        base += len(g.labels)
    index = torch.tensor(ends, dtype=torch.int64).reshape(-1, 2).T
    return index, torch.tensor(bonds, dtype=torch.int64), torch.tensor(owner, dtype=torch.int64)


def shuffled(graph: Graph, seed: int) -> tuple[Graph, list[int]]:
    """The same graph with its nodes in another order, and where each node went."""
    place = list(range(len(graph.labels)))
    random.Random(seed).shuffle(place)
    labels = [graph.labels[place.index(i)] for i in range(len(place))]
    edges = [(place[a], place[b]) for a, b in graph.edges]
    return Graph(labels, edges, graph.edge_labels), place
