"""Labels that come with the package: a standard dataset is raw data, a seed and one of these files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from prune4sed.datasets.label_codec import decode, read_header
from prune4sed.datasets.labelling import Labels
from prune4sed.datasets.sampled import SampledSet
from prune4sed.errors import FormatError

__all__ = ["shipped_header", "shipped_labels"]

FOLDER = files("prune4sed.datasets") / "labels"


def shipped_labels(name: str, sets: Mapping[str, SampledSet]) -> dict[str, Labels]:
    """Labels of those of the sets that the package has them for.

    Parameters
    ----------
    name : str
        Canonical name of the dataset.
    sets : mapping of str to SampledSet
        The sampled sets by name. One of other pairs than the shipped ones, or without shipped labels, is left
        out of the result.

    Raises
    ------
    FormatError
        If the file in the package is damaged.

    Examples
    --------
    >>> shipped_labels("citeseer", {})
    {}
    """
    data = _read(name) if sets else None
    if data is None:
        return {}
    try:
        return decode(data, sets)
    except FormatError as problem:
        raise _damaged(name, problem) from None


def shipped_header(name: str) -> dict[str, Any] | None:
    """What the package has for a dataset, without reading it: `meta` and, by set, pairs, fingerprint,
    node_limit, certified and bytes; None if it has nothing.

    Examples
    --------
    >>> shipped_header("no such dataset") is None
    True
    """
    data = _read(name)
    if data is None:
        return None
    try:
        return read_header(data)
    except FormatError as problem:
        raise _damaged(name, problem) from None


def _read(name: str) -> bytes | None:
    file = FOLDER / f"{name}.labels"
    return file.read_bytes() if file.is_file() else None


def _damaged(name: str, problem: FormatError) -> FormatError:
    return FormatError(f"the shipped labels of {name} are damaged ({problem}); install prune4sed again")
