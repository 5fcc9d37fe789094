"""Studies by name."""

from __future__ import annotations

from importlib import import_module

from prune4sed.errors import OptionError, did_you_mean
from prune4sed.studies.study import Study

__all__ = ["study", "study_names"]

# Name of the study: its file and its class.
_HOME = {
    "accuracy": ("accuracy", "Accuracy"),
    "sizes": ("sizes", "Sizes"),
    "time": ("time", "Time"),
    "pruning": ("pruning", "PrunedSeds"),
    "ablation": ("ablation", "Ablation"),
    "sensitivity": ("sensitivity", "Sensitivity"),
    "heads": ("heads", "Heads"),
    "showcase": ("showcase", "Showcase"),
    "fragments": ("fragments", "Fragments"),
}


def study_names() -> tuple[str, ...]:
    """The names of all studies, in the order of the paper."""
    return tuple(_HOME)


def study(name: str) -> Study:
    """A study.

    Raises
    ------
    OptionError
        If there is none of this name.

    Examples
    --------
    >>> study("accuracy").name
    'accuracy'
    """
    home = _HOME.get(name.strip().lower())
    if home is None:
        near, there = did_you_mean(name, _HOME), ", ".join(_HOME)
        raise OptionError(f"there is no study {name!r}{near}; there are {there}")
    found: Study = getattr(import_module(f"prune4sed.studies.{home[0]}"), home[1])()
    return found
