"""Prune4SED-plus: prune the target with the query in view, then match what is left node by node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.models.base import Encoded, SedModel
from prune4sed.models.matching import BEAM, Match, match_pairs
from prune4sed.models.options import Options
from prune4sed.models.prune4sed import Pruning
from prune4sed.nn.batch import GraphBatch, PairBatch, Part
from prune4sed.nn.bend import LEAK
from prune4sed.nn.dense import adjacency
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.fit import log_use
from prune4sed.nn.keeping import KeepHead, Kept, keep_best, keep_count, keep_counts
from prune4sed.nn.neighbours import graph_sum
from prune4sed.nn.padding import pad_rows
from prune4sed.nn.pair_head import PairHead
from prune4sed.nn.pair_layer import BOUND, PairGrid
from prune4sed.nn.pair_rounds import PairRounds
from prune4sed.nn.pair_start import NodeFacts, PairStart, node_facts
from prune4sed.nn.query_attention import QueryView
from prune4sed.nn.query_aware import QueryAware
from prune4sed.nn.relations import KINDS, RelatedNodes, only_labels_of, related_nodes, related_size
from prune4sed.nn.repeating import repeat_graphs
from prune4sed.nn.thought import Thought, Thoughts
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.nn.whole_numbers import PairDoubt

__all__ = ["Prune4SEDPlus", "Prune4SEDPlusOptions"]

Longs = NDArray[np.int64]

# Pairs of nodes that are as much work as a target node is to other models, and numbers about related nodes
# that take as much memory as all that is made of a pair of nodes.
_CELLS_PER_NODE, _RELATED_PER_CELL = 8, 128


@dataclass(frozen=True)
class Prune4SEDPlusOptions(Options):
    """Hyperparameters of Prune4SED-plus.

    Parameters
    ----------
    width : int
        Of the node features that keep probabilities come from.
    stages, attention_heads : int
        QAL blocks, with GATv2 layers between them, and the heads of each.
    add : bool
        Whether what a target node finds in the query is added to its features, not only scales them.
    degrees : int
        Nodes of one label have so many vectors, for 0, 1, ... neighbours, the last for all larger numbers.
    keep : int
        So many target nodes are left for queries of up to 25 nodes, in proportion more for larger ones.
    pair_width, pair_heads, pair_layers : int
        Of the network on pairs of nodes.
    relations : bool
        Whether triangles and other shapes that nodes lie in are counted and compared.
    whole : bool
        Whether distances are taken to be whole numbers, as they are with unit costs: the less doubt there is,
        the closer is the prediction to one.
    leaky : bool
        Whether units let a little of negative numbers through (leaky ReLU), save those that were trained as
        plain ReLUs before. Of those many end up where no input turns them on, and stay there.
    bounded : bool
        Whether every round keeps features of pairs within bounds. Without that those of a few pairs may grow
        from layer to layer until nothing else is learnt from.
    """

    before: ClassVar[dict[str, Any]] = {
        "relations": False,
        "degrees": 1,
        "whole": False,
        "leaky": False,
        "bounded": False,
    }

    width: int = 32
    stages: int = 3
    attention_heads: int = 2
    add: bool = True
    degrees: int = 8
    keep: int = 127
    pair_width: int = 32
    pair_heads: int = 8
    pair_layers: int = 8
    relations: bool = True
    whole: bool = True
    leaky: bool = True
    bounded: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.attention_heads:
            raise OptionError(f"width {self.width} is no multiple of {self.attention_heads} attention_heads")


class Prune4SEDPlus(SedModel):
    """Prune4SED's keep probabilities choose target nodes; a network on pairs of nodes matches them.

    Parameters
    ----------
    vocabulary : Vocabulary
        The labels it knows.
    options : Prune4SEDPlusOptions, optional
        Its hyperparameters.
    """

    name = "prune4sed-plus"
    options_class = Prune4SEDPlusOptions
    # Fewer on a CPU than other models, for the features of a pair of nodes are many: they stay in its cache.
    nodes_per_batch = (2560, 262144)

    def __init__(self, vocabulary: Vocabulary, options: Prune4SEDPlusOptions | None = None) -> None:
        options = options or Prune4SEDPlusOptions()
        super().__init__(vocabulary, options)
        self.options: Prune4SEDPlusOptions = options
        labels, bonds, width = vocabulary.num_node_codes, vocabulary.num_edge_codes, options.width
        leak = LEAK if options.leaky else 0.0
        attention = options.attention_heads, True, options.add, options.degrees, leak
        self.aware = QueryAware(labels, bonds, width, options.stages, *attention)
        self.keep_head = KeepHead(width, leak)
        kinds = KINDS if options.relations else 0
        self.start = PairStart(2 * width, width, options.pair_width, kinds, leak)
        layer = options.pair_width, options.pair_heads, leak, BOUND if options.bounded else 0.0
        self.layers = PairRounds(options.pair_layers, *layer)
        self.head = PairHead(options.pair_width)
        self.doubt = PairDoubt(options.pair_width, leak) if options.whole else None

    def encode_query(self, query: GraphBatch) -> Encoded:
        with _full_precision(query.labels.device):
            return Encoded(query, self.aware.query_stages(query))

    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        return self.think(query, target, query_of).distances

    def forward(self, pairs: PairBatch) -> Tensor:
        return self.thoughts(pairs).distances

    def thoughts(self, pairs: PairBatch) -> Thoughts:
        """All that there is to learn from about a batch."""
        query = self.encode_query(pairs.query)
        if not pairs.parts:
            whole = self.think(query, pairs.target, pairs.query_of)
            return Thoughts(whole.keep_logits, [whole])
        features, logits = self._look(query, pairs.target)
        return Thoughts(logits, [self._part(query, pairs.target, features, logits, x) for x in pairs.parts])

    def think(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Thought:
        """Prune, match, and add up."""
        if query_of is not None:
            query = _some(query, query_of)
        return self._match(query, target, *self._look(query, target))

    def _look(self, query: Encoded, target: GraphBatch) -> tuple[Tensor, Tensor]:
        """Features of target nodes with the query in view, and logits of their keep probabilities."""
        with _full_precision(target.labels.device):
            features = self.aware(target, [QueryView(told, query.queries) for told in query.parts])
            return features, self.keep_head(features, log_use(query.queries, target))

    def _part(
        self, query: Encoded, target: GraphBatch, features: Tensor, logits: Tensor, part: Part
    ) -> Thought:
        """What is thought about some of the pairs."""
        which = torch.arange(part.first, part.last, device=logits.device)
        rows = part.budget
        sizes = (None, None) if rows is None else (rows.query_rows, rows.query_arcs)
        query = _some(query, which, *sizes)
        sizes = (None, None) if rows is None else (rows.target_rows, rows.target_arcs)
        target, source = repeat_graphs(target, which, *sizes)
        target = replace(target, largest=part.largest)
        return self._match(query, target, features.index_select(0, source), logits.index_select(0, source))

    def _match(self, query: Encoded, target: GraphBatch, features: Tensor, logits: Tensor) -> Thought:
        kept = self._keep(query.queries, target, logits)
        log_keep = nn.functional.logsigmoid(kept.take(logits)).masked_fill(~kept.mask, 0)
        labels, queries = self.vocabulary.num_node_codes, query.queries
        ours = node_facts(queries, labels, query.parts[-1])
        theirs = NodeFacts(*(kept.take(x) for x in node_facts(target, labels, features)))
        grid = self._grid(queries, target, kept, log_keep, ours, theirs)
        related = self._related(grid, ours, theirs) if self.options.relations else None
        x = self.layers(self.start(queries, ours, theirs, log_keep, target.sizes, related), grid)
        logs, costs = self.head(x, grid)
        variances = None if self.doubt is None else self.doubt(x, logs, queries)
        thought = Thought(grid, target, logits, kept, logs, costs, variances)
        return thought if self.training else _at_most_all(thought)

    def choose_keep(self, keep: int) -> None:
        """Keep so many target nodes from now on; weights stay as they are."""
        self.options = replace(self.options, keep=keep)

    def prune(self, query: Graph, target: Graph) -> Pruning:
        """Keep probabilities and kept nodes of a target, as of one head.

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
            thought = self.think(self.encode_query(q), t)
        size = len(target.labels)
        keep = torch.sigmoid(thought.keep_logits[:size]).cpu().numpy().astype(np.float32)
        kept = (thought.kept.place[:size] < thought.kept.size).cpu().numpy()
        return Pruning(keep[None], kept[None])

    def match(self, query: Graph, target: Graph, beam: int = BEAM) -> Match:
        """A mapping, with the distance that the model predicts and the one that the mapping proves.

        Parameters
        ----------
        query, target : Graph
            With labels that the model knows.
        beam : int
            How many partial mappings are followed at a time.

        Returns
        -------
        Match
        """
        found = match_pairs(self, query, target, beam=beam)
        images = found.mapping[0, : len(query.labels)].tolist()
        mapping = tuple(None if v < 0 else v for v in images)
        return Match(float(found.predicted[0]), float(found.upper[0]), mapping)

    def _pair_batches(self, query_nodes: Longs, target_nodes: Longs, batch_size: int | None) -> list[Longs]:
        """Pairs with targets of like size, for all candidates of a batch are padded to the same number."""
        most = keep_count(int(query_nodes.max(initial=1)), self.options.keep)
        candidates = 1 + np.minimum(target_nodes, most)
        cells = query_nodes * candidates
        if self.options.relations:
            labels = self.vocabulary.num_node_codes if self.device.type != "cpu" else 0
            cells = cells + related_size(candidates, labels) // _RELATED_PER_CELL
        return self._batches(cells // _CELLS_PER_NODE + 1, batch_size, target_nodes)

    def _gather(self, graphs: DeviceSet, positions: Longs) -> GraphBatch:
        largest = max(1, int(graphs.num_nodes[positions].max(initial=1)))
        return replace(super()._gather(graphs, positions), largest=largest)

    def _keep(self, queries: GraphBatch, target: GraphBatch, logits: Tensor) -> Kept:
        keep = self.options.keep
        return keep_best(target, logits, keep_counts(queries.sizes, keep), keep_count(queries.width, keep))

    def _grid(
        self,
        queries: GraphBatch,
        target: GraphBatch,
        kept: Kept,
        log_keep: Tensor,
        ours: NodeFacts,
        theirs: NodeFacts,
    ) -> PairGrid:
        """All that the rounds go by; the first candidate is "deleted", which all else makes room for."""
        edges = adjacency(target, kept.place, kept.size, self.vocabulary.num_edge_codes)
        labels = theirs.labels.index_select(0, queries.graph_of)
        equal = ours.labels.unsqueeze(1) == labels
        if self.vocabulary.unknown:  # of two labels that it does not know, the model cannot say they agree
            equal = equal & (labels < self.vocabulary.num_node_codes - 1)
        costs = 1 - equal.to(log_keep.dtype)
        pad = nn.functional.pad
        return PairGrid(
            queries=queries,
            there=pad(kept.mask, (1, 0), value=True),
            edges=pad(edges, (1, 0, 1, 0)),
            log_keep=pad(log_keep, (1, 0)),
            node_costs=pad(costs, (1, 0), value=1.0),
            degrees=ours.degrees,
        )

    def _related(
        self, grid: PairGrid, ours: NodeFacts, theirs: NodeFacts
    ) -> tuple[RelatedNodes, RelatedNodes]:
        """Nodes that query nodes and candidates are related to, through nodes that are kept."""
        queries, codes = grid.queries, self.vocabulary.num_node_codes
        place = queries.local().where(queries.mask, queries.width)
        edges = adjacency(queries, place, queries.width).squeeze(0)
        names = pad_rows(queries, ours.labels + 1) - 1
        their_names = nn.functional.pad(theirs.labels, (1, 0), value=-1)
        if names.device.type == "cpu":  # labels that no query has would take most of the time
            names, their_names, codes = only_labels_of(names, their_names, codes)
        return related_nodes(edges, names, codes), related_nodes(grid.edges.sum(0), their_names, codes)


def _at_most_all(thought: Thought) -> Thought:
    """No distance is larger than that of deleting the whole query: labels never met may mislead a model."""
    queries, grid = thought.queries, thought.grid
    edges = graph_sum(queries, (grid.degrees * queries.mask).unsqueeze(1)).squeeze(1) / 2
    share = ((queries.sizes + edges) / thought.sums.clamp(min=1e-6)).clamp(max=1)
    return thought._replace(costs=thought.costs * grid.of_rows(share).unsqueeze(1))


def _full_precision(device: torch.device) -> torch.autocast:
    """Kernels and batch norms take float32 only, whatever the pair network computes in."""
    return torch.autocast(device.type, enabled=False)


def _some(query: Encoded, which: Tensor, rows: int | None = None, arcs: int | None = None) -> Encoded:
    """Some of the queries, in order, any of them several times."""
    queries, source = repeat_graphs(query.queries, which, rows, arcs)
    return Encoded(queries, tuple(part.index_select(0, source) for part in query.parts))
