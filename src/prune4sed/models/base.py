"""What all models share: labels, options, and prediction for any list of pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from prune4sed.errors import GraphError, OptionError
from prune4sed.exact.bulk import as_set
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label
from prune4sed.models.options import Options
from prune4sed.models.predictor import Graphs, Predictor
from prune4sed.models.stand_ins import Asked, in_known_labels
from prune4sed.nn.batch import GraphBatch, PairBatch, graph_batch
from prune4sed.nn.buckets import chunks
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.memory import memory_advice
from prune4sed.nn.threads import map_threads
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["Encoded", "Graphs", "SedModel", "of_target", "pick_device", "settle_empty", "used_graphs"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Several threads may predict with one model, which is in one mode.
_MODES = Lock()
_LEAST_NODES = 512  # in a batch on a CPU: with fewer, most of the time would go into calls


class Encoded(NamedTuple):
    """What a model makes of its queries.

    Attributes
    ----------
    queries : GraphBatch
        The queries.
    parts : tuple of Tensor
        As the model likes.
    """

    queries: GraphBatch
    parts: tuple[Tensor, ...]


class SedModel(nn.Module, Predictor):
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
    #: Target nodes in one batch of `predict`, on the CPU (where caches are small) and on other devices.
    nodes_per_batch: ClassVar[tuple[int, int]] = (8192, 262144)
    #: Labels that the queries it was trained on had, the best to stand in for others first; None: not told.
    met: tuple[Label, ...] | None = None

    def __init__(self, vocabulary: Vocabulary, options: Options) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.options = options
        self._evaluations, self._trained = 0, True

    @abstractmethod
    def encode_query(self, query: GraphBatch) -> Encoded:
        """All that depends on the queries alone."""

    @abstractmethod
    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        """Distances (B,) of encoded queries to targets; `query_of` as in a `PairBatch`."""

    def forward(self, pairs: PairBatch) -> Tensor:
        """Distances of the pairs of a batch, (B,)."""
        return self.score(self.encode_query(pairs.query), pairs.target, pairs.query_of)

    @property
    def metric(self) -> bool:
        """Whether its distances keep the triangle inequality by design, as those of NeuroSED's norm do."""
        return False

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device

    def place(self, graphs: Graphs, name: str = "graphs") -> DeviceSet:
        """Graphs recoded for this model and put where it is."""
        return DeviceSet.of(as_set(graphs, name), self.vocabulary, self.device)

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        smaller = "this many pairs at a time; give a smaller batch_size"
        queries, targets, index = used_graphs(queries, targets, index)
        answers = np.zeros(len(index), np.float32)
        with self.evaluating(), memory_advice(smaller):
            for one in self.asked(queries, targets, index):
                answers[one.rows] = self._answers(one, batch_size)
        answers = settle_empty(answers, queries, targets, index)
        _refuse_not_finite(answers, queries, targets, index)
        return answers if self.metric else _at_most_all(answers, queries, index)

    def _answers(self, one: Asked, batch_size: int | None) -> NDArray[np.float32]:
        """Of one group, with no graphs in place but its own."""
        queries, targets, index = used_graphs(one.queries, one.targets, one.pairs)
        placed = self.place(queries), self.place(targets)
        answers: NDArray[np.float32] = self.predict_placed(*placed, index, batch_size).cpu().numpy()
        return answers

    def check_readable(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> None:
        super().check_readable(queries, targets, index)
        for one in self.asked(*used_graphs(queries, targets, index)):
            *graphs, _ = used_graphs(one.queries, one.targets, one.pairs)
            for each in graphs:
                self.vocabulary.node_codes(each)
                self.vocabulary.edge_codes(each)

    def asked(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> Iterator[Asked]:
        """Pairs in groups, each in labels that the model knows from queries, as far as that is possible."""
        return in_known_labels(queries, targets, index, self.met, frozenset(self.vocabulary.nodes))

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
        sizes = queries.num_nodes[index[:, 0]], targets.num_nodes[index[:, 1]]
        lists = self._pair_batches(*sizes, batch_size)
        if not lists:
            return answers
        # One query against many targets is encoded once, not with every batch.
        shared = np.unique(index[lists[0], 0])
        encoded = self.encode_query(self._gather(queries, shared))

        def answer(rows: NDArray[np.int64]) -> Tensor:
            distinct, query_of = np.unique(index[rows, 0], return_inverse=True)
            same = np.array_equal(distinct, shared)
            query = encoded if same else self.encode_query(self._gather(queries, distinct))
            target = self._gather(targets, index[rows, 1])
            return self.score(query, target, self._put(query_of.astype(np.int64))).float()

        for rows, found in zip(lists, self._each(answer, lists), strict=True):
            answers[self._put(rows)] = found
        return answers

    def _pair_batches(
        self, query_nodes: NDArray[np.int64], target_nodes: NDArray[np.int64], batch_size: int | None
    ) -> list[NDArray[np.int64]]:
        """Lists of pairs whose graphs have so many nodes; the work grows with those of the target."""
        return self._batches(target_nodes, batch_size)

    def _batches(
        self, sizes: NDArray[np.int64], batch_size: int | None, like: NDArray[np.int64] | None = None
    ) -> list[NDArray[np.int64]]:
        """Lists of items of so many nodes each, as many as suit the device at a time."""
        most, share = self.nodes_per_batch[self.device.type != "cpu"], int(sizes.sum())
        if self.device.type == "cpu":  # small enough that every thread has some
            share = max(_LEAST_NODES, share // (2 * torch.get_num_threads()))
        return list(chunks(sizes, min(most, max(1, share)), batch_size, like))

    def _each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """`work` on every item; side by side on a CPU, if there is nothing to be learnt."""
        if self.device.type == "cpu" and not torch.is_grad_enabled():
            return map_threads(work, items, torch.get_num_threads())
        return map(work, items)

    def _pair(self, query: Graph, target: Graph) -> tuple[GraphBatch, GraphBatch]:
        """Two graphs as batches of one."""
        one = np.zeros(1, np.int64)
        (pair,) = self.asked(as_set(query, "query"), as_set(target, "target"), np.zeros((1, 2), np.int64))
        return self._gather(self.place(pair.queries), one), self._gather(self.place(pair.targets), one)

    def _gather(self, graphs: DeviceSet, positions: NDArray[np.int64]) -> GraphBatch:
        sizes = int(graphs.num_nodes[positions].sum()), int(graphs.num_arcs[positions].sum())
        return graph_batch(graphs, self._put(positions), *sizes)

    def _put(self, array: NDArray[np.int64]) -> Tensor:
        return torch.tensor(array, device=self.device)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Evaluation mode without gradients; whatever mode there was comes back with the last to leave."""
        with _MODES:
            if not self._evaluations:
                self._trained = self.training
                # Telling every part what it is already takes as long as a small pair.
                if any(part.training for part in self.modules()):
                    self.eval()
            self._evaluations += 1
        try:
            with torch.inference_mode():
                yield
        finally:
            with _MODES:
                self._evaluations -= 1
                if not self._evaluations and self._trained:
                    self.train()


def of_target(rows: Tensor, query_of: Tensor | None) -> Tensor:
    """Rows of queries (Q, ...) as rows of the targets that they belong to, (B, ...)."""
    return rows if query_of is None else rows.index_select(0, query_of)


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
        torch.zeros(1, device=chosen).cpu()  # "meta" has tensors, but nothing in them
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise OptionError(f"device {device!r} cannot be used: {reason}") from None
    return chosen


def used_graphs(
    queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]
) -> tuple[GraphSet, GraphSet, NDArray[np.int64]]:
    """The graphs that pairs need, and the pairs among them: a few of a library are soon put in place."""
    (queries, of), (targets, to) = _used(queries, index[:, 0]), _used(targets, index[:, 1])
    return queries, targets, np.column_stack([of, to])


def _used(graphs: GraphSet, positions: NDArray[np.int64]) -> tuple[GraphSet, NDArray[np.int64]]:
    distinct, which = np.unique(positions, return_inverse=True)
    if len(distinct) == len(graphs):
        return graphs, positions
    return graphs.take(distinct), which.astype(np.int64)


def settle_empty(
    answers: NDArray[np.float32], queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Put in the distances that need no model."""
    size = (queries.num_nodes + queries.num_edges)[index[:, 0]]
    certain = (size == 0) | (targets.num_nodes[index[:, 1]] == 0)
    answers[certain] = size[certain]
    return answers


def _at_most_all(
    answers: NDArray[np.float32], queries: GraphSet, index: NDArray[np.int64]
) -> NDArray[np.float32]:
    """None above deleting the whole query, as models may say of targets smaller than any in training."""
    size = (queries.num_nodes + queries.num_edges)[index[:, 0]]
    least: NDArray[np.float32] = np.minimum(answers, size.astype(np.float32))
    return least


def _refuse_not_finite(
    answers: NDArray[np.float32], queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]
) -> None:
    """Weights may be finite and yet too large for what they are multiplied with."""
    wrong = np.flatnonzero(~np.isfinite(answers))
    if len(wrong):
        query, target = index[wrong[0]].tolist()
        raise GraphError(
            f"the model has no finite answer for query {queries.ids[query]!r} and target "
            f"{targets.ids[target]!r}; its weights are too large for graphs of this size"
        )
