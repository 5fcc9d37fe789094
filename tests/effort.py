"""How hard the random tests try: PRUNE4SED_THOROUGH=1 multiplies their cases."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("PRUNE4SED_THOROUGH", "") not in ("", "0")


def cases(number: int, thorough: int = 20) -> int:
    """``number`` cases in an ordinary run, ``thorough`` times as many in a thorough one."""
    return number * thorough if THOROUGH else number
