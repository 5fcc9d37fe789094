"""Write src/prune4sed/datasets/actual.json: the figures that `prune4sed data list` sets beside the paper's.

    python tools/actual_figures.py

Samples the standard pairs of every dataset, and takes certified shares from the shipped labels where there
are some. Raw data is found as `prune4sed data build` finds it: set PRUNE4SED_MIRROR, or have it downloaded.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from prune4sed.atomic import replacing
from prune4sed.datasets.actual import SHIPPED, Figures, figures_of
from prune4sed.datasets.catalogue import names
from prune4sed.datasets.raw import counts_of, raw_file, read_raw
from prune4sed.datasets.sampling import SampledSet, fingerprint, sample
from prune4sed.datasets.shipped import shipped_header


def figures(name: str) -> Figures:
    """The figures of one standard dataset."""
    source = read_raw(name, raw_file(name))
    sets = sample(name, source, extras=False)
    labelled = (shipped_header(name) or {"sets": {}})["sets"]
    known = {one: _of_set(sampled, labelled.get(one)) for one, sampled in sets.items()}
    return figures_of(known, counts_of(source).labels)


def _of_set(sampled: SampledSet, shipped: dict[str, Any] | None) -> dict[str, Any]:
    fits = shipped is not None and shipped["fingerprint"] == fingerprint(sampled)
    return {
        "pairs": len(sampled),
        "query_nodes": float(sampled.queries.num_nodes[sampled.index[:, 0]].mean()),
        "target_nodes": float(sampled.targets.num_nodes[sampled.index[:, 1]].mean()),
        "certified": shipped["certified"] / shipped["pairs"] if shipped is not None and fits else None,
    }


def main() -> None:
    """Write the file, and show it."""
    text = json.dumps({name: asdict(figures(name)) for name in names()}, indent=1) + "\n"
    with replacing(SHIPPED) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
