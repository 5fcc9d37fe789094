"""What it is worth to draw hard pairs more often: a bundled model trained on for as many steps by all ways.

    python benchmarks/draws.py

Pairs are drawn alike, by their sizes (`thrift`), by what the model gets wrong at the start (`focus`), and by
both; from several seeds, which decide what is drawn when. Validation pairs judge, the test sets are not used.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from _record import RESULTS, load, record, write
from prune4sed import datasets
from prune4sed.datasets.dataset import Dataset
from prune4sed.models.header import read_header
from prune4sed.models.loading import find_model
from prune4sed.training.log import read_log
from prune4sed.training.loop import train
from prune4sed.training.recipe import preset
from prune4sed.training.start import trained_model

WAYS: dict[str, dict[str, float]] = {
    "alike": {"thrift": 0.0},
    "thrift": {"thrift": 0.4},
    "focus": {"thrift": 0.0, "focus": 0.5},
    "both": {"thrift": 0.4, "focus": 0.5},
}


def main() -> None:
    asked = _arguments()
    data = datasets.load(asked.dataset)
    result = record("draws.py", ("torch",))
    name = asked.model or f"{asked.dataset}-neurosed"
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    for seed in range(asked.seeds):
        for way in WAYS:
            runs[way].append(run(data, name, way, seed, asked))
            print(way, seed, runs[way][-1], flush=True)
    means = {way: round(float(np.mean([x["rmse"] for x in found])), 4) for way, found in runs.items()}
    print(means)
    settings = {
        "model": name,
        "digest": read_header(find_model(name)).digest,
        "ways": WAYS,
        "steps": asked.steps,
        "batch_size": asked.batch_size,
    }
    write(asked.out, {**result, **settings, "mean_rmse": means, "runs": runs, "load_at_end": load()})


def run(data: Dataset, name: str, way: str, seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    model, told = trained_model(name)
    changes: dict[str, Any] = {**WAYS[way], "seed": seed, "steps": asked.steps, "peak_rate": asked.peak_rate}
    changes |= {"batch_size": asked.batch_size, "round_steps": asked.steps, "precision": "float32"}
    with TemporaryDirectory() as folder:
        before = perf_counter()
        train(model, data, preset("fast", model.name, **changes), folder, told=told)
        seconds = perf_counter() - before
        # The last, for the best may be what it started from.
        rmse = [entry["rmse"] for entry in read_log(Path(folder) / "log.jsonl") if "rmse" in entry]
    told_now = {"rmse_at_start": round(rmse[0], 4), "rmse": round(rmse[-1], 4)}
    return {"seed": seed, **told_now, "seconds": round(seconds, 1)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", default="citeseer")
    parser.add_argument("--model", help="a bundled model or a checkpoint; DATASET-neurosed by default")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--peak-rate", type=float, default=1e-3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS / "draws.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
