"""Another solver on the same pairs, in turn with the engine, so that a busy machine is busy for both.

It is called as `PROGRAM FILE SECONDS COUNT v`. FILE holds COUNT pairs, query before target; a graph is `n m`,
its n labels as whole numbers, and its m edges as pairs of node numbers. For each pair it prints a line

    0 n=9 best=5 t=0.00012 OK

that ends in OK if `best` is proven and in TO if not, with the seconds of processor time it took.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import prune4sed as ps
from _pairs import Pairs
from _summary import FAST, LONG, SHORT, join
from prune4sed.exact.table import SedTable
from prune4sed.graph import Graph

FORMAT = __doc__.partition("\n\n")[2]
BLOCK = 25  # pairs that one of the two solves before it is the other's turn
LATE = 1.05  # what a limit of time is kept to
LINE = re.compile(r"^\d+ .*\bbest=(-?\d+) .*\bt=([\d.e+-]+) (OK|TO)$", re.MULTILINE)
Answers = NDArray[np.void]  # best, seconds, proven
ANSWER = np.dtype([("best", np.int64), ("seconds", np.float64), ("proven", np.bool_)])


def side_by_side(samples: list[Pairs], program: Path) -> dict[str, Any]:
    """How both fare on each dataset and on all of them."""
    runs = {pairs.name: _by_turns(pairs, program) for pairs in track(samples, "side by side")}
    runs["all"] = join([table for table, _ in runs.values()]), np.concatenate([a for _, a in runs.values()])
    return {name: compare(table, answers) for name, (table, answers) in runs.items()}


def compare(table: SedTable, answers: Answers) -> dict[str, Any]:
    """Shares of both in per cent, and how often they contradict each other, which must be never."""
    proven, seconds, best = answers["proven"], answers["seconds"], answers["best"]
    wrong = (best < table.lower) | (proven & (best > table.upper))
    both = proven & table.certified
    return {
        "pairs": len(table),
        "engine": _shares(table.certified, table.seconds),
        "other": _shares(proven, seconds),
        "only_engine": int((table.certified & ~proven).sum()),
        "only_other": int((proven & ~table.certified).sum()),
        "median_ms": [round(1000 * float(np.median(s)), 4) for s in (table.seconds, seconds)],
        "mean_ms_where_both": [
            round(1000 * float(s[both].sum() / max(1, both.sum())), 4) for s in (table.seconds, seconds)
        ],
        "contradictions": int(wrong.sum()),
    }


def _by_turns(pairs: Pairs, program: Path) -> tuple[SedTable, Answers]:
    """The engine's answers and the program's, one second a pair, turn and turn about."""
    ours, theirs = [], []
    for block in _blocks(pairs):
        ours.append(ps.sed_pairs(block.queries, block.targets, block.index, time_limit=LONG, threads=1))
        theirs.append(_ask(program, block))
    return join(ours), np.concatenate(theirs)


def _shares(proven: NDArray[np.bool_], seconds: NDArray[np.float64]) -> dict[str, float]:
    limits = {"under_1ms": FAST, "certified_0.1s": SHORT, "certified_1s": LONG * LATE}
    return {
        name: round(100 * float((proven & (seconds <= limit)).mean()), 2) for name, limit in limits.items()
    }


def _blocks(pairs: Pairs) -> Iterator[Pairs]:
    for start in range(0, len(pairs.index), BLOCK):
        chosen = np.zeros(len(pairs.index), dtype=np.bool_)
        chosen[start : start + BLOCK] = True
        yield pairs.where(chosen)


def _ask(program: Path, pairs: Pairs) -> Answers:
    graphs = pairs.graphs()
    numbers = {
        label: i for i, label in enumerate(sorted({x for pair in graphs for g in pair for x in g.labels}))
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.txt"
        file.write_text("".join(_text(g, numbers) for pair in graphs for g in pair), encoding="ascii")
        words = [str(program), str(file), str(LONG), str(len(graphs)), "v"]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    answers = [(int(best), float(seconds), mark == "OK") for best, seconds, mark in LINE.findall(output)]
    if len(answers) != len(graphs):
        raise SystemExit(f"{program} answered {len(answers)} of {len(graphs)} pairs")
    return np.array(answers, dtype=ANSWER)


def _text(graph: Graph, numbers: dict[Any, int]) -> str:
    lines = [f"{len(graph.labels)} {len(graph.edges)}", " ".join(str(numbers[x]) for x in graph.labels)]
    return "\n".join([*lines, *(f"{a} {b}" for a, b in graph.edges)]) + "\n"
