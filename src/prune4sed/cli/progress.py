"""How far a long job is: a bar where somebody watches, a line now and then where nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["pair_progress"]

#: Called as ``show(title, done, total)``, total None if unknown; a new title is a new part of the job.
Show = Callable[[str, int, int | None], None]

BARS = 12  # at most so many parts of a job are on the screen
PLAIN_EVERY = 30.0  # seconds between plain lines, for a log file should not fill up


class Pace:
    """Rate and time left of one part of a job.

    What was done before the first call, by a run that is now resumed, does not count into the rate.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, unit: str = "pairs") -> None:
        self._clock = clock
        self._unit = unit
        self._started = clock()
        self._first: int | None = None

    def words(self, done: int, total: int | None) -> str:
        """For example ``410 pairs/s, 2 min 5 s left``; empty until there is a rate."""
        if self._first is None:
            self._first = done
        seconds = self._clock() - self._started
        fresh = done - self._first
        if fresh <= 0 or seconds <= 0:
            return ""
        rate = fresh / seconds
        left = f", {duration((total - done) / rate)} left" if total is not None and done < total else ""
        return f"{rate:,.0f} {self._unit}/s{left}" if rate >= 10 else f"{rate:.2g} {self._unit}/s{left}"


def duration(seconds: float) -> str:
    """Whole seconds in words, the two largest units only."""
    whole = round(seconds)
    for size, name, below, part in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {name}" + (f" {rest} {part}" if rest else "")
    return f"{whole} s"


@contextmanager
def pair_progress(console: Console | None = None, unit: str = "pairs") -> Iterator[Show]:
    """Shows progress on standard error while the block lasts.

    Parameters
    ----------
    console : rich Console, optional
        Where to, if not standard error.
    unit : str
        What is counted.

    Yields
    ------
    callable
        ``show(title, done, total)``, to be called as often as one likes.
    """
    from rich.console import Console

    screen = Console(stderr=True, highlight=False, emoji=False) if console is None else console
    if screen.is_terminal:
        with _bars(screen, unit) as show:
            yield show
    else:
        yield _lines(screen, unit=unit)


@contextmanager
def _bars(screen: Console, unit: str = "pairs") -> Iterator[Show]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
    )
    tasks: dict[str, tuple[TaskID, Pace]] = {}
    # The bars vanish in the end: what remains on the screen is what the command itself says.
    with Progress(*columns, console=screen, transient=True) as progress:

        def show(title: str, done: int, total: int | None) -> None:
            if title not in tasks:
                if len(tasks) >= BARS:
                    # A job of a hundred parts would fill the screen; the last few tell enough.
                    progress.update(list(tasks.values())[-BARS][0], visible=False)
                tasks[title] = progress.add_task(title, total=total, pace=""), Pace(unit=unit)
            task, pace = tasks[title]
            progress.update(task, completed=done, total=total, pace=pace.words(done, total))

        yield show


def _lines(screen: Console, clock: Callable[[], float] = monotonic, unit: str = "pairs") -> Show:
    paces: dict[str, Pace] = {}
    last = clock()

    def show(title: str, done: int, total: int | None) -> None:
        nonlocal last
        pace = paces.setdefault(title, Pace(clock, unit))
        words = pace.words(done, total)
        if clock() - last >= PLAIN_EVERY:
            last = clock()
            line = f"{title}: {_far(done, total, unit)}" + (f", {words}" if words else "")
            screen.print(line, markup=False, soft_wrap=True)

    return show


def _far(done: int, total: int | None, unit: str) -> str:
    if total is None:
        return f"{done:,} {unit}"
    return f"{done:,} of {total:,} {unit} ({f'{done / total:.1%}' if total else 'all'})"
