"""Where the time of a training step goes, kernel by kernel.

    python tools/profile_step.py citeseer --recipe '{"batch_size": 1024, "precision": "tf32"}'
    python tools/profile_step.py citeseer --start citeseer-plus --preset plus
    python tools/profile_step.py citeseer --set gin_kernel._ROWS_BACK=64 gin_kernel._PROGRAMS=528

prints milliseconds per step, and the kernels that take them, most first. `--set` gives constants of the
kernels other values, to try what they are worth. On a CPU the operators of torch are listed in their place.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections import Counter
from time import perf_counter

import torch
from torch.profiler import ProfilerActivity, profile

from prune4sed.datasets import load
from prune4sed.models.base import pick_device
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import preset
from prune4sed.training.start import trained_model
from prune4sed.training.step import TrainingStep
from prune4sed.training.subset import some_pairs


def main() -> None:
    args = _arguments()
    for change in args.set:
        _change(change)
    step = _step(args, pick_device(args.device))
    for _ in range(3):  # captures, where that is done
        step()
    print(f"{step.model.name}, {step.batch_size} pairs: {_milliseconds(step, args.steps):.3f} ms a step")
    times, counts = _kernels(step, args.steps)
    total = sum(times.values())
    print(f"{total:.3f} ms in {sum(counts.values()) / args.steps:.0f} kernels")
    for name, time in times.most_common(args.rows):
        print(f"{time:8.3f} ms {time / total:6.1%} {counts[name] / args.steps:7.1f} x  {name[:90]}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dataset")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--model", default="prune4sed", help="the kind of a new model")
    kind.add_argument("--start", metavar="MODEL", help="trained weights, bundled or of a file, in its place")
    parser.add_argument("--preset", default="fast")
    parser.add_argument("--recipe", type=json.loads, default={}, metavar="JSON", help='as {"thrift": 0.4}')
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rows", type=int, default=30)
    parser.add_argument("--set", nargs="*", default=[], metavar="KERNELS.NAME=NUMBER")
    return parser.parse_args()


def _change(text: str) -> None:
    """One constant of one file of kernels."""
    place, _, value = text.partition("=")
    module, _, name = place.partition(".")
    kernels = importlib.import_module(f"prune4sed.nn.kernels.{module}")
    if not hasattr(kernels, name):
        raise SystemExit(f"{module} has no {name}")
    setattr(kernels, name, int(value))


def _step(args: argparse.Namespace, device: torch.device) -> TrainingStep:
    data = load(args.dataset)
    pairs = some_pairs(data["train"], min(args.pairs, len(data["train"].pairs)), 0)
    model = trained_model(args.start)[0] if args.start else new_model(args.model, data)
    recipe = preset(args.preset, model.name, **{"pairs": len(pairs.pairs), **args.recipe})
    torch.set_float32_matmul_precision("high" if recipe.precision == "tf32" else "highest")
    placed = PlacedPairs.of(pairs, model.to(device), costs=recipe.cost_weight > 0)
    errors = placed.errors(model, recipe.trust) if recipe.focus else None
    return TrainingStep(model, placed, recipe, errors=errors)


def _milliseconds(step: TrainingStep, count: int) -> float:
    step.take_losses()  # waits for the device
    start = perf_counter()
    for _ in range(count):
        step()
    step.take_losses()
    return 1000 * (perf_counter() - start) / count


def _kernels(step: TrainingStep, count: int) -> tuple[Counter[str], Counter[str]]:
    """Milliseconds per step by kernel, and how often each ran in all steps."""
    on_gpu = step.model.device.type == "cuda"
    with profile(activities=[ProfilerActivity.CUDA if on_gpu else ProfilerActivity.CPU]) as found:
        for _ in range(count):
            step()
        step.take_losses()
    times: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for event in found.key_averages():
        own = event.self_device_time_total if on_gpu else event.self_cpu_time_total
        if own:
            times[event.key] += own / 1000 / count
            counts[event.key] += event.count
    return times, counts


if __name__ == "__main__":
    main()
