"""``prune4sed data info NAME``: what a dataset holds, in numbers and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.datasets.dataset import Dataset


def info(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A dataset that was built, or its folder.")],
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write pictures there: distances, sizes, certified shares, a few matches."
        ),
    ] = None,
) -> None:
    """Show what a dataset holds; --plots draws it."""
    from prune4sed.cli.data_show import set_table
    from prune4sed.cli.show import console

    dataset = built(name)
    out = console()
    for line in _head(dataset):
        out.print(line, soft_wrap=True)
    out.print()
    out.print(set_table(dataset))
    if plots is not None:
        from prune4sed.report.dataset_plots import dataset_plots

        for path in dataset_plots(dataset, plots):
            out.print(f"wrote {path}", soft_wrap=True)


def built(name: str) -> Dataset:
    """A dataset that is on disk; one that is not yet is an OptionError that says how to build it."""
    from prune4sed.datasets.catalogue import canonical
    from prune4sed.datasets.dataset_read import read
    from prune4sed.datasets.loading import find

    folder = find(name)
    if folder is None:
        key = canonical(name)
        raise OptionError(f"{key} is not built yet; build it with: prune4sed data build {key}")
    return read(folder)


def _head(dataset: Dataset) -> list[str]:
    """Name and place, raw data, and how much work a label may take."""
    lines = [f"{dataset.info.get('title', dataset.name)}, seed {dataset.seed}, in {dataset.folder}"]
    source: dict[str, Any] = dataset.info.get("source", {})
    # One network is no count of graphs worth telling.
    kinds = [kind for kind in ("graphs", "nodes", "edges", "labels") if source.get(kind, 1) > 1]
    counts = ", ".join(f"{source[kind]:,} {kind}" for kind in kinds)
    lines.append(f"raw data: {source.get('file', 'own graphs')}, {counts}")
    limits = sorted({known["node_limit"] for known in dataset.info["sets"].values() if "node_limit" in known})
    if limits:
        lines.append(f"search nodes per pair: at most {' or '.join(f'{limit:,}' for limit in limits)}")
    return lines
