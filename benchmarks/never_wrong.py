"""Never wrong: over 20,000 random and real pairs against brute force, MIP-F2 and networkx.

    PRUNE4SED_MIRROR=folder python benchmarks/never_wrong.py

writes results/never_wrong.json. A single wrong answer is printed as JSON and ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from _checks import CHECKS, Undecided
from _record import RESULTS, load, record, write

CHUNK = 50

Job = tuple[str, int, int, int]  # name of the check, pairs, seed of the run, number of the chunk


def main() -> None:
    args = _arguments()
    console = Console()
    result = record("never_wrong.py", ("highspy", "networkx")) | {"seed": args.seed, "scale": args.scale}
    start = time.perf_counter()
    counts, wrong = _run_all(list(_jobs(args.scale, args.seed)), args.workers)
    result |= {
        "checks": {name: {"pairs": n, "what": _about(name)} for name, n in counts.items()},
        "pairs": sum(counts.values()),
        "wrong": len(wrong),
        "first_wrong": wrong[:20],
        "seconds": round(time.perf_counter() - start, 1),
        "load_at_end": load(),
    }
    console.print(_table(counts, wrong))
    write(args.out, result)
    for case in wrong:
        print(json.dumps(case))
    if wrong:
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the pairs; 1 is the record")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--out", type=Path, default=RESULTS / "never_wrong.json")
    return parser.parse_args()


def _jobs(scale: float, seed: int) -> Iterator[Job]:
    for name, check in CHECKS.items():
        pairs = max(1, round(check.pairs * scale))
        for first in range(0, pairs, CHUNK):
            yield name, min(CHUNK, pairs - first), seed, first // CHUNK


def _work(
    folder: Path, name: str, count: int, seed: int, chunk: int
) -> tuple[str, int, list[dict[str, Any]]]:
    """One job, in a process of its own: how many pairs were checked, and those with a wrong answer.

    The pair at hand is kept in a file, so that it is known even if the engine takes the process down.
    """
    check, notes = CHECKS[name], folder / f"{os.getpid()}.json"
    rng = np.random.default_rng([seed, list(CHECKS).index(name), chunk])
    done, wrong = 0, []
    for _ in range(count):
        case = check.draw(rng, seed)
        notes.write_text(json.dumps({"check": name} | case.as_json()))
        try:
            faults = list(check.faults(case, rng))
        except Undecided:
            continue
        except Exception as error:  # an answer that cannot be checked is as wrong as any
            faults = [repr(error)]
        done += 1
        if faults:
            wrong.append({"check": name, "faults": faults} | case.as_json())
    notes.unlink()
    return name, done, wrong


def _run_all(jobs: list[Job], workers: int) -> tuple[dict[str, int], list[dict[str, Any]]]:
    counts = dict.fromkeys(CHECKS, 0)
    wrong: list[dict[str, Any]] = []
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(workers, get_context("spawn")) as pool,
        Progress() as progress,
    ):
        task = progress.add_task("checking", total=sum(job[1] for job in jobs))
        futures: list[Future[Any]] = [pool.submit(_work, Path(folder), *job) for job in jobs]
        try:
            for future in as_completed(futures):
                name, done, found = future.result()
                counts[name] += done
                wrong += found
                progress.update(task, completed=sum(counts.values()))
        except BrokenProcessPool:
            wrong += _left_behind(Path(folder))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return counts, wrong


def _left_behind(folder: Path) -> list[dict[str, Any]]:
    """The pairs that were at hand when a process died; the others were stopped with it."""
    fault = {"faults": ["a process died on this pair or on another one that says so"]}
    return [json.loads(notes.read_text()) | fault for notes in sorted(folder.glob("*.json"))]


def _about(name: str) -> str:
    check = CHECKS[name]
    return f"{check.what}. {(check.faults.__doc__ or '').splitlines()[0]}"


def _table(counts: dict[str, int], wrong: list[dict[str, Any]]) -> Table:
    table = Table(title="never wrong")
    for title in ("check", "pairs", "wrong"):
        table.add_column(title, justify="left" if title == "check" else "right")
    for name, count in counts.items():
        table.add_row(name, str(count), str(sum(w["check"] == name for w in wrong)))
    table.add_row("all", str(sum(counts.values())), str(len(wrong)))
    return table


if __name__ == "__main__":
    main()
