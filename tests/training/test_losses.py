"""The interval loss."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from prune4sed.training.losses import interval_loss  # noqa: E402
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
