"""The interval loss, and that of keep probabilities."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from prune4sed import Graph, GraphSet  # noqa: E402
from prune4sed.models.registry import create_model  # noqa: E402
from prune4sed.nn.batch import Budget, graph_batch, pair_batch  # noqa: E402
from prune4sed.nn.device_set import DeviceSet  # noqa: E402
from prune4sed.nn.vocabulary import Vocabulary  # noqa: E402
from prune4sed.training.losses import (  # noqa: E402
    interval_loss,
    keep_loss,
    mapping_loss,
    matched_rows,
    node_cost_loss,
)
from prune4sed.training.metrics import interval_rmse  # noqa: E402


def test_is_the_square_of_the_metric() -> None:
    torch.manual_seed(0)
    y, low = torch.randn(50) * 3, torch.randint(0, 4, (50,)).float()
    high = low + torch.randint(0, 3, (50,))
    expected = interval_rmse(y.numpy(), low.numpy(), high.numpy()) ** 2
    assert float(interval_loss(y, low, high)) == pytest.approx(expected, rel=1e-5)


def test_the_gradient_points_to_the_interval() -> None:
    y = torch.tensor([0.0, 1.5, 5.0], requires_grad=True)
    interval_loss(y, torch.ones(3), 2 * torch.ones(3)).backward()
    assert y.grad.tolist() == [pytest.approx(-2 / 3), 0, pytest.approx(2.0)]


def test_keep_loss_is_cross_entropy_on_the_matched_nodes() -> None:
    torch.manual_seed(0)
    graphs = GraphSet([Graph([0] * n) for n in (3, 2)])
    batch = graph_batch(DeviceSet.of(graphs, Vocabulary((0,))), torch.arange(2), rows=7, arcs=0)
    mapping = torch.tensor([[2, 0, -1], [-1, 1, -1]])
    assert matched_rows(batch, mapping).tolist() == [1, 0, 1, 0, 1, 0, 0]
    logits = torch.randn(7, 2)
    real, true = torch.sigmoid(logits[:5]), torch.tensor([1.0, 0, 1, 0, 1]).unsqueeze(1)
    expected = -(true * real.log() + (1 - true) * (1 - real).log()).mean()
    assert float(keep_loss(logits, batch, mapping)) == pytest.approx(float(expected), rel=1e-5)


def test_losses_on_the_match_are_those_of_its_nodes() -> None:
    """Two pairs, the second uncertain; the target node of one query node is pruned away."""
    torch.manual_seed(0)
    options = {"width": 8, "stages": 1, "pair_width": 8, "pair_layers": 1, "keep": 3}
    model = create_model("prune4sed-plus", Vocabulary((0, 1)), **options).eval()
    queries = model.place(GraphSet([Graph([0, 1, 0, 1], [(0, 1)]), Graph([0])]))
    targets = model.place(GraphSet([Graph([0, 1, 0, 1, 1], [(0, 1), (1, 2)]), Graph([1, 0])]))
    at = torch.arange(2)
    for budget in (None, Budget(9, 8, 11, 12)):
        batch = pair_batch(queries, targets, at, at, budget)
        with torch.no_grad():
            thoughts = model.thoughts(batch)
        thought = thoughts.parts[0]
        kept = thought.kept.rows[0].tolist()
        lost = next(v for v in range(5) if v not in kept)
        mapping = torch.tensor([[kept[2], lost, -1, kept[0], 7], [0, -1, -1, -1, -1]])
        costs = torch.tensor([[1.0, 2.0, 0.5, 0.0, 9.0], [3.0, 0, 0, 0, 0]])
        certain = torch.tensor([1.0, 0.0])
        expected = -(thought.logs[0, 3] + thought.logs[2, 0] + thought.logs[3, 1]) / 3
        found = mapping_loss(thoughts, mapping, certain)
        assert float(found) == pytest.approx(float(expected), rel=1e-5)
        wrong = thought.node_costs[:4] - torch.tensor([1.0, 2.0, 0.5, 0.0])
        assert float(node_cost_loss(thoughts, costs, certain)) == pytest.approx(
            float(wrong.square().mean()), rel=1e-5
        )
        # A table may be wider or narrower than the largest query.
        assert float(node_cost_loss(thoughts, costs[:, :1], certain)) > 0
        assert float(mapping_loss(thoughts, mapping, certain.new_zeros(2))) == 0
        # Pairs count as much as they are told to: 3 and 1 places are known, 4 and 1 costs.
        other, both = torch.tensor([0.0, 1.0]), torch.tensor([0.5, 2.0])
        for loss, table, known in ((mapping_loss, mapping, (3, 1)), (node_cost_loss, costs, (4, 1))):
            apart = [float(loss(thoughts, table, counts)) for counts in (certain, other)]
            shares = 0.5 * known[0], 2.0 * known[1]
            assert apart[0] != pytest.approx(apart[1], rel=0.01)
            mean = (shares[0] * apart[0] + shares[1] * apart[1]) / sum(shares)
            assert float(loss(thoughts, table, both)) == pytest.approx(mean, rel=1e-5)
