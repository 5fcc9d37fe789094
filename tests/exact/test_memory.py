"""Memory of one large pair, as the kernel counts it, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a single call")

# The high-water mark is reset first, so that what the imports needed does not hide the pair. A node limit
# rather than a time limit: the same search, and so the same memory, on every machine.
CODE = f"""
import random, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from prune4sed import sed
from random_graphs import random_graph

def kilobytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

rng = random.Random(3)
query_density, target_density, labels, node_limit = map(float, sys.argv[1:])
q = random_graph(rng, 25, query_density, int(labels))
t = random_graph(rng, 1200, target_density, int(labels))
q.codes, t.codes
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = kilobytes("VmRSS")
result = sed(q, t, time_limit=None, node_limit=int(node_limit))
print((kilobytes("VmHWM") - before) * 1024 / 1e6, result.nodes)
"""

#: (density of the query, of the target, node labels, search nodes), and the MB allowed. The sparse are as
#: dense as the pairs of the paper's datasets; every depth of the search keeps the stars of its own, so memory
#: grows with the product of both edge counts.
PAIRS = {
    "sparse, one label": ((0.13, 0.0042, 1, 100), 50),
    "sparse, six labels": ((0.13, 0.0042, 6, 100), 50),
    "dense query": ((0.3, 0.0042, 1, 30), 120),
    "dense query and target": ((0.3, 0.02, 3, 6), 300),
}


@pytest.mark.parametrize("name", PAIRS)
def test_25_nodes_in_1200_stay_small(name: str) -> None:
    numbers, allowed = PAIRS[name]
    words = [str(number) for number in numbers]
    child = subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=True)
    extra, nodes = map(float, child.stdout.split())
    print(f"{name}: {extra:.1f} MB, {nodes:.0f} search nodes")
    assert extra < allowed
