"""Evaluations on the screen: two small tables per set, or one JSON document."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["show_json", "show_tables"]

Row = dict[str, Any]


def show_json(dataset: str, rows: list[Row]) -> None:
    """Everything that was measured; null where nothing can be said."""
    typer.echo(json.dumps({"dataset": dataset, "results": rows}, indent=2))


def show_tables(dataset: str, rows: list[Row]) -> None:
    """A table per set, models beneath each other."""
    from prune4sed.cli.show import console
    from prune4sed.datasets.dataset import percent

    out = console()
    for position, (name, group) in enumerate(groupby(rows, lambda row: row["set"])):
        of_set = list(group)
        first = of_set[0]
        out.print("\n" * (position > 0) + f"{dataset}, {name}: {first['pairs']:,} pairs, ", end="")
        out.print(f"{percent(first['certified'])} certified", soft_wrap=True)
        out.print(_quality(of_set))
        out.print()
        out.print(_use(of_set))


def _quality(rows: list[Row]) -> Table:
    table = _table("model", "RMSE", "95 %", "certified", "MAE", "R2", "tau")
    for row in rows:
        interval = f"{_figure(row['rmse_low'])} to {_figure(row['rmse_high'])}"
        rest = (_figure(row[name]) for name in ("rmse_certified", "mae", "r2", "kendall"))
        table.add_row(_title(row), _figure(row["rmse"]), interval, *rest)
    return table


def _use(rows: list[Row]) -> Table:
    table = _table("model", "precision", "recall", "proven", "a pair of many", "alone")
    for row in rows:
        proven = "-" if row["proven"] is None else f"{100 * row['proven']:.1f} %"
        found = (_figure(row[f"containment_{name}"]) for name in ("precision", "recall"))
        times = _time(row["batch_us"]), _time(row["single_us"])
        table.add_row(_title(row), *found, proven, *times)
    return table


def _title(row: Row) -> str:
    """The model's name, or that of its file without the folder, and how it was used."""
    return ", ".join([Path(row["model"]).name.removesuffix(".safetensors"), *row["used"]])


def _table(*titles: str) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(titles[0], overflow="fold")
    for title in titles[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _time(microseconds: float) -> str:
    """In microseconds below one millisecond, else in milliseconds."""
    return f"{microseconds:.1f} us" if microseconds < 1000 else f"{microseconds / 1000:.2f} ms"
