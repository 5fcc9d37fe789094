"""What all models share: labels, options, and prediction for any list of pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from prune4sed.errors import OptionError
from prune4sed.exact.bulk import as_set, pair_index
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.options import Options
from prune4sed.nn.batch import Bucket, GraphBatch, graph_batch, make_bucket
from prune4sed.nn.buckets import BucketPlan, plan_buckets
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["Encoded", "Graphs", "SedModel", "pick_device", "select"]

Graphs = GraphSet | Iterable[Graph] | Graph
#: What a model makes of its queries, every tensor with one row per query.
Encoded = tuple[Tensor, ...]


class SedModel(nn.Module, ABC):
    """A model that predicts SED from a query and a target.

    Parameters
    ----------
    vocabulary : Vocabulary
        The labels it knows.
    options : Options
        Its hyperparameters.
    """

    #: How the registry and checkpoints call the model.
    name: ClassVar[str]
    #: The dataclass of its hyperparameters.
    options_class: ClassVar[type[Options]]
    #: Target nodes in one bucket of `predict`, on the CPU (where caches are small) and on other devices.
    nodes_per_bucket: ClassVar[tuple[int, int]] = (4096, 131072)

    def __init__(self, vocabulary: Vocabulary, options: Options) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.options = options

    @abstractmethod
    def encode_query(self, query: GraphBatch) -> Encoded:
        """All that depends on the queries alone, one row per query."""

    @abstractmethod
    def score(self, query: Encoded, target: GraphBatch) -> Tensor:
        """Distances (B,) of the i-th encoded query to the i-th target."""

    def forward(self, bucket: Bucket) -> Tensor:
        """Distances of the pairs of a bucket, (B,)."""
        query = self.encode_query(bucket.query)
        return self.score(query if bucket.query_of is None else select(query, bucket.query_of), bucket.target)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device

    def place(self, graphs: Graphs, name: str = "graphs") -> DeviceSet:
        """Graphs recoded for this model and put where it is."""
        return DeviceSet.of(as_set(graphs, name), self.vocabulary, self.device)

    def predict(
        self,
        queries: Graphs,
        targets: Graphs,
        pairs: ArrayLike | Sequence[tuple[int, int]] | None = None,
        batch_size: int | None = None,
    ) -> NDArray[np.float32]:
        """Predicted distances.

        A distance does not depend on which other pairs are asked for. An empty query is at distance 0 and
        any query to an empty target at the number of its nodes and edges; the model is not asked.

        Parameters
        ----------
        queries, targets : GraphSet, iterable of Graph, or Graph
            What to compare.
        pairs : sequence of (query, target) positions, optional
            None pairs the i-th query with the i-th target, or a single query with every target.
        batch_size : int, optional
            At most so many pairs at a time; by default as many as suit the device.

        Returns
        -------
        numpy.ndarray
            float32, one distance per pair.

        Raises
        ------
        GraphError
            If a graph has a label that the model has never seen.
        """
        query_set, target_set = as_set(queries, "queries"), as_set(targets, "targets")
        index = pair_index(pairs, query_set, target_set)
        _check_batch_size(batch_size)
        placed = self.place(query_set), self.place(target_set)
        with self._evaluating():
            answers = self.predict_placed(*placed, index, batch_size).cpu().numpy()
        return _settle_empty(answers.astype(np.float32), query_set, target_set, index)

    def predict_placed(
        self,
        queries: DeviceSet,
        targets: DeviceSet,
        index: NDArray[np.int64],
        batch_size: int | None = None,
    ) -> Tensor:
        """Distances for graphs that are on the device already, in the order of `index`.

        Parameters
        ----------
        queries, targets : DeviceSet
            From `place`.
        index : array of int64, (pairs, 2)
            Positions of query and target.
        batch_size : int, optional
            At most so many pairs at a time.

        Returns
        -------
        Tensor, (pairs,)
        """
        answers = torch.zeros(len(index), device=self.device)
        lone = self._encode_lone(queries, index)
        for plan in plan_buckets(queries, targets, index, self._budget(), batch_size):
            rows = torch.from_numpy(plan.rows).to(self.device)
            answers[rows] = self._answer(queries, targets, index, plan, lone).float()
        return answers

    def _answer(
        self,
        queries: DeviceSet,
        targets: DeviceSet,
        index: NDArray[np.int64],
        plan: BucketPlan,
        lone: Encoded | None,
    ) -> Tensor:
        """Distances of one bucket; a query that occurs several times in it is encoded once."""
        chosen = index[plan.rows]
        target_at = torch.from_numpy(chosen[:, 1].copy()).to(self.device)
        if lone is not None:
            target = graph_batch(targets, target_at, plan.shape.target_nodes, plan.shape.target_arcs)
            return self.score(tuple(x.expand(len(chosen), *x.shape[1:]) for x in lone), target)
        distinct, query_of = np.unique(chosen[:, 0], return_inverse=True)
        query_at = torch.from_numpy(distinct).to(self.device)
        belongs = torch.from_numpy(query_of.astype(np.int64)).to(self.device)
        answers: Tensor = self(make_bucket(queries, targets, query_at, target_at, plan.shape, belongs))
        return answers

    def _encode_lone(self, queries: DeviceSet, index: NDArray[np.int64]) -> Encoded | None:
        """The query of all pairs, encoded once, if there is only one."""
        if len(index) == 0 or (index[:, 0] != index[0, 0]).any():
            return None
        at = int(index[0, 0])
        sizes = max(1, int(queries.num_nodes[at])), max(1, int(queries.num_arcs[at]))
        return self.encode_query(graph_batch(queries, torch.tensor([at], device=self.device), *sizes))

    def _budget(self) -> int:
        return self.nodes_per_bucket[self.device.type != "cpu"]

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode without gradients; whatever mode there was comes back."""
        training = self.training
        self.eval()
        try:
            with torch.inference_mode():
                yield
        finally:
            self.train(training)


def select(encoded: Encoded, rows: Tensor) -> Encoded:
    """Rows of everything encoded."""
    return tuple(x.index_select(0, rows) for x in encoded)


def pick_device(device: str | torch.device = "auto") -> torch.device:
    """A device by name; ``"auto"`` is a GPU if there is one.

    Raises
    ------
    OptionError
        If there is no such device.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise OptionError(f"device {device!r} cannot be used: {reason}") from None
    return chosen


def _check_batch_size(batch_size: Any) -> None:
    if batch_size is None:
        return
    if isinstance(batch_size, bool) or not isinstance(batch_size, Integral) or batch_size < 1:
        raise OptionError(f"batch_size must be a whole number, 1 or more, or None; got {batch_size!r}")


def _settle_empty(
    answers: NDArray[np.float32], queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Put in the distances that need no model."""
    size = (queries.num_nodes + queries.num_edges)[index[:, 0]]
    certain = (size == 0) | (targets.num_nodes[index[:, 1]] == 0)
    answers[certain] = size[certain]
    return answers
