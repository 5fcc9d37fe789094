"""tools/train_all.py: every job of a plan is trained, or it is told why not, and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from made import made_graphs, made_set

from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.dataset_write import write
from prune4sed.models.checkpoint import read_header
from prune4sed.models.registry import create_model
from prune4sed.training.log import read_log

TOOLS = Path(__file__).parents[2] / "tools"
SMALL = {"option": {"width": 8, "layers": 1}, "batch_size": 8, "recipe": {"precision": "float32"}}


@pytest.fixture
def job(tmp_path: Path) -> dict[str, Any]:
    pool = made_graphs(1, 6, (5, 9))
    sets = {"train": made_set(3, pool, 23), "validation": made_set(4, pool, 8)}
    write(Dataset("made", 7, sets), tmp_path / "made")
    return {"dataset": str(tmp_path / "made"), "model": "neurosed", "steps": 6, **SMALL}


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import train_all

    yield train_all
    sys.modules.pop("train_all")


def words(folder: Path, *jobs: dict[str, Any], minutes: float = 5.0) -> list[str]:
    plan = folder / "plan.json"
    plan.write_text(json.dumps(jobs))
    return [str(plan), "--minutes", str(minutes), "--out", str(folder / "runs"), "--device", "cpu"]


def run(tool: Any, *args: Any, **more: Any) -> int | str | None:
    with pytest.raises(SystemExit) as left:
        tool.main(words(*args, **more))
    return left.value.code


def test_every_job_is_trained_and_a_failure_stops_no_other(
    tool: Any, job: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = {**job, "name": "bad", "option": {"width": -1}}
    assert run(tool, tmp_path, {**job, "name": "a"}, bad, {**job, "name": "b", "steps": 3}) == 1
    for name, steps in (("a", 6), ("b", 3)):
        assert read_header(tmp_path / "runs" / name / "model.safetensors").info["training"]["done"] == steps
    shown = capsys.readouterr().out
    assert shown.count("done, validation RMSE") == 2
    assert "bad: failed: width must be 1 or more, got -1\n" in shown
    assert run(tool, tmp_path, {**job, "name": "a"}) == 0  # resumed where there is nothing left to do


def test_what_has_no_time_left_is_not_begun(
    tool: Any, job: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tool, tmp_path, {**job, "name": "late"}, minutes=0) == 0
    assert capsys.readouterr().out == "late: not begun\n"
    assert not (tmp_path / "runs").exists()


def test_what_cannot_be_is_refused_before_anything_begins(
    tool: Any, job: dict[str, Any], tmp_path: Path
) -> None:
    from prune4sed.models.checkpoint import save_checkpoint
    from prune4sed.nn.vocabulary import Vocabulary

    start = tmp_path / "start.safetensors"
    save_checkpoint(create_model("simgnn", Vocabulary((0, 1, 2)), width=8), start)
    cases = [
        ([{**job, "start": str(start)}], "is a simgnn, not a neurosed"),
        ([{**job, "minutes": 1}], "steps and minutes cannot both"),
        ([job, {**job, "name": "b", "recipe": {"precision": "tf32"}}], "give them plans of their own"),
        ([job, job], "two jobs have one folder"),
        ([{**job, "batchsize": 8}], "has 'batchsize', which means nothing"),
        ([{"model": "neurosed"}], "lacks 'dataset'"),
    ]
    for jobs, why in cases:
        assert why in str(run(tool, tmp_path, *jobs))
    assert not (tmp_path / "runs").exists()


def test_ctrl_c_leaves_runs_that_can_be_resumed(tool: Any, job: dict[str, Any], tmp_path: Path) -> None:
    jobs = [{**job, "name": name, "steps": 1_000_000} for name in ("a", "b")]
    command = [sys.executable, str(TOOLS / "train_all.py"), *words(tmp_path, *jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    logs = [tmp_path / "runs" / name / "log.jsonl" for name in ("a", "b")]
    end = monotonic() + 60
    while not all(log.is_file() and log.stat().st_size for log in logs) and monotonic() < end:
        sleep(0.1)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 130, shown
    assert shown.count("cut off, to be resumed") == 2
    for log in logs:
        assert (log.parent / "state.safetensors").is_file()
        assert len(read_log(log)) > 0
