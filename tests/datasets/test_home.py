"""Where the cache is, on each platform."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from prune4sed.datasets.home import home


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PRUNE4SED_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_variable_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine"


@pytest.mark.parametrize(
    ("platform", "folder"), [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local")]
)
def test_user_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, folder: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert home() == tmp_path / folder / "prune4sed"


def test_variables_of_the_platforms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert home() == tmp_path / "xdg" / "prune4sed"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert home() == tmp_path / ".cache" / "prune4sed"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert home() == tmp_path / "local" / "prune4sed"
