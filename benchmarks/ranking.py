"""How good the ranking of a model alone is: precision at 10 against proven distances.

    python benchmarks/ranking.py --prune4sed molecules --neurosed molecules-neurosed

ranks held-out NCI molecules for held-out functional groups and pieces of molecules: by each model over all of
them, by a search that need not be proven (`certify=False`) in an index with the models, and by bounds alone.
A hit is right if its proven distance is no larger than that of the tenth nearest molecule, so that ties count
as right. Models are names of bundled ones or paths of checkpoints; without any, only the bounds are judged.
Writes results/ranking.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import prune4sed as ps
from _ranking_cases import nci_held_out, new_queries
from _record import RESULTS, load, record, write
from prune4sed import Graph, GraphSet, Index

Order = Callable[[Graph], NDArray[np.int64]]


def proven(queries: GraphSet, index: Index, k: int) -> NDArray[np.float64]:
    """Proven distances of the k nearest, (queries, k)."""
    rows = []
    for query in track(list(queries), "proving"):
        hits = index.search(query, k, time_limit=600.0)
        if not hits.proven:
            raise SystemExit(f"the {k} nearest of {query} could not be proven")
        rows.append([hit.upper for hit in hits])
    return np.array(rows)


def distances(query: Graph, library: GraphSet, ranked: NDArray[np.int64]) -> NDArray[np.float64]:
    """Proven distances of what was ranked first."""
    table = ps.sed_pairs(query, library.take(ranked), time_limit=600.0)
    if not table.certified.all():
        raise SystemExit(f"a distance of {query} could not be proven")
    return table.upper


def judged(
    name: str, order: Order, queries: GraphSet, library: GraphSet, best: NDArray[np.float64]
) -> dict[str, Any]:
    """The figures of one way to rank, beside the proven distances of the nearest."""
    shares, excess, seconds = [], [], []
    k = best.shape[1]
    for query, nearest in track(list(zip(queries, best, strict=True)), name):
        start = perf_counter()
        ranked = order(query)[:k]
        seconds.append(perf_counter() - start)
        found = distances(query, library, ranked)
        shares.append(float(np.mean(found <= nearest.max())))
        excess.append(float(found.mean() - nearest.mean()))
    return {
        f"precision_at_{k}": round(float(np.mean(shares)), 4),
        "lowest": min(shares),
        "all_right": round(float(np.mean(np.array(shares) == 1)), 4),
        "mean_distance_above_best": round(float(np.mean(excess)), 4),
        "median_s": round(float(np.median(seconds)), 4),
    }


def ways(library: GraphSet, models: dict[str, Any], k: int) -> dict[str, Order]:
    """All ways to rank, by name."""

    def by_model(model: Any) -> Order:
        return lambda query: np.argsort(model.predict(query, library), kind="stable")

    def by_index(index: Index) -> Order:
        return lambda query: np.array([hit.position for hit in index.search(query, k, certify=False)])

    found = {"bounds": by_index(Index.build(library))}
    for name, model in models.items():
        found[f"{name} alone"] = by_model(model)
        found[f"search with {name}"] = by_index(Index.build(library, model))
    if {"prune4sed", "neurosed"} <= set(models):
        both = Index.build(library, models["prune4sed"], embedder=models["neurosed"])
        found["search with both"] = by_index(both)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prune4sed", metavar="NAME|PATH")
    parser.add_argument("--neurosed", metavar="NAME|PATH")
    parser.add_argument("--fragments", type=int, default=50)
    parser.add_argument("--molecules", type=int, default=10_000, help="at most, of those held out")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "ranking.json")
    return parser.parse_args()


def main() -> None:
    wanted = _arguments()
    paths = {"prune4sed": wanted.prune4sed, "neurosed": wanted.neurosed}
    models = {name: ps.load_model(path) for name, path in paths.items() if path is not None}
    result = record("ranking.py", ("torch", "rdkit"))
    library = nci_held_out(wanted.molecules)
    queries = new_queries(library, wanted.fragments, wanted.seed)
    best = proven(queries, Index.build(library), wanted.k)
    result |= {
        "queries": len(queries),
        "query_atoms": round(float(queries.num_nodes.mean()), 1),
        "molecules": len(library),
        "distance_of_the_last": np.bincount(best[:, -1].astype(int)).tolist(),
        "models": {name: str(path) for name, path in paths.items() if path is not None},
        "rankings": {},
    }
    for name, order in ways(library, models, wanted.k).items():
        result["rankings"][name] = judged(name, order, queries, library, best)
        print(name, result["rankings"][name], flush=True)
    if models:  # bounds alone are no figure of record
        write(wanted.out, result | {"load_at_end": load()})


if __name__ == "__main__":
    main()
