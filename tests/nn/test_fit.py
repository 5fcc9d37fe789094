"""How well nodes fit, counted the slow way."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.fit import log_use


def slow_use(query: Graph, target: Graph) -> list[float]:
    q, t = query.to_networkx(), target.to_networkx()
    same = {(u, v): float(query.labels[u] == target.labels[v]) for u in q for v in t}
    fit = dict(same)
    for _ in range(2):
        near = {(u, v): min(1.0, sum(fit[u, x] for x in t[v])) for u in q for v in t}
        fit = {
            (u, v): same[u, v] * (0.02 + 0.98 * sum(near[w, v] for w in q[u]) / max(1, len(q[u])))
            for u in q
            for v in t
        }
    total = {u: sum(fit[u, v] ** 4 for v in t) + 1e-9 for u in q}
    return [float(np.log(sum(fit[u, v] ** 4 / total[u] for u in q) + 1e-4)) for v in t]


@pytest.mark.parametrize("extra", [0, 9])
@pytest.mark.parametrize("bonds", [0, 2])
def test_equals_the_slow_count(extra: int, bonds: int) -> None:
    queries = some_graphs(0, 8, low=0, high=7, bonds=bonds)
    targets = some_graphs(1, 8, low=0, high=20, bonds=bonds)
    q, t = (batch_of(graphs, words(bonds), extra) for graphs in (queries, targets))
    expected = [x for pair in zip(queries, targets, strict=True) for x in slow_use(*pair)]
    found = log_use(q, t)[t.mask]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_copy_of_the_query_fits_best() -> None:
    """A ring with a tail beside a tree; node 0 alone could be most nodes of the tree as well."""
    ring = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]
    query = GraphSet([Graph([0, 0, 1, 0, 2], ring)])
    edges = [*ring, *((i, 5 + (i - 6) // 2) for i in range(6, 40))]
    target = GraphSet([Graph([0, 0, 1, 0, 2, *([0] * 35)], edges)])
    use = log_use(batch_of(query, words()), batch_of(target, words()))
    assert set(use.topk(4).indices.tolist()) == {1, 2, 3, 4}
    assert torch.isfinite(use).all()
