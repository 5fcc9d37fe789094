"""Tables in markdown. What is missing is a dash, never a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["MISSING", "figure", "table"]

#: What stands where nothing is known.
MISSING = "–"


def figure(value: float | None, digits: int = 3) -> str:
    """A number, or the dash.

    Examples
    --------
    >>> figure(0.36549), figure(None)
    ('0.365', '–')
    """
    return MISSING if value is None else f"{value:.{digits}f}"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with names on the left and figures on the right.

    Examples
    --------
    >>> print(table(["method", "RMSE"], [["BRANCH", figure(3.1)]]))
    | method | RMSE |
    | --- | ---: |
    | BRANCH | 3.100 |
    """
    lines = [_row(titles), _row(["---", *["---:"] * (len(titles) - 1)]), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
