"""What else one could do with a library: compare all of it exactly, rdFMCS, RDKit's SubstructLibrary."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

import prune4sed as ps
from _timing import times
from prune4sed import Graph, GraphSet


def exhaustive(queries: list[Graph], library: GraphSet, sample: int) -> dict[str, Any]:
    """The engine on a sample of targets, and what that makes for the whole library."""
    some = library[:sample]
    seconds = [_timed(lambda q=q: ps.sed_pairs(q, some, time_limit=10.0)) for q in queries]
    return {"sample": len(some), **_extrapolated(seconds, len(library) / len(some))}


def fmcs(queries: list[Any], molecules: list[Any], sample: int) -> dict[str, Any]:
    """The largest connected common subgraph of a query and each molecule of a sample."""
    from rdkit.Chem import rdFMCS

    def run(query: Any) -> None:
        for molecule in molecules[:sample]:
            rdFMCS.FindMCS(
                [query, molecule],
                atomCompare=rdFMCS.AtomCompare.CompareElements,
                bondCompare=rdFMCS.BondCompare.CompareAny,
                timeout=10,
            )

    seconds = [_timed(lambda q=q: run(q)) for q in queries]
    return {"sample": sample, **_extrapolated(seconds, len(molecules) / sample)}


def substructures(
    patterns: list[Any], molecules: list[Any], threads: int
) -> tuple[dict[str, Any], list[set[int]]]:
    """All molecules that contain each pattern, by RDKit's SubstructLibrary with its own fingerprints."""
    from rdkit.Chem import rdSubstructLibrary as rds

    start = perf_counter()
    library = rds.SubstructLibrary(rds.CachedTrustedSmilesMolHolder(), rds.PatternHolder())
    for molecule in molecules:
        library.AddMol(molecule)
    built = perf_counter() - start
    found, seconds = [], []
    for pattern in patterns:
        start = perf_counter()
        found.append(set(library.GetMatches(pattern, numThreads=threads, maxResults=len(molecules))))
        seconds.append(perf_counter() - start)
    return {"build_s": round(built, 2), **times(seconds)}, found


def elements_only(graph: Graph) -> Any:
    """A pattern that knows what the graph knows: elements, and bonds of any kind."""
    from rdkit import Chem

    editable: Any = Chem.RWMol()
    table = Chem.GetPeriodicTable()
    for label in graph.labels:
        editable.AddAtom(Chem.AtomFromSmarts(f"[#{table.GetAtomicNumber(str(label))}]"))
    for a, b in graph.edges:
        editable.AddBond(a, b, Chem.BondType.SINGLE)
        editable.ReplaceBond(editable.GetNumBonds() - 1, Chem.BondFromSmarts("~"))
    return editable.GetMol()


def _timed(call: Any) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _extrapolated(seconds: list[float], factor: float) -> dict[str, float]:
    return {"median_s_for_all": round(float(np.median(seconds)) * factor, 2)}
