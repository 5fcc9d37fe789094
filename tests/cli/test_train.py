"""``prune4sed train``: files, lines, and how it refuses."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from prune4sed import GraphSet, datasets
from prune4sed.cli import main
from prune4sed.cli.train import parse_values
from prune4sed.errors import OptionError
from prune4sed.models.header import read_header
from random_graphs import random_graph

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

TINY = ["--model", "neurosed", "--option", "width=8", "--option", "layers=2", "--device", "cpu"]
QUICK = ["--steps", "14", "--batch-size", "5", "--recipe", "rise=3", "--recipe", "fall=4"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A built dataset of few small graphs."""
    rng = random.Random(5)
    graphs = GraphSet(random_graph(rng, rng.randint(4, 8), 0.4, 3, id=f"g{i}") for i in range(12))
    folder = tmp_path_factory.mktemp("data") / "own"
    datasets.build_own(graphs, name="own", pairs=(30, 10, 10), out=folder, threads=1)
    return str(folder)


def _run(*words: str) -> int:
    return main(["train", *words])


def test_a_run_and_its_files(dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert _run(dataset, *TINY, *QUICK, "--out", str(out), "--small", "20") == 0
    shown, _ = capsys.readouterr()
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    best = min(line["rmse"] for line in log if "rmse" in line)
    assert f"validation RMSE {best:.4f} after step" in shown
    assert "14 steps in" in shown
    assert (out / "model.safetensors").is_file()
    if (out / "curves.png").exists():
        assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")

    other = str(tmp_path / "another")
    assert _run(dataset, *TINY, *QUICK, "--out", other, "--small", "20", "--resume") == 0
    assert f"there is nothing to go on with in {other}; the run starts anew" in capsys.readouterr().err

    assert _run(dataset, *TINY, *QUICK, "--out", str(out), "--small", "20") == 2
    assert "holds a run already" in capsys.readouterr().err
    assert _run(dataset, *TINY, *QUICK, "--out", str(out), "--small", "20", "--resume") == 0
    assert f"validation RMSE {best:.4f} after step" in capsys.readouterr().out


def test_the_preset_plus_trains_prune4sed_plus(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    small = ["width=8", "stages=1", "pair_width=8", "pair_layers=1", "keep=5"]
    options = [word for text in small for word in ("--option", text)]
    words = [dataset, "--preset", "plus", *options, "--steps", "6", "--batch-size", "8", "--device", "cpu"]
    assert _run(*words, "--out", str(out)) == 0
    model = str(out / "model.safetensors")
    capsys.readouterr()
    assert main(["evaluate", dataset, "--model", model, "--model", "branch", "--beam", "8", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert {row["kind"] for row in rows} == {"prune4sed-plus-beam", "branch"}
    both = ["--beam", "8", "--engine", "0.01", "--sets", "test"]
    assert main(["evaluate", dataset, "--model", model, *both]) == 0
    assert "model, beam, engine" in capsys.readouterr().out
    assert main(["evaluate", dataset, "--model", "branch", "--beam", "8"]) == 2
    assert "--beam is for prune4sed-plus, and branch is none" in capsys.readouterr().err


def test_it_starts_from_trained_weights(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert _run(dataset, *TINY, *QUICK, "--out", str(first)) == 0
    start = ["--start", str(first / "model.safetensors"), "--device", "cpu"]
    assert _run(dataset, *start, *QUICK, "--out", str(second)) == 0
    assert read_header(second / "model.safetensors").info["start"]["model"] == "model.safetensors"
    capsys.readouterr()
    assert _run(dataset, *start, "--model", "simgnn", "--out", str(tmp_path / "third")) == 2
    assert "is a neurosed, not a simgnn" in capsys.readouterr().err
    assert _run(dataset, "--start", "nothing", "--out", str(tmp_path / "third")) == 2
    assert "there is no model 'nothing'" in capsys.readouterr().err
    assert not (tmp_path / "third").exists()


def test_more_pairs_are_trained_on(dataset: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    quick = ["--steps", "2", "--batch-size", "50", "--out", str(out)]
    assert _run(dataset, *TINY, *quick, "--more", dataset) == 0
    from prune4sed.models.header import read_header

    told = read_header(out / "model.safetensors").info["dataset"]
    assert told["train_pairs"] == 60
    assert told["more"] == [{"name": "own", "seed": 0, "pairs": 30}]
    # It cannot be gone on with as if it had been trained on the one dataset alone.
    assert _run(dataset, *TINY, *quick, "--resume") == 2


def test_variants_are_trained_on(dataset: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    quick = ["--steps", "2", "--batch-size", "50", "--out", str(out)]
    assert _run(dataset, *TINY, *quick, "--variants", "2") == 0
    from prune4sed.models.header import read_header

    told = read_header(out / "model.safetensors").info["dataset"]
    assert (told["train_pairs"], told["variants"]) == (30, 2)
    assert _run(dataset, *TINY, *quick, "--variants", "2", "--resume") == 0
    assert _run(dataset, *TINY, *quick, "--resume") == 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--model", "oracle"], "there is no model 'oracle'; there are"),
        (["--preset", "slow"], "there is no preset 'slow'; there are paper, fast, plus, smoke"),
        (["--option", "depth=3"], "there is no option 'depth'; there are width, layers, head for NeuroSED"),
        (["--option", "width"], "--option takes KEY=VALUE, such as heads=10; got 'width'"),
        (["--option", "width=wide"], "width must be a whole number, got 'wide'"),
        (["--recipe", "speed=3"], "a recipe has no 'speed'; it has"),
        (["--batch-size", "0"], "batch_size must be 1 or more, got 0"),
        (["--batch-size", "4", "--recipe", "batch_size=5"], "batch_size was given twice"),
        (["--minutes", "-1"], "minutes must be 0 or more, got -1.0"),
        (["--small", "31"], "31 pairs were asked for, but the set has 30"),
        (["--device", "abacus"], "device 'abacus' cannot be used"),
        (["--device", "meta"], "device 'meta' cannot be used"),
        (["--option", "name=x"], "there is no option 'name'; there are"),
        (["--option", "seed=3"], "there is no option 'seed'; there are"),
        (["--option", "width=10000000"], "there is too little memory for this model"),
        (["--seed", "9999999999999"], "seed must be less than 4294967296"),
        (["--steps", "3", "--minutes", "1"], "--steps and --minutes cannot both say when to stop"),
        (["--steps", "0"], "Invalid value for '--steps'"),
        (["--small", "0"], "Invalid value for '--small'"),
    ],
)
def test_bad_input_is_one_line(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    assert _run(dataset, *TINY[:2], *words, "--out", str(tmp_path / "run")) == 2
    told = capsys.readouterr().err
    assert line in told
    assert told.startswith("prune4sed: error: ")
    assert told.count("\n") == 1


def test_no_such_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(tmp_path / "none"), *TINY) == 2
    assert "there is no dataset" in capsys.readouterr().err


def test_values() -> None:
    assert parse_values(["a=1", "b=2.5", "c=True", "d-e=x=y"], "--option") == {
        "a": 1,
        "b": 2.5,
        "c": True,
        "d_e": "x=y",
    }
    with pytest.raises(OptionError, match="--recipe takes KEY=VALUE"):
        parse_values(["=3"], "--recipe")


def test_ctrl_c_says_how_to_go_on(dataset: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = [
        dataset,
        *TINY,
        "--out",
        str(out),
        "--batch-size",
        "5",
        "--recipe",
        "rise=5",
        "--recipe",
        "patience=0",
    ]
    command = [sys.executable, "-m", "prune4sed", "train", *words]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        end = monotonic() + 60
        while not (out / "log.jsonl").exists() and monotonic() < end:
            sleep(0.05)
        sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 130
    assert told == f"the run is kept in {out}; the same command with --resume goes on\nprune4sed: stopped\n"
    done = len((out / "log.jsonl").read_text().splitlines())
    assert _run(*words, "--resume", "--steps", "1") == 0
    assert len((out / "log.jsonl").read_text().splitlines()) >= done


def test_progress_says_it_all() -> None:
    import io

    from rich.console import Console

    from prune4sed.cli.train_progress import _lines, train_progress, words
    from prune4sed.training.result import Report

    report = Report(1200, 4000, 0.21234, 0.61, 0.58, 41_000.0, 182.0)
    said = "loss 0.2123, validation RMSE 0.610 (best 0.580), 41,000 pairs/s, 3 min 2 s left"
    assert words(report) == said
    assert words(Report(20, None, 3.0, None, None, 90.0, None)) == "loss 3, 90 pairs/s"
    screen = Console(file=io.StringIO(), width=200)
    times = iter([0.0, 10.0, 31.0, 31.0])
    show = _lines(screen, lambda: next(times))
    show(report)
    show(report)
    assert screen.file.getvalue() == f"step 1,200 of 4,000: {said}\n"  # type: ignore[attr-defined]
    watched = Console(file=io.StringIO(), force_terminal=True, width=200)
    with train_progress(watched) as show:
        show(report)
    assert "1200/4000" in watched.file.getvalue()  # type: ignore[attr-defined]
