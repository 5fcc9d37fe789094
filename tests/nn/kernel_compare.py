"""What checks of kernels share: kernels in place of plain torch, and what is held against what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import torch
from torch import Tensor

from prune4sed.nn import arcs, kernels

# So few programs, and so little at once, that what every one of them adds up comes from several rounds.
FEW: dict[str, dict[str, int]] = {
    "gate": {"_ROWS": 16, "_PROGRAMS": 1},
    "gatv2": {"_PROGRAMS": 3, "_ROWS_PREPARED": 16, "_PROGRAMS_PREPARED": 1},
    "gin": {"_ROWS_BACK": 16, "_PROGRAMS": 1},
    "gin_start": {"_PROGRAMS": 2},
    "norm": {"_ROWS": 8, "_SHARES": 2},
    "pair_claim": {"_PROGRAMS": 3, "_PLACES": 16},
    "pair_head": {"_PROGRAMS": 3},
    "parts": {"_TILE": 64},
    "prune": {"_ROWS": 8, "_SHARES": 3},
}


@contextmanager
def few_programs() -> Iterator[None]:
    """Kernels with these numbers in place of their own."""
    with ExitStack() as stack:
        for name, numbers in FEW.items():
            stack.enter_context(patch.multiple(f"prune4sed.nn.kernels.{name}_kernel", **numbers))
        yield


@contextmanager
def kernels_everywhere() -> Iterator[None]:
    """As if this machine's processor were a GPU."""
    usable = kernels.usable
    kernels.usable = arcs.usable = lambda device: True  # type: ignore[assignment]
    try:
        yield
    finally:
        kernels.usable = arcs.usable = usable  # type: ignore[assignment]


def compare(name: str, ours: Tensor, theirs: Tensor, floor: float = 0.0) -> None:
    """Say so if two tensors differ by more than rounding, relative to the largest value (or `floor`)."""
    scale = max(float(theirs.abs().max()) if theirs.numel() else 0.0, floor) + 1e-12
    worst = float((ours - theirs).abs().max()) / scale if theirs.numel() else 0.0
    if ours.shape != theirs.shape or not worst < 1e-4:
        print(f"{name}: kernel and plain torch differ by {worst:.1e}")


def compare_with_gradients(
    name: str, kernel: Callable[..., Tensor], plain: Callable[..., Tensor], real: Tensor, *inputs: Tensor
) -> None:
    """Outputs on the real rows, and the gradients of all inputs that come from those."""
    pull, found = None, []
    for function in (kernel, plain):
        leaves = [x.clone().requires_grad_() for x in inputs]
        out = function(*leaves)[real]
        pull = torch.randn_like(out) if pull is None else pull
        found.append([out.detach(), *torch.autograd.grad(out, leaves, pull)])
    for i, (ours, theirs) in enumerate(zip(*found, strict=True)):
        compare(f"{name}, {f'gradient {i}' if i else 'output'}", ours, theirs)


def slopes(units: int) -> Tensor:
    """Of units some of which are plain ReLUs."""
    return 0.1 * (torch.arange(units) % 3)
