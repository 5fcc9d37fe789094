"""Inference on the CPU: microseconds per pair of `predict`, beside the design written naively with PyG.

    PRUNE4SED_MIRROR=folder python benchmarks/inference_cpu.py

writes results/inference_cpu.json. The models are the bundled ones for CiteSeer.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from _naive_pyg import NaivePrune4SED
from _record import RESULTS, load, record, write
from prune4sed.datasets import load as load_dataset
from prune4sed.datasets.dataset import PairSet
from prune4sed.models.base import SedModel
from prune4sed.models.loading import load_model
from prune4sed.models.neurosed import NeuroSED
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.training.latency import measure_latency
from prune4sed.training.subset import some_pairs

MODELS = {"prune4sed": "citeseer", "neurosed": "citeseer-neurosed"}
BAR_US = 500
NOTES = {
    "pairs": "random ones of CiteSeer's test set; end to end, from a GraphSet in memory to numbers in numpy",
    "naive": "the design of the paper's authors rewritten with PyG layers and a loop over the heads",
    "one_against_many": "one query and so many targets; queries encoded is counted, not derived",
}


def main() -> None:
    args = _arguments()
    torch.set_num_threads(args.threads)
    result = record("inference_cpu.py", ("torch", "torch-geometric")) | {"threads": args.threads}
    one = some_pairs(load_dataset("citeseer").test, args.pairs)
    models = {name: load_model(bundled, "cpu") for name, bundled in MODELS.items()}
    result["models"] = {name: _speed(model, one) for name, model in models.items()}
    result["naive"] = _naive(models["prune4sed"], one, args.naive_pairs, args.naive_batch)
    ours = result["models"]["prune4sed"]["batch_us"]
    result["faster_than_naive"] = round(result["naive"]["us_per_pair"] / ours, 2)
    result["one_against_many"] = {name: _many(model, one, args.targets) for name, model in models.items()}
    result["bars"] = {
        f"{name}_under_{BAR_US}_us": row["batch_us"] < BAR_US for name, row in result["models"].items()
    }
    result["bars"]["query_encoded_once"] = all(
        row["queries_encoded"] == 1 for row in result["one_against_many"].values()
    )
    result |= {"load_at_end": load(), "notes": NOTES}
    for name in ("models", "naive", "faster_than_naive", "one_against_many", "bars"):
        print(name, result[name])
    write(args.out, result)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=4_096, help="pairs for predict")
    parser.add_argument("--naive-pairs", type=int, default=1_000, help="pairs for the naive design")
    parser.add_argument("--naive-batch", type=int, default=200, help="pairs at a time there; the paper's 200")
    parser.add_argument("--targets", type=int, default=10_000, help="targets of the one query")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--out", type=Path, default=RESULTS / "inference_cpu.json")
    return parser.parse_args()


def _speed(model: SedModel, one: PairSet) -> dict[str, Any]:
    found = measure_latency(model, one, guess=1e-5)
    return {
        "batch_us": round(found.batch_us, 1),
        "batch_pairs": found.batch_pairs,
        "single_us": round(found.single_us, 1),
    }


def _naive(model: Prune4SED, one: PairSet, count: int, batch_size: int) -> dict[str, Any]:
    """Time of the naive design, collating included, and how far its answers are from ours."""
    index = one.pairs.index[:count]
    naive = NaivePrune4SED(model)
    pairs = [(naive.data(one.queries[i]), naive.data(one.targets[j])) for i, j in index.tolist()]
    seconds = []
    for _ in range(3):
        start = perf_counter()
        answers = naive.predict(pairs, batch_size)
        seconds.append(perf_counter() - start)
    # Ours are never above the cost of deleting the query.
    most = (one.queries.num_nodes + one.queries.num_edges)[index[:, 0]]
    apart = np.abs(model.predict(one.queries, one.targets, index) - np.minimum(answers.numpy(), most))
    return {
        "pairs": len(index),
        "batch_size": batch_size,
        "us_per_pair": round(1e6 * float(np.median(seconds)) / len(index), 1),
        "largest_difference": float(apart.max()),
    }


def _many(model: SedModel, one: PairSet, count: int) -> dict[str, Any]:
    """One query against many targets, the distinct ones as often as it takes."""
    index = np.column_stack([np.zeros(count, np.int64), np.resize(one.pairs.target, count)])
    encoded = _count_queries(model)
    start = perf_counter()
    model.predict(one.queries, one.targets, index)
    seconds = perf_counter() - start
    return {
        "targets": count,
        "us_per_target": round(1e6 * seconds / count, 1),
        "queries_encoded": sum(encoded),
    }


def _count_queries(model: SedModel) -> list[int]:
    """A list that from now on gets the number of queries whenever some are encoded."""
    seen: list[int] = []
    name = "embed" if isinstance(model, NeuroSED) else "encode_query"
    encode = getattr(model, name)

    def counted(graphs: Any, *rest: Any) -> Any:
        if name == "encode_query":
            seen.append(len(graphs))
        elif not seen:  # NeuroSED embeds all queries in one call, and then the targets
            seen.append(len(rest[0]))
        return encode(graphs, *rest)

    setattr(model, name, counted)
    return seen


if __name__ == "__main__":
    main()
