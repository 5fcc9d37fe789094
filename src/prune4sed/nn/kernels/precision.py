"""How exact products are: as torch is told to make its own."""

from __future__ import annotations

import torch

__all__ = ["product_precision"]


def product_precision() -> str:
    """Triton's word for ``torch.set_float32_matmul_precision``: three TF32 products make up a float32 one."""
    return "tf32x3" if torch.get_float32_matmul_precision() == "highest" else "tf32"
