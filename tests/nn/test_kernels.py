"""The GPU kernels compute what plain torch does, gradients too; Triton's interpreter stands in for a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

CHECK = Path(__file__).parent / "kernel_check.py"


def test_kernels_agree_with_plain_torch() -> None:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    here = {"PYTHONPATH": path, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, str(CHECK)],
        env={**os.environ, **here},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout, done.stdout
