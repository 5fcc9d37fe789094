"""Too little memory, said in one line with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from prune4sed.errors import OptionError

__all__ = ["memory_advice"]


@contextmanager
def memory_advice(what: str) -> Iterator[None]:
    """Turn torch's errors on memory, of a GPU or of the machine, into advice.

    Parameters
    ----------
    what : str
        Reads on after "there is too little memory for".

    Raises
    ------
    OptionError
        If memory did not suffice in the block.
    """
    try:
        yield
    except torch.OutOfMemoryError:
        raise OptionError(f"the GPU has too little memory for {what}") from None
    except RuntimeError as problem:
        # Torch has no class of error for it on a CPU.
        if not any(text in str(problem) for text in ("can't allocate memory", "Storage size calculation")):
            raise
        raise OptionError(f"there is too little memory for {what}") from None
