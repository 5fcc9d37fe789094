"""The figures of results/datasets.json as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from prune4sed.datasets.catalogue import DATASETS
from prune4sed.datasets.dataset import percent

Record = dict[str, Any]


def tables(datasets: Mapping[str, Record]) -> str:
    """Two tables in Markdown: the datasets, and their sets."""
    return f"{_dataset_table(datasets)}\n\n{_set_table(datasets)}"


def _dataset_table(datasets: Mapping[str, Record]) -> str:
    titles = (
        "dataset", "\\|V_q\\| (paper)", "\\|V_t\\| (paper)", "labels (paper)", "certified test",
        "strict test", "train", "labelling, core-min (pairs)", "labels, MB", "build, s", "load, s",
    )  # fmt: skip
    rows = []
    for name, d in datasets.items():
        paper, work = d["paper"], d["labelling"]
        shares = [_share(d["sets"][one]["certified_percent"]) for one in ("test", "strict_test", "train")]
        rows.append([
            DATASETS[name].title,
            f"{d['query_nodes']:.1f} ({paper['query_nodes']})",
            f"{d['target_nodes']:.1f} ({paper['target_nodes']})",
            f"{d['source']['labels']} ({paper['labels']})",
            *shares,
            "–" if work is None else f"{work['core_seconds'] / 60:.1f} ({work['pairs']:,})",
            _text(d["label_bytes"] and d["label_bytes"] / 1e6, "{:.2f}"),
            _text(d["build_seconds"], "{:.1f}"),
            _text(d["load_seconds"], "{:.2f}"),
        ])  # fmt: skip
    return _markdown(titles, rows)


def _set_table(datasets: Mapping[str, Record]) -> str:
    titles = (
        "dataset", "set", "pairs", "\\|V_q\\|", "\\|V_t\\|", "search nodes", "certified", "open",
        "gap of open",
    )  # fmt: skip
    return _markdown(titles, [
        [
            DATASETS[name].title,
            one,
            f"{row['pairs']:,}",
            f"{row['query_nodes']:.1f}",
            f"{row['target_nodes']:.1f}",
            _text(row["node_limit"], "{:,}"),
            _share(row["certified_percent"]),
            _text(row["open"], "{:,}"),
            _text(row["mean_gap"], "{:.2f}"),
        ]
        for name, d in datasets.items()
        for one, row in d["sets"].items()
    ])  # fmt: skip


def _share(certified_percent: float | None) -> str:
    """As `prune4sed data info` says it."""
    return "–" if certified_percent is None else percent(certified_percent / 100)


def _text(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _markdown(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(titles)
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
