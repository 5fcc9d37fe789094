"""Tests of the models need torch and PyG."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
sys.path.insert(0, str(Path(__file__).parent.parent / "nn"))
# These graphs are tiny: more threads than one wait for each other most of the time.
torch.set_num_threads(1)
