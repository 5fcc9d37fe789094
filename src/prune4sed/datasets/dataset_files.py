"""A dataset on disk: a folder of four files.

``queries.arrow``, ``targets.arrow``
    The graphs of all sets, one after another (`GraphSet.save`); a pool of targets that several sets share is
    stored once.
``pairs.parquet``
    One row per pair: ``set``, ``query`` and ``target`` (rows of the two files above), ``lower``, ``upper``,
    and ``mapping``, the target node of every query node.
``dataset.json``
    Name, seed, source and protocol; of every set where its graphs lie, its fingerprint and its figures.

Nothing in them depends on the day, the machine or its speed: the same seed gives the same bytes.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

__all__ = ["FILES", "FORMAT", "INFO", "PAIRS", "QUERIES", "TARGETS", "VERSION", "is_dataset"]

FORMAT = "prune4sed.dataset"
VERSION = 1
QUERIES, TARGETS, PAIRS, INFO = "queries.arrow", "targets.arrow", "pairs.parquet", "dataset.json"
FILES = frozenset({QUERIES, TARGETS, PAIRS, INFO})


def is_dataset(folder: str | PathLike[str]) -> bool:
    """Whether a dataset was written there."""
    return (Path(folder) / INFO).is_file()
