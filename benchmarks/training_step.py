"""One training step: eager, as a captured CUDA graph, and as PyG's layers do it; and prediction.

    python benchmarks/training_step.py FOLDER       # of the CiteSeer dataset, or its name

prints the figures and writes results/training_step.json. On a CPU nothing is captured; there the figures
beside are those of torch without the engine's layers:

    python benchmarks/training_step.py FOLDER --device cpu --batch-sizes 200 --steps 10 \\
        --out results/training_cpu.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import nn

from _naive_training import data_of, moved, naive
from _record import RESULTS, load, record, write
from prune4sed.datasets import PairSet
from prune4sed.datasets import load as load_dataset
from prune4sed.datasets.dataset import Dataset
from prune4sed.models.base import SedModel, pick_device
from prune4sed.nn.on_cpu import torch_alone
from prune4sed.training.loop import new_model
from prune4sed.training.losses import interval_loss
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep
from prune4sed.training.subset import some_pairs

SAME = 1e-4  # captured and eager losses agree to this share
NOTES = {
    "train": "milliseconds per step, the choice of pairs and the update included; wall clock over many "
    "steps; in full float32, save captured_tf32_ms",
    "torch_alone_ms": "on a CPU: the same step without the engine's layers and their gradients",
    "same_losses": "largest relative difference of the losses of 20 steps, captured beside eager, one seed",
    "naive": "PyG's layers, a loop over heads, batches of Data assembled on the CPU and moved at every step",
    "predict": "predict_placed on pairs whose graphs are on the device, microseconds per pair",
}


def main() -> None:
    args = _arguments()
    device = pick_device(args.device)
    data = load_dataset(args.dataset)
    result = record("training_step.py", ("torch", "torch-geometric")) | {"device": _device_name(device)}
    for name in args.models:
        figures: dict[str, Any] = {"predict": _predict(name, data, device, args.predict_pairs)}
        print(name, "predict", json.dumps(figures["predict"]), flush=True)
        for size in args.batch_sizes:
            figures[f"batch_{size}"] = _steps(name, data, device, size, args)
            print(name, size, json.dumps(figures[f"batch_{size}"]), flush=True)
        result[name] = figures
    result |= {"load_at_end": load(), "notes": NOTES}
    print(json.dumps(result, indent=2))
    write(args.out, result)
    if any("differ" in str(value) for value in _verdicts(result)):
        sys.exit(1)


def _steps(name: str, data: Dataset, device: torch.device, size: int, args: Any) -> dict[str, Any]:
    pairs = some_pairs(data["train"], min(args.pairs, len(data["train"].pairs)), 0)
    recipe = Recipe(batch_size=size, pairs=len(pairs.pairs))
    figures: dict[str, Any] = {"mean_target_nodes": float(pairs.targets.num_nodes[pairs.pairs.target].mean())}
    figures["eager_ms"] = _time_step(_step(name, data, pairs, recipe, device, False), args.steps)
    if device.type == "cuda":
        figures["captured_ms"] = _time_step(_step(name, data, pairs, recipe, device, True), args.steps)
        torch.set_float32_matmul_precision("high")
        figures["captured_tf32_ms"] = _time_step(_step(name, data, pairs, recipe, device, True), args.steps)
        torch.set_float32_matmul_precision("highest")
        worst = _difference(name, data, pairs, recipe, device)
        figures["same_losses"] = {"worst": worst, "verdict": "same" if worst < SAME else "differ"}
    else:
        with torch_alone():
            figures["torch_alone_ms"] = _time_step(
                _step(name, data, pairs, recipe, device, False), args.steps
            )
    figures["naive_ms"] = _time_naive(name, data, pairs, recipe, device, args.naive_steps)
    ours = figures.get("captured_ms", figures["eager_ms"])
    return figures | {"faster_than_naive": round(figures["naive_ms"] / ours, 2)}


def _step(
    name: str, data: Dataset, pairs: PairSet, recipe: Recipe, device: torch.device, capture: bool
) -> TrainingStep:
    model = new_model(name, data).to(device)
    return TrainingStep(model, PlacedPairs.of(pairs, model), recipe, capture=capture)


def _time_step(step: TrainingStep, count: int) -> float:
    return _milliseconds(step, count, step.model.device)


def _milliseconds(call: Callable[[], Any], count: int, device: torch.device) -> float:
    """Per call, after a few that do not count; the best of three series."""
    for _ in range(3):
        call()
    series = []
    for _ in range(3):
        _wait(device)
        start = perf_counter()
        for _ in range(count):
            call()
        _wait(device)
        series.append((perf_counter() - start) / count)
    return round(1000 * min(series), 3)


def _difference(name: str, data: Dataset, pairs: PairSet, recipe: Recipe, device: torch.device) -> float:
    """Losses of twenty steps at a rate that changes weights, captured beside eager."""
    lively = replace(recipe, rise=10, fall=10)
    losses = []
    for capture in (False, True):
        step = _step(name, data, pairs, lively, device, capture)
        row = []
        for _ in range(20):
            step()
            row.append(step.take_losses())
        losses.append(np.array(row))
    return float(np.abs(losses[0] / losses[1] - 1).max())


def _time_naive(
    name: str, data: Dataset, pairs: PairSet, recipe: Recipe, device: torch.device, count: int
) -> float:
    """The same step by PyG; the first pairs only, for making objects of all graphs takes long."""
    ours = new_model(name, data)
    rng = np.random.default_rng(0)
    rows = [rng.choice(len(pairs.pairs), recipe.batch_size, replace=False) for _ in range(4)]
    graphs = [_objects(pairs, chosen, ours) for chosen in rows]
    model = naive(ours).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=recipe.weight_decay)
    turn = 0

    def step() -> None:
        nonlocal turn
        queries, targets = graphs[turn % len(graphs)]
        table = pairs.pairs[rows[turn % len(graphs)]]
        turn += 1
        bounds = (torch.tensor(x, dtype=torch.float32).to(device) for x in (table.lower, table.upper))
        loss = interval_loss(model(moved(queries, device), moved(targets, device)), *bounds)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimizer.step()
        loss.item()

    return _milliseconds(step, count, device)


def _objects(pairs: PairSet, rows: np.ndarray, model: SedModel) -> tuple[Any, Any]:
    table = pairs.pairs[rows]
    return data_of(pairs.queries[table.query], model), data_of(pairs.targets[table.target], model)


def _predict(name: str, data: Dataset, device: torch.device, count: int) -> dict[str, float]:
    model = new_model(name, data).to(device)
    pairs = PlacedPairs.of(some_pairs(data["train"], min(count, len(data["train"].pairs)), 0), model)
    milliseconds = _milliseconds(lambda: pairs.predict(model), 1, device)
    return {"pairs": len(pairs), "us_per_pair": round(1000 * milliseconds / len(pairs), 3)}


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _verdicts(result: dict[str, Any]) -> list[Any]:
    return [part for figures in result.values() if isinstance(figures, dict) for part in figures.values()]


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dataset", nargs="?", default="citeseer", help="folder or name of the dataset")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--models", nargs="+", default=["prune4sed", "neurosed"])
    parser.add_argument("--batch-sizes", nargs="+", type=int, default=[200, 1000])
    parser.add_argument("--pairs", type=int, default=100_000, help="of the training set")
    parser.add_argument("--predict-pairs", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--naive-steps", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULTS / "training_step.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
