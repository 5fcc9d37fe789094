"""The page of the sizes study."""

from __future__ import annotations

from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.methods import METHODS
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record, pairs_of

__all__ = ["METHODS_HERE", "SIZES", "sizes_page"]

SIZES = ("small", "medium", "large")
METHODS_HERE = (
    "neurosed", "prune4sed", "prune4sed-clipped", "plus", "plus-clipped", "plus-beam", "exact-10ms",
    "plus-10ms",
)  # fmt: skip

_TOLD = (
    "The paper draws three sets of 2,000 pairs each from CiteSeer and Cora_ML, whose targets have about 16, "
    "62 and 120 nodes, trains on four fifths of each, and shows the RMSE on a tenth in a picture without "
    "numbers. Here the sets have targets of the same sizes, but the models are those trained on the standard "
    "training set, which holds none of these pairs, so that all parts of a set serve for testing: {models} "
    "of each for the models, a sample of {solvers} for the exact engine, and for the engine before a model."
)
_LARGE = (
    "Queries of 26 to 50 nodes; the training sets have none of more than 25. Many of these pairs are not "
    "proven (the certified share is given), and the interval RMSE counts nothing within proven bounds."
)


def sizes_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    names = datasets_in(record)
    sized = [name for name in names if any(any(record.entries(dataset=name, set=size)) for size in SIZES)]
    parts = [_TOLD.format(models=pairs_of(record, "checkpoint"), solvers=pairs_of(record, "limits"))]
    for name in sized:
        parts += [f"## {title_of(name)}", _by_size(record, name)]
    parts += ["## Large queries", _LARGE, _large_queries(record, names)]
    return "\n\n".join(parts)


def _by_size(record: Record, name: str) -> str:
    titles = [f"{size} ({_nodes(record, name, size)})" for size in SIZES]
    rows = [
        [METHODS[method].title, *(_with_interval(record, method, name, size) for size in SIZES)]
        for method in METHODS_HERE
    ]
    return table(["RMSE (95 %)", *titles], rows)


def _nodes(record: Record, name: str, size: str) -> str:
    """Mean number of nodes of the targets."""
    known = [entry["figures"] for entry in record.entries(dataset=name, set=size) if "figures" in entry]
    return f"{known[0]['target_nodes']:.0f} nodes" if known else MISSING


def _with_interval(record: Record, method: str, name: str, which: str) -> str:
    found = record.figures(method=method, dataset=name, set=which)
    if found is None:
        return MISSING
    return f"{found['rmse']:.3f} ({found['rmse_low']:.3f} to {found['rmse_high']:.3f})"


def _large_queries(record: Record, names: list[str]) -> str:
    rows = []
    for method in METHODS_HERE:
        found = [record.figures(method=method, dataset=name, set="large_queries") or {} for name in names]
        cells = [f"{figure(x.get('rmse'))} / {figure(x.get('rmse_certified'))}" for x in found]
        rows.append([METHODS[method].title, *cells])
    shares = [_certified(record, name) for name in names]
    rows.append(["certified share", *shares])
    return table(["RMSE / over certified pairs", *(title_of(name) for name in names)], rows)


def _certified(record: Record, name: str) -> str:
    known = [x["figures"] for x in record.entries(dataset=name, set="large_queries") if "figures" in x]
    whole = max(known, key=lambda x: int(x["pairs"]), default=None)
    return MISSING if whole is None else f"{100 * whole['certified']:.0f} %"
