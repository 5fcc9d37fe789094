"""The bend of units, and the bounds of pair features."""

from __future__ import annotations

import pytest
import torch

from prune4sed.nn.bend import Bend


def test_every_unit_has_its_slope() -> None:
    bend = Bend(3, 0.1)
    assert bend.slope is not None
    bend.slope[0] = 0
    x = torch.tensor([[-2.0, -2.0, 2.0], [0.0, 0.0, float("inf")]], requires_grad=True)
    out = bend(x)
    torch.testing.assert_close(out.detach(), torch.tensor([[0.0, -0.2, 2.0], [0.0, 0.0, float("inf")]]))
    out.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([[0.0, 0.1, 1.0], [0.0, 0.1, 1.0]]))


@pytest.mark.parametrize("shape", [(4,), (0, 4), (2, 3, 4)])
def test_any_shape_in_half_precision(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape, dtype=torch.bfloat16)
    expected = torch.nn.functional.leaky_relu(x, 0.1)
    torch.testing.assert_close(Bend(4, 0.1)(x), expected)


def test_without_a_leak_it_is_a_relu_that_keeps_nothing() -> None:
    bend = Bend(4)
    assert bend.state_dict() == {}
    x = torch.randn(5, 4)
    assert torch.equal(bend(x), torch.relu(x))
    assert not bend.slopes(x).any()
