"""Labelling throughput: pairs of the standard sets per second on all cores, and MIP-F2 on the same pairs.

    PRUNE4SED_MIRROR=folder python benchmarks/labelling.py

writes results/labelling.json.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from _classical import compatible
from _pairs import DATASETS, source
from _record import RESULTS, load, record, write
from _timing import timed
from prune4sed.datasets.labelling import Labels, label_set
from prune4sed.datasets.limits import node_limit
from prune4sed.datasets.sampling import FULL, SampledSet, sample
from prune4sed.exact import SedResult, mip_f2

MAIN = "citeseer"
TIMED = ("train", "test")
ENOUGH, MORE = 1.0, 5  # a run of fewer seconds is done again with so many times the pairs
NOTES = {
    "pairs": "the first ones of the standard sets, with the search nodes per pair that these are labelled "
    "with, and a journal as in prune4sed data build",
    "datasets": f"a set whose pairs took less than {ENOUGH:g} s is measured on more of them",
    "minutes_for_all": "extrapolated: train and validation at the rate of train, test at its own",
    "peak_mb": f"of the process that sampled all sets of {MAIN} but the extra ones and labelled these pairs",
    "mip_f2": "the first pairs of the test set; both on one thread. HiGHS gives up at the time limit, so as "
    "many proofs would cost it more than the ratio says",
}


def main() -> None:
    args = _arguments()
    console = Console()
    result = record("labelling.py", ("highspy", "scipy")) | {"mip_time_limit_s": args.time_limit}
    standard = _standard(MAIN)
    rows = {MAIN: _row(MAIN, standard, args.pairs)}
    result |= {"threads": result["cores"], "datasets": rows, "peak_mb": _peak_mb()}
    result["mip_f2"] = _against_mip(_first(standard["test"], args.mip_pairs), args.time_limit)
    for name in track([name for name in args.datasets if name != MAIN], "labelling"):
        rows[name] = _row(name, _standard(name), args.each)
    console.print(_table(rows))
    result |= {"bars": _bars(result), "load_at_end": load(), "notes": NOTES}
    for name in ("peak_mb", "mip_f2", "bars"):
        console.print(name, result[name])
    write(args.out, result)
    if result["mip_f2"]["disagree"]:
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2_000, help=f"pairs of each set of {MAIN}")
    parser.add_argument("--each", type=int, default=200, help="pairs of each set of the other datasets")
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--mip-pairs", type=int, default=50, help="pairs for MIP-F2")
    parser.add_argument("--time-limit", type=float, default=5.0, help="seconds per pair for MIP-F2")
    parser.add_argument("--out", type=Path, default=RESULTS / "labelling.json")
    return parser.parse_args()


def _standard(name: str) -> dict[str, SampledSet]:
    return sample(name, source(name), extras=False)


def _first(sampled: SampledSet, count: int) -> SampledSet:
    return SampledSet(sampled.name, sampled.queries[:count], sampled.targets, sampled.index[:count])


def _row(name: str, sets: dict[str, SampledSet], count: int) -> dict[str, Any]:
    """Rates of a dataset, and how long all of it would take."""
    row: dict[str, Any] = {one: _steady_rate(sets[one], node_limit(name, one), count) for one in TIMED}
    learn, test = (row[one]["pairs_per_second"] for one in TIMED)
    row["minutes_for_all"] = round(((FULL[0] + FULL[1]) / learn + FULL[2] / test) / 60, 2)
    return row


def _steady_rate(sampled: SampledSet, limit: int, count: int) -> dict[str, Any]:
    figures, _ = _rate(_first(sampled, count), limit)
    while figures["seconds"] < ENOUGH and figures["pairs"] < len(sampled):
        figures, _ = _rate(_first(sampled, MORE * figures["pairs"]), limit)
    return figures


def _rate(sampled: SampledSet, limit: int, threads: int | None = None) -> tuple[dict[str, Any], Labels]:
    with TemporaryDirectory() as folder:
        journal = Path(folder, "journal")
        labels, seconds = timed(label_set, sampled, limit, journal=journal, threads=threads)
    figures = {
        "pairs": len(labels),
        "node_limit": limit,
        "seconds": round(seconds, 3),
        "pairs_per_second": round(len(labels) / seconds, 2),
        "certified_percent": round(100 * float(labels.certified.mean()), 2),
    }
    return figures, labels


def _against_mip(sampled: SampledSet, limit: float) -> dict[str, Any]:
    """Both on the same pairs, of any size, on one thread."""
    ours, labels = _rate(sampled, node_limit(MAIN, sampled.name), threads=1)
    answers: list[tuple[SedResult, float]] = []
    for i, j in track(sampled.index.tolist(), "MIP-F2"):
        pair = sampled.queries[i], sampled.targets[j]
        answers.append(timed(mip_f2, *pair, time_limit=limit, solver="highs"))
    seconds, proven = sum(spent for _, spent in answers), sum(a.certified for a, _ in answers)
    bounds = list(zip(labels.lower, labels.upper, strict=True))
    rate = len(answers) / seconds
    return {
        "pairs": len(answers),
        "ours": ours,
        "mip_f2": {
            "seconds": round(seconds, 3),
            "pairs_per_second": round(rate, 4),
            "certified_percent": round(100 * proven / len(answers), 2),
        },
        "faster": round(ours["pairs_per_second"] / rate, 1),
        "disagree": sum(
            not compatible(b, (a.lower, a.upper)) for b, (a, _) in zip(bounds, answers, strict=True)
        ),
    }


def _peak_mb() -> float | None:
    """The most memory this process has held so far; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)


def _bars(result: dict[str, Any]) -> dict[str, bool]:
    peak = result["peak_mb"]
    return {
        "citeseer_under_10_minutes": result["datasets"][MAIN]["minutes_for_all"] < 10,
        "memory_under_2_gb": peak is None or peak < 2000,
        "no_disagreement": not result["mip_f2"]["disagree"],
    }


def _table(rows: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="pairs per second, all cores")
    table.add_column("dataset")
    for title in (
        *(f"{one}{what}" for one in TIMED for what in ("", " nodes", " proven %")),
        "minutes for all",
    ):
        table.add_column(title, justify="right")
    for name, row in rows.items():
        cells = [
            row[one][key] for one in TIMED for key in ("pairs_per_second", "node_limit", "certified_percent")
        ]
        table.add_row(name, *map(str, [*cells, row["minutes_for_all"]]))
    return table


if __name__ == "__main__":
    main()
