"""The page of a study: heading, pictures, what the study tells, and where the figures come from."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.studies.markdown import MISSING

if TYPE_CHECKING:
    from prune4sed.studies.record import Record
    from prune4sed.studies.setting import Setting
    from prune4sed.studies.study import Study

__all__ = ["whole_page"]

_QUICK = "**Small samples (`--quick`): these figures show that all works, not how good anything is.**"


def whole_page(study: Study, record: Record, setting: Setting, pictures: Sequence[Path]) -> str:
    """Markdown, with links that hold from the folder of pages."""
    parts = [f"# {study.title}"]
    parts += [_QUICK] if setting.quick else []
    parts += [f"![{study.title}]({_link(path, setting)})" for path in pictures]
    parts += [study.page(record).strip(), "## Where the figures come from", _origin(record, setting)]
    missing = _missing(record)
    parts += ["## What is missing", missing] if missing else []
    return "\n\n".join(parts) + "\n"


def _link(path: Path, setting: Setting) -> str:
    return Path(os.path.relpath(path, setting.pages)).as_posix()


def _origin(record: Record, setting: Setting) -> str:
    done = [entry for entry in record.entries() if "figures" in entry]
    command = f"prune4sed reproduce {record.study}{' --quick' * setting.quick}"
    told = f"This page is written by `{command}` from [{record.path.name}]({_link(record.path, setting)}), "
    told += "where every cell says which checkpoint, pairs, seed, command, commit, date and machine made it."
    if not done:
        return told
    days = sorted(entry["date"][:10] for entry in done)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    versions = ", ".join(sorted({str(entry["version"]) for entry in done}))
    machines = "; ".join(dict.fromkeys(_machine(entry["machine"]) for entry in done))
    return f"{told} {len(done)} cells, computed {when} with version {versions} on: {machines}."


def _machine(told: dict[str, object]) -> str:
    return f"{told['cpu']} ({told['cores']} cores)" + (f" with {told['gpu']}" if told["gpu"] else "")


def _missing(record: Record) -> str:
    """One line per reason; the cells themselves are dashes in the tables."""
    why = Counter(str(entry["missing"]) for entry in record.entries() if "missing" in entry)
    lines = [f"- {reason} ({count} cell{'s' * (count > 1)})" for reason, count in why.items()]
    told = f"Where a table has {MISSING}, nothing was measured. When it was last tried:"
    return "\n".join([told, "", *lines]) if lines else ""
