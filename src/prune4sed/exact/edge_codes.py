"""Edge labels as numbers, also for graphs that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from prune4sed.graph import Graph

#: The code of an edge without a label; label codes start at 0.
NO_LABEL = -1


def edge_codes(g: Graph) -> NDArray[np.int32]:
    """One number per edge, equal exactly where labels are equal; `NO_LABEL` for unlabelled edges."""
    codes = g.codes.edge_labels
    return np.full(g.num_edges, NO_LABEL, dtype=np.int32) if codes is None else codes
