"""A million molecule-sized graphs in a GraphSet: size of the file, time to open it, memory when touched.

    python benchmarks/graphset.py

writes results/graphset.json. Each measurement of opening runs in a fresh process.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import prune4sed
from prune4sed import GraphSet

ROOT = Path(__file__).resolve().parent.parent
NODES, EDGES = 25, 27

OPEN = """
import json, sys, time
import psutil
start = time.perf_counter()
import pyarrow
from prune4sed import Graph, GraphSet
imports = time.perf_counter() - start
rss = lambda: psutil.Process().memory_info().rss
before = rss()
start = time.perf_counter()
lib = GraphSet.load(sys.argv[1])
opened = time.perf_counter() - start
start = time.perf_counter()
for i in range(10_000):
    lib[i:i + 100]
view = (time.perf_counter() - start) / 10_000
after_views = rss()
start = time.perf_counter()
for i in range(0, len(lib), len(lib) // 10_000):
    lib[i]
index = (time.perf_counter() - start) / 10_000
start = time.perf_counter()
int(lib.node_labels.sum()) + int(lib.edges.sum()) + int(lib.edge_label_codes.sum())
scan = time.perf_counter() - start
touched = rss()
start = time.perf_counter()
lib.validate()
validate = time.perf_counter() - start
print(json.dumps({
    "imports_s": imports, "open_s": opened, "index_us": index * 1e6, "slice_us": view * 1e6,
    "scan_s": scan, "validate_s": validate, "rss_before_mb": before / 1e6,
    "rss_after_slices_mb": after_views / 1e6, "rss_all_touched_mb": touched / 1e6,
}))
"""


def make(n: int) -> GraphSet:
    """Trees with a few rings: random labels, 25 nodes, 27 edges, edge labels and ids."""
    rng = np.random.default_rng(0)
    child = np.arange(1, NODES)
    tree = np.stack(
        [np.maximum(child - rng.integers(1, 3, (n, NODES - 1)), 0), np.broadcast_to(child, (n, NODES - 1))], 2
    )
    rings = np.broadcast_to(np.array([[0, 5], [7, 12], [14, 19]]), (n, EDGES - NODES + 1, 2))
    return GraphSet.from_arrays(
        np.arange(n + 1) * NODES,
        rng.choice(6, p=[0.7, 0.1, 0.12, 0.04, 0.03, 0.01], size=n * NODES).astype(np.int32),
        np.arange(n + 1) * EDGES,
        np.concatenate([tree, rings], axis=1).reshape(-1, 2).astype(np.int32),
        node_vocabulary=["C", "N", "O", "S", "F", "Cl"],
        edge_labels=rng.integers(0, 4, n * EDGES).astype(np.int32),
        edge_vocabulary=["aromatic", "double", "single", "triple"],
        ids=[f"MOLECULE{i:08d}" for i in range(n)],
    )


def measure(path: Path, repeats: int) -> dict[str, Any]:
    """The median of several processes, for each figure."""
    command = [sys.executable, "-c", OPEN, str(path)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(repeats)
    ]
    return {key: round(float(np.median([run[key] for run in runs])), 4) for key in runs[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "graphset.json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.arrow"
        start = time.perf_counter()
        lib = make(args.graphs)
        made = time.perf_counter() - start
        start = time.perf_counter()
        lib.save(path)
        saved = time.perf_counter() - start
        del lib
        figures = {
            "make_s": round(made, 2),
            "save_s": round(saved, 2),
            "file_mb": round(path.stat().st_size / 1e6, 1),
        }
        figures |= measure(path, args.repeats)
    import pyarrow

    record = {
        "command": " ".join(["python", "benchmarks/graphset.py", *sys.argv[1:]]),
        "graphs": args.graphs,
        "nodes_each": NODES,
        "edges_each": EDGES,
        **figures,
        "bars": {"open_s": 0.1, "file_mb": 1000},
        "versions": {
            "prune4sed": prune4sed.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pyarrow.__version__,
        },
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(json.dumps(record, indent=2))


if __name__ == "__main__":
    main()
