"""Molecules that ship with RDKit, and fragments to search them for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rdkit import RDConfig

from prune4sed.convert.smiles import parse_smiles
from prune4sed.errors import FormatError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

FRAGMENTS = (
    "c1ccccc1", "CC(=O)O", "Nc1ccccc1", "NS(=O)=O", "c1ccc2ccccc2c1", "O=[N+]([O-])c1ccccc1", "ClCCN",
    "CC(=O)Oc1ccccc1", "O=C1CCCCC1", "NC(=S)N", "C1CCNCC1", "FC(F)(F)P", "OC(O)(O)C(F)(F)F",
)  # fmt: skip


@cache
def smiles(count: int) -> tuple[str, ...]:
    """The first molecules of RDKit's NCI sample that RDKit takes."""
    found: list[str] = []
    for line in (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_text().splitlines():
        text = line.split()[0]
        try:
            parse_smiles(text)
        except FormatError:
            continue
        found.append(text)
        if len(found) == count:
            break
    return tuple(found)


@cache
def library(count: int, edge_labels: bool = False) -> GraphSet:
    return GraphSet(parse_smiles(text, edge_labels, f"m{i}") for i, text in enumerate(smiles(count)))


def fragments(edge_labels: bool = False) -> list[Graph]:
    return [parse_smiles(text, edge_labels, text) for text in FRAGMENTS]
