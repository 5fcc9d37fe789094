"""Train several models side by side on one GPU.

    python tools/train_all.py plan.json --minutes 25 --out runs

The plan is a list of jobs, the longest first, each an object: "dataset", "model", and if need be "name" (of
the folder; DATASET-MODEL by default), "preset", "steps" or "minutes", "batch_size", "more" (further
datasets), "variants", "start" (a trained model to go on from), "recipe" and "option" (objects). Every job is
a thread with a CUDA stream of its own: processes would take turns, while kernels of streams run at the same
time, and small models fill a large GPU only together. Jobs on the same pairs share them. A run that is cut
off when the time is over goes on with the next call, for every job is resumed.
"""

from __future__ import annotations

import argparse
import json
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
from prune4sed.models.base import pick_device
from prune4sed.training.interrupt import Stop
from prune4sed.training.loop import new_model, train
from prune4sed.training.recipe import preset
from prune4sed.training.start import trained_model

# Between the word that the time is over and the end, for what is written last.
GRACE = 20.0


def main() -> None:
    args = _arguments()
    end = time.monotonic() + 60 * args.minutes
    threads = []
    for job in json.loads(args.plan.read_text()):
        threads.append(Training(job, args.out, args.device))
        threads[-1].start()
        # One after the other up to its first steps: a step must not be captured while another is.
        while threads[-1].is_alive() and not threads[-1].steps and time.monotonic() < end:
            time.sleep(0.1)
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    for thread in threads:
        thread.stop.asked = True
    for thread in threads:
        thread.join(GRACE)
        print(f"{thread.name}: {thread.outcome}", flush=True)


class Training(threading.Thread):
    """A job; `steps` tells how far it is, `outcome` how it ended."""

    def __init__(self, job: dict[str, Any], out: Path, device: str) -> None:
        super().__init__(name=str(job.get("name", f"{job['dataset']}-{job['model']}")), daemon=True)
        self.job, self.folder, self.device = job, out / self.name, device
        self.stop, self.steps, self.outcome = Stop(), 0, "cut off in mid-step"

    def run(self) -> None:
        try:
            with own_stream(self.device):
                found = self._train()
            self.outcome = f"done, validation RMSE {found:.4f}"
        except KeyboardInterrupt:
            self.outcome = "cut off, to be resumed"
        except Exception:  # the others go on
            self.outcome = f"failed\n{traceback.format_exc()}"

    def _train(self) -> float:
        job = self.job
        data = pairs_of(job["dataset"], tuple(map(str, job.get("more", []))), job.get("variants", 0))
        given = {key: job[key] for key in ("steps", "minutes", "batch_size") if key in job}
        recipe = preset(job.get("preset", "fast"), job["model"], **given, **job.get("recipe", {}))
        if "start" in job:
            model, told = trained_model(job["start"])
        else:
            model, told = new_model(job["model"], data, recipe.seed, **job.get("option", {})), {}
        ready = {"resume": True, "device": self.device, "told": told, "stop": self.stop}
        return train(model, data, recipe, self.folder, progress=self._reached, **ready).rmse

    def _reached(self, report: Any) -> None:
        self.steps = report.step


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


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
