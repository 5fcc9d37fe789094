"""``prune4sed demo`` on a small library."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune4sed.cli import demo, main


@pytest.mark.usefixtures("stand_in")
def test_demo_prints_distances_and_draws_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "LIBRARY_SIZE", 40)
    assert main(["demo", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "160 distances" in out
    assert "aspirin" in out
    assert "NSC" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo-match.png", "demo-match.svg"]
    assert (tmp_path / "demo-match.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("stand_in")
def test_demo_refuses_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
