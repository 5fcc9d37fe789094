"""Query-target pairs of the paper's datasets, drawn anew from a seed by `prune4sed.datasets`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from prune4sed import Graph, GraphSet
from prune4sed.datasets import catalogue, sampling
from prune4sed.datasets.network import Network
from prune4sed.datasets.raw import raw_file, read_raw
from prune4sed.errors import Prune4SEDError

DATASETS = catalogue.names()


@dataclass(frozen=True)
class Pairs:
    """Sampled queries and targets, and which of them belong together."""

    name: str
    queries: GraphSet
    targets: GraphSet
    index: NDArray[np.int64]

    def sizes(self) -> dict[str, float]:
        """Mean numbers of nodes over the pairs, and what the paper says."""
        paper = catalogue.DATASETS[self.name].paper
        return {
            "query_nodes": round(float(self.queries.num_nodes[self.index[:, 0]].mean()), 1),
            "target_nodes": round(float(self.targets.num_nodes[self.index[:, 1]].mean()), 1),
            "paper_query_nodes": paper.query_nodes,
            "paper_target_nodes": paper.target_nodes,
        }

    def where(self, chosen: NDArray[np.bool_]) -> Pairs:
        """The pairs of a mask only."""
        return replace(self, index=self.index[chosen])

    def graphs(self) -> list[tuple[Graph, Graph]]:
        """The pairs one by one."""
        return [(self.queries[i], self.targets[j]) for i, j in self.index.tolist()]


def sample(name: str, count: int, seed: int) -> Pairs:
    """Draw pairs of a dataset, as its test pairs are drawn; the same seed gives the same pairs."""
    drawn = sampling.sample(name, source(name), (1, 1, count), seed, extras=False)["test"]
    return Pairs(name, drawn.queries, drawn.targets, drawn.index)


def source(name: str) -> Network | GraphSet:
    """The raw data of a dataset; ends the script with one line if it cannot be had."""
    try:
        return read_raw(name, raw_file(name))
    except Prune4SEDError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
