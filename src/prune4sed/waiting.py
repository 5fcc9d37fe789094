"""Threads of torch that wait for each other leave the cores to others, where others want them.

Otherwise they turn round and round, and on a busy machine a prediction takes a hundred times as long. On a
quiet one that makes no difference, or training is faster for it.
"""

from __future__ import annotations

import os
import sys

__all__ = ["POLICY", "wait_asleep"]

#: What OpenMP reads when torch is loaded, and not after that.
POLICY = "OMP_WAIT_POLICY"


def wait_asleep() -> None:
    """Say so before torch is loaded, unless the user says otherwise."""
    if "torch" not in sys.modules:
        os.environ.setdefault(POLICY, "passive")
