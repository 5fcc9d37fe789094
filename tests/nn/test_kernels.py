"""The GPU kernels compute what plain torch does, gradients too; Triton's interpreter stands in for a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

HERE = Path(__file__).parent
PAIRS = {"pair_claim", "pair_head", "pair_near", "pair_start", "pair_think"}
STEPS = {"gate", "gin", "gin_start", "graph", "neighbour", "norm", "parts", "prune"}
KERNELS = {"attention", "gatv2", "top"} | STEPS | PAIRS


def _run(*command: str, **environment: str) -> str:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", **environment},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kernels_agree_with_plain_torch() -> None:
    assert not _run(str(HERE / "kernel_check.py"), TRITON_INTERPRET="1")


@pytest.mark.parametrize("precision", ["highest", "high"])
def test_kernels_compile(precision: str) -> None:
    names = _run(str(HERE / "kernel_compile.py"), precision).split()
    assert {name.partition("_kernel")[0] for name in names} == KERNELS
