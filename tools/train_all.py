"""Train many models side by side on one GPU.

    python tools/train_all.py plan.json --minutes 25 --out runs

The plan is a list of jobs, the longest first, each an object: "dataset", "model", and if need be "name" (of
the folder; DATASET-MODEL by default), "preset", "steps" or "minutes", "batch_size", "more" (further
datasets), "variants", "start" (a trained model to go on from), "recipe" and "option" (objects). All start at
once, each a `prune4sed train` of its own, and share the GPU through CUDA's multi-process service where there
is one: small models fill a large GPU only together. A run that is cut off when the time is over goes on with
the next call, for every job is resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# Between the signal that the time is over and the end, for what is written last.
GRACE = 20.0


def main() -> None:
    args = _arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * args.minutes
    share_gpu(args.out / "mps")
    running = {name_of(job): start(job, args) for job in json.loads(args.plan.read_text())}
    while running and time.monotonic() < end:
        time.sleep(1)
        running = still(running)
    for process in running.values():
        process.send_signal(signal.SIGINT)
    for name, process in running.items():
        process.wait(GRACE)
        print(f"{name}: cut off, to be resumed")


def name_of(job: dict[str, Any]) -> str:
    return str(job.get("name", f"{job['dataset']}-{job['model']}"))


def start(job: dict[str, Any], args: Any) -> subprocess.Popen[bytes]:
    """A job of its own, with its words in a file."""
    folder = args.out / name_of(job)
    told = ["train", job["dataset"], "--model", job["model"], "--out", str(folder), "--resume"]
    told += ["--preset", job.get("preset", "fast"), "--device", args.device]
    for key in ("steps", "minutes", "batch_size", "variants"):
        told += [f"--{key.replace('_', '-')}", str(job[key])] if key in job else []
    told += ["--start", job["start"]] if "start" in job else []
    for more in job.get("more", []):
        told += ["--more", str(more)]
    for key in ("recipe", "option"):
        for name, value in job.get(key, {}).items():
            told += [f"--{key}", f"{name}={value}"]
    with (args.out / f"{name_of(job)}.log").open("ab") as log:
        command = [sys.executable, "-m", "prune4sed", *told]
        return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})


def still(running: dict[str, subprocess.Popen[bytes]]) -> dict[str, subprocess.Popen[bytes]]:
    """Those that are not over."""
    for name, process in running.items():
        if process.poll() is not None:
            print(
                f"{name}: {'done' if process.returncode == 0 else f'failed ({process.returncode})'}",
                flush=True,
            )
    return {name: process for name, process in running.items() if process.returncode is None}


def share_gpu(folder: Path) -> None:
    """Start the multi-process service, if this machine has it and it does not run yet."""
    control = shutil.which("nvidia-cuda-mps-control")
    if control is None:
        return
    folder.mkdir(exist_ok=True)
    for name in ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"):
        os.environ.setdefault(name, str(folder.resolve()))
    subprocess.run([control, "-d"], capture_output=True, check=False)


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
