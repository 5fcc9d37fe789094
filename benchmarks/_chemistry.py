"""rdkit's common-subgraph searches on fragments and molecules, beside the engine on the same ones.

They solve neighbouring problems. rdFMCS finds the largest *connected* common subgraph; RascalMCES the common
subgraph with the most bonds, in pieces if need be; the engine the least edits, which may keep pieces apart
and relabel atoms, with proof. All compare elements and ignore bond orders. Where a fragment is contained as a
whole the three must agree: all its bonds are matched exactly when its distance is 0.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import prune4sed as ps
from _timing import ratios, timed, times
from prune4sed import Graph
from prune4sed.convert.smiles import from_mol
from prune4sed.datasets.functional_groups import BUNDLED, functional_groups

PROBLEMS = {
    "prune4sed": "least edits, pieces and relabels allowed, proven",
    "prune4sed_from_mol": "the same with the conversion of both rdkit molecules to graphs",
    "rdFMCS": "largest connected common subgraph, CompareElements, CompareAny",
    "RascalMCES": "most common bonds, pieces allowed, no relabels, ignoreBondOrders, similarityThreshold 0",
}


def fragment_pairs(family: str, count: int, seed: int) -> list[tuple[Any, Any]]:
    """Fragments, each with a random molecule that ships with rdkit."""
    rng = np.random.default_rng([seed, 1000])
    molecules = nci_molecules()
    fragments = _functional_groups() if family == "functional groups" else _scaffolds(molecules)
    left, right = rng.integers(len(fragments), size=count), rng.integers(len(molecules), size=count)
    return [(fragments[i], molecules[j]) for i, j in zip(left, right, strict=True)]


def against_rdkit(family: str, count: int, seed: int, limit: float) -> dict[str, Any]:
    """Times of all, and whether they agree on containment. Who comes first changes from pair to pair."""
    pairs = fragment_pairs(family, count, seed)
    seconds: dict[str, list[float]] = {name: [] for name in PROBLEMS}
    unfinished, disagree = dict.fromkeys(PROBLEMS, 0), 0
    for turn, (q, t) in enumerate(track(pairs, f"rdkit, {family}")):
        calls = list(_calls(q, t, limit).items())
        answers = set()
        for name, call in calls[turn % len(calls) :] + calls[: turn % len(calls)]:
            whole, spent = timed(call)
            seconds[name].append(spent)
            unfinished[name] += whole is None
            answers |= {whole} - {None}
        disagree += len(answers) > 1
    ours = seconds["prune4sed"]
    return {
        "pairs": len(pairs),
        "query_atoms": round(float(np.mean([q.GetNumAtoms() for q, _ in pairs])), 1),
        "target_atoms": round(float(np.mean([t.GetNumAtoms() for _, t in pairs])), 1),
        **{name: times(s) | {"unfinished": unfinished[name]} for name, s in seconds.items()},
        "ratios": {name: ratios(seconds[name], ours) for name in ("rdFMCS", "RascalMCES")},
        "disagree": disagree,
    }


def _calls(q: Any, t: Any, limit: float) -> dict[str, Callable[[], bool | None]]:
    """What to time; each says whether the molecule contains the whole fragment, None if it did not finish."""
    query, target = from_mol(q), from_mol(t)
    return {
        "prune4sed": lambda: _ours(query, target, limit),
        "prune4sed_from_mol": lambda: _ours(from_mol(q), from_mol(t), limit),
        "rdFMCS": lambda: _fmcs(q, t, limit),
        "RascalMCES": lambda: _rascal(q, t, limit),
    }


def _ours(query: Graph, target: Graph, limit: float) -> bool | None:
    result = ps.sed(query, target, time_limit=limit)
    return result.upper == 0 if result.certified else None


def _fmcs(q: Any, t: Any, limit: float) -> bool | None:
    from rdkit.Chem import rdFMCS

    found = rdFMCS.FindMCS(
        [q, t],
        atomCompare=rdFMCS.AtomCompare.CompareElements,
        bondCompare=rdFMCS.BondCompare.CompareAny,
        timeout=round(limit),
    )
    return None if found.canceled else bool(found.numBonds == q.GetNumBonds())


def _rascal(q: Any, t: Any, limit: float) -> bool | None:
    from rdkit.Chem import rdRascalMCES
    from rdkit.rdBase import BlockLogs

    with BlockLogs():  # it reports every time-out on standard error
        found = rdRascalMCES.FindMCES(q, t, _rascal_options(round(limit)))
    if not found:  # nothing in common: rdkit says so with an empty list
        return bool(q.GetNumBonds() == 0)
    return None if found[0].timedOut else bool(len(found[0].bondMatches()) == q.GetNumBonds())


@cache
def _rascal_options(seconds: int) -> Any:
    """The options that bring RascalMCES closest to the engine's problem, with room for large pairs."""
    from rdkit.Chem import rdRascalMCES

    options: Any = rdRascalMCES.RascalOptions()
    options.similarityThreshold = 0.0
    options.ignoreBondOrders = True
    options.completeAromaticRings = False
    options.maxBondMatchPairs = 100_000
    options.returnEmptyMCES = True
    options.timeout = seconds
    return options


def nci_molecules() -> list[Any]:
    """The molecules that ship with rdkit: their largest parts, where those have 5 heavy atoms or more."""
    from rdkit import Chem, RDConfig, rdBase

    lines = Path(RDConfig.RDDataDir, "NCI", "first_5K.smi").read_text().split("\n")
    with rdBase.BlockLogs():
        read = [Chem.MolFromSmiles(line.split()[0]) for line in lines if line.strip()]
    whole = [molecule for molecule in read if molecule is not None]
    largest = [max(Chem.GetMolFrags(m, asMols=True), key=lambda part: part.GetNumAtoms()) for m in whole]
    return [molecule for molecule in largest if molecule.GetNumAtoms() >= 5]


def _functional_groups() -> list[Any]:
    """The queries of AIDS as molecules: for each graph the first SMILES of the list that gives it."""
    from rdkit import Chem

    with BUNDLED.open(newline="", encoding="utf-8") as lines:
        molecules = [Chem.MolFromSmiles(row["smiles"]) for row in csv.DictReader(lines)]
    first: dict[Any, Any] = {}
    for molecule in molecules:
        graph = from_mol(molecule)
        first.setdefault((graph.labels, graph.edges), molecule)
    return [first[graph.labels, graph.edges] for graph in functional_groups()[0]]


def _scaffolds(molecules: list[Any]) -> list[Any]:
    """The ring systems and linkers of the molecules themselves: larger fragments, of 5 to 25 atoms."""
    from rdkit.Chem.Scaffolds import MurckoScaffold

    scaffold_of: Any = MurckoScaffold.GetScaffoldForMol
    found = [scaffold_of(molecule) for molecule in molecules]
    return [scaffold for scaffold in found if 5 <= scaffold.GetNumAtoms() <= 25]
