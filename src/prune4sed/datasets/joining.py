"""More pairs to train on: the training sets of several datasets as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.graphset import GraphSet

__all__ = ["join_pairs", "with_more", "with_training"]


def with_more(dataset: Dataset, others: Sequence[Dataset]) -> Dataset:
    """A dataset that trains on the pairs of others as well; its other sets stay as they are.

    Whoever gives a dataset of another seed of the same source sees to it that nothing is trained on that is
    tested on, up to pairs that two seeds draw alike by chance.

    Examples
    --------
    >>> from prune4sed import Graph
    >>> graphs = GraphSet([Graph(["C", "O"], [(0, 1)])])
    >>> pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.array([[0, 1]], dtype=np.int32))
    >>> one = Dataset("one", 0, {"train": PairSet(graphs, graphs, pairs)})
    >>> with_more(one, [one]).train.pairs
    PairTable(2 pairs, 100.0% certified)
    """
    if not others:
        return dataset
    more = [{"name": other.name, "seed": other.seed, "pairs": len(other["train"].pairs)} for other in others]
    return with_training(dataset, [other["train"] for other in others], more=more)


def with_training(dataset: Dataset, sets: Sequence[PairSet], **info: Any) -> Dataset:
    """A dataset that trains on further sets of pairs as well, and tells so."""
    train = join_pairs([dataset["train"], *sets])
    # What is told of the training set, its fingerprint above all, is no longer true.
    told = {name: known for name, known in dataset.info.get("sets", {}).items() if name != "train"}
    whole = {**dataset.info, "sets": told, **info}
    return Dataset(dataset.name, dataset.seed, {**dataset.sets, "train": train}, whole, dataset.folder)


def join_pairs(sets: Sequence[PairSet]) -> PairSet:
    """The pairs of several sets, one set after the other."""
    queries = GraphSet.concat([one.queries for one in sets])
    targets = GraphSet.concat([one.targets for one in sets])
    before = np.cumsum([(0, 0), *((len(one.queries), len(one.targets)) for one in sets)], axis=0)
    index = np.concatenate([one.pairs.index + start for one, start in zip(sets, before, strict=False)])
    lower, upper = (np.concatenate([one.pairs[name] for one in sets]) for name in ("lower", "upper"))
    width = max(one.pairs.mapping.shape[1] for one in sets)
    mapping = np.concatenate([_widened(one.pairs.mapping, width) for one in sets])
    return PairSet(queries, targets, PairTable(index, lower, upper, mapping))


def _widened(mapping: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    more = width - mapping.shape[1]
    return np.pad(mapping, ((0, 0), (0, more)), constant_values=-1)
