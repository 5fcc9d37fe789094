"""A tiny dataset and tiny untrained models serve all tests of the studies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("matplotlib")
sys.path.insert(0, str(Path(__file__).parent.parent / "datasets"))
sys.path.insert(0, str(Path(__file__).parent))
# These graphs are tiny: more threads than one wait for each other most of the time.
torch.set_num_threads(1)

from made_studies import Bench, made_bench  # noqa: E402


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A dataset folder, a folder of runs, and settings on them."""
    return made_bench(tmp_path)


@pytest.fixture(autouse=True)
def nothing_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies look at shipped models first; here they are to see those of the test alone."""
    from prune4sed.models import bundled

    monkeypatch.setattr(bundled, "FOLDER", tmp_path / "nothing ships")
