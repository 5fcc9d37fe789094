"""Memory of the engine, each figure in a fresh process: one large pair, and many small ones."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

RANDOM_GRAPH = """
import json, sys
import numpy as np
import psutil
import prune4sed as ps

def graph(rng, nodes, edges, labels):
    tree = [(int(rng.integers(v)), v) for v in range(1, nodes)]
    more = {tuple(sorted(map(int, rng.choice(nodes, 2, replace=False)))) for _ in range(edges - nodes + 1)}
    return ps.Graph(rng.integers(labels, size=nodes).tolist(), sorted(set(tree) | more))

def rss():
    return psutil.Process().memory_info().rss / 1e6
"""

# The kernel's high-water mark is reset first, so that what the imports needed does not hide the pair.
LARGE_PAIR = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024 / 1e6

rng, labels = np.random.default_rng(0), int(sys.argv[1])
q, t = graph(rng, 25, 40, labels), graph(rng, 1200, 3000, labels)
q.codes, t.codes
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = rss()
ps.sed(q, t, time_limit=1.0)
print(json.dumps(round(peak() - before, 2)))
"""

MANY_PAIRS = """
pairs = int(sys.argv[1])
rng = np.random.default_rng(0)
queries = ps.GraphSet([graph(rng, 6, 6, 3) for _ in range(100)])
targets = ps.GraphSet([graph(rng, 15, 17, 3) for _ in range(100)])
index = rng.integers(100, size=(pairs // 10, 2))
singles = [(queries[i], targets[i]) for i in range(100)]
bulk, single = [], []
for _ in range(11):  # the first round only warms up
    ps.sed_pairs(queries, targets, index)
    bulk.append(rss())
for _ in range(11):
    for i in range(pairs // 10):
        ps.sed(*singles[i % 100])
    single.append(rss())
print(json.dumps({
    "pairs": pairs, "rss_mb": round(bulk[0], 2),
    "bulk_growth_mb": round(bulk[-1] - bulk[0], 2), "single_growth_mb": round(single[-1] - single[0], 2),
}))
"""


def one_large_pair() -> dict[str, float] | None:
    """Rise of the resident set in MB over a pair of 25 against 1,200 nodes, for some numbers of labels.

    None where the kernel cannot tell.
    """
    if sys.platform != "linux":
        return None
    return {f"{labels}_labels_mb": _run(LARGE_PAIR, str(labels)) for labels in (1, 3, 6)}


def many_small_pairs(pairs: int) -> dict[str, float]:
    """Growth of the resident set over so many pairs, in bulk and one by one."""
    figures: dict[str, float] = _run(MANY_PAIRS, str(pairs))
    return figures


def _run(code: str, *words: str) -> Any:
    command = [sys.executable, "-c", RANDOM_GRAPH + code, *words]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
