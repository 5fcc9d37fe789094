"""Train several models side by side on one GPU.

    python tools/train_all.py plan.json --minutes 25 --out runs

The plan is a list of jobs, the longest first, each an object: "dataset", "model", and if need be "name" (of
the folder; DATASET-MODEL by default), "preset", "steps" or "minutes", "batch_size", "more" (further
datasets), "variants", "start" (a trained model to go on from), "recipe" and "option" (objects). Every job is
a thread with a CUDA stream of its own: processes would take turns, while kernels of streams run at the same
time, and small models fill a large GPU only together. Jobs on the same pairs share them. A run that is cut
off by Ctrl-C, or when the time is over, goes on with the next call, for every job is resumed. The exit code
is 1 if a job failed, and 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
import traceback
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import torch

from prune4sed.datasets import load
from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.joining import with_more
from prune4sed.datasets.variants import with_variants
from prune4sed.errors import OptionError, Prune4SEDError
from prune4sed.models.base import pick_device
from prune4sed.training.interrupt import Stop
from prune4sed.training.loop import new_model, train
from prune4sed.training.recipe import Recipe, preset
from prune4sed.training.start import check_start, trained_model

# Between the word that the time is over and the end, for what is written last.
GRACE = 20.0
# What a job may tell.
WORDS = {"dataset", "model", "name", "preset", "steps", "minutes", "batch_size", "more", "variants", "start"}
WORDS |= {"recipe", "option"}


def main(words: list[str] | None = None) -> None:
    args = _arguments(words)
    end = time.monotonic() + 60 * args.minutes
    try:
        plan = [Job(each, args.out, args.device) for each in json.loads(args.plan.read_text())]
        check_together(plan)
    except Prune4SEDError as problem:
        sys.exit(f"{args.plan}: {problem}")
    code = 0
    try:
        start_and_wait(plan, end)
    except KeyboardInterrupt:
        code = 130
    stuck = stop_all(plan)
    code = 1 if any(job.failed for job in plan) else code
    sys.stdout.flush()
    if stuck:
        os._exit(code)  # Python's own end would tear the device from under a step that runs
    sys.exit(code)


class Job(threading.Thread):
    """A training; `steps` tells how far it is, `over` that it ended, `failed` that it was by an error.

    Wait for `over`: a `join` that Ctrl-C breaks off may take a thread that runs for one that has ended.

    Raises
    ------
    OptionError
        If it asks for what cannot be.
    """

    def __init__(self, told: dict[str, Any], out: Path, device: str) -> None:
        check_words(told)
        super().__init__(name=str(told.get("name", f"{told['dataset']}-{told['model']}")), daemon=True)
        self.told, self.folder, self.device = told, out / self.name, device
        self.stop, self.steps, self.failed, self.over = Stop(), 0, False, threading.Event()
        if "start" in told:
            check_start(told["start"], told["model"], told.get("option", {}), False)
        self.recipe = self._recipe()

    def _recipe(self) -> Recipe:
        told = self.told
        if {"steps", "minutes"} <= told.keys():
            raise OptionError(f"{self.name}: steps and minutes cannot both say when to stop")
        given = {key: told[key] for key in ("steps", "minutes", "batch_size") if key in told}
        return preset(told.get("preset", "fast"), told["model"], **given, **told.get("recipe", {}))

    def run(self) -> None:
        try:
            with own_stream(self.device):
                outcome = f"done, validation RMSE {self._train():.4f}"
        except KeyboardInterrupt:
            outcome = "cut off, to be resumed"
        except Prune4SEDError as problem:  # the others go on
            self.failed, outcome = True, f"failed: {problem}"
        except Exception:
            self.failed, outcome = True, f"failed\n{traceback.format_exc()}"
        print(f"{self.name}: {outcome}", flush=True)
        self.over.set()

    def _train(self) -> float:
        told = self.told
        data = pairs_of(told["dataset"], tuple(map(str, told.get("more", []))), told.get("variants", 0))
        if "start" in told:
            model, past = trained_model(told["start"], told.get("option"))
        else:
            model, past = new_model(told["model"], data, self.recipe.seed, **told.get("option", {})), {}
        ready = {"resume": True, "device": self.device, "told": past, "stop": self.stop}
        return train(model, data, self.recipe, self.folder, progress=self._reached, **ready).rmse

    def _reached(self, report: Any) -> None:
        self.steps = report.step


def check_words(told: dict[str, Any]) -> None:
    """Refuse a job that lacks something, or has what nobody reads."""
    lacking, foreign = {"dataset", "model"} - told.keys(), told.keys() - WORDS
    if lacking or foreign:
        wrong = f"lacks {min(lacking)!r}" if lacking else f"has {min(foreign)!r}, which means nothing"
        raise OptionError(f"a job {wrong}: {json.dumps(told)[:100]}")


def check_together(jobs: list[Job]) -> None:
    """Refuse jobs that cannot be side by side: how exact products are holds for the whole process."""
    if len({job.folder for job in jobs}) < len(jobs):
        raise OptionError("two jobs have one folder; give them names")
    precisions = {job.recipe.precision == "tf32" for job in jobs}
    if len(precisions) > 1:
        raise OptionError("some jobs have precision tf32 and others have not; give them plans of their own")
    if precisions == {True}:
        torch.set_float32_matmul_precision("high")  # also after the first job has ended


def start_and_wait(jobs: list[Job], end: float) -> None:
    """Start one after the other up to its first steps: a step must not be captured while another is."""
    for job in jobs:
        if time.monotonic() > end:
            return
        job.start()
        while not job.over.wait(0.1) and not job.steps and time.monotonic() < end:
            pass
    for job in jobs:
        job.over.wait(max(0.0, end - time.monotonic()))


def stop_all(jobs: list[Job]) -> bool:
    """Have all runs write their state; whether some did not come to an end in time."""
    for job in jobs:
        job.stop.asked = True
    end = time.monotonic() + GRACE
    for job in jobs:
        if job.ident is None:
            print(f"{job.name}: not begun", flush=True)
        elif job.over.wait(max(0.0, end - time.monotonic())):
            job.join()
        else:
            print(f"{job.name}: cut off in mid-work, to be resumed from its last state", flush=True)
    return any(job.is_alive() for job in jobs)


@cache
def pairs_of(name: str, more: tuple[str, ...], variants: int) -> Dataset:
    """A dataset with all that is to be trained on."""
    return with_variants(with_more(load(name), [load(other) for other in more]), variants)


def own_stream(device: str) -> AbstractContextManager[Any]:
    """A stream that no other thread uses, where there are any."""
    chosen = pick_device(device)
    if chosen.type != "cuda":
        return nullcontext()
    return torch.cuda.stream(torch.cuda.Stream(chosen))  # type: ignore[no-untyped-call]


def _arguments(words: list[str] | None) -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--device", default="auto")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
