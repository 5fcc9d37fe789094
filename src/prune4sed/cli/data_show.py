"""A dataset on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from prune4sed.datasets.dataset import Dataset


def set_table(dataset: Dataset) -> Table:
    """One line per set."""
    from rich.table import Table

    from prune4sed.datasets.dataset import figures, percent

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("set")
    for title in ("pairs", "targets", "|V_q|", "|V_t|", "mean SED", "certified"):
        table.add_column(title, justify="right")
    for name, one in dataset.items():
        known = figures(one)
        table.add_row(
            name,
            f"{known['pairs']:,}",
            f"{len(one.targets):,}",
            f"{known['query_nodes']:.1f}",
            f"{known['target_nodes']:.1f}",
            f"{one.pairs.upper.mean():.2f}",
            percent(known["certified"]),
        )
    return table
