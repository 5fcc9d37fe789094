"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import prune4sed

# Rooms that load torch are left to their own tests.
ROOMS = (
    "errors", "labels", "atomic", "graph", "convert", "arrays", "ids", "formats", "exact", "datasets",
    "report", "search",
)  # fmt: skip
MODULES = [m.name for m in pkgutil.walk_packages(prune4sed.__path__, "prune4sed.")]


@pytest.mark.parametrize("name", [m for m in MODULES if m.split(".")[1].startswith(ROOMS)])
def test_examples(name: str) -> None:
    pytest.importorskip("rdkit")
    if name.startswith("prune4sed.report"):
        pytest.importorskip("matplotlib")
    assert doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
