"""Write a dataset to a folder; `dataset_files` says what lies in it."""

from __future__ import annotations

import json
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import Dataset, figures
from prune4sed.datasets.dataset_files import FILES, FORMAT, INFO, PAIRS, QUERIES, TARGETS, VERSION
from prune4sed.datasets.folder import replacing_folder
from prune4sed.datasets.table import list_column
from prune4sed.graphset import GraphSet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write"]

# What the writer itself puts into the JSON file.
_OWN = ("format", "version", "name", "seed", "sets")


def write(dataset: Dataset, folder: str | PathLike[str]) -> None:
    """Write a dataset, whole or not at all; a dataset that is there already is replaced.

    Parameters
    ----------
    dataset : Dataset
        With at least one pair in every set.
    folder : path
        A new folder, an empty one, or one that holds a dataset and nothing else.

    Raises
    ------
    FormatError
        If it cannot be written: the old data is untouched then.
    """
    import pyarrow.parquet as pq

    sets = list(dataset.sets.values())
    pools, owner = _pools([one.targets for one in sets])
    queries = _places([len(one.queries) for one in sets])
    starts = _places([len(pool) for pool in pools])
    targets = [starts[pool] for pool in owner]
    with replacing_folder(folder, FILES) as temporary:
        GraphSet.concat([one.queries for one in sets]).save(temporary / QUERIES)
        GraphSet.concat(pools).save(temporary / TARGETS)
        table = _table(dataset, [start for start, _ in queries], [start for start, _ in targets])
        pq.write_table(table, temporary / PAIRS, compression="zstd")
        info = _info(dataset, queries, targets)
        (temporary / INFO).write_text(json.dumps(info, indent=1) + "\n", encoding="utf-8")


def _pools(targets: list[GraphSet]) -> tuple[list[GraphSet], list[int]]:
    """The different pools, and which of them each set uses."""
    pools: list[GraphSet] = []
    owner = []
    for graphs in targets:
        at = next((i for i, pool in enumerate(pools) if _same(pool, graphs)), len(pools))
        if at == len(pools):
            pools.append(graphs)
        owner.append(at)
    return pools, owner


def _same(a: GraphSet, b: GraphSet) -> bool:
    """Whether two sets hold the same graphs in the same order."""
    if a is b:
        return True
    return (
        len(a) == len(b)
        and a.node_vocabulary == b.node_vocabulary
        and a.edge_vocabulary == b.edge_vocabulary
        and all(np.array_equal(x, y) for x, y in zip(_contents(a), _contents(b), strict=True))
        and a.ids == b.ids
    )


def _contents(graphs: GraphSet) -> list[NDArray[Any]]:
    nodes, ends = graphs.node_offsets, graphs.edge_offsets
    edges = slice(int(ends[0]), int(ends[-1]))
    arrays: list[NDArray[Any]] = [
        graphs.num_nodes,
        graphs.num_edges,
        graphs.node_labels[int(nodes[0]) : int(nodes[-1])],
        graphs.edges[edges],
    ]
    return arrays if graphs.edge_label_codes is None else [*arrays, graphs.edge_label_codes[edges]]


def _places(lengths: list[int]) -> list[tuple[int, int]]:
    """Where each part starts and stops when they lie one after another."""
    stops = np.cumsum(lengths).tolist()
    return list(zip([0, *stops[:-1]], stops, strict=True))


def _table(dataset: Dataset, queries: list[int], targets: list[int]) -> pa.Table:
    """The pairs of all sets, numbered by the rows of the graph files."""
    import pyarrow as pa

    sets = list(dataset.sets.values())
    shifts = np.array([queries, targets], dtype=np.int64).T
    index = np.concatenate([one.pairs.index + shift for one, shift in zip(sets, shifts, strict=True)])
    width = max(one.pairs.mapping.shape[1] for one in sets)
    sizes = np.concatenate([one.queries.num_nodes[one.pairs.query] for one in sets])
    mapping = np.concatenate([_widened(one.pairs.mapping, width) for one in sets])
    names = pa.DictionaryArray.from_arrays(
        np.repeat(np.arange(len(sets), dtype=np.int8), [len(one.pairs) for one in sets]), list(dataset.sets)
    )
    columns = {
        "set": names,
        "query": index[:, 0].astype(np.int32),
        "target": index[:, 1].astype(np.int32),
        "lower": np.concatenate([one.pairs.lower for one in sets]),
        "upper": np.concatenate([one.pairs.upper for one in sets]),
        "mapping": list_column(mapping, sizes),
    }
    return pa.table(columns)


def _widened(mapping: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    return np.pad(mapping, ((0, 0), (0, width - mapping.shape[1])), constant_values=-1)


def _info(dataset: Dataset, queries: list[tuple[int, int]], targets: list[tuple[int, int]]) -> dict[str, Any]:
    """What goes into the JSON file: all that was known, and where the graphs of each set lie."""
    known = dataset.info.get("sets", {})
    sets = {
        name: {**figures(one), "queries": list(q), "targets": list(t)}
        for (name, one), q, t in zip(dataset.sets.items(), queries, targets, strict=True)
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": dataset.name,
        "seed": dataset.seed,
        **{key: value for key, value in dataset.info.items() if key not in _OWN},
        "sets": {name: {**known.get(name, {}), **one} for name, one in sets.items()},
    }
