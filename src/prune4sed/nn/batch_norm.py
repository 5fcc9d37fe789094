"""Batch normalisation over the real rows of a padded batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels

__all__ = ["MaskedBatchNorm"]


class MaskedBatchNorm(nn.Module):
    """As ``torch.nn.BatchNorm1d`` on the real rows alone, without waiting for the device to count them.

    In training, mean and variance come from the rows where the mask holds; running ones are kept for use
    afterwards. A batch with a single real row is left out of the running variance, which it cannot inform.

    Parameters
    ----------
    width : int
        Number of features.
    momentum : float
        Weight of the newest batch in the running mean and variance.
    """

    weight: nn.Parameter
    bias: nn.Parameter
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, width: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Normalise.

        Parameters
        ----------
        x : Tensor, (R, width)
            Features.
        mask : Tensor of bool, (R,)
            Which rows are real.

        Returns
        -------
        Tensor, (R, width)
        """
        if self.training and kernels.usable(x.device):
            running = self.running_mean, self.running_var
            return kernels.batch_norm(x, mask, self.weight, self.bias, running, self.momentum, self.eps)
        if self.training and x.device.type == "cpu" and len(x) > 1 and bool(mask.all()):
            running = self.running_mean, self.running_var
            return torch.nn.functional.batch_norm(
                x, *running, self.weight, self.bias, True, self.momentum, self.eps
            )
        scale, shift = self.as_linear(*self._measure(x, mask)) if self.training else self.as_linear()
        return x * scale + shift

    def as_linear(self, mean: Tensor | None = None, variance: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Factor and summand (width,) that normalise by this mean and variance, or by the running ones."""
        mean = self.running_mean if mean is None else mean
        variance = self.running_var if variance is None else variance
        scale = self.weight * torch.rsqrt(variance + self.eps)
        return scale, self.bias - mean * scale

    def _measure(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        there = mask.unsqueeze(-1).to(x.dtype)
        count = there.sum()
        mean = (x * there).sum(0) / count.clamp(min=1)
        variance = ((x - mean).square() * there).sum(0) / count.clamp(min=1)
        with torch.no_grad():
            unbiased = variance * count / (count - 1).clamp(min=1)
            # In place, for a captured CUDA graph writes to the same memory every time.
            self.running_mean.lerp_(mean.detach(), self.momentum * (count > 0).to(x.dtype))
            self.running_var.lerp_(unbiased.detach(), self.momentum * (count > 1).to(x.dtype))
        return mean, variance
