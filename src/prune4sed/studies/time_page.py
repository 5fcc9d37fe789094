"""The page of the time study."""

from __future__ import annotations

from itertools import product

from prune4sed.studies.markdown import MISSING, table
from prune4sed.studies.methods import METHODS
from prune4sed.studies.paper import datasets_in, paper_value, title_of
from prune4sed.studies.record import Record, pairs_of

__all__ = ["DEVICES", "TIMED", "in_words", "method_title", "time_page"]

DEVICES = ("cpu", "cuda")
_IN_WORDS = {"cpu": "CPU", "cuda": "GPU"}
# A machine is busy if more than this share of its cores had other work: of two, half a core.
_BUSY = 0.25
TIMED = (
    "branch", "mip-f2", "h2mn-rw", "h2mn-ne", "simgnn", "neurosed", "prune4sed", "prune4sed-clipped", "plus",
    "plus-beam", "exact-1ms", "exact-10ms", "exact-100ms", "plus-1ms", "plus-10ms",
    "exact-proof",
)  # fmt: skip
_TOLD = (
    "Wall-clock time per pair, from graphs in memory to numbers in numpy, on pairs of the test set (up to "
    "{pairs}, fewer for slow methods): the mean over many pairs asked for at once, and the median of pairs "
    "asked for one by one, after a warm-up. The engine's times are far from even, so its two differ: most "
    "distances are proven at once, and a few take all the time there is. Solvers run on the CPU; the engine "
    "uses all cores when it is given many pairs, BRANCH and MIP-F2 use one. The last row runs the engine "
    "until the distance is proven, or for 10 s. Where the engine comes first, Prune4SED-plus is asked "
    "about what it left open. The paper's times stand in brackets; all it tells of the "
    "machine is a cluster of A100 GPUs. Where GPU times are of other weights, a line "
    "below the table says so; for H2MN and SimGNN that makes no difference."
)


def time_page(record: Record) -> str:
    """What is known, in a table per dataset; dashes where nothing is."""
    parts = [_TOLD.format(pairs=pairs_of(record, "data"))]
    for name in datasets_in(record):
        parts += [f"## {title_of(name)}", _table(record, name), *_other(record, name), *_busy(record, name)]
    return "\n\n".join(parts)


def _other(record: Record, name: str) -> list[str]:
    """A line on models whose two columns are of different weights; nothing if there are none."""
    found = []
    for method in TIMED:
        entries = [record.entry(method=method, dataset=name, device=device) or {} for device in DEVICES]
        weights = {x["from"].get("checkpoint") for x in entries if "figures" in x}
        found += [method_title(method)] if len(weights) > 1 else []
    told = "GPU times are of other weights than CPU times for: "
    return [f"{told}{', '.join(found)}. A model that keeps more nodes now may be slower."] if found else []


def _busy(record: Record, name: str) -> list[str]:
    """A line on times that were measured beside other work; nothing if there are none, or none tells."""
    found: dict[str, list[str]] = {}
    for method, device in product(TIMED, DEVICES):
        entry = record.entry(method=method, dataset=name, device=device) or {}
        load, cores = entry.get("figures", {}).get("load_at_start"), entry.get("machine", {}).get("cores", 1)
        if load is not None and load > _BUSY * cores:
            told = f"load {load:g} on {cores} cores"
            found.setdefault(told, []).append(f"{method_title(method)} ({_IN_WORDS[device]})")
    lines = [f"{told}: {', '.join(titles)}" for told, titles in found.items()]
    words = "The machine was busy in the minute before these were measured, so they may be too long"
    return [f"{words} ({'; '.join(lines)})."] if lines else []


def method_title(name: str) -> str:
    """In tables and pictures."""
    return METHODS[name].title if name in METHODS else "exact engine, to the proof"


def in_words(microseconds: float | None) -> str:
    """A time with a fitting unit.

    Examples
    --------
    >>> in_words(12.34), in_words(100000.0), in_words(None)
    ('12.3 µs', '100 ms', '–')
    """
    if microseconds is None:
        return MISSING
    for size, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "µs")):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.2g} µs"


def _table(record: Record, name: str) -> str:
    rows = []
    for method in TIMED:
        paper = paper_value("seconds", METHODS[method].paper if method in METHODS else None, name)
        title = method_title(method) + (f" (paper: {in_words(1e6 * paper)})" if paper else "")
        found = [record.figures(method=method, dataset=name, device=x) or {} for x in DEVICES]
        rows.append([title, *(in_words(x.get(what)) for x in found for what in ("batch_us", "single_us"))])
    return table(["method", "CPU, of many", "CPU, alone", "GPU, of many", "GPU, alone"], rows)
