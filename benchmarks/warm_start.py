"""Whether mappings of Prune4SED-plus would help the exact engine as a start.

    python benchmarks/warm_start.py            # --pairs 200 hard pairs a dataset, --beam 128

takes test pairs that the engine cannot settle within 1 ms and compares the cost of the best mapping that it
has after 1, 10 and 100 ms with the cost of the mapping that the beam of Prune4SED-plus finds, and with the
best that is known. A start helps only where the beam is better than what the engine has by the time that the
model takes. Writes results/warm_start.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import prune4sed as ps
from _record import RESULTS, load, record, write
from prune4sed.datasets import load as load_dataset
from prune4sed.datasets.dataset import PairSet
from prune4sed.errors import Prune4SEDError
from prune4sed.models.matching import match_pairs

DATASETS = ("aids", "protein", "citeseer", "cora_ml", "pubmed", "dblp", "amazon")
LIMITS = (0.001, 0.01, 0.1)


def main() -> None:
    args = _arguments()
    result = record("warm_start.py", ("torch",)) | {"beam": args.beam, "datasets": {}}
    for name in args.datasets:
        try:
            model = ps.load_model(f"{name}-plus")
        except Prune4SEDError as error:
            print(f"{name}: {error}")
            continue
        result["datasets"][name] = compare(model, load_dataset(name).test, args.pairs, args.beam)
        print(name, result["datasets"][name], flush=True)
        write(args.out, result | {"load_at_end": load()})


def compare(model: Any, one: PairSet, count: int, beam: int) -> dict[str, Any]:
    """Costs of mappings, by the engine and by the beam, of the first hard pairs of a set."""
    index, known = _hard(one, count)
    if len(index) == 0:
        return {"pairs": 0}
    found = {}
    for limit in LIMITS:
        table = ps.sed_pairs(one.queries, one.targets, index, time_limit=limit, threads=1)
        found[f"engine, {1000 * limit:g} ms"] = table.upper
    start = perf_counter()
    found["beam"] = match_pairs(model, one.queries, one.targets, index, beam=beam).upper
    seconds = perf_counter() - start
    best = np.minimum(known, np.min(list(found.values()), axis=0))
    first = found["engine, 1 ms"]
    return {
        "pairs": len(index),
        "beam_ms_per_pair": round(1000 * seconds / max(1, len(index)), 2),
        "beam_better_than_engine_at_1_ms": _share(found["beam"] < first),
        "beam_better_than_engine_at_10_ms": _share(found["beam"] < found["engine, 10 ms"]),
        **{who: _figures(costs, best) for who, costs in found.items()},
    }


def _hard(one: PairSet, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The first pairs that the engine leaves open after 1 ms, and their best known costs."""
    index, step, chosen = one.pairs.index, 500, np.zeros(0, dtype=np.int64)
    for begin in range(0, len(index), step):
        rows = np.arange(begin, min(begin + step, len(index)))
        table = ps.sed_pairs(one.queries, one.targets, index[rows], time_limit=LIMITS[0], threads=1)
        chosen = np.concatenate([chosen, rows[~table.certified]])[:count]
        if len(chosen) == count:
            break
    return index[chosen], one.pairs.upper[chosen].astype(np.float64)


def _figures(costs: NDArray[np.float64], best: NDArray[np.float64]) -> dict[str, float]:
    return {"optimal": _share(costs == best), "mean_excess": round(float((costs - best).mean()), 3)}


def _share(true: NDArray[np.bool_]) -> float:
    return round(float(true.mean()), 4)


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS))
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--beam", type=int, default=128)
    parser.add_argument("--out", type=Path, default=RESULTS / "warm_start.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
