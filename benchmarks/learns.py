"""How well models learn CiteSeer in a few minutes of a GPU, side by side.

    prune4sed data build citeseer --pairs 300000,1000,1000 --seed 1 --node-limit 300 --no-extras --out big
    prune4sed data build citeseer --pairs 300000,1000,1000 --seed 2 --node-limit 100 --no-extras --out big-2
    python benchmarks/learns.py --more big big-2 --minutes prune4sed=4.9 neurosed=1.5

trains each model for its time by the preset `fast`, evaluates it on the standard test and strict_test of
CiteSeer and on fresh targets of 3 hops and at most 256 nodes, prints the figures and writes
results/learns.json and the runs. The more pairs, the better; those of `big` and the like are drawn by other
seeds than those of the tests.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from _record import RESULTS, load, record, write
from prune4sed.datasets import draws
from prune4sed.datasets import load as load_dataset
from prune4sed.datasets.dataset import PairSet
from prune4sed.datasets.joining import with_more
from prune4sed.datasets.labelling import label_set
from prune4sed.datasets.protocol import DEEP, Recipe, protocol
from prune4sed.datasets.raw import raw_file, read_raw
from prune4sed.datasets.sampled import SampledSet
from prune4sed.datasets.set_groups import Group
from prune4sed.datasets.table import PairTable
from prune4sed.models.base import SedModel
from prune4sed.training.evaluation import evaluate
from prune4sed.training.loop import new_model, train
from prune4sed.training.recipe import preset
from prune4sed.training.result import Report

THREE_HOPS = Recipe({3: 100}, DEEP, largest_target=256)
SEED, PAIRS, NODES = 7, 20_000, 2_000


def main() -> None:
    args = _arguments()
    standard = load_dataset("citeseer")
    tests = {"three_hops": three_hops(), "test": standard.test, "strict_test": standard.strict_test}
    result = record("learns.py", ("torch",)) | {"device": _device()}
    result["sets"] = {name: _figures(one) for name, one in tests.items()}
    for asked in args.minutes:
        name, _, minutes = asked.partition("=")
        result[name] = _learn(name, float(minutes), args, tests)
        print(name, json.dumps(result[name]), flush=True)
        write(args.out, result | {"load_at_end": load()})


def _learn(name: str, minutes: float, args: Any, tests: dict[str, PairSet]) -> dict[str, Any]:
    data = with_more(load_dataset("citeseer"), [load_dataset(folder) for folder in args.more])
    recipe = preset(args.preset, name, minutes=minutes, **json.loads(args.recipe))
    start = perf_counter()
    found = train(new_model(name, data), data, recipe, args.runs / name, progress=_shown())
    seconds = perf_counter() - start
    figures: dict[str, Any] = {
        "minutes_asked": minutes,
        "seconds": round(seconds, 1),
        "steps": found.steps,
        "training_pairs": len(data["train"].pairs),
        "validation_rmse": found.rmse,
    }
    return figures | {test: _rmse(found.model, one) for test, one in tests.items()}


def _rmse(model: SedModel, one: PairSet) -> dict[str, float]:
    metrics = evaluate(model, one, latency=False).metrics
    names = ("rmse", "rmse_low", "rmse_high", "rmse_certified", "mae", "r2")
    return {name: round(metrics.to_dict()[name], 4) for name in names}


def three_hops() -> PairSet:
    """Fresh pairs with targets of 3 hops and at most 256 nodes, drawn as those of the dataset are."""
    network = read_raw("citeseer", raw_file("citeseer"))
    one_in = protocol("citeseer").strict_one_in
    group = Group("standard", THREE_HOPS, {"test": PAIRS}, one_in)
    targets = draws.ego_nets(network, THREE_HOPS, one_in, False, group.stream(SEED, "targets"), PAIRS)
    queries, _ = draws.grown(targets, THREE_HOPS, one_in, False, group.stream(SEED, "queries"), PAIRS)
    partners = draws.partners(len(targets), group.stream(SEED, "pairs"), PAIRS)
    drawn = SampledSet("three_hops", queries, targets, np.column_stack([np.arange(PAIRS), partners]))
    labels = label_set(drawn, NODES)
    table = PairTable(drawn.index, labels.lower.astype(float), labels.upper.astype(float), labels.mapping)
    return PairSet(queries, targets, table)


def _figures(one: PairSet) -> dict[str, float]:
    sizes = one.targets.num_nodes[one.pairs.target], one.queries.num_nodes[one.pairs.query]
    return {
        "pairs": len(one.pairs),
        "certified": round(float(one.pairs.certified.mean()), 4),
        "mean_target_nodes": round(float(sizes[0].mean()), 1),
        "mean_query_nodes": round(float(sizes[1].mean()), 1),
        "deviation": round(float(one.pairs.upper.std()), 3),
    }


def _shown() -> Any:
    """A line every 20 seconds."""
    last = perf_counter()

    def show(report: Report) -> None:
        nonlocal last
        if perf_counter() - last > 20:
            last = perf_counter()
            print(report, flush=True)

    return show


def _device() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--more", nargs="*", default=[], help="datasets to train on besides CiteSeer's own")
    parser.add_argument("--minutes", nargs="+", default=["prune4sed=4.9", "neurosed=1.5"])
    parser.add_argument("--preset", default="fast")
    parser.add_argument("--recipe", default="{}", help="changes to the preset, as JSON")
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--out", type=Path, default=RESULTS / "learns.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
