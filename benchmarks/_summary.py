"""Figures that say how well a run of the engine went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.table import SedTable

FAST, SHORT, LONG = 0.001, 0.1, 1.0  # seconds


def summarise(table: SedTable) -> dict[str, float | int]:
    """Certified shares in per cent, times in milliseconds, and the gaps of what stayed open."""
    proven, seconds = table.certified, table.seconds
    gaps = (table.upper - table.lower)[~proven]
    return {
        "pairs": len(table),
        "certified_0.1s": _percent(proven & (seconds <= SHORT)),
        # The engine stops at its limit, give or take the time it needs to notice.
        "certified_1s": _percent(proven & (seconds <= LONG * 1.05)),
        "under_1ms": _percent(proven & (seconds < FAST)),
        "median_ms": _ms(np.median(seconds)),
        "mean_ms": _ms(seconds.mean()),
        "p90_ms": _ms(np.quantile(seconds, 0.9)),
        "p99_ms": _ms(np.quantile(seconds, 0.99)),
        "open": int((~proven).sum()),
        "mean_gap": round(float(gaps.mean()), 2) if len(gaps) else 0.0,
        "max_gap": float(gaps.max()) if len(gaps) else 0.0,
        "mean_sed": round(float(table.upper.mean()), 2),
    }


def join(tables: list[SedTable]) -> SedTable:
    """Several runs as one, without the mappings."""
    columns = {
        key: np.concatenate([t[key] for t in tables])
        for key in ("lower", "upper", "certified", "nodes", "seconds")
    }
    return SedTable(mapping=np.zeros((len(columns["lower"]), 0), dtype=np.int32), **columns)


def _percent(mask: NDArray[np.bool_]) -> float:
    return round(100 * float(mask.mean()), 2)


def _ms(seconds: float | np.floating) -> float:
    return round(1000 * float(seconds), 4)
