"""Predicted distances as a table, as tab-separated values, or as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from prune4sed.cli.outputs import check_suffix
from prune4sed.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prune4sed.graphset import GraphSet

__all__ = ["Predictions", "choose_format", "show"]

Style = Literal["table", "tsv", "jsonl"]
_STYLES: dict[str, Style] = {"table": "table", "tsv": "tsv", "jsonl": "jsonl"}


@dataclass(frozen=True, eq=False)
class Predictions:
    """What was compared and what came out; bounds if they were asked for."""

    queries: GraphSet
    targets: GraphSet
    index: NDArray[np.int64]
    predicted: NDArray[np.float32]
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None

    def columns(self) -> list[str]:
        """Names of what `rows` yields."""
        names = ["query", "target", "query_id", "target_id", "predicted"]
        return names if self.lower is None else [*names, "lower", "upper"]

    def rows(self) -> Iterator[list[Any]]:
        """One list of plain values per pair."""
        ids = self.queries.ids, self.targets.ids
        bounds = [x.tolist() for x in (self.lower, self.upper) if x is not None]
        columns = zip(self.index.tolist(), self.predicted.tolist(), *bounds, strict=True)
        for (query, target), predicted, *proven in columns:
            yield [query, target, ids[0][query], ids[1][target], round(predicted, 4), *proven]


def choose_format(format: str | None, out: Path | None) -> Style:
    """The format asked for, or that of the file's suffix; on the screen, a table."""
    if format is None:
        if out is None:
            return "table"
        if out.suffix.lower() in (".jsonl", ".json", ".ndjson"):
            return "jsonl"
        check_suffix(out, [".tsv", ".txt", ".jsonl"], "predictions are tab-separated values or JSON lines")
        return "tsv"
    if format not in _STYLES:
        raise OptionError(f"--format must be one of {', '.join(_STYLES)}; got {format!r}")
    return _STYLES[format]


def show(found: Predictions, style: Style, out: Path | None) -> None:
    """Print, or write the file whole or not at all."""
    import typer

    if out is not None:
        _write(found, style, out)
        typer.echo(f"wrote {out}")
    elif style == "table":
        _print_table(found)
    else:
        for line in _lines(found, style):
            typer.echo(line)


def _write(found: Predictions, style: Style, out: Path) -> None:
    from prune4sed.atomic import replacing

    with replacing(out) as temporary, Path(temporary).open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _lines(found, "tsv" if style == "table" else style))


def _lines(found: Predictions, style: Style) -> Iterator[str]:
    names = found.columns()
    if style == "jsonl":
        return (json.dumps(dict(zip(names, row, strict=True))) for row in found.rows())
    return ("\t".join(map(_cell, row)) for row in chain([names], found.rows()))


def _print_table(found: Predictions) -> None:
    from rich.table import Table
    from rich.text import Text

    from prune4sed.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("query", "target"):
        table.add_column(title, overflow="fold")
    for title in found.columns()[4:]:
        table.add_column(title, justify="right", no_wrap=True)
    for _, _, query, target, predicted, *bounds in found.rows():
        table.add_row(Text(query), Text(target), f"{predicted:.2f}", *(f"{x:g}" for x in bounds))
    console().print(table)


def _cell(value: Any) -> str:
    """A value in a line of tab-separated ones; white space in a name would break the line."""
    return f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
