"""Labels as numbers: one table per process, so that equal labels of any two graphs have equal codes.

Codes are compared for equality and nothing else; they depend on the order in which a process met the labels
and are never written to a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

__all__ = ["Label", "intern_labels"]

Label = str | int

_codes: dict[Label, int] = {}
_lock = Lock()


def intern_labels(labels: Iterable[Label]) -> NDArray[np.int32]:
    """Give every label its process-wide code.

    Parameters
    ----------
    labels : iterable of str or int
        The labels; equal labels get equal codes, now and in every later call.

    Returns
    -------
    numpy.ndarray
        int32, one code per label.

    Examples
    --------
    >>> a, b, c = intern_labels(["C", "O", "C"])
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    labels = labels if isinstance(labels, (tuple, list)) else tuple(labels)
    try:
        return _looked_up(labels)
    except KeyError:
        # The table only grows, so readers need no lock; writers do, or two labels could share a code.
        with _lock:
            for label in labels:
                if label not in _codes:
                    _codes[label] = len(_codes)
        return _looked_up(labels)


def _looked_up(labels: tuple[Label, ...] | list[Label]) -> NDArray[np.int32]:
    return np.fromiter(map(_codes.__getitem__, labels), dtype=np.int32, count=len(labels))
