"""The exact engine on real pairs: certified shares and times on one thread, overhead, threads, memory.

    PRUNE4SED_MIRROR=folder python benchmarks/engine.py

writes results/engine.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import prune4sed as ps
from _calls import all_cores, overhead
from _memory import many_small_pairs, one_large_pair
from _pairs import DATASETS, Pairs, sample
from _probe import FORMAT, side_by_side
from _record import RESULTS, load, record, write
from _summary import LONG, join, summarise
from prune4sed.exact.table import SedTable

# Certified within 0.1 s and 1 s of one core, in per cent, by the lab probe that the engine grew out of
# (100 pairs per dataset).
PROBE = {
    "aids": (100.0, 100.0),
    "protein": (98.0, 99.0),
    "citeseer": (99.0, 100.0),
    "cora_ml": (97.0, 100.0),
    "pubmed": (100.0, 100.0),
    "dblp": (100.0, 100.0),
    "amazon": (91.0, 98.0),
    "all": (97.9, 99.6),
}
NOTES = {
    "pairs": "sampled as in the paper with the shares declared in prune4sed/datasets/protocol.py",
    "dblp": "the public citation network with 4 labels; the paper's co-author network has 8",
    "probe": "published shares of the lab probe on its own pairs, not measured in this run",
    "gap": "upper - lower of the pairs left open after 1 s",
}
EASY = 0.001  # seconds: pairs to measure the Python side with
COLUMNS = {
    "query_nodes": "|V_q|",
    "target_nodes": "|V_t|",
    "certified_0.1s": "0.1 s %",
    "certified_1s": "1 s %",
    "probe": "probe",
    "under_1ms": "<1 ms %",
    "median_ms": "median ms",
    "mean_ms": "mean",
    "p90_ms": "p90",
    "p99_ms": "p99",
    "open": "open",
    "mean_gap": "gap",
    "max_gap": "max gap",
}


def main() -> None:
    args = _arguments()
    console = Console()
    result = record("engine.py", ("rdkit",)) | {"seed": args.seed, "time_limit_s": LONG, "threads": 1}
    samples = [sample(name, args.pairs, args.seed) for name in track(args.datasets, "sampling")]
    tables = [_solve(pairs) for pairs in track(samples, "solving")]
    rows = {p.name: _row(p, t) for p, t in zip(samples, tables, strict=True)}
    rows["all"] = summarise(join(tables)) | {"probe": PROBE["all"]}
    console.print(_table(rows))
    result |= {"datasets": rows}
    easy = [p.where(t.seconds < EASY) for p, t in zip(samples, tables, strict=True)]
    extras = _extras(easy, args.leak_pairs)
    if args.probe:
        extras["side_by_side"] = lambda: side_by_side(samples, args.probe)
    for name, measure in extras.items():
        result[name] = measure()
        console.print(name, result[name])
    result |= {"bars": _bars(result), "load_at_end": load(), "notes": NOTES}
    console.print("bars", result["bars"])
    write(args.out, result)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog=f"The program given to --probe: {FORMAT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=500, help="pairs per dataset")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--leak-pairs", type=int, default=100_000, help="small pairs for the memory growth")
    parser.add_argument(
        "--probe",
        type=Path,
        metavar="PROGRAM",
        help="also run this solver on the same pairs, in turn with the engine",
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "engine.json")
    return parser.parse_args()


def _solve(pairs: Pairs) -> SedTable:
    return ps.sed_pairs(pairs.queries, pairs.targets, pairs.index, time_limit=LONG, threads=1)


def _row(pairs: Pairs, table: SedTable) -> dict[str, Any]:
    return pairs.sizes() | summarise(table) | {"probe": PROBE[pairs.name]}


def _extras(easy: list[Pairs], leak_pairs: int) -> dict[str, Any]:
    """The measurements that follow the shares, by the name they are recorded under."""
    return {
        "call_overhead": lambda: {p.name: overhead(p) for p in easy},
        "all_cores": lambda: all_cores(easy),
        "memory_one_pair": one_large_pair,
        "memory_growth": lambda: many_small_pairs(leak_pairs),
    }


def _bars(result: dict[str, Any]) -> dict[str, bool]:
    """Whether the run clears what the project asks of the engine; figures are in per cent, us and MB."""
    rows = result["datasets"]
    each = [row for name, row in rows.items() if name != "all"]
    calls = [figures["later_calls_us"] for figures in result["call_overhead"].values()]
    memory = result["memory_one_pair"]
    return {
        "probe_0.1s_on_each": all(row["certified_0.1s"] >= row["probe"][0] for row in each),
        "probe_1s_on_each": all(row["certified_1s"] >= row["probe"][1] for row in each),
        "99.5_at_1s_overall": rows["all"]["certified_1s"] >= 99.5,
        "goal_99.5_at_1s_on_each": all(row["certified_1s"] >= 99.5 for row in each),
        "goal_90_under_1ms": rows["all"]["under_1ms"] >= 90,
        "gap_halved_to_3.5": rows["all"]["mean_gap"] <= 3.5,
        "overhead_under_30us": float(np.max(calls)) < 30,
        "all_cores_within_10_percent": result["all_cores"]["all_threads_efficiency"] >= 0.9,
        "one_pair_under_50mb": memory is None or max(memory.values()) < 50,
    }


def _table(rows: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="certified shares, one thread")
    table.add_column("dataset")
    for title in COLUMNS.values():
        table.add_column(title, justify="right")
    for name, row in rows.items():
        cells = row | {"probe": "{:g}/{:g}".format(*row["probe"])}
        table.add_row(name, *(_cell(cells.get(key)) for key in COLUMNS), end_section=name == "amazon")
    return table


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
