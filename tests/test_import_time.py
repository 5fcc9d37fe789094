"""Importing the package is quick and pulls in nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "pyarrow",
    "rdkit",
    "networkx",
    "torch",
    "torch_geometric",
    "scipy",
    "highspy",
    "matplotlib",
    "typer",
    "rich",
}


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_takes_under_300_ms() -> None:
    code = "import time; a = time.perf_counter(); import prune4sed; print(time.perf_counter() - a)"
    assert min(float(_run(code)) for _ in range(5)) < 0.3


def test_graphs_need_no_heavy_package() -> None:
    code = (
        "import sys, prune4sed as ps; ps.GraphSet([ps.Graph(['C', 'O'], [(0, 1)])]).ids; "
        "print(' '.join({m.partition('.')[0] for m in sys.modules}))"
    )
    assert not HEAVY & set(_run(code).split())


def test_every_public_name_is_found() -> None:
    import prune4sed

    assert set(prune4sed.__all__) <= set(dir(prune4sed))
    for name in ("Graph", "GraphSet", "read_graphs", "write_graphs", "Prune4SEDError", "__version__"):
        assert getattr(prune4sed, name) is not None
    assert not hasattr(prune4sed, "no_such_name")


@pytest.mark.parametrize(
    ("before", "spins"),
    [
        ("pass", "1000"),
        ("os.environ[SPINS] = '7'", "7"),
        ("os.environ['OMP_WAIT_POLICY'] = 'active'", "none"),
        ("import torch", "none"),
    ],
)
@pytest.mark.parametrize("module", ["nn.threads", "models.base", "training.loop"])
def test_threads_wait_briefly_unless_told_otherwise(module: str, before: str, spins: str) -> None:
    pytest.importorskip("torch")
    code = (
        "import os; from prune4sed.waiting import SPINS; os.environ.pop(SPINS, None); "
        "os.environ.pop('OMP_WAIT_POLICY', None); "
        f"{before}; import prune4sed.{module}; print(os.environ.get(SPINS, 'none'))"
    )
    assert _run(code).strip() == spins
