"""The page of the pruning study."""

from __future__ import annotations

from typing import Any

from prune4sed.datasets.dataset import percent
from prune4sed.studies.markdown import figure, table
from prune4sed.studies.paper import datasets_in, paper_value, title_of
from prune4sed.studies.record import Record

__all__ = ["METHODS", "MODELS", "RATIOS", "pruning_page"]

#: Shares of nodes that are pruned.
RATIOS = (0.1, 0.3, 0.5)
#: Methods that are models.
MODELS = ("prune4sed", "plus")
#: What decides which nodes go.
METHODS = {
    "prune4sed": "Prune4SED",
    "plus": "Prune4SED-plus",
    "random": "at random",
    "degree": "least degree first",
    "match": "match spared",
}

_TOLD = (
    "Nodes with the smallest keep probabilities are taken out of the target, and the exact engine finds "
    "the distance to what is left. It can only grow. If it does not, the nodes that matter were kept. A "
    "keep probability is the mean over the heads, with 0 for a node that a head prunes hard. Where a "
    "distance is not proven, the middle of its bounds stands for it, as in the paper. `match spared` "
    "takes the nodes of a best match last: it knows the answer, and shows how much could go at all. Where "
    "a query has more than the share of the nodes that stays, no pruning can leave its distance as it is."
)
_OVERALL = (
    "## One threshold for all targets\n\nAs in the paper: the threshold is such that the share r of all "
    "nodes of all targets goes, more of large targets than of small ones. The paper's figures are in "
    "brackets; they are of other pairs."
)
_EACH = (
    "## The same share of every target\n\nEvery target loses the share r of its own nodes: a harder test, "
    "for large targets cannot make up for small ones."
)


def pruning_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    parts = [_TOLD, _sample(record), _OVERALL, _out_of_reach(record), _errors(record, "threshold")]
    parts += ["Share of pairs whose distance stays as it is:", _shares(record, "threshold")]
    parts += [_EACH, _errors(record, "each"), "Share of pairs whose distance stays as it is:"]
    return "\n\n".join(part for part in [*parts, _shares(record, "each")] if part)


def _sample(record: Record) -> str:
    done = [entry for entry in record.entries() if "figures" in entry]
    if not done:
        return ""
    pairs = max(entry["from"]["pairs"] for entry in done)
    proven = min(entry["figures"]["certified"] for entry in done)
    share = "all of them" if proven == 1 else f"at least {percent(proven)} of them"
    return f"{pairs:,} random test pairs of each dataset; both distances are proven for {share}."


def _out_of_reach(record: Record) -> str:
    """Where the paper's error is smaller than that of a pruning that knows the match."""
    lines = []
    for name in datasets_in(record):
        for ratio in RATIOS:
            least = _of(record, "match", name, "threshold", ratio).get("mae")
            theirs = paper_value("pruned MAE", str(ratio), name)
            if least is not None and theirs is not None and least > theirs:
                figures = f"match spared {least:.3f}, paper {theirs:.3f}"
                lines.append(f"{title_of(name)} at r = {ratio} ({figures})")
    if not lines:
        return ""
    return (
        f"Out of reach here, even with the match spared: {'; '.join(lines)}. Too few nodes are beside the "
        "match: the paper's targets must have had more, or its ratio must count something else."
    )


def _errors(record: Record, rule: str) -> str:
    titles = [f"r = {ratio}: {what}" for ratio in RATIOS for what in ("ρ", "MAE")]
    rows = []
    for name in datasets_in(record):
        for method, title in METHODS.items():
            row = [f"{title_of(name)}, {title}"]
            for ratio in RATIOS:
                for what, paper in (("correlation", "pruned correlation"), ("mae", "pruned MAE")):
                    ours = figure(_of(record, method, name, rule, ratio).get(what))
                    theirs = paper_value(paper, str(ratio), name)
                    shown = theirs is not None and method == "prune4sed" and rule == "threshold"
                    row.append(f"{ours} ({theirs:.3f})" if shown else ours)
            rows.append(row)
    return table(["pruned by", *titles], rows)


def _shares(record: Record, rule: str) -> str:
    rows = []
    for name in datasets_in(record):
        for method, title in METHODS.items():
            shares = [_of(record, method, name, rule, ratio).get("unchanged") for ratio in RATIOS]
            rows.append([f"{title_of(name)}, {title}", *(figure(share) for share in shares)])
    return table(["pruned by", *(f"r = {ratio}" for ratio in RATIOS)], rows)


def _of(record: Record, method: str, name: str, rule: str, ratio: float) -> dict[str, Any]:
    return record.figures(method=method, dataset=name, rule=rule, ratio=str(ratio)) or {}
