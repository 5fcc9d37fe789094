"""Exact subgraph edit distance: the engine, its classical rivals, costs and edit scripts.

`branch` and `mip_f2` are imported at once: a module and its function share a name, and only this way does the
function win whichever is imported first. They load no solver until called. The engine's native part waits
until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prune4sed.exact.branch import branch
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edits import Edit, apply_edits, edit_script
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.exact.result import SedResult

if TYPE_CHECKING:
    from prune4sed.exact.engine import sed, sed_pairs

__all__ = [
    "Edit",
    "EditCosts",
    "SedResult",
    "apply_edits",
    "branch",
    "edit_script",
    "mip_f2",
    "sed",
    "sed_pairs",
]


def __getattr__(name: str) -> Any:
    if name not in ("sed", "sed_pairs"):
        raise AttributeError(f"module 'prune4sed.exact' has no attribute {name!r}")
    value = getattr(import_module("prune4sed.exact.engine"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
