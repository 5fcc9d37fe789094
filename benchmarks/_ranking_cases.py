"""Queries and a library that no model of molecules was trained on."""

from __future__ import annotations

import numpy as np

from prune4sed import GraphSet
from prune4sed.datasets import draws
from prune4sed.datasets.draws import Stream
from prune4sed.datasets.fragments import fragments
from prune4sed.datasets.functional_groups import functional_groups
from prune4sed.datasets.molecules import PROTOCOL, held_out
from prune4sed.datasets.raw import raw_file, read_raw

#: Of the random numbers: none that a dataset is drawn with.
STREAM = 1000
SIZES = (6, 20)


def nci_held_out(count: int) -> GraphSet:
    """Molecules of the NCI screen that are in no training set, the first of them."""
    molecules = read_raw("molecules", raw_file("molecules"))
    assert isinstance(molecules, GraphSet)
    return held_out(molecules)[:count]


def new_queries(library: GraphSet, count: int, seed: int) -> GraphSet:
    """Half functional groups (or as many as there are), half pieces of the molecules; all of shapes that no
    training set has.
    """
    groups = functional_groups(smallest=SIZES[0])[0]
    groups = groups.take(draws.strict(groups, PROTOCOL.strict_one_in))[: count // 2]
    pieces, _ = fragments(library, SIZES, PROTOCOL.strict_one_in, True, Stream(seed, STREAM), 4 * count)
    once = pieces.take(np.sort(np.unique(draws.shapes(pieces), return_index=True)[1]))
    return GraphSet.concat([groups, once[: count - len(groups)]])
