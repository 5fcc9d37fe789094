"""The examples in the docstrings of the rooms that load torch run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import prune4sed

ROOMS = ("nn", "models", "training", "studies")
MODULES = [m.name for m in pkgutil.walk_packages(prune4sed.__path__, "prune4sed.", onerror=lambda _: None)]


@pytest.mark.parametrize("name", [m for m in MODULES if m.split(".")[1] in ROOMS])
def test_examples(name: str) -> None:
    if name.endswith("_kernel"):
        pytest.importorskip("triton")
    assert doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
