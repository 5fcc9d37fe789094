"""Tests of training need torch; a small labelled dataset serves most of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent.parent / "datasets"))
sys.path.insert(0, str(Path(__file__).parent.parent / "nn"))
sys.path.insert(0, str(Path(__file__).parent))
# These graphs are tiny: more threads than one wait for each other most of the time.
torch.set_num_threads(1)
