"""Read a dataset from its folder; `dataset_files` says what lies in it."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.dataset_files import FORMAT, INFO, PAIRS, QUERIES, TARGETS, VERSION
from prune4sed.datasets.table import PairTable
from prune4sed.errors import FormatError
from prune4sed.graphset import GraphSet

__all__ = ["read", "read_info"]

# What comes of values that are missing or of another kind.
_MISREAD = (KeyError, TypeError, ValueError, OverflowError, AttributeError)


def read(folder: str | PathLike[str]) -> Dataset:
    """Open a dataset that `write` wrote; its graphs are mapped into memory, not read.

    Raises
    ------
    FormatError
        If there is none, or it is damaged or of a newer version.
    """
    where = Path(folder)
    info = read_info(where)
    queries, targets = GraphSet.load(where / QUERIES), GraphSet.load(where / TARGETS)
    try:
        table = _read_table(where / PAIRS)
        sets, row = {}, 0
        for name, known in info["sets"].items():
            rows = slice(row, row + int(known["pairs"]))
            sets[name] = _pair_set(name, table, rows, queries, targets, known)
            row = rows.stop
        if row != len(table["lower"]):
            raise FormatError(f"{len(table['lower'])} pairs, but the sets have {row}")
        return Dataset(str(info["name"]), int(info["seed"]), sets, info, where)
    except FormatError as error:
        raise FormatError(f"{where / PAIRS}: {error}") from None
    except _MISREAD as error:
        raise _misread(where / INFO, error) from None


def read_info(folder: Path) -> dict[str, Any]:
    """What the JSON file of a dataset says, which takes no time to read.

    Raises
    ------
    FormatError
        As for `read`.
    """
    path = folder / INFO
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(f"{folder}: no dataset there") from None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: damaged, not JSON") from None
    if not isinstance(info, dict) or info.get("format") != FORMAT:
        raise FormatError(f"{path}: not a file of a prune4sed dataset")
    if info.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {info.get('version')} of the dataset format; "
            f"this prune4sed reads version {VERSION}"
        )
    try:
        _check_figures(info)
    except _MISREAD as error:
        raise _misread(path, error) from None
    return info


def _check_figures(info: dict[str, Any]) -> None:
    """Convert what is shown without opening the graphs; what cannot be is not as we wrote it."""
    for known in info["sets"].values():
        int(known["pairs"])
        int(known.get("node_limit", 0))
        for key in ("query_nodes", "target_nodes", "certified"):
            float(known[key])
    source = info.get("source", {})
    for kind in ("graphs", "nodes", "edges", "labels"):
        int(source.get(kind, 0))


def _misread(path: Path, error: Exception) -> FormatError:
    return FormatError(f"{path}: not as prune4sed writes it ({type(error).__name__}: {error})")


def _read_table(path: Path) -> dict[str, Any]:
    """The columns as numpy arrays; mappings as flat values, with the row they start at."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A plain file: memory maps of Parquet save nothing, its pages are unpacked anyway.
        table = pq.ParquetFile(path).read().combine_chunks()
        lists = table["mapping"].combine_chunks()
        columns = {name: table[name].to_numpy() for name in ("query", "target", "lower", "upper")}
        names = table["set"].combine_chunks()
    except FileNotFoundError:
        raise FormatError("no such file") from None
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise FormatError(f"not a readable table of pairs ({str(error).splitlines()[0]})") from None
    lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
    return {**columns, "set": names, "starts": lists.offsets.to_numpy(), "images": lists.values.to_numpy()}


def _pair_set(
    name: str, table: dict[str, Any], rows: slice, queries: GraphSet, targets: GraphSet, known: dict[str, Any]
) -> PairSet:
    """One set out of the columns of all."""
    own = [
        graphs[slice(*map(int, known[key]))] for graphs, key in ((queries, "queries"), (targets, "targets"))
    ]
    first = [int(known["queries"][0]), int(known["targets"][0])]
    index = np.column_stack([table["query"][rows], table["target"][rows]]).astype(np.int64) - first
    if len(index) != rows.stop - rows.start or table["set"][rows].unique().to_pylist() != [name]:
        raise FormatError(f"the pairs of set {name!r} are not where dataset.json says")
    if ((index < 0) | (index >= [len(graphs) for graphs in own])).any():
        raise FormatError(f"a pair of set {name!r} names a graph outside the set")
    mapping = _padded(table["starts"][rows.start : rows.stop + 1], table["images"])
    nodes = [graphs.num_nodes[index[:, side]] for side, graphs in enumerate(own)]
    lengths = np.diff(table["starts"][rows.start : rows.stop + 1])
    if not np.array_equal(lengths, nodes[0]) or (mapping >= nodes[1][:, None]).any():
        raise FormatError(f"a mapping of set {name!r} does not fit its graphs")
    return PairSet(own[0], own[1], PairTable(index, table["lower"][rows], table["upper"][rows], mapping))


def _padded(starts: NDArray[np.int32], images: NDArray[Any]) -> NDArray[np.int32]:
    """Lists as the rows of an array, filled up with -1."""
    lengths = np.diff(starts)
    mapping = np.full((len(lengths), int(lengths.max(initial=0))), -1, dtype=np.int32)
    mapping[np.arange(mapping.shape[1]) < lengths[:, None]] = images[int(starts[0]) : int(starts[-1])]
    return mapping
