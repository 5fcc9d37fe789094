"""Sparse matrices of arcs: on a CPU, and with nothing to be learnt, faster than gather and scatter."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Pattern", "sparse_pays"]


def sparse_pays(device: torch.device) -> bool:
    """Whether to use sparse products here: on a CPU with MKL (torch has none without it), for prediction."""
    return device.type == "cpu" and not torch.is_grad_enabled() and torch._C.has_mkl


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Where the ones of a square 0/1 matrix are, row by row: a 1 at (end, source) of every arc."""

    row_starts: Tensor
    columns: Tensor

    def times(self, x: Tensor, values: Tensor | None = None) -> Tensor:
        """The matrix, with other values than 1 if given, times rows of features (columns, width)."""
        values = x.new_ones(len(self.columns)) if values is None else values
        shape = len(self.row_starts) - 1, len(x)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sparse", category=UserWarning)  # "is in beta state"
            matrix = torch.sparse_csr_tensor(
                self.row_starts, self.columns, values, shape, check_invariants=False
            )
        product: Tensor = matrix @ x
        return product
