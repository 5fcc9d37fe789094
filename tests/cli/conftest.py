"""A stand-in for the native engine, so that the command line is tested on its own."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

import prune4sed.exact
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.exact.result import SedResult
from prune4sed.graph import Graph


def slow_sed(q: Graph, t: Graph, time_limit: float = 1.0, costs: Any = None, **_: Any) -> SedResult:
    """The engine's signature on the integer program."""
    return mip_f2(q, t, costs, time_limit=time_limit and 60.0, solver="highs")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace `prune4sed.exact.engine` for one test."""
    pytest.importorskip("highspy")
    pytest.importorskip("rdkit")
    engine = ModuleType("prune4sed.exact.engine")
    engine.sed = slow_sed  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, engine.__name__, engine)
    monkeypatch.setattr(prune4sed.exact, "engine", engine, raising=False)
