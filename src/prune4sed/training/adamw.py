"""AdamW with all that it remembers in its place from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["new_adamw"]


def new_adamw(weights: list[nn.Parameter], rate: Tensor, decay: float) -> torch.optim.AdamW:
    """AdamW, whose steps can be captured in a CUDA graph.

    Parameters
    ----------
    weights : list of Parameter
        What to train.
    rate : Tensor, ()
        The learning rate, which the caller may change in place.
    decay : float
        Weight decay.
    """
    on_gpu = rate.device.type == "cuda"
    found = torch.optim.AdamW(weights, lr=rate, weight_decay=decay, fused=True, capturable=on_gpu)
    for weight in weights:  # these would else appear at the first step only
        found.state[weight] = {
            "step": torch.zeros((), device=weight.device),
            "exp_avg": torch.zeros_like(weight, memory_format=torch.preserve_format),
            "exp_avg_sq": torch.zeros_like(weight, memory_format=torch.preserve_format),
        }
    return found
