"""The public raw data behind the paper's datasets, read from a local mirror.

The environment variable PRUNE4SED_MIRROR names a folder with the files as their sources offer them:
citeseer.npz, cora_ml.npz, pubmed.npz, dblp.npz, com-amazon.ungraph.txt.gz (or a subset of it), AIDS.zip,
PROTEINS.zip and functional_groups.csv.
"""

from __future__ import annotations

import csv
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed import Graph, GraphSet, read_graphs
from prune4sed.errors import FormatError

MIRROR = "PRUNE4SED_MIRROR"
NPZ = ("citeseer", "cora_ml", "pubmed", "dblp")
AMAZON = ("com-amazon.ungraph.txt.gz", "com-amazon.subset.ungraph.txt.gz")
# TUDataset numbers the elements of AIDS in this order.
ELEMENTS = [
    "C", "O", "N", "Cl", "F", "S", "Se", "P", "Na", "I", "Co", "Br", "Li", "Si", "Mg", "Cu", "As", "B", "Pt",
    "Ru", "K", "Pd", "Au", "Te", "W", "Rh", "Zn", "Bi", "Pb", "Ge", "Sb", "Sn", "Ga", "Hg", "Ho", "Tl", "Ni",
    "Tb",
]  # fmt: skip


@dataclass(frozen=True)
class Network:
    """One large undirected graph: sorted neighbour lists in CSR form and an integer label per node."""

    starts: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def around(self, node: int) -> list[int]:
        """The neighbours of a node."""
        found: list[int] = self.neighbours[self.starts[node] : self.starts[node + 1]].tolist()
        return found


def mirror() -> Path:
    """The folder with the raw files; ends the script with one line if there is none."""
    folder = os.environ.get(MIRROR)
    if not folder or not Path(folder).is_dir():
        print(
            f"set {MIRROR} to a folder with the raw datasets; benchmarks/README.md lists them",
            file=sys.stderr,
        )
        raise SystemExit(2)
    return Path(folder)


def network(name: str) -> Network:
    """One of the five single networks."""
    if name == "amazon":
        ends = _edge_list()
        labels = np.zeros(int(ends.max()) + 1, dtype=np.int64)
    else:
        with np.load(_file(f"{name}.npz"), allow_pickle=False) as data:
            labels = data["labels"].astype(np.int64)
            rows = np.repeat(np.arange(len(labels)), np.diff(data["adj_indptr"]))
            ends = np.column_stack([rows, data["adj_indices"]]).astype(np.int64)
    return _undirected(ends, labels)


def collection(name: str) -> GraphSet:
    """One of the two sets of small graphs, without edge labels as in the paper; AIDS labelled by element."""
    graphs = read_graphs(_file({"aids": "AIDS.zip", "protein": "PROTEINS.zip"}[name])).without_edge_labels()
    if name != "aids":
        return graphs
    return GraphSet.from_arrays(
        graphs.node_offsets,
        graphs.node_labels,
        graphs.edge_offsets,
        graphs.edges,
        node_vocabulary=[ELEMENTS[int(code)] for code in graphs.node_vocabulary],
    )


def functional_groups(smallest: int = 5) -> list[tuple[str, Graph]]:
    """SMILES and graph of every functional group that rdkit reads and that has enough heavy atoms."""
    found: dict[str, Graph] = {}
    with _file("functional_groups.csv").open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            try:
                graph = Graph.from_smiles(row["smiles"])
            except FormatError:
                continue
            if len(graph) >= smallest and "*" not in graph.labels:
                found[row["smiles"]] = graph
    return list(found.items())


def nci_molecules() -> list[Any]:
    """The molecules that ship with rdkit: their largest parts, where those have 5 heavy atoms or more."""
    from rdkit import Chem, RDConfig, rdBase

    lines = Path(RDConfig.RDDataDir, "NCI", "first_5K.smi").read_text().split("\n")
    with rdBase.BlockLogs():
        read = [Chem.MolFromSmiles(line.split()[0]) for line in lines if line.strip()]
    whole = [molecule for molecule in read if molecule is not None]
    largest = [max(Chem.GetMolFrags(m, asMols=True), key=lambda part: part.GetNumAtoms()) for m in whole]
    return [molecule for molecule in largest if molecule.GetNumAtoms() >= 5]


def _file(name: str) -> Path:
    path = mirror() / name
    if not path.is_file():
        print(f"{name} is missing in the folder that {MIRROR} names", file=sys.stderr)
        raise SystemExit(2)
    return path


def _edge_list() -> NDArray[np.int64]:
    """SNAP's edge list, nodes renumbered from 0."""
    path = next((mirror() / name for name in AMAZON if (mirror() / name).is_file()), mirror() / AMAZON[0])
    ends = np.loadtxt(_file(path.name), dtype=np.int64, comments="#")
    numbers: NDArray[np.int64] = np.unique(ends, return_inverse=True)[1].reshape(ends.shape)
    return numbers


def _undirected(ends: NDArray[np.int64], labels: NDArray[np.int64]) -> Network:
    """Both directions of every edge once, without self-loops."""
    ends = ends[ends[:, 0] != ends[:, 1]]
    both = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    starts = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=len(labels)))])
    return Network(starts, both[:, 1], labels)
