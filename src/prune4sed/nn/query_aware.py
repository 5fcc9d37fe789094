"""Query-aware node features of the target: QAL blocks and GATv2 layers in turn."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.bend import Bend
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.mlp import mlp
from prune4sed.nn.neighbours import listed, neighbour_sum
from prune4sed.nn.on_cpu import aware_stages, engine_serves
from prune4sed.nn.query_attention import QueryAttention, QueryView

__all__ = ["QueryAware"]


class QueryAware(nn.Module):
    """Node features of targets with the query in view.

    Embedding and GATv2 layers serve both graphs. The query's features go through batch normalisations of
    their own between stages, as the target's do at the end of every QAL block; they never depend on the
    target, so they are computed apart.

    Parameters
    ----------
    labels, edge_labels : int
        How many node and edge labels there are; 0 edge labels for graphs without.
    width : int
        Of all features.
    stages : int
        Number of QAL blocks; one GATv2 layer less.
    attention_heads : int
        Of every QAL block.
    use_qal : bool
        Without it the stages are the embedding and the GATv2 layers alone.
    add : bool
        Whether QAL blocks add what nodes find in the query to their features.
    degrees : int
        Nodes have vectors by label and number of neighbours, those with ``degrees - 1`` or more of them the
        same; 1 for vectors by label alone.
    leak : float
        What is let through of negative numbers; nothing in the paper.
    """

    def __init__(
        self,
        labels: int,
        edge_labels: int = 0,
        width: int = 64,
        stages: int = 5,
        attention_heads: int = 4,
        use_qal: bool = True,
        add: bool = False,
        degrees: int = 1,
        leak: float = 0.0,
    ) -> None:
        super().__init__()
        self.add, self.degrees = add, degrees
        self.bend = Bend(width, leak)
        self.embedding = LabelEmbedding(max(1, labels) * degrees, width)
        if degrees > 1:  # a label and a degree that never meet in training are still what they are
            vectors = self.embedding.weight.data.view(-1, degrees, width)
            vectors.copy_(vectors[:, :1] + vectors[:1])
        self.edge_embedding = LabelEmbedding(edge_labels, width) if edge_labels and stages > 1 else None
        bond = width if self.edge_embedding is not None else None
        self.layers = nn.ModuleList(GATv2Layer(width, bond) for _ in range(stages - 1))
        blocks = stages if use_qal else 0
        self.blocks = nn.ModuleList(QueryAttention(width, attention_heads, add, leak) for _ in range(blocks))
        # The last stage's query features only go into the last block, which takes them as they are.
        self.query_norms = nn.ModuleList(MaskedBatchNorm(width) for _ in range(max(0, blocks - 1)))
        self.out = mlp(stages * width, width, width, leak=leak)

    def query_stages(self, query: GraphBatch) -> tuple[Tensor, ...]:
        """What each QAL block looks at: keys and values (Rq, 2 * width) of query nodes; none without QAL."""
        if not self.blocks:
            return ()
        x, edges = self.embedding(self._names(query)), self._edges(query)
        stages = []
        for i, block in enumerate(self.blocks):
            if i:
                x = self.query_norms[i - 1](x, query.mask)
                x = self.layers[i - 1](query, x, edges, self.bend)
            assert isinstance(block, QueryAttention)
            stages.append(block.attention.tell(x))
        return tuple(stages)

    def forward(self, target: GraphBatch, views: Sequence[QueryView]) -> Tensor:
        """Node features of the targets.

        Parameters
        ----------
        target : GraphBatch
            Targets of R rows.
        views : sequence of QueryView
            With what `query_stages` told.

        Returns
        -------
        Tensor, (R, width)
        """
        seen = aware_stages(self, target, views) if self._engine_serves() else self._stages(target, views)
        # Without the bend, this layer and the first of the pruning heads would be one linear layer.
        out: Tensor = self.bend(self.out(seen))
        return out

    def _stages(self, target: GraphBatch, views: Sequence[QueryView]) -> Tensor:
        """Features of target nodes after every stage, side by side."""
        x, edges = self.embedding(self._names(target)), self._edges(target)
        seen = []
        for i in range(len(self.layers) + 1):
            if i:
                x = self.layers[i - 1](target, x, edges, self.bend)
            if self.blocks:
                x = self.blocks[i](x, target, views[i])
            seen.append(x)
        return torch.cat(seen, -1)

    def _names(self, graphs: GraphBatch) -> Tensor:
        """What a node is known by at the start."""
        if self.degrees == 1:
            return graphs.labels
        with torch.no_grad():
            neighbours = neighbour_sum(graphs, graphs.mask.unsqueeze(1).to(self.embedding.weight.dtype))
            few = neighbours.squeeze(1).round().long().clamp(0, self.degrees - 1)
        return graphs.labels * self.degrees + few

    def _engine_serves(self) -> bool:
        """Whether the engine has all that this one needs."""
        weight = self.embedding.weight
        plain = (
            len(self.blocks) > 0
            and not self.add
            and not self.bend.leaky
            and self.degrees == 1
            and self.edge_embedding is None
            and weight.shape[1] % 16 == 0
        )
        return plain and not self.training and engine_serves(weight)

    def _edges(self, graphs: GraphBatch) -> Tensor | None:
        if self.edge_embedding is None:
            return None
        edges: Tensor = self.edge_embedding(listed(graphs).labels)
        return edges
