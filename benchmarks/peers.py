"""The engine beside its peers, on the same pairs in one run: MIP-F2, BRANCH, rdkit and networkx.

    PRUNE4SED_MIRROR=folder python benchmarks/peers.py

writes results/peers.json; ends with exit code 1 if any answer contradicts the engine's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from _chemistry import PROBLEMS, against_rdkit
from _classical import MODEST, against_branch, against_mip
from _networkx import against_networkx
from _pairs import DATASETS, sample
from _record import RESULTS, load, record, write
from _timing import ratios

FAMILIES = ("functional groups", "scaffolds")
MIP_BAR = 300


def main() -> None:
    args = _arguments()
    console = Console()
    result = record("peers.py", ("highspy", "scipy", "rdkit", "networkx"))
    result |= {"seed": args.seed, "time_limit_s": args.time_limit, "threads": 1}
    result["mip_f2"] = _mip(args)
    console.print(_mip_table(result["mip_f2"]))
    result["branch"] = {n: against_branch(sample(n, 2 * args.pairs, args.seed)) for n in args.datasets}
    console.print(_branch_table(result["branch"]))
    result["rdkit"] = {f: against_rdkit(f, args.fragments, args.seed, args.time_limit) for f in FAMILIES}
    console.print(_rdkit_table(result["rdkit"]))
    result["networkx"] = against_networkx(args.tiny, args.seed, args.time_limit)
    console.print("networkx", result["networkx"])
    result |= {"bars": _bars(result), "load_at_end": load(), "problems": PROBLEMS}
    result["notes"] = {
        "mip_f2": f"pairs with |V_q| x |V_t| <= {MODEST}; one that HiGHS cannot finish counts with the limit",
        "times": "wall clock of the Python call, graphs and molecules at hand",
    }
    console.print("bars", result["bars"])
    write(args.out, result)
    if not result["bars"]["no_disagreement"]:
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pairs", type=int, default=40, help="pairs per dataset for MIP-F2; twice that for BRANCH"
    )
    parser.add_argument("--fragments", type=int, default=500, help="fragment-molecule pairs per family")
    parser.add_argument("--tiny", type=int, default=20, help="pairs for networkx")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per pair and solver")
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--out", type=Path, default=RESULTS / "peers.json")
    return parser.parse_args()


def _mip(args: argparse.Namespace) -> dict[str, Any]:
    rows = {name: against_mip(name, args.pairs, args.seed, args.time_limit) for name in args.datasets}
    spent = [row.pop("seconds") for row in rows.values()]
    both = {who: list(np.concatenate([s[who] for s in spent])) for who in ("ours", "mip_f2")}
    return {"datasets": rows, "all": ratios(both["mip_f2"], both["ours"]) | {"pairs": len(both["ours"])}}


def _bars(result: dict[str, Any]) -> dict[str, bool]:
    compared = [r for family in result["rdkit"].values() for r in family["ratios"].values()]
    return {
        "mip_f2_300x_at_median": result["mip_f2"]["all"]["faster_at_median"] >= MIP_BAR,
        "rdkit_faster_at_median": all(r["faster_at_median"] > 1 for r in compared),
        "rdkit_faster_at_mean": all(r["faster_at_mean"] > 1 for r in compared),
        "no_disagreement": not any(_disagreements(result)),
    }


def _disagreements(found: dict[str, Any]) -> Iterator[int]:
    """Every count of contradictory answers, wherever in the result it stands."""
    for key, value in found.items():
        if key == "disagree":
            yield value
        elif isinstance(value, dict):
            yield from _disagreements(value)


def _mip_table(result: dict[str, Any]) -> Table:
    rows = [
        (
            name, r["query_nodes"], r["target_nodes"], r["ours"]["median_ms"], r["mip_f2"]["median_ms"],
            r["faster_at_median"], f"{r['mip_f2']['certified']}/{r['pairs']}", r["disagree"],
        )
        for name, r in result["datasets"].items()
    ]  # fmt: skip
    rows.append(("all", "", "", "", "", result["all"]["faster_at_median"], "", ""))
    return _table(
        "MIP-F2 on HiGHS",
        (
            "dataset",
            "|V_q|",
            "|V_t|",
            "ours, median ms",
            "MIP-F2",
            "times faster",
            "proven by MIP-F2",
            "disagree",
        ),
        rows,
    )


def _branch_table(result: dict[str, Any]) -> Table:
    keys = (
        "mean_lower",
        "mean_sed",
        "mean_upper",
        "lower_is_exact_percent",
        "upper_is_exact_percent",
        "disagree",
    )
    rows = [
        (n, *(r[k] for k in keys), r["ours"]["median_ms"], r["branch"]["median_ms"])
        for n, r in result.items()
    ]
    titles = (
        "dataset",
        "lower",
        "SED",
        "upper",
        "lower exact %",
        "upper exact %",
        "disagree",
        "ours, ms",
        "BRANCH",
    )
    return _table("BRANCH", titles, rows)


def _rdkit_table(result: dict[str, Any]) -> Table:
    rows = [
        (family, name, r[name]["median_ms"], r[name]["mean_ms"], r[name]["max_ms"], r[name]["unfinished"])
        for family, r in result.items()
        for name in PROBLEMS
    ]
    return _table(
        "fragments in molecules", ("fragments", "by", "median ms", "mean", "max", "unfinished"), rows
    )


def _table(title: str, titles: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Table:
    table = Table(title=title)
    for i, name in enumerate(titles):
        table.add_column(name, justify="right" if i else "left")
    for row in rows:
        table.add_row(*map(str, row))
    return table


if __name__ == "__main__":
    main()
