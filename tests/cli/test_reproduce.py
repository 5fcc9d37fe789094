"""``prune4sed reproduce``: the studies from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from prune4sed.cli import main

pytest.importorskip("torch")
pytest.importorskip("matplotlib")
for room in ("datasets", "studies"):
    sys.path.insert(0, str(Path(__file__).parent.parent / room))
from made_studies import Bench, made_bench  # noqa: E402


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return made_bench(tmp_path)


def told(bench: Bench, *words: str) -> list[str]:
    common = ["--datasets", str(bench.folder / "made"), "--runs", str(bench.runs), "--device", "cpu"]
    return ["reproduce", *words, *common]


def test_files_and_words(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.model("neurosed")
    out = bench.folder / "mine"
    words = told(bench, "accuracy", "--methods", "neurosed,simgnn", "--out", str(out), "--quick")
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "accuracy: 4 cells, 2 computed, 0 known before, 2 missing" in text
    assert "missing: simgnn, made, test and 1 more: no trained simgnn was found" in text
    assert sorted(path.name for path in out.iterdir()) == ["accuracy.json", "accuracy.md", "accuracy.svg"]
    stored = json.loads((out / "accuracy.json").read_text())
    assert stored["command"].startswith("prune4sed reproduce accuracy --quick --out")
    assert main(words) == 0
    assert "0 computed, 2 known before" in capsys.readouterr().out
    assert main([*words, "--fresh"]) == 0
    assert "2 computed, 0 known before" in capsys.readouterr().out


def test_the_usual_folders(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bench.folder)
    assert main(told(bench, "ablation")) == 0
    assert (bench.folder / "results" / "ablation.json").exists()
    assert "../../results/ablation.json" in (bench.folder / "docs/studies/ablation.md").read_text()
    assert main(told(bench, "ablation", "--quick")) == 0
    assert (bench.folder / "results" / "quick" / "ablation.md").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["acuracy"], "there is no study 'acuracy'; there are accuracy, sizes"),
        (["accuracy", "--methods", "branch,magic"], "there is no method 'magic' here"),
        (["accuracy", "--datasets", "imdb"], "there is no dataset 'imdb'"),
        (["accuracy", "--runs", "nowhere"], "no folder of runs nowhere"),
        (["accuracy", "--device", "tpu9"], "device"),
        (["accuracy", "--seed", "-1"], "--seed"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    words: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    assert main(["reproduce", *words, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
