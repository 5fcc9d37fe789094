"""prune4sed: find the graphs that almost contain yours, and see where and why.

Names are loaded when first used, so that ``import prune4sed`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prune4sed import datasets
    from prune4sed.errors import (
        CostError,
        FormatError,
        GraphError,
        GraphTypeError,
        MissingExtraError,
        OptionError,
        Prune4SEDError,
    )
    from prune4sed.exact.costs import EditCosts
    from prune4sed.exact.engine import sed, sed_pairs
    from prune4sed.formats import parse_smiles, read_graphs, write_graphs
    from prune4sed.graph import Graph
    from prune4sed.graphset import GraphSet
    from prune4sed.models.loading import load_model
    from prune4sed.search.hits import Hit, Hits
    from prune4sed.search.index import Index

__version__ = "0.1.0"

_HOME = {
    "CostError": "errors",
    "EditCosts": "exact.costs",
    "FormatError": "errors",
    "Graph": "graph",
    "GraphError": "errors",
    "GraphSet": "graphset",
    "GraphTypeError": "errors",
    "Hit": "search.hits",
    "Hits": "search.hits",
    "Index": "search.index",
    "MissingExtraError": "errors",
    "OptionError": "errors",
    "Prune4SEDError": "errors",
    "load_model": "models.loading",
    "parse_smiles": "formats",
    "read_graphs": "formats",
    "sed": "exact.engine",
    "sed_pairs": "exact.engine",
    "write_graphs": "formats",
}
_ROOMS = ("datasets",)

__all__ = [
    "CostError",
    "EditCosts",
    "FormatError",
    "Graph",
    "GraphError",
    "GraphSet",
    "GraphTypeError",
    "Hit",
    "Hits",
    "Index",
    "MissingExtraError",
    "OptionError",
    "Prune4SEDError",
    "__version__",
    "datasets",
    "load_model",
    "parse_smiles",
    "read_graphs",
    "sed",
    "sed_pairs",
    "write_graphs",
]


if not TYPE_CHECKING:  # a type checker sees the imports above, and so still finds misspelt names

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"prune4sed.{name}")
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'prune4sed' has no attribute {name!r}")
        value = getattr(import_module(f"prune4sed.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
