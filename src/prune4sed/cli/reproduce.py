"""``prune4sed reproduce STUDY``: a table or figure of the paper, by one command."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.cli.predictors import Device
from prune4sed.studies.registry import study_names

if TYPE_CHECKING:
    from prune4sed.studies.running import Outcome
    from prune4sed.studies.setting import Setting

_RESULTS, _PAGES, _QUICK = Path("results"), Path("docs/studies"), Path("results/quick")


def reproduce(
    study: Annotated[
        str,
        typer.Argument(metavar="STUDY", help=f"One of {', '.join(study_names())}."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for all files; by default results/ and, for the page, docs/studies/."
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Small samples: minutes on a CPU; into results/quick/ by default."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Keep the cells that are known, or compute them anew.")
    ] = True,
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder with checkpoints beyond those that ship.")
    ] = None,
    datasets: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Which datasets; those of the study by default.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME", help="Which methods to compute, or models, or solvers; all by default."
        ),
    ] = None,
    merge: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take over the cells of this file, from another machine, say."),
    ] = None,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of samples and bootstrap.")] = 0,
) -> None:
    """Compute a table or figure of the paper, draw it, and write its page.

    Every cell is stored as soon as it is found: the same command again computes only what is missing. A cell
    whose model is not there stays missing.
    """
    from prune4sed.cli.progress import pair_progress
    from prune4sed.studies.registry import study as find
    from prune4sed.studies.running import reproduce as run
    from prune4sed.studies.setting import Setting

    chosen = find(study)
    folders = (out, out) if out else (_QUICK, _QUICK) if quick else (_RESULTS, _PAGES)
    setting = Setting(
        *folders,
        quick=quick,
        runs=runs,
        datasets=_listed(datasets),
        methods=_listed(methods),
        device=device,
        seed=seed,
        merge=merge,
        command=_command(
            chosen.name, quick=quick, out=out, runs=runs, datasets=datasets, methods=methods, seed=seed
        ),
    )
    with pair_progress() as show:
        found = run(chosen, setting, fresh=not resume, show=show)
    _tell(found, setting)
    if not found.computed + found.kept:
        typer.echo(f"not one cell of {chosen.name} could be computed; the reasons stand above", err=True)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))


def _command(study: str, **options: object) -> str:
    """What was asked for, as one would type it."""
    words = ["prune4sed", "reproduce", study]
    for name, value in options.items():
        if value not in (None, False, 0):
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return shlex.join(words)


def _tell(found: Outcome, setting: Setting) -> None:
    total = found.computed + found.kept + len(found.missing)
    typer.echo(
        f"{found.record.study}: {total} cell{'s' * (total != 1)}, {found.computed} computed, "
        f"{found.kept} known before, {len(found.missing)} missing"
    )
    reasons: dict[str, list[str]] = {}
    for cell, why in found.missing:
        reasons.setdefault(why, []).append(cell)
    for why, cells in reasons.items():
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        typer.echo(f"  missing: {cells[0]}{more}: {why}")
    for path in found.files:
        typer.echo(f"wrote {path}")
