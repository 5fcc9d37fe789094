"""Files of graphs: one module per format, found by the suffix of the file or by name.

==========  ==============================  ========================================
format      suffixes                        options of `read_graphs`
==========  ==============================  ========================================
smiles      .smi .smiles .txt               edge_labels
table       .csv .tsv                       edge_labels, column, id_column
sdf         .sdf .sd .mol                   edge_labels
tve         .tve .gspan .lg                 edge_labels
jsonl       .jsonl .json .ndjson            edge_labels
graphml     .graphml                        edge_labels, label, edge_label
arrow       .arrow                          edge_labels
tudataset   .zip, or a folder               edge_labels
==========  ==============================  ========================================
"""

from __future__ import annotations

from prune4sed.convert.smiles import parse_smiles
from prune4sed.formats.reading import read_graphs
from prune4sed.formats.writing import write_graphs

__all__ = ["parse_smiles", "read_graphs", "write_graphs"]
