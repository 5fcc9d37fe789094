"""The exact engine on the pairs of the lab program that it grew out of, beside the times that it took.

    python benchmarks/lab_pairs.py FOLDER

FOLDER holds, for each dataset, NAME.txt.gz with pairs (query before target; a graph is `n m`, its n labels
and its m edges) and NAME.values.txt with a line for each pair: its number, the best cost, whether that is
proven, and seconds of processor time. Without FOLDER nothing is measured. Writes results/lab_pairs.json; exit
code 1 if the two contradict each other.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import prune4sed as ps
from _probe import ANSWER, Answers, compare
from _record import RESULTS, load, record, write
from _summary import LONG, join
from prune4sed.exact.table import SedTable

NOTE = "the lab program's times are those in the files: processor time of another machine"


def main() -> None:
    args = _arguments()
    if args.folder is None:
        print("no FOLDER of the lab program's pairs was given: nothing is measured")
        return
    result = record("lab_pairs.py") | {"time_limit_s": LONG, "threads": 1}
    files = _files(args.folder)
    runs = {path.name.split(".")[0].lower(): _solve(path) for path in track(files, "solving")}
    runs["all"] = join([table for table, _ in runs.values()]), np.concatenate([a for _, a in runs.values()])
    rows = {name: compare(table, answers) for name, (table, answers) in runs.items()}
    Console().print(_table(rows))
    write(args.out, result | {"datasets": rows, "load_at_end": load(), "note": NOTE})
    raise SystemExit(1 if rows["all"]["contradictions"] else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, default=RESULTS / "lab_pairs.json")
    return parser.parse_args()


def _files(folder: Path) -> list[Path]:
    """The files with pairs; ends the script with one line if there are none, or one lacks its values."""
    files = sorted(folder.glob("*.txt.gz"))
    if not files:
        raise SystemExit(f"no NAME.txt.gz in {folder}")
    for values in map(values_of, files):
        if not values.is_file():
            raise SystemExit(f"no {values.name} in {folder}")
    return files


def values_of(path: Path) -> Path:
    """Where the values of a file with pairs lie."""
    return path.with_name(path.name.replace(".txt.gz", ".values.txt"))


def _solve(path: Path) -> tuple[SedTable, Answers]:
    graphs = list(graphs_in(gzip.decompress(path.read_bytes()).decode().split()))
    queries, targets = ps.GraphSet(graphs[0::2]), ps.GraphSet(graphs[1::2])
    told = np.loadtxt(values_of(path))
    answers = np.zeros(len(told), dtype=ANSWER)
    answers["best"], answers["proven"], answers["seconds"] = told[:, 1], told[:, 2] == 1, told[:, 3]
    return ps.sed_pairs(queries, targets, time_limit=LONG, threads=1), answers


def graphs_in(words: list[str]) -> Iterator[ps.Graph]:
    """The graphs of a file, in order."""
    numbers = iter(map(int, words))
    for nodes in numbers:
        edges = next(numbers)
        labels = [next(numbers) for _ in range(nodes)]
        yield ps.Graph(labels, [(next(numbers), next(numbers)) for _ in range(edges)])


def _table(rows: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="certified in 0.1 s / 1 s, one thread")
    for title in ("dataset", "pairs", "engine %", "lab program %", "only ours", "only theirs"):
        table.add_column(title, justify="left" if title == "dataset" else "right")
    for name, row in rows.items():
        shares = [
            f"{row[who]['certified_0.1s']:g} / {row[who]['certified_1s']:g}" for who in ("engine", "other")
        ]
        table.add_row(name, str(row["pairs"]), *shares, str(row["only_engine"]), str(row["only_other"]))
    return table


if __name__ == "__main__":
    main()
