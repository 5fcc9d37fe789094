"""Run a study: compute what is missing, draw, and write the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import perf_counter

from prune4sed.atomic import reason, replacing
from prune4sed.errors import FormatError, Prune4SEDError, require
from prune4sed.studies.page import whole_page
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell, Study

__all__ = ["Outcome", "reproduce"]

#: Called as ``show(title, done, total)``.
Show = Callable[[str, int, int | None], object]


@dataclass
class Outcome:
    """What came of a run.

    Attributes
    ----------
    record : Record
        All that is known now.
    computed, kept : int
        Cells found in this run, and cells known before.
    missing : list of (str, str)
        Cells without figures, in words, and why.
    files : list of Path
        What was written.
    """

    record: Record
    computed: int = 0
    kept: int = 0
    missing: list[tuple[str, str]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


def reproduce(study: Study, setting: Setting, fresh: bool = False, show: Show | None = None) -> Outcome:
    """Compute the cells of a study that are not known yet, draw its pictures and write its page.

    Every cell is on disk as soon as it is found, and a run that is stopped goes on where it was. A cell whose
    model or data is not here keeps the figures it has, which tell what they were made from.

    Parameters
    ----------
    study : Study
        From `prune4sed.studies.registry`.
    setting : Setting
        Where to, on what, with which models.
    fresh : bool
        Whether to compute known cells too.
    show : callable, optional
        Called as ``show(title, done, total)``.

    Returns
    -------
    Outcome
    """
    require("matplotlib", "plot", "to draw figures")
    setting.check()
    cells = iter(study.cells(setting))
    first = list(islice(cells, 1))  # what is wrong with the setting is said before a folder is made
    for folder in (setting.out, setting.pages):
        _make(folder)
    record = Record(setting.out / f"{study.name}.json", study.name, setting.config(), setting.command)
    if setting.merge is not None:
        record.take(setting.merge)
        record.save()
    outcome = Outcome(record)
    for cell in chain(first, cells):
        _settle(cell, outcome, fresh, show)
    record.save()
    outcome.files = [record.path, *_publish(study, record, setting)]
    return outcome


def _settle(cell: Cell, outcome: Outcome, fresh: bool, show: Show | None) -> None:
    """Compute a cell, or find that it is known or cannot be."""
    record, title = outcome.record, ", ".join(cell.key.values())
    if record.has(cell) and not fresh:
        outcome.kept += 1
        return
    if cell.compute is None:
        if record.knows(cell):
            outcome.kept += 1
            return
        record.miss(cell, cell.missing)
        outcome.missing.append((title, cell.missing))
        return
    start = perf_counter()
    try:
        figures = cell.compute(partial(show, title) if show is not None else lambda done, total: None)
    except Prune4SEDError as problem:
        record.miss(cell, str(problem))
        outcome.missing.append((title, str(problem)))
        return
    record.store(cell, figures, perf_counter() - start)
    outcome.computed += 1


def _publish(study: Study, record: Record, setting: Setting) -> list[Path]:
    """Pictures and page."""
    from prune4sed.report.figures import save_figure

    drawn = []
    for name, picture in study.pictures(record, setting).items():
        path = setting.out / name
        if isinstance(picture, str):
            with replacing(path) as temporary:
                temporary.write_text(picture, encoding="utf-8")
        else:
            save_figure(picture, path)
        drawn.append(path)
    page = setting.pages / f"{study.name}.md"
    with replacing(page) as temporary:
        temporary.write_text(whole_page(study, record, setting, drawn), encoding="utf-8")
    return [*drawn, page]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot make the folder {folder}: {reason(error)}") from None
