"""Costs of query nodes: what the engine's edit scripts say, node by node."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from made_batches import some_graphs, words

from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.device_set import DeviceSet
from prune4sed.training.node_costs import node_costs


@pytest.mark.parametrize("bonds", [0, 2])
def test_they_add_up_to_the_distance(bonds: int) -> None:
    queries = some_graphs(0, 20, low=0, high=9, bonds=bonds)
    targets = some_graphs(1, 20, low=0, high=12, bonds=bonds)
    index = np.array([(i, (7 * i) % 20) for i in range(20)] + [(3, 4), (3, 5)])
    table = sed_pairs(queries, targets, index)
    placed = DeviceSet.of(queries, words(bonds)), DeviceSet.of(targets, words(bonds))
    costs = node_costs(*placed, index, table.mapping.astype(np.int64))
    assert costs.dtype == np.float32
    assert costs.sum(1).tolist() == table.upper.tolist()
    beyond = np.arange(costs.shape[1]) >= queries.num_nodes[index[:, 0]][:, None]
    assert not costs[beyond].any()


def test_a_relabelled_node_a_lost_edge_and_a_deleted_node() -> None:
    query = GraphSet([Graph([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])])
    target = GraphSet([Graph([3, 1, 0, 0], [(0, 1), (2, 3)])])
    placed = DeviceSet.of(query, words()), DeviceSet.of(target, words())
    # 0 becomes a 3, 1 stays, the edge (1, 2) is lost, 3 goes, and with it the edge (2, 3)
    costs = node_costs(*placed, np.array([[0, 0]]), np.array([[0, 1, 2, -1]]))
    assert costs.tolist() == [[1.0, 0.5, 1 + 0.5 + 0.5, 1 + 0.5]]


def test_no_pairs() -> None:
    placed = DeviceSet.of(GraphSet([Graph([0])]), words())
    assert node_costs(placed, placed, np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64)).shape == (0, 3)
