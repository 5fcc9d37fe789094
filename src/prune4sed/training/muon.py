"""Muon: momentum, made orthogonal, for the matrices of a model; AdamW for all its other weights.

K. Jordan and others, "Muon: an optimizer for hidden layers in neural networks", 2024; the scale by which one
learning rate serves both parts is that of J. Liu and others, "Muon is scalable for LLM training", 2025.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.training.adamw import new_adamw

__all__ = ["Muon", "orthogonal"]

# Coefficients of the quintic iteration by Jordan, which brings singular values near 1, not to it, in few
# rounds.
_ROUND, _ROUNDS = (3.4445, -4.7750, 2.0315), 5
# The root of the mean square of an update, per unit of learning rate: what AdamW's updates have.
_SIZE = 0.2
# Narrower ones have nothing to be made orthogonal.
_NARROWEST = 16


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices with the same singular vectors, and singular values near 1.

    Parameters
    ----------
    matrices : Tensor, (count, rows, columns)
        Any; zeros stay zeros.

    Returns
    -------
    Tensor, (count, rows, columns)

    Examples
    --------
    >>> found = torch.linalg.svdvals(orthogonal(torch.diag(torch.tensor([1.0, 5.0, 9.0])).unsqueeze(0)))
    >>> bool(((found > 0.5) & (found < 1.5)).all())
    True
    """
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = x / (torch.linalg.matrix_norm(x, keepdim=True) + 1e-7)
    a, b, c = _ROUND
    for _ in range(_ROUNDS):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


class Muon:
    """As an optimizer of torch, with `state` by parameter; steps never wait for the device.

    Matrices of one shape are made orthogonal together. Vectors of labels are no matrix: their rows have
    nothing to do with each other. A matrix that is several square ones on top of each
    other (keys, values and queries of an attention; the heads of a pruning) is taken as those.

    Parameters
    ----------
    model : Module
        What to train.
    rate : Tensor, ()
        The learning rate, which the caller may change in place.
    decay : float
        Weight decay.
    momentum : float
        Share of the old direction in the new one.
    """

    def __init__(self, model: nn.Module, rate: Tensor, decay: float, momentum: float = 0.95) -> None:
        self._rate, self._decay, self._momentum = rate, decay, momentum
        rows_apart = {id(x.weight) for x in model.modules() if isinstance(x, LabelEmbedding)}
        self._groups: dict[tuple[int, int], list[Tensor]] = {}
        rest = []
        for weight in model.parameters():
            if weight.dim() < 2 or min(weight.shape[-2:]) < _NARROWEST or id(weight) in rows_apart:
                rest.append(weight)
            else:
                self._groups.setdefault(_block(weight), []).append(weight)
        self._rest = new_adamw(rest, rate, decay)
        self.state = self._rest.state
        self._directions = {shape: self._remember(shape, group) for shape, group in self._groups.items()}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        self._rest.zero_grad(set_to_none)
        for group in self._groups.values():
            for weight in group:
                weight.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Change the weights by their gradients."""
        self._rest.step()
        for shape, group in self._groups.items():
            # A weight that the loss does not depend on has no gradient.
            slopes = torch.cat([_blocks(torch.zeros_like(x) if x.grad is None else x.grad) for x in group])
            direction = self._directions[shape].lerp_(slopes, 1 - self._momentum)
            update = orthogonal(slopes.lerp(direction, self._momentum)) * (_SIZE * math.sqrt(max(shape)))
            parts = torch.split(update.mul_(self._rate), [len(_blocks(x)) for x in group])
            torch._foreach_mul_(group, 1 - self._rate * self._decay)
            torch._foreach_sub_(group, [part.reshape(x.shape) for part, x in zip(parts, group, strict=True)])

    def _remember(self, shape: tuple[int, int], group: list[Tensor]) -> Tensor:
        """One tensor for the directions of a group; the state of each weight is a part of it."""
        counts = [len(_blocks(x)) for x in group]
        directions = torch.zeros(sum(counts), *shape, device=group[0].device, dtype=group[0].dtype)
        for weight, part in zip(group, torch.split(directions, counts), strict=True):
            self.state[weight] = {"direction": part.view(weight.shape)}
        return directions


def _block(weight: Tensor) -> tuple[int, int]:
    """Rows and columns of the matrices that a weight consists of."""
    rows, columns = weight.shape[-2:]
    return (columns, columns) if rows % columns == 0 else (rows, columns)


def _blocks(weight: Tensor) -> Tensor:
    return weight.reshape(-1, *_block(weight))
