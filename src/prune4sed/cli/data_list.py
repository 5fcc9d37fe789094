"""``prune4sed data list``: the datasets beside the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def list_() -> None:
    """List the datasets: the paper's figures beside ours, what differs, what ships and what is built."""
    from prune4sed.cli.show import console

    out = console()
    out.print("Mean nodes of queries and targets, and number of labels: the paper's, and ours beside them.\n")
    out.print(_table())
    out.print("\nWhat differs from the paper:")
    out.print(_differences())
    own = _own()
    if own:
        out.print(f"\nYour own: {', '.join(own)}")


def _table() -> Table:
    from rich.table import Table

    from prune4sed.datasets.catalogue import ALL

    # Just so wide that nothing is cut on a screen of 80 columns.
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("dataset", no_wrap=True)
    for title in ("|V_q|", "ours", "|V_t|", "ours", "labels", "ours", "certified", "shipped", "built"):
        table.add_column(title, justify="right", no_wrap=True)
    for name in ALL:
        table.add_row(name, *_figures(name), *_state(name))
    return table


def _figures(name: str) -> list[str]:
    """The paper's figures, ours beside them; a dash where there are none."""
    from prune4sed.datasets.actual import actual
    from prune4sed.datasets.catalogue import ALL
    from prune4sed.datasets.dataset import percent

    paper, ours = ALL[name].paper, actual(name)
    told = ["-"] * 3 if paper is None else [paper.query_nodes, paper.target_nodes, paper.labels]
    if ours is None:
        known = ["-"] * 4
    else:
        share = "-" if ours.certified is None else percent(ours.certified)
        known = [f"{ours.query_nodes:.1f}", f"{ours.target_nodes:.1f}", str(ours.labels), share]
    beside = [str(one) for both in zip(told, known, strict=False) for one in both]
    return [*beside, known[-1]]


def _state(name: str) -> list[str]:
    """Pairs whose labels ship with the package, and pairs that were built."""
    from prune4sed.datasets.dataset_read import read_info
    from prune4sed.datasets.loading import find
    from prune4sed.datasets.shipped import shipped_header

    header, folder = shipped_header(name), find(name)
    return [
        "no" if known is None else f"{sum(one['pairs'] for one in known['sets'].values()):,}"
        for known in (header, None if folder is None else read_info(folder))
    ]


def _differences() -> Table:
    from rich.table import Table

    from prune4sed.datasets.catalogue import ALL

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, entry in ALL.items():
        if entry.differs:
            table.add_row(name, entry.differs)
    return table


def _own() -> list[str]:
    """Names of datasets in the cache that are none of these."""
    from prune4sed.datasets.building import folder_of
    from prune4sed.datasets.catalogue import ALL
    from prune4sed.datasets.dataset_files import is_dataset

    folder = folder_of("any").parent
    found = sorted(path.name for path in folder.iterdir() if is_dataset(path)) if folder.is_dir() else []
    return [name for name in found if name not in ALL and not name.startswith(".")]
