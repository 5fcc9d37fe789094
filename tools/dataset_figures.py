"""Write results/datasets.json: sizes, certified shares and times of the seven standard datasets.

    python tools/dataset_figures.py [NAME ...] [--out FILE] [--times FILE]
    python tools/dataset_figures.py --table

Samples the standard sets, reads the shipped labels on them, and sums the label times that `ship_labels.py`
noted under PRUNE4SED_HOME. Where all sets have labels, the dataset is also built and loaded, each in a fresh
process. What is not known is null. `--table` prints a file that was written, for docs/datasets.md. Raw data
is found as `prune4sed data build` finds it: set PRUNE4SED_MIRROR, or have it downloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dataset_tables import tables
from prune4sed.datasets.actual import figures_of
from prune4sed.datasets.catalogue import DATASETS, canonical, names
from prune4sed.datasets.home import HOME, home
from prune4sed.datasets.labelling import Labels
from prune4sed.datasets.raw import counts_of, raw_file, read_raw
from prune4sed.datasets.sampling import SampledSet, sample
from prune4sed.datasets.shipped import FOLDER, shipped_header, shipped_labels

ROOT = Path(__file__).resolve().parents[1]
NOTES = {
    "sizes": "query_nodes and target_nodes are means over the pairs of train, validation and test",
    "certified_percent": "pairs of the set whose bounds agree; mean_gap is upper - lower of the open ones",
    "labelling": "seconds are wall clock of slices of work, perhaps on several machines and beside other "
    "work; core_seconds are those times the threads; pairs says how many pairs they cover",
    "build_seconds": "fresh process, raw data at hand, shipped labels; imports included, as in load_seconds",
}
# Runs in a process of its own; the clock starts before the imports.
CHILD = """
import sys, time
start = time.perf_counter()
import prune4sed as ps
what, name, folder, mirror = sys.argv[1:]
ps.datasets.build(name, mirror=mirror, out=folder) if what == "build" else ps.datasets.load(folder)
print(time.perf_counter() - start)
"""

TIMED = ("build", "load")

Record = dict[str, Any]


def main() -> None:
    """Write the file, or print its tables."""
    asked = _arguments()
    if asked.table:
        print(tables(json.loads(asked.out.read_text(encoding="utf-8"))["datasets"]))
        return
    sys.path.insert(0, str(ROOT / "benchmarks"))  # results of all kinds share one head
    from _record import load, record, write

    result = record("dataset_figures.py", ("rdkit", "pyarrow"), folder="tools")
    times = read_times(asked.times or home() / "label-times.jsonl")
    chosen = [canonical(name) for name in asked.names] or names()
    result["datasets"] = {name: figures(name, times) for name in chosen}
    write(asked.out, result | {"load_at_end": load(), "notes": NOTES})
    print(tables(result["datasets"]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="datasets; all by default")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "datasets.json")
    parser.add_argument("--times", type=Path, help="label times; PRUNE4SED_HOME/label-times.jsonl by default")
    parser.add_argument("--table", action="store_true", help="print the tables of a file written before")
    return parser.parse_args()


def figures(name: str, times: Iterable[Record]) -> Record:
    """All that is known about one dataset."""
    path = raw_file(name)
    source = read_raw(name, path)
    sets = sample(name, source)
    labels = shipped_labels(name, sets)
    limits = (shipped_header(name) or {"sets": {}})["sets"]
    rows = {
        one: set_figures(drawn, labels.get(one), limits[one]["node_limit"] if one in labels else None)
        for one, drawn in sets.items()
    }
    counts = counts_of(source)
    means = figures_of(rows, counts.labels)
    file = FOLDER / f"{name}.labels"
    return {
        "source": {"file": path.name, **asdict(counts)},
        "query_nodes": means.query_nodes,
        "target_nodes": means.target_nodes,
        "paper": asdict(DATASETS[name].paper),
        "sets": rows,
        "label_bytes": len(file.read_bytes()) if file.is_file() else None,
        "labelling": labelling([line for line in times if line["dataset"] == name]),
        **(
            _timings(name, path.parent)
            if len(labels) == len(sets)
            else dict.fromkeys(f"{what}_seconds" for what in TIMED)
        ),
    }


def set_figures(drawn: SampledSet, labels: Labels | None, limit: int | None) -> Record:
    """One set; null for all that only labels can tell, if it has none."""
    sizes = {
        "pairs": len(drawn),
        "query_nodes": round(float(drawn.queries.num_nodes[drawn.index[:, 0]].mean()), 3),
        "target_nodes": round(float(drawn.targets.num_nodes[drawn.index[:, 1]].mean()), 3),
    }
    if labels is None:
        return sizes | dict.fromkeys(("node_limit", "certified_percent", "open", "mean_gap", "mean_upper"))
    gaps = (labels.upper - labels.lower)[~labels.certified]
    return sizes | {
        "node_limit": limit,
        "certified_percent": round(100 * float(labels.certified.mean()), 4),
        "open": len(gaps),
        "mean_gap": round(float(gaps.mean()), 3) if len(gaps) else None,
        "mean_upper": round(float(labels.upper.mean()), 3),
    }


def read_times(path: Path) -> list[Record]:
    """The lines that `ship_labels.py` noted; none if it never ran here."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def labelling(lines: list[Record]) -> Record | None:
    """What the labels of a dataset took, in all and by set; None if nothing was noted."""
    if not lines:
        return None
    sets = dict.fromkeys(line["set"] for line in lines)
    return _sum(lines) | {"sets": {one: _sum([x for x in lines if x["set"] == one]) for one in sets}}


def _sum(lines: list[Record]) -> Record:
    return {
        "pairs": sum(line["pairs"] for line in lines),
        "seconds": round(sum(line["seconds"] for line in lines), 1),
        "core_seconds": round(sum(line["seconds"] * line["threads"] for line in lines), 1),
    }


def _timings(name: str, mirror: Path) -> Record:
    """Build and load in processes and a home of their own: a build clears the journals of its sets."""
    with TemporaryDirectory() as folder:
        words = (name, str(Path(folder, name)), str(mirror))
        known = {**os.environ, HOME: str(Path(folder, "home"))}
        return {f"{what}_seconds": round(float(_child(known, what, *words)), 3) for what in TIMED}


def _child(environment: Mapping[str, str], *words: str) -> str:
    command = [sys.executable, "-c", CHILD, *words]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
