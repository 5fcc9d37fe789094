"""A run that was stopped, or killed, goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import torch
from made_runs import quick, small_model, training_dataset

from prune4sed.errors import FormatError, OptionError
from prune4sed.models.neurosed import NeuroSEDOptions
from prune4sed.training.log import read_log
from prune4sed.training.loop import train
from prune4sed.training.result import Report
from prune4sed.training.state import load_state, save_state

HERE = Path(__file__).parent


def _train(folder: Path, model: str = "neurosed", resume: bool = False, progress: Any = None, **changes: Any):
    data = training_dataset()
    return train(
        small_model(data, model),
        data,
        quick(**changes),
        folder,
        resume=resume,
        device="cpu",
        progress=progress,
    )


def _same(one: Path, two: Path) -> None:
    a, b = (load_state(folder / "state.safetensors") for folder in (one, two))
    assert a.tensors.keys() == b.tensors.keys()
    for name, x in a.tensors.items():
        assert x.equal(b.tensors[name]), name
    timeless = [{**vars(s.standing), "seconds": 0} for s in (a, b)]
    assert timeless[0] == timeless[1]
    assert _timeless(one) == _timeless(two)


def _timeless(folder: Path) -> list[dict[str, Any]]:
    drop = ("seconds", "pairs_per_second")
    return [{k: v for k, v in line.items() if k not in drop} for line in read_log(folder / "log.jsonl")]


@pytest.mark.parametrize("model", ["neurosed", "prune4sed"])
def test_twice_n_steps_are_n_and_n_more(tmp_path: Path, model: str) -> None:
    whole = _train(tmp_path / "whole", model, steps=14)
    _train(tmp_path / "parts", model, steps=7)
    parts = _train(tmp_path / "parts", model, resume=True, steps=14)
    _same(tmp_path / "whole", tmp_path / "parts")
    assert (whole.rmse, whole.best_step, whole.steps) == (parts.rmse, parts.best_step, 14)
    for name, x in whole.model.state_dict().items():
        assert x.equal(parts.model.state_dict()[name])


def test_ctrl_c_in_the_middle_of_a_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prune4sed.training.run.LOG_STEPS", 3)

    def interrupt(report: Report) -> None:
        if report.step == 9:
            os.kill(os.getpid(), signal.SIGINT)

    _train(tmp_path / "whole", steps=20)
    with pytest.raises(KeyboardInterrupt):
        _train(tmp_path / "parts", steps=20, progress=interrupt)
    assert load_state(tmp_path / "parts" / "state.safetensors").standing.done == 9
    _train(tmp_path / "parts", resume=True, steps=20)
    _same(tmp_path / "whole", tmp_path / "parts")


def test_ctrl_c_in_a_validation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of the round are not lost, even if it is the first."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    _train(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr("prune4sed.training.placed.PlacedPairs.predict", interrupt)
        with pytest.raises(KeyboardInterrupt):
            _train(tmp_path / "parts")
    standing = load_state(tmp_path / "parts" / "state.safetensors").standing
    assert (standing.done, standing.validated) == (7, 0)
    _train(tmp_path / "parts", resume=True)
    _same(tmp_path / "whole", tmp_path / "parts")


SCRIPT = """
import sys, torch
sys.path[:0] = {path!r}
torch.set_num_threads(1)
import prune4sed.training.run as run
from test_resume import _train
from pathlib import Path
run.LOG_STEPS, run.SAVE_SECONDS = 3, 0.0
_train(Path({folder!r}), steps=4200)
"""


def test_kill_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prune4sed.training.run.LOG_STEPS", 3)
    folder = tmp_path / "parts"
    paths = [str(HERE), str(HERE.parent / "datasets"), str(HERE.parent), *sys.path]
    child = subprocess.Popen([sys.executable, "-c", SCRIPT.format(path=paths, folder=str(folder))])
    try:
        end = monotonic() + 60
        while not (folder / "state.safetensors").exists() and monotonic() < end:
            sleep(0.02)
        sleep(0.3)
    finally:
        child.kill()
        child.wait()
    done = load_state(folder / "state.safetensors").standing.done
    assert 0 < done < 4200
    steps = done + 30
    _train(folder, resume=True, steps=steps)
    _train(tmp_path / "whole", steps=steps)
    _same(tmp_path / "whole", folder)


def test_a_finished_run_is_not_trained_again(tmp_path: Path) -> None:
    first = _train(tmp_path)
    again = _train(tmp_path, resume=True)
    assert (first.rmse, first.steps) == (again.rmse, again.steps)
    pairs = training_dataset().validation
    wanted = first.model.predict(pairs.queries, pairs.targets, pairs.pairs.index)
    assert (again.model.predict(pairs.queries, pairs.targets, pairs.pairs.index) == wanted).all()


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    _train(tmp_path)
    with pytest.raises(OptionError, match="holds a run already; go on with --resume"):
        _train(tmp_path)
    with pytest.raises(OptionError, match="started with batch_size 5, not 4"):
        _train(tmp_path, resume=True, batch_size=4)
    with pytest.raises(OptionError, match="has another model"):
        _train(tmp_path, "prune4sed", resume=True)
    data = training_dataset(pairs=24)
    with pytest.raises(OptionError, match="has another dataset"):
        train(small_model(data), data, quick(), tmp_path, resume=True, device="cpu")
    state = tmp_path / "state.safetensors"
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(FormatError, match="is damaged"):
        _train(tmp_path, resume=True)


def test_a_run_begun_before_an_option_came_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _train(tmp_path / "run", steps=3)
    state = load_state(tmp_path / "run" / "state.safetensors")
    assert state.identity["model option"].pop("head") == "norm"
    save_state(state, tmp_path / "run" / "state.safetensors")
    monkeypatch.setattr(NeuroSEDOptions, "before", {"head": "norm"})
    assert _train(tmp_path / "run", resume=True, steps=6).steps == 6
    monkeypatch.setattr(NeuroSEDOptions, "before", {"head": "mlp"})
    save_state(state, tmp_path / "run" / "state.safetensors")
    with pytest.raises(OptionError, match=r"another model option \(head was 'mlp'\)"):
        _train(tmp_path / "run", resume=True, steps=9)


@pytest.mark.parametrize("change", [{"standing": {"done": "x"}}, {"recipes": []}, {"identity": []}])
def test_an_edited_state(tmp_path: Path, change: dict[str, Any]) -> None:
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    _train(tmp_path)
    path = tmp_path / "state.safetensors"
    with safe_open(path, framework="pt") as file:
        told = json.loads(file.metadata()["prune4sed-training"])
    save_file(load_file(path), path, metadata={"prune4sed-training": json.dumps({**told, **change})})
    with pytest.raises(FormatError, match="do not match its checksum"):
        _train(tmp_path, resume=True)


@pytest.mark.parametrize("line", ['{"step": "x"}', '{"rmse": 3}', "7", "hello"])
def test_an_edited_log(tmp_path: Path, line: str) -> None:
    _train(tmp_path)
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write(line + "\n")
    with pytest.raises(FormatError, match="not a JSON object with a step"):
        _train(tmp_path, resume=True)


def test_a_state_of_another_version(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    told = {"prune4sed-training": json.dumps({"version": 99})}
    save_file({"x": torch.zeros(1)}, tmp_path / "state.safetensors", metadata=told)
    with pytest.raises(FormatError, match="no state of a run that this version can go on with"):
        _train(tmp_path, resume=True)
