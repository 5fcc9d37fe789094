"""Fragments and molecules for the demo: nothing to download, the molecules come with RDKit."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.errors import FormatError, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prune4sed.graph import Graph
    from prune4sed.graphset import GraphSet

__all__ = ["FRAGMENTS", "bundled_molecules", "fragments"]

FRAGMENTS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "serotonin": "NCCc1c[nH]c2ccc(O)cc12",
    "barbituric acid": "O=C1CC(=O)NC(=O)N1",
}


def fragments() -> list[Graph]:
    """The demo's queries, with their bonds."""
    from prune4sed.convert.smiles import parse_smiles

    return [parse_smiles(smiles, edge_labels=True, id=name) for name, smiles in FRAGMENTS.items()]


def bundled_molecules(count: int) -> GraphSet:
    """The first molecules of the NCI sample in RDKit's data folder, less those that RDKit rejects."""
    from prune4sed.graphset import GraphSet

    return GraphSet(islice(_molecules(), count))


def _molecules() -> Iterator[Graph]:
    from prune4sed.convert.smiles import parse_smiles

    config = require("rdkit.RDConfig", "chem", "to run the demo")
    with (Path(config.RDDataDir) / "NCI" / "first_5K.smi").open(encoding="ascii") as lines:
        for line in lines:
            smiles, name = line.split(maxsplit=1)
            try:
                yield parse_smiles(smiles, edge_labels=True, id=f"NSC {name.strip()}")
            except FormatError:
                continue
