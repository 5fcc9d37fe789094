"""Where the distance of a training pair lies that the engine left open: near its upper bound.

    python benchmarks/open_pairs.py

Takes open training pairs of the datasets that have most of them, and searches on with more nodes. Of those
that are proven then, it counts how far the distance is below the upper bound they were trained with.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import prune4sed as ps
from _record import RESULTS, record, write

NAMES = ("amazon", "cora_ml", "dblp")
NODES = 5_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=60, help="open pairs per dataset")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "open_pairs.json")
    asked = parser.parse_args()
    result = record("open_pairs.py") | {"seed": asked.seed, "node_limit": NODES}
    found = {name: look(name, asked.pairs, asked.seed) for name in NAMES}
    print(found)
    write(asked.out, result | {"datasets": found})


def look(name: str, count: int, seed: int) -> dict[str, Any]:
    queries, targets, pairs = ps.datasets.load(name)["train"]
    left = np.flatnonzero(~pairs.certified)
    chosen = np.random.default_rng(seed).choice(left, min(count, len(left)), replace=False)
    now = ps.sed_pairs(queries, targets, pairs.index[chosen], node_limit=NODES, time_limit=None)
    lower, upper = pairs.lower[chosen], pairs.upper[chosen]
    proven = now.certified
    below = (upper - now.upper)[proven]
    return {
        "open_share": round(len(left) / len(pairs), 4),
        "looked_at": len(chosen),
        "proven": int(proven.sum()),
        "below_the_upper_bound": {str(n): int((below == n).sum()) for n in range(int(below.max()) + 1)},
        "mean_gap": round(float((upper - lower)[proven].mean()), 2),
        "mean_place": round(float(((now.upper - lower) / (upper - lower))[proven].mean()), 3),
    }


if __name__ == "__main__":
    main()
