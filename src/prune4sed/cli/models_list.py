"""``prune4sed models list``: the models that come with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def list_() -> None:
    """List the bundled models and the solvers: what --model takes besides the file of a checkpoint."""
    from prune4sed.cli.show import console
    from prune4sed.models.bundled import bundled
    from prune4sed.models.solvers import SOLVERS

    out = console()
    if bundled():
        out.print(_table())
    else:
        out.print("No trained model comes with this installation; prune4sed train makes one.")
    out.print(f"\nSolvers, which need no training: {', '.join(SOLVERS)}")


def _table() -> Table:
    from rich.table import Table

    from prune4sed.models.bundled import bundled
    from prune4sed.models.header import read_header

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "model", "dataset"):
        table.add_column(title, no_wrap=True)
    for title in ("test RMSE", "size"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, path in bundled().items():
        header = read_header(path)
        figures = rmse_of(header.info), size_of(path.stat().st_size)
        table.add_row(name, header.model, dataset_of(header.info), *figures)
    return table


def dataset_of(info: dict[str, Any]) -> str:
    """The dataset that a header tells, by name alone or with what identifies it; a dash if none."""
    told = info.get("dataset")
    return str((told.get("name") if isinstance(told, dict) else told) or "-")


def rmse_of(info: dict[str, Any]) -> str:
    """The RMSE that a header tells: on the test set, or else on the validation set; a dash if none."""
    metrics = info.get("metrics")
    known: dict[str, Any] = metrics if isinstance(metrics, dict) else {}
    for name in ("test", "strict_test", "validation"):
        part = known.get(name)
        value = part.get("rmse") if isinstance(part, dict) else known.get(f"{name}_rmse")
        if isinstance(value, (int, float)):
            return f"{value:.3f}" if name == "test" else f"{value:.3f} ({name})"
    return "-"


def size_of(count: int) -> str:
    """Bytes in words."""
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
