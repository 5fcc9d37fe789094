"""Dataset: named sets of labelled pairs, from one source and one seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from prune4sed.datasets.table import PairTable
from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet

__all__ = ["KNOWN_LABELS", "Dataset", "PairSet", "figures", "percent"]


#: In `Dataset.info`: the labels that a model of this dataset knows by name. All others, which are rare here,
#: and any that it has never seen, are one and the same to it; the exact engine still tells them apart.
KNOWN_LABELS = "known_labels"


class PairSet(NamedTuple):
    """Queries, targets, and the labelled pairs between them.

    Examples
    --------
    >>> from prune4sed.datasets import Dataset
    >>> def worst(dataset: Dataset) -> float:
    ...     queries, targets, pairs = dataset.test
    ...     return float(pairs.upper.max())
    """

    queries: GraphSet
    targets: GraphSet
    pairs: PairTable


class Dataset(Mapping[str, PairSet]):
    """Named sets of labelled pairs; ``dataset.train`` is ``dataset["train"]``.

    Parameters
    ----------
    name : str
        What it is called.
    seed : int
        The seed it was sampled with.
    sets : mapping of str to PairSet
        The sets, in order: train, validation, test, and the extra ones.
    info : mapping, optional
        What else is known: source, protocol, fingerprints, node limits.
    folder : Path, optional
        Where it was read from.

    Examples
    --------
    >>> import numpy as np
    >>> from prune4sed import Graph, GraphSet
    >>> graphs = GraphSet([Graph(["C", "O"], [(0, 1)])])
    >>> pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.array([[0, 1]], dtype=np.int32))
    >>> dataset = Dataset("tiny", 0, {"train": PairSet(graphs, graphs, pairs)})
    >>> dataset.train.pairs
    PairTable(1 pair, 100.0% certified)
    >>> print(dataset)
    Dataset 'tiny', seed 0
      train        1 pair    queries of 2.0 nodes, targets of 2.0, 100 % certified
    """

    def __init__(
        self,
        name: str,
        seed: int,
        sets: Mapping[str, PairSet],
        info: Mapping[str, Any] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self.seed = seed
        self.sets: Mapping[str, PairSet] = MappingProxyType(dict(sets))
        self.info: dict[str, Any] = dict(info or {})
        self.folder = folder

    def __getitem__(self, name: str) -> PairSet:
        if name not in self.sets:
            raise KeyError(f"{self.name} has no set {name!r}; there are {', '.join(self.sets)}")
        return self.sets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)

    def __getattr__(self, name: str) -> PairSet:
        # Only asked for what is not found otherwise; `sets` itself is missing while an object is copied.
        sets = self.__dict__.get("sets", {})
        if name not in sets:
            known = ", ".join(sets)
            raise AttributeError(f"a dataset has no attribute {name!r}; the sets here are {known}")
        found: PairSet = sets[name]
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.sets})

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}, seed {self.seed}: {', '.join(self.sets)}>"

    def __str__(self) -> str:
        lines = [f"Dataset {self.name!r}, seed {self.seed}"]
        for name, one in self.sets.items():
            known = figures(one)
            count = f"{known['pairs']:,} pair{'s' * (known['pairs'] != 1)}"
            lines.append(
                f"  {name:<{_NAMES}}{count:>14}    queries of {known['query_nodes']:.1f} nodes, "
                f"targets of {known['target_nodes']:.1f}, {percent(known['certified'])} certified"
            )
        return "\n".join(lines)


# The longest name of a set, and a space.
_NAMES = len("medium_validation ")


def figures(one: PairSet) -> dict[str, Any]:
    """How many pairs a set has, how large its graphs are on average over the pairs, and the certified share.

    Examples
    --------
    >>> import numpy as np
    >>> from prune4sed import Graph, GraphSet
    >>> graphs = GraphSet([Graph(["C", "O"], [(0, 1)]), Graph(["C"])])
    >>> pairs = PairTable(np.array([[1, 0]]), np.zeros(1), np.zeros(1), np.array([[0]], dtype=np.int32))
    >>> figures(PairSet(graphs, graphs, pairs))
    {'pairs': 1, 'query_nodes': 1.0, 'target_nodes': 2.0, 'certified': 1.0}
    """
    queries, targets, pairs = one
    if not len(pairs):
        raise OptionError("a set of a dataset needs at least one pair")
    return {
        "pairs": len(pairs),
        "query_nodes": _mean(queries.num_nodes[pairs.query]),
        "target_nodes": _mean(targets.num_nodes[pairs.target]),
        "certified": _mean(pairs.certified),
    }


def percent(share: float) -> str:
    """A share in words that says 100 % only when nothing is missing.

    Examples
    --------
    >>> percent(1.0), percent(0.99999), percent(0.9871)
    ('100 %', '99.99 %', '98.71 %')
    """
    return "100 %" if share == 1 else f"{min(99.99, 100 * share):.2f} %"


def _mean(values: Any) -> float:
    """A mean of whole numbers, to six places: the same digits on every machine."""
    return round(int(np.sum(values)) / len(values), 6)
