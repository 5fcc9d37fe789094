"""How good predictions are, measured against proven bounds. Numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prune4sed.errors import OptionError

__all__ = ["Metrics", "bootstrap", "interval_rmse", "kendall_tau", "measure"]

Floats = NDArray[np.float64]
# Predictions that round to 0 say that the query is contained.
_CONTAINED = 0.5


@dataclass(frozen=True)
class Metrics:
    """Quality of predictions; NaN where nothing can be said.

    Attributes
    ----------
    pairs : int
        How many.
    certified : float
        Share of pairs whose distance is proven. `rmse_certified`, `mae`, `r2`, `kendall` and the two on
        containment are over those alone.
    rmse : float
        The paper's: root of the mean squared distance from the interval of proven bounds.
    rmse_certified, mae, r2 : float
        Root mean squared error, mean absolute error, share of variance explained.
    kendall : float
        Kendall's tau-b between predicted and true order of a query's targets, the mean over queries for which
        both orders exist.
    containment_precision, containment_recall : float
        Of "the distance is 0", which a prediction under 0.5 says.
    rmse_low, rmse_high : float
        95 % confidence interval of `rmse` by bootstrap.
    """

    pairs: int
    certified: float
    rmse: float
    rmse_certified: float
    mae: float
    r2: float
    kendall: float
    containment_precision: float
    containment_recall: float
    rmse_low: float
    rmse_high: float

    def to_dict(self) -> dict[str, float]:
        """Names and values."""
        return asdict(self)

    def to_json(self) -> dict[str, float | None]:
        """The same in what JSON can hold: what could not be measured is None."""
        return {name: None if math.isnan(value) else value for name, value in self.to_dict().items()}


def measure(
    predicted: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    queries: ArrayLike | None = None,
    seed: int = 0,
) -> Metrics:
    """All metrics at once.

    Parameters
    ----------
    predicted, lower, upper : array, (pairs,)
        Predictions and proven bounds.
    queries : array of int, (pairs,), optional
        Which query each pair is of; without it, all pairs are taken to be of one.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Metrics

    Examples
    --------
    >>> found = measure([0.5, 2, 3], [0, 2, 1], [0, 2, 2])
    >>> round(found.rmse, 4), found.mae, found.certified == 2 / 3
    (0.6455, 0.25, True)
    """
    y, low, high = _columns(predicted, lower, upper)
    group = np.zeros(len(y), dtype=np.int64) if queries is None else np.asarray(queries)
    if group.shape != y.shape:
        raise OptionError(f"{len(group)} queries were given for {len(y)} predictions")
    sure = low == high
    ours, true = y[sure], low[sure]
    precision, recall = _containment(ours, true)
    squared = _squared(y, low, high)
    interval = bootstrap(squared, lambda x: float(np.sqrt(x.mean())), seed)
    return Metrics(
        pairs=len(y),
        certified=_mean(sure.astype(float)),
        rmse=interval_rmse(y, low, high),
        rmse_certified=float(np.sqrt(_mean((ours - true) ** 2))),
        mae=_mean(np.abs(ours - true)),
        r2=_r2(ours, true),
        kendall=_mean_tau(ours, true, group[sure]),
        containment_precision=precision,
        containment_recall=recall,
        rmse_low=interval[0],
        rmse_high=interval[1],
    )


def interval_rmse(predicted: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> float:
    """Root of the mean squared distance from the interval of proven bounds; NaN for no pairs."""
    return float(np.sqrt(_mean(_squared(*_columns(predicted, lower, upper)))))


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's tau-b of two orders; NaN if one of them has nothing but ties.

    Examples
    --------
    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    agree, x_apart, y_apart = 0.0, 0, 0
    # A row at a time: memory grows with the number of targets, not with its square.
    for i in range(1, len(x)):
        one, two = np.sign(x[i] - x[:i]), np.sign(y[i] - y[:i])
        agree += float((one * two).sum())
        x_apart += int(np.count_nonzero(one))
        y_apart += int(np.count_nonzero(two))
    return agree / float(np.sqrt(float(x_apart) * y_apart)) if x_apart and y_apart else float("nan")


def bootstrap(
    values: Floats,
    statistic: Callable[[Floats], float],
    seed: int = 0,
    rounds: int = 1000,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Confidence interval of a statistic: its quantiles over samples drawn with replacement.

    Parameters
    ----------
    values : array, (n, ...)
        One row per pair.
    statistic : callable
        From rows to a number.
    seed, rounds : int
        Of the drawing.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end; NaN for no values.
    """
    if len(values) == 0:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    draws = [statistic(values[rng.integers(0, len(values), len(values))]) for _ in range(rounds)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def _columns(predicted: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats, Floats]:
    y, low, high = (np.asarray(x, dtype=np.float64) for x in (predicted, lower, upper))
    if not y.shape == low.shape == high.shape or y.ndim != 1:
        raise OptionError(
            f"predictions and bounds must be as many: {y.shape}, {low.shape} and {high.shape} were given"
        )
    if (low > high).any():
        at = int(np.argmax(low > high))
        raise OptionError(f"pair {at} has a lower bound of {low[at]:g} over its upper bound of {high[at]:g}")
    return y, low, high


def _squared(y: Floats, low: Floats, high: Floats) -> Floats:
    squared: Floats = np.maximum(low - y, 0) ** 2 + np.maximum(y - high, 0) ** 2
    return squared


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def _r2(predicted: Floats, true: Floats) -> float:
    spread = float(((true - true.mean()) ** 2).sum()) if true.size else 0.0
    return 1 - float(((predicted - true) ** 2).sum()) / spread if spread else float("nan")


def _mean_tau(predicted: Floats, true: Floats, group: NDArray[np.int64]) -> float:
    order = np.argsort(group, kind="stable")
    cuts = np.flatnonzero(np.diff(group[order])) + 1
    taus = np.array([kendall_tau(predicted[rows], true[rows]) for rows in np.split(order, cuts)])
    return _mean(taus[~np.isnan(taus)])


def _containment(predicted: Floats, true: Floats) -> tuple[float, float]:
    said, fact = predicted < _CONTAINED, true == 0
    both = float((said & fact).sum())
    nan = float("nan")
    return both / said.sum() if said.any() else nan, both / fact.sum() if fact.any() else nan
