"""A SMILES string with where it came from: reading a file is quick, making molecules of it is not."""

from __future__ import annotations

from typing import NamedTuple

from prune4sed.convert.smiles import parse_smiles
from prune4sed.errors import FormatError
from prune4sed.graph import Graph

__all__ = ["SmilesRow"]


class SmilesRow(NamedTuple):
    """One molecule to be.

    Attributes
    ----------
    where : str
        File and line.
    text : str
        The SMILES string.
    name : str or None
        The id of the graph.
    expected : str
        What should have been there, for the message if it cannot be parsed.
    """

    where: str
    text: str
    name: str | None
    expected: str

    def parse(self, edge_labels: bool) -> Graph | FormatError:
        """The molecule, or what is wrong with it.

        Examples
        --------
        >>> SmilesRow("a.smi:1", "C=O", "formaldehyde", "SMILES").parse(edge_labels=False)
        Graph(id='formaldehyde', nodes=2, edges=1, labels={C: 1, O: 1})
        """
        try:
            return parse_smiles(self.text, edge_labels, self.name)
        except FormatError as error:
            return FormatError(f"{self.where}: {error}; expected {self.expected}")
