"""Timing one call, and the figures that describe many."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

Answer = TypeVar("Answer")
Words = ParamSpec("Words")


def timed(call: Callable[Words, Answer], *words: Words.args, **options: Words.kwargs) -> tuple[Answer, float]:
    """The answer of a call and the wall-clock seconds it took."""
    start = time.perf_counter()
    answer = call(*words, **options)
    return answer, time.perf_counter() - start


def times(seconds: list[float]) -> dict[str, float]:
    """Median, mean, 90th percentile and maximum, in milliseconds."""
    values = 1000 * np.array(seconds)
    return {
        "median_ms": round(float(np.median(values)), 4),
        "mean_ms": round(float(values.mean()), 4),
        "p90_ms": round(float(np.quantile(values, 0.9)), 4),
        "max_ms": round(float(values.max()), 4),
    }


def ratios(theirs: list[float], ours: list[float]) -> dict[str, float]:
    """How many times faster we are, at the median and at the mean."""
    return {
        "faster_at_median": round(float(np.median(theirs) / np.median(ours)), 2),
        "faster_at_mean": round(float(np.mean(theirs) / np.mean(ours)), 2),
    }
