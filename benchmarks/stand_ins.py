"""What stand-ins are worth: queries with labels that the models of AIDS know from targets alone.

    python benchmarks/stand_ins.py

Test pairs in which N or O has changed names with a halogen or phosphorus, in both graphs: the distances stay
as they are, but no training query has such labels. Each model predicts them as it is, and once more without
putting labels in the place of others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prune4sed as ps
from _record import RESULTS, record, write
from prune4sed.models.base import SedModel
from prune4sed.training.metrics import interval_rmse

MODELS = ("aids-plus", "aids", "aids-neurosed")
SWAPS = [(known, foreign) for foreign in ("F", "Cl", "Br", "I", "P") for known in ("N", "O")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=200, help="pairs per exchange of labels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "stand_ins.json")
    asked = parser.parse_args()
    result = record("stand_ins.py", ("torch",)) | {"seed": asked.seed, "pairs": asked.pairs * len(SWAPS)}
    found = {}
    for name in MODELS:
        model = ps.load_model(name, "cpu")
        assert isinstance(model, SedModel)
        told = model.met
        plain = rmse(model, asked.pairs, asked.seed, renamed=False)
        with_them = rmse(model, asked.pairs, asked.seed)
        model.met = None
        without = rmse(model, asked.pairs, asked.seed)
        model.met = told
        found[name] = {"rmse": with_them, "rmse_without": without, "rmse_before_renaming": plain}
        print(name, found[name], flush=True)
    write(asked.out, result | {"models": found})


def rmse(model: SedModel, count: int, seed: int, renamed: bool = True) -> float:
    """On random pairs of the test set whose queries have the label to rename, so many for each exchange."""
    queries, targets, pairs = ps.datasets.load("aids")["test"]
    random = np.random.default_rng(seed)
    predicted, chosen = [], []
    for known, foreign in SWAPS:
        names = {known: foreign, foreign: known} if renamed else {}
        has = [row for row, q in enumerate(pairs.query.tolist()) if known in queries[q].labels]
        chosen.append(random.choice(has, count, replace=False))
        asked = queries.renamed(names), targets.renamed(names), pairs.index[chosen[-1]]
        predicted.append(model.predict(*asked))
    rows = np.concatenate(chosen)
    return round(interval_rmse(np.concatenate(predicted), pairs.lower[rows], pairs.upper[rows]), 4)


if __name__ == "__main__":
    main()
