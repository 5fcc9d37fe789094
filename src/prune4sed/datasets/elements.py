"""AIDS in TUDataset numbers its elements; here the numbers become symbols."""

from __future__ import annotations

from pathlib import Path

from prune4sed.errors import FormatError
from prune4sed.graphset import GraphSet

__all__ = ["ELEMENTS", "with_elements"]

#: The element of every number.
ELEMENTS = (
    "C", "O", "N", "Cl", "F", "S", "Se", "P", "Na", "I", "Co", "Br", "Li", "Si", "Mg", "Cu", "As", "B", "Pt",
    "Ru", "K", "Pd", "Au", "Te", "W", "Rh", "Zn", "Bi", "Pb", "Ge", "Sb", "Sn", "Ga", "Hg", "Ho", "Tl", "Ni",
    "Tb",
)  # fmt: skip


def with_elements(graphs: GraphSet, path: Path) -> GraphSet:
    """The same graphs, labelled by element symbol; `path` is for messages."""
    codes = [int(code) for code in graphs.node_vocabulary]
    unknown = [code for code in codes if not 0 <= code < len(ELEMENTS)]
    if unknown:
        raise FormatError(f"{path}: node label {unknown[0]} is no element; expected 0 to {len(ELEMENTS) - 1}")
    return GraphSet.from_arrays(
        graphs.node_offsets,
        graphs.node_labels,
        graphs.edge_offsets,
        graphs.edges,
        node_vocabulary=[ELEMENTS[code] for code in codes],
    )
