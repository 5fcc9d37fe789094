"""The interval loss, and that of keep probabilities."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from prune4sed import Graph, GraphSet  # noqa: E402
from prune4sed.nn.batch import graph_batch  # noqa: E402
from prune4sed.nn.device_set import DeviceSet  # noqa: E402
from prune4sed.nn.vocabulary import Vocabulary  # noqa: E402
from prune4sed.training.losses import interval_loss, keep_loss, matched_rows  # noqa: E402
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
