"""Graph isomorphism network: a layer equal to PyG's, and the encoder of NeuroSED built from it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.mlp import mlp
from prune4sed.nn.neighbours import gather_sources, graph_sum, listed, neighbour_sum, sum_at_ends
from prune4sed.nn.on_cpu import engine_teaches
from prune4sed.nn.taught_on_cpu import gin_sums

__all__ = ["GINEncoder", "GINLayer"]


class GINLayer(nn.Module):
    """``MLP(x + sum of neighbours)``; with edge labels ``MLP(x + sum of relu(neighbour + edge))``.

    Equal to PyG's ``GINConv`` and ``GINEConv`` with eps = 0 and a perceptron of two layers.

    Parameters
    ----------
    width : int
        Of the features, before and after.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mlp = mlp(width, width, width)

    def forward(self, graphs: GraphBatch, x: Tensor, keep: Tensor, edges: Tensor | None = None) -> Tensor:
        """One round of messages.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs of R rows.
        x : Tensor, (R, width) or (R, M, width)
            Features, 0 for nodes that are left out.
        keep : Tensor, (R, 1) or (R, M, 1)
            1 for nodes that are there and 0 for those left out.
        edges : Tensor, (E, width), optional
            Features of arcs.

        Returns
        -------
        Tensor
            As `x`; nodes that are left out have any value.
        """
        if edges is None:
            received = neighbour_sum(graphs, x)
        else:
            edges = edges.unsqueeze(1) if x.dim() == 3 else edges
            # A node that is left out sends nothing, not even its edge's features.
            sent = torch.relu(gather_sources(graphs, x) + edges) * gather_sources(graphs, keep)
            received = sum_at_ends(graphs, sent)
        out: Tensor = self.mlp(x + received)
        return out


class GINEncoder(nn.Module):
    """One vector per graph: GIN layers, the sums over nodes after each of them, and a perceptron on those.

    Every second layer adds what came in two layers before. Several prunings of the same graphs (heads) are
    encoded together.

    Parameters
    ----------
    labels, edge_labels : int
        How many node and edge labels there are; 0 edge labels for graphs without.
    width : int
        Of all features and of the result.
    layers : int
        How many.
    """

    def __init__(self, labels: int, edge_labels: int = 0, width: int = 64, layers: int = 8) -> None:
        super().__init__()
        self.width = width
        self.embedding = LabelEmbedding(labels, width)
        self.edge_embedding = LabelEmbedding(edge_labels, width) if edge_labels else None
        self.layers = nn.ModuleList(GINLayer(width) for _ in range(layers))
        self.out = mlp(width * (layers + 1), width, width)

    def forward(self, graphs: GraphBatch, scale: Tensor | None = None, keep: Tensor | None = None) -> Tensor:
        """Encode graphs, or M prunings of each.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs of R rows.
        scale : Tensor, (R, M), optional
            Keep probabilities: factors on the label vectors.
        keep : Tensor of bool, (R, M), optional
            The nodes that hard pruning leaves; all by default.

        Returns
        -------
        Tensor, (B, width), or (B, M, width) with `scale`
        """
        if self.edge_embedding is None and engine_teaches(self.embedding.weight):
            found: Tensor = self.out(gin_sums(self, graphs, scale, keep))
            return found.squeeze(1) if scale is None else found
        there = graphs.mask if scale is None else graphs.mask.unsqueeze(1)
        there = (there if keep is None else there & keep).unsqueeze(-1).to(self.embedding.weight.dtype)
        if self.edge_embedding is None and kernels.usable(there.device) and kernels.fits(self.width):
            found = self._fused(graphs, scale, there)
            return found.squeeze(1) if scale is None else found
        x = self.embedding(graphs.labels, scale)
        edges = None if self.edge_embedding is None else self.edge_embedding(listed(graphs).labels)
        x = kept = x * there
        parts = [graph_sum(graphs, x)]
        for i, layer in enumerate(self.layers):
            x = layer(graphs, x, there, edges)
            if i % 2:
                x = kept = x + kept
            x = torch.relu(x) * there
            parts.append(graph_sum(graphs, x))
        out: Tensor = self.out(torch.cat(parts, -1))
        return out

    def _fused(self, graphs: GraphBatch, scale: Tensor | None, there: Tensor) -> Tensor:
        """The same in two kernels per layer; (B, 1, width) without `scale`."""
        vectors, batch = self.embedding.look_up(graphs.labels), (graphs.starts, graphs.graph_of)
        scale = vectors.new_ones((graphs.rows, 1)) if scale is None else scale
        heads = scale.shape[1]
        there = there.view(graphs.rows, -1).expand(-1, heads).reshape(-1)
        x, kept, total = kernels.gin_start(vectors, self.embedding.bias, scale, there, batch)
        sums = [total]
        for i, layer in enumerate(self.layers):
            assert isinstance(layer, GINLayer)
            y = kernels.neighbour_sum(graphs.links, x.view(graphs.rows, -1), own=True)
            w1, b1, w2, b2 = layer.mlp.parameters()
            before = kept if i % 2 else None
            weights = w1, b1, w2, b2
            x, total, z = kernels.gin_step(y.view(-1, self.width), before, there, weights, batch, heads)
            kept = z if i % 2 else kept
            sums.append(total)
        out: Tensor = self.out(torch.cat(sums, -1))
        return out.view(len(graphs), heads, -1)
