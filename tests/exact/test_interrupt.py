"""Ctrl-C ends a long call soon, with KeyboardInterrupt and nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")

#: The promise is 0.2 s; the rest is for a machine that runs other things too.
ALLOWED = 0.5

PRELUDE = f"""
import random, sys
from time import monotonic
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from prune4sed import Graph, GraphSet, sed, sed_pairs
from random_graphs import hard_pair, random_graph
def run(call):
    print("ready", flush=True)
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted", monotonic(), flush=True)
"""
CALLS = {
    "sed": "q, t = hard_pair()\nrun(lambda: sed(q, t, time_limit=60))",
    "sed, large": """
rng = random.Random(1)
q, t = random_graph(rng, 300, 0.3, 3), random_graph(rng, 2000, 0.02, 3)
q.codes, t.codes
run(lambda: sed(q, t, time_limit=60))
""",
    "sed_pairs": """
pairs = [hard_pair(seed) for seed in range(20)]
q, t = GraphSet([a for a, _ in pairs]), GraphSet([b for _, b in pairs])
run(lambda: sed_pairs(q, t, time_limit=60))
""",
    "sed_pairs with progress": """
pairs = [hard_pair(seed) for seed in range(20)]
q, t = GraphSet([a for a, _ in pairs]), GraphSet([b for _, b in pairs])
run(lambda: sed_pairs(q, t, time_limit=60, progress=lambda done, total: None))
""",
}


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_the_call(name: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + CALLS[name]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        sleep(0.3)
        sent = monotonic()  # the same clock in both processes
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
        child.wait()
    assert err == ""
    assert out.startswith("interrupted ")
    late = float(out.split()[1]) - sent
    print(f"{name}: interrupted after {late * 1000:.0f} ms")
    assert late < ALLOWED
    assert child.returncode == 0
