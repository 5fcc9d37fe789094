"""The paper's seven datasets, and datasets of one's own: labelled query-target pairs.

>>> import prune4sed as ps
>>> "citeseer" in ps.datasets.names()
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prune4sed.datasets.building import build, build_own
    from prune4sed.datasets.catalogue import names
    from prune4sed.datasets.dataset import Dataset, PairSet
    from prune4sed.datasets.loading import load
    from prune4sed.datasets.table import PairTable
    from prune4sed.datasets.verifying import verify

_HOME = {
    "Dataset": "dataset",
    "PairSet": "dataset",
    "PairTable": "table",
    "build": "building",
    "build_own": "building",
    "load": "loading",
    "names": "catalogue",
    "verify": "verifying",
}

__all__ = ["Dataset", "PairSet", "PairTable", "build", "build_own", "load", "names", "verify"]


if not TYPE_CHECKING:  # as in the package itself: names load when first used

    def __getattr__(name: str) -> Any:
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'prune4sed.datasets' has no attribute {name!r}")
        value = getattr(import_module(f"prune4sed.datasets.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
