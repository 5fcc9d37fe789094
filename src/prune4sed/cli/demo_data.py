"""Fragments and molecules for the demo: nothing to download, the molecules come with RDKit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.errors import FormatError, require

if TYPE_CHECKING:
    from prune4sed.graph import Graph

FRAGMENTS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "sulfanilamide": "Nc1ccc(S(N)(=O)=O)cc1",
    "xanthine": "O=c1[nH]c(=O)c2[nH]cnc2[nH]1",
    "tryptamine": "NCCc1c[nH]c2ccccc12",
}


@dataclass(frozen=True)
class Molecules:
    """SMILES strings beside the graphs made of them."""

    smiles: list[str]
    graphs: list[Graph]


def fragments() -> Molecules:
    """The demo's queries."""
    from prune4sed.convert.smiles import parse_smiles

    graphs = [parse_smiles(smiles, id=name) for name, smiles in FRAGMENTS.items()]
    return Molecules(list(FRAGMENTS.values()), graphs)


def bundled_molecules(count: int) -> Molecules:
    """The first molecules of the NCI sample in RDKit's data folder, less those that RDKit rejects."""
    from prune4sed.convert.smiles import parse_smiles

    config = require("rdkit.RDConfig", "chem", "to run the demo")
    found = Molecules([], [])
    with (Path(config.RDDataDir) / "NCI" / "first_5K.smi").open() as lines:
        for line in lines:
            smiles, name = line.split(maxsplit=1)
            try:
                found.graphs.append(parse_smiles(smiles, id=f"NSC {name.strip()}"))
            except FormatError:
                continue
            found.smiles.append(smiles)
            if len(found.smiles) == count:
                break
    return found
