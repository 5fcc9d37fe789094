"""Threads of torch that wait for each other soon leave the cores to others.

As torch has it they turn round and round for a while. Where other work wants the cores too, that holds up the
one they wait for, and in training it takes more than it saves; a single pair on a quiet machine takes longer.
"""

from __future__ import annotations

import os
import sys

__all__ = ["SPINS", "wait_briefly"]

#: What OpenMP of GCC, which torch has on Linux, reads when it is loaded: rounds until a thread falls asleep.
SPINS = "GOMP_SPINCOUNT"


def wait_briefly() -> None:
    """Say so before torch is loaded, unless the user has said how threads wait."""
    if "torch" not in sys.modules and "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault(SPINS, "1000")
