"""How long pairs and training steps take as torch has its threads wait, and as prune4sed does.

    python benchmarks/busy.py FOLDER    # of the CiteSeer dataset, or its name

loads torch by way of prune4sed, and before it, each in a process of its own; for pairs, also while as many
processes that never rest as there are cores run beside it. Prints the figures and writes results/busy.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _record import RESULTS, load, record, write

RESTLESS = [sys.executable, "-c", "while True: pass"]
MODELS = ("citeseer", "citeseer-plus", "citeseer-neurosed")
NOTES = {
    "quiet, busy": "beside nothing, and beside one process that never rests for every core",
    "ours, torch": "torch loaded by way of prune4sed, whose threads wait briefly; and loaded before it",
    "alone_ms": "median and worst of single pairs asked for one by one",
    "step_ms": "a training step of 200 pairs, the best of three series of four",
}
PAIRS = """
one, model = load(sys.argv[1])["test"], ps.load_model(sys.argv[2])
times = []
for i in range(63):
    query, target = one.queries[one.pairs.query[i]], one.targets[one.pairs.target[i]]
    start = perf_counter()
    model.predict(query, [target])
    times.append(1000 * (perf_counter() - start))
print(json.dumps({"median": round(median(times[3:]), 2), "worst": round(max(times[3:]), 2)}))
"""
STEPS = """
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep
from prune4sed.training.subset import some_pairs
data = load(sys.argv[1])
pairs, model = some_pairs(data["train"], 2000, 0), new_model(sys.argv[2], data)
step = TrainingStep(model, PlacedPairs.of(pairs, model), Recipe(batch_size=200, pairs=2000))
times = []
for series in range(4):  # the first does not count
    start = perf_counter()
    for _ in range(4):
        step()
    times.append(250 * (perf_counter() - start))
print(json.dumps(round(min(times[1:]), 1)))
"""
HEAD = """
import json, os, sys
os.environ.pop("OMP_WAIT_POLICY", None), os.environ.pop("GOMP_SPINCOUNT", None)
{first}
import prune4sed as ps
from statistics import median
from time import perf_counter
from prune4sed.datasets import load
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--out", type=Path, default=RESULTS / "busy.json")
    args = parser.parse_args()
    result = record("busy.py", ("torch",)) | {"step_ms": {}, "alone_ms": {}}
    for kind in ("prune4sed", "neurosed"):
        result["step_ms"][kind] = _both(STEPS, args.dataset, kind)
    for model in MODELS:
        quiet = _both(PAIRS, args.dataset, model)
        with _busy():
            result["alone_ms"][model] = {"quiet": quiet, "busy": _both(PAIRS, args.dataset, model)}
    print(json.dumps(result, indent=2))
    write(args.out, result | {"load_at_end": load(), "notes": NOTES})


def _both(code: str, *words: str) -> dict[str, Any]:
    found = {}
    for how, first in (("ours", ""), ("torch", "import torch")):
        command = [sys.executable, "-c", HEAD.format(first=first) + code, *words]
        found[how] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


@contextmanager
def _busy() -> Iterator[None]:
    """All cores have something else to do."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


if __name__ == "__main__":
    main()
