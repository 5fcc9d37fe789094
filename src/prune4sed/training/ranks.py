"""Several processes that train one model together, as torchrun starts them; one process is the plain case."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, distributed

from prune4sed.models.base import pick_device

__all__ = ["Ranks", "together"]


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is."""

    rank: int = 0
    world: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def first(self) -> bool:
        """Whether this is the one that validates, logs and writes."""
        return self.rank == 0

    @torch.no_grad()
    def average_(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by their means over all processes, in one message."""
        if self.world == 1 or not tensors:
            return
        flat = torch.cat([x.flatten() for x in tensors])
        distributed.all_reduce(flat)
        flat /= self.world
        parts = torch.split_with_sizes(flat, [x.numel() for x in tensors])
        torch._foreach_copy_(list(tensors), [x.view_as(y) for x, y in zip(parts, tensors, strict=True)])

    @torch.no_grad()
    def copy_first_(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by those of the first process."""
        if self.world > 1:
            for x in tensors:
                distributed.broadcast(x, 0)

    def of_first(self, value: int) -> int:
        """The first process's value."""
        if self.world == 1:
            return value
        told = torch.tensor([value], dtype=torch.int64, device=self.device)
        self.copy_first_([told])
        return int(told)

    def any(self, flag: bool) -> bool:
        """Whether it holds in any process."""
        if self.world == 1:
            return flag
        told = torch.tensor([int(flag)], dtype=torch.int64, device=self.device)
        distributed.all_reduce(told, distributed.ReduceOp.MAX)
        return bool(told)


@contextmanager
def together(device: str = "auto") -> Iterator[Ranks]:
    """Join the other processes, if torchrun started any, and part from them in the end.

    Yields
    ------
    Ranks
        With the device of this process.
    """
    world = int(os.environ.get("WORLD_SIZE", "1"))
    chosen = pick_device(device)
    if chosen.type == "cuda":
        if world > 1:
            chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        elif chosen.index is None:
            chosen = torch.device("cuda", torch.cuda.current_device())
        torch.cuda.set_device(chosen)  # streams and graphs are made on the current one
    if world == 1:
        yield Ranks(device=chosen)
        return
    distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield Ranks(distributed.get_rank(), world, chosen)
        distributed.barrier()  # who leaves first takes the connection away from the others
    finally:
        distributed.destroy_process_group()
