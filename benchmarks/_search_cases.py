"""Fragments and libraries for the benchmark of search."""

from __future__ import annotations

import csv
import gzip
import random
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from _chemistry import nci_molecules
from prune4sed import Graph, GraphSet
from prune4sed.convert.smiles import from_mol
from prune4sed.datasets.functional_groups import BUNDLED

SMALLEST, LARGEST = 6, 12  # atoms
MEMBER = "moses/dataset/data/train.csv.gz"


def fragments(count: int, seed: int) -> list[Graph]:
    """Half of them functional groups, half connected pieces of NCI molecules; none twice."""
    rng = random.Random(seed)
    groups, pieces = _groups(), _pieces(rng)
    rng.shuffle(groups)
    chosen: dict[Any, Graph] = {}
    for pair in zip(groups, pieces, strict=False):
        for graph in pair:
            chosen.setdefault((graph.labels, graph.edges), graph)
        if len(chosen) >= count:
            break
    return list(chosen.values())[:count]


def _groups() -> list[Graph]:
    from rdkit import Chem

    with BUNDLED.open(newline="", encoding="utf-8") as lines:
        rows = [(row["name"], Chem.MolFromSmiles(row["smiles"])) for row in csv.DictReader(lines)]
    graphs = [from_mol(molecule, id=name) for name, molecule in rows if molecule is not None]
    return [graph for graph in graphs if SMALLEST <= len(graph) <= LARGEST]


def _pieces(rng: random.Random) -> list[Graph]:
    """Pieces grown atom by atom from a random one."""
    found = []
    molecules = [from_mol(molecule) for molecule in nci_molecules()]
    for number in range(400):
        graph, size = rng.choice(molecules), rng.randint(SMALLEST, LARGEST)
        if len(graph) < size:
            continue
        near: dict[int, set[int]] = {v: set() for v in range(len(graph))}
        for a, b in graph.edges:
            near[a].add(b)
            near[b].add(a)
        piece = [rng.randrange(len(graph))]
        while len(piece) < size:
            border = sorted({y for x in piece for y in near[x]} - set(piece))
            if not border:
                break
            piece.append(rng.choice(border))
        if len(piece) == size:
            part = graph.subgraph(sorted(piece))
            found.append(Graph(part.labels, part.edges, id=f"piece {number}"))
    return found


def nci_library(count: int) -> tuple[list[Any], GraphSet]:
    """Molecules that ship with rdkit, and their graphs."""
    molecules = nci_molecules()[:count]
    return molecules, GraphSet(from_mol(molecule, id=str(i)) for i, molecule in enumerate(molecules))


def moses_smiles(wheel: Path, out: Path) -> Path:
    """The MOSES molecules out of the wheel of molsets, as a SMILES file in a fixed random order."""
    if not out.exists():
        with ZipFile(wheel) as archive, gzip.open(archive.open(MEMBER), "rt") as lines:
            next(lines)
            found = [line.split(",")[0].strip() for line in lines]
        random.Random(0).shuffle(found)
        out.write_text("".join(f"{text} moses-{i}\n" for i, text in enumerate(found)))
    return out
