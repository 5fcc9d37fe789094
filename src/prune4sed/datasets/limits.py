"""How many search nodes the engine may spend on one pair: the table that every label is made by.

The work on a pair is limited by search nodes and not by seconds, so that a label is the same on any machine.
Sets to learn from make do with less: an open interval between the bounds serves there too. Sets to test on
get more, with 99 % certified pairs as the aim; results/datasets.json says what came of it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "OWN", "NodeLimits", "node_limit"]


@dataclass(frozen=True)
class NodeLimits:
    """Search nodes per pair: in the sets to train and validate on, in those to test on, and in that of large
    queries, where every node takes longer and a proof is often out of reach.
    """

    training: int
    evaluation: int
    large_queries: int


# For a user's own graphs.
OWN = NodeLimits(2_000, 20_000, 2_000)

LIMITS = {
    "aids": NodeLimits(20_000, 50_000, 0),
    "protein": NodeLimits(1_000, 16_000, 0),
    "citeseer": NodeLimits(1_000, 5_000, 300),
    "cora_ml": NodeLimits(300, 10_000, 300),
    "pubmed": NodeLimits(1_000, 5_000, 300),
    "dblp": NodeLimits(300, 6_000, 100),
    "amazon": NodeLimits(400, 20_000, 300),
    "molecules": NodeLimits(20_000, 50_000, 0),
}


def node_limit(dataset: str, name: str) -> int:
    """Search nodes per pair of one set of a dataset; a name outside the table is a dataset of one's own.

    Examples
    --------
    >>> node_limit("citeseer", "small_train") == LIMITS["citeseer"].training
    True
    >>> node_limit("citeseer", "strict_test") == LIMITS["citeseer"].evaluation
    True
    """
    limits = LIMITS.get(dataset, OWN)
    if name == "large_queries":
        return limits.large_queries
    return limits.evaluation if name.endswith("test") else limits.training
