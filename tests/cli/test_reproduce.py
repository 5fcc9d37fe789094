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
    bench.model("prune4sed")
    monkeypatch.chdir(bench.folder)
    assert main(told(bench, "ablation")) == 0
    assert (bench.folder / "results" / "ablation.json").exists()
    assert "../../results/ablation.json" in (bench.folder / "docs/studies/ablation.md").read_text()
    assert main(told(bench, "ablation", "--quick")) == 0
    assert (bench.folder / "results" / "quick" / "ablation.md").exists()


def test_nothing_at_all_is_told(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    out = bench.folder / "mine"
    words = ["reproduce", "ablation", "--quick", "--datasets", str(bench.folder / "made"), "--out", str(out)]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "no prune4sed trained like its variants ships for this dataset: train one and name" in told.out
    assert "no prune4sed with heads=1 ships for this dataset: train one and name the folder" in told.out
    assert told.err == "not one cell of ablation could be computed; the reasons stand above\n"
    assert "| – |" in (out / "ablation.md").read_text()
    bench.model("prune4sed")
    assert main([*words, "--runs", str(bench.runs)]) == 0
    assert "no trained prune4sed with heads=1 was found\n" in capsys.readouterr().out
    assert (out / "ablation.md").exists()


@pytest.mark.parametrize("text", ["CCO ethanol\n", None])
def test_what_cannot_be_merged_is_the_fault_of_merge(
    bench: Bench, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bench.folder / "other.json"
    if text is None:
        bench.model("prune4sed")
        assert main(told(bench, "ablation", "--out", str(bench.folder / "full"))) == 0
        other = bench.folder / "full" / "ablation.json"
    else:
        other.write_text(text)
    capsys.readouterr()
    words = ["ablation", "--quick", "--out", str(bench.folder / "quick"), "--merge", str(other)]
    assert main(told(bench, *words)) == 2
    error = capsys.readouterr().err
    assert error.endswith("; give another file to --merge\n")
    assert f"{other} " in error


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["acuracy"], "there is no study 'acuracy' (did you mean accuracy?); there are accuracy, sizes"),
        (["accuracy", "--methods", "branch,magic"], "there is no method 'magic' here; there are"),
        (["accuracy", "--methods", "simgn"], "there is no method 'simgn' here (did you mean simgnn?); there"),
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
