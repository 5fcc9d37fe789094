"""How far a training run is: a bar where somebody watches, a line now and then where nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from prune4sed.cli.progress import PLAIN_EVERY, duration

if TYPE_CHECKING:
    from rich.console import Console

    from prune4sed.training.result import Report

__all__ = ["train_progress"]


def words(report: Report) -> str:
    """For example ``loss 0.212, validation RMSE 0.61 (best 0.58), 41,000 pairs/s, 3 min 2 s left``."""
    parts = [f"loss {report.loss:.4g}"]
    if report.rmse is not None:
        parts.append(f"validation RMSE {report.rmse:.3f} (best {report.best:.3f})")
    elif report.best is not None:
        parts.append(f"best validation RMSE {report.best:.3f}")
    parts.append(f"{report.pairs_per_second:,.0f} pairs/s")
    if report.seconds_left is not None and report.step != report.total:
        parts.append(f"{duration(report.seconds_left)} left")
    return ", ".join(parts)


@contextmanager
def train_progress(console: Console | None = None) -> Iterator[Callable[[Report], None]]:
    """Shows progress on standard error while the block lasts.

    Yields
    ------
    callable
        To be called with every report.
    """
    from rich.console import Console

    screen = Console(stderr=True, highlight=False, emoji=False) if console is None else console
    if screen.is_terminal:
        with _bar(screen) as show:
            yield show
    else:
        yield _lines(screen)


@contextmanager
def _bar(screen: Console) -> Iterator[Callable[[Report], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("training"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, console=screen, transient=True) as progress:
        task = progress.add_task("training", total=None, words="")

        def show(report: Report) -> None:
            progress.update(task, completed=report.step, total=report.total, words=words(report))

        yield show


def _lines(screen: Console, clock: Callable[[], float] = monotonic) -> Callable[[Report], None]:
    last = clock()

    def show(report: Report) -> None:
        nonlocal last
        if clock() - last >= PLAIN_EVERY:
            last = clock()
            of = "" if report.total is None else f" of {report.total:,}"
            screen.print(f"step {report.step:,}{of}: {words(report)}", markup=False, soft_wrap=True)

    return show
