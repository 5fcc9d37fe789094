"""Prune4SED: prune the target in several ways with the query in view, then compare what is left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.models.base import Encoded, SedModel, of_target
from prune4sed.models.neurosed import norm_distance
from prune4sed.models.options import Options
from prune4sed.nn.batch import GraphBatch, PairBatch
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.pruning import PrunedNodes, PruningHeads
from prune4sed.nn.query_attention import QueryView
from prune4sed.nn.query_aware import QueryAware
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["Prune4SED", "Prune4SEDOptions", "Pruning"]


@dataclass(frozen=True)
class Prune4SEDOptions(Options):
    """Hyperparameters of Prune4SED; the defaults are the paper's.

    Parameters
    ----------
    width : int
        Of all features.
    stages : int
        L, the number of QAL blocks with GATv2 layers between them.
    attention_heads : int
        Of every QAL block.
    heads : int
        M, the number of prunings.
    k, h : int
        Hard pruning leaves the k best nodes and all within h hops.
    predictor_layers : int
        GIN layers of the predictor.
    use_qal : bool
        Without it, nodes are pruned with the query out of view.
    hard, soft : bool
        Whether to prune hard, and whether to scale features by keep probabilities. Keep probabilities learn
        through soft pruning alone.
    """

    width: int = 64
    stages: int = 5
    attention_heads: int = 4
    heads: int = 5
    k: int = 5
    h: int = 4
    predictor_layers: int = 8
    use_qal: bool = True
    hard: bool = True
    soft: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.attention_heads:
            raise OptionError(f"width {self.width} is no multiple of {self.attention_heads} attention_heads")

    def at_least(self, name: str) -> int:
        return 0 if name == "h" else 1


@dataclass(frozen=True, eq=False)
class Pruning:
    """What the heads of a model make of one target.

    Attributes
    ----------
    keep : array of float32, (heads, nodes)
        Keep probabilities.
    kept : array of bool, (heads, nodes)
        Nodes that hard pruning leaves.
    """

    keep: NDArray[np.float32]
    kept: NDArray[np.bool_]


class Prune4SED(SedModel):
    """Query-aware node features, M prunings, NeuroSED on each of them, and the mean.

    Examples
    --------
    >>> model = Prune4SED(Vocabulary(("C", "O")), Prune4SEDOptions(heads=2, k=1, h=0))
    >>> q = Graph(["C"])
    >>> model.prune(q, Graph(["C", "O", "O"], [(0, 1), (1, 2)])).kept.sum(axis=1).tolist()
    [1, 1]
    """

    name = "prune4sed"
    options_class = Prune4SEDOptions

    def __init__(self, vocabulary: Vocabulary, options: Prune4SEDOptions | None = None) -> None:
        options = options or Prune4SEDOptions()
        super().__init__(vocabulary, options)
        labels, bonds, width = vocabulary.num_node_codes, vocabulary.num_edge_codes, options.width
        self.options: Prune4SEDOptions = options
        self.aware = QueryAware(
            labels, bonds, width, options.stages, options.attention_heads, options.use_qal
        )
        self.pruning = PruningHeads(width, options.heads, options.k, options.h, options.hard)
        self.predictor = GINEncoder(labels, bonds, width, options.predictor_layers)

    def encode_query(self, query: GraphBatch) -> Encoded:
        return Encoded(query, (self.predictor(query), *self.aware.query_stages(query)))

    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        return self._compare(query, target, self._prune(query, target, query_of), query_of)

    def heads_and_logits(self, pairs: PairBatch) -> tuple[Tensor, Tensor]:
        """What each head predicts (B, M) for a batch, and keep probabilities (R, M) before the sigmoid."""
        query = self.encode_query(pairs.query)
        pruned = self._prune(query, pairs.target, pairs.query_of)
        return self._compare_heads(query, pairs.target, pruned, pairs.query_of), pruned.logits

    def _compare(
        self, query: Encoded, target: GraphBatch, pruned: PrunedNodes, query_of: Tensor | None
    ) -> Tensor:
        return self._compare_heads(query, target, pruned, query_of).mean(1)

    def _compare_heads(
        self, query: Encoded, target: GraphBatch, pruned: PrunedNodes, query_of: Tensor | None
    ) -> Tensor:
        """Distances that the heads predict, (B, M)."""
        scale = pruned.keep if self.options.soft else torch.ones_like(pruned.keep)
        rest = self.predictor(target, scale, pruned.kept if self.options.hard else None)
        vector = of_target(query.parts[0], query_of)
        return norm_distance(vector.unsqueeze(1), rest)

    def _prune(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> PrunedNodes:
        views = [QueryView(told, query.queries, query_of) for told in query.parts[1:]]
        pruned: PrunedNodes = self.pruning(target, self.aware(target, views))
        return pruned

    def choose_k(self, k: int) -> None:
        """Let hard pruning start from so many best nodes from now on; weights stay as they are."""
        self.options = replace(self.options, k=k)
        self.pruning.k = k

    def prune(self, query: Graph, target: Graph) -> Pruning:
        """Keep probabilities and kept nodes of a target, per head.

        Parameters
        ----------
        query, target : Graph
            With labels that the model knows.

        Returns
        -------
        Pruning
        """
        with self.evaluating():
            q, t = self._pair(query, target)
            pruned = self._prune(self.encode_query(q), t)
        size = len(target.labels)
        keep, kept = (x[:size].T.cpu().numpy() for x in (pruned.keep, pruned.kept))
        return Pruning(keep.astype(np.float32), kept)

    def predict_heads(self, query: Graph, target: Graph) -> NDArray[np.float32]:
        """The distance that each head predicts, (heads,); their mean is what `predict` says.

        Parameters
        ----------
        query, target : Graph
            With labels that the model knows, and at least one node each.
        """
        with self.evaluating():
            q, t = self._pair(query, target)
            encoded = self.encode_query(q)
            distances = self._compare_heads(encoded, t, self._prune(encoded, t), None)
        return distances[0].cpu().numpy().astype(np.float32)
