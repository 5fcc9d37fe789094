"""The file behind GraphSet.save and GraphSet.load: an Arrow IPC file of one record batch, mapped into memory.

Columns: ``labels`` large_list<int32>, ``edges`` large_list<fixed_size_list<int32>[2]>, and where the set has
them ``edge_labels`` large_list<int32> and ``id`` large_string. Metadata: ``format``, ``version``, and the
vocabularies as JSON. Nothing is trusted that is not checked, here or when a graph is first touched: a damaged
file must not crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.arrays import GraphArrays, vocabulary
from prune4sed.atomic import replacing
from prune4sed.errors import FormatError, GraphError
from prune4sed.ids import Ids
from prune4sed.labels import Label

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMAT", "VERSION", "read_bytes", "read_file", "write_file"]

FORMAT = "prune4sed.graphset"
VERSION = 1


def write_file(arrays: GraphArrays, path: str | PathLike[str]) -> None:
    """Write flat arrays to a file, whole or not at all."""
    import pyarrow as pa

    columns = {"labels": _list(arrays.node_labels, arrays.node_offsets), "edges": _pairs(arrays)}
    if arrays.edge_labels is not None:
        columns["edge_labels"] = _list(arrays.edge_labels, arrays.edge_offsets)
    if arrays.ids.any_given:
        columns["id"] = pa.array(arrays.ids.to_list(), type=pa.large_string())
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "node_labels": json.dumps(arrays.node_vocabulary),
        "edge_labels": json.dumps(arrays.edge_vocabulary),
    }
    batch = pa.record_batch(columns).replace_schema_metadata(metadata)
    with (
        replacing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, batch.schema) as writer,
    ):
        writer.write_batch(batch)


def _list(values: NDArray[np.int32], offsets: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    start, stop = int(offsets[0]), int(offsets[-1])
    return pa.LargeListArray.from_arrays(pa.array(offsets - start), pa.array(values[start:stop]))


def _pairs(arrays: GraphArrays) -> Any:
    import pyarrow as pa

    offsets = arrays.edge_offsets
    start, stop = int(offsets[0]), int(offsets[-1])
    pairs = pa.FixedSizeListArray.from_arrays(pa.array(arrays.edges[start:stop].reshape(-1)), 2)
    return pa.LargeListArray.from_arrays(pa.array(offsets - start), pairs)


def read_file(path: str | PathLike[str]) -> GraphArrays:
    """Open a file as flat arrays over mapped memory; takes the same time whatever the size of the file."""
    import pyarrow as pa

    name = fspath(path)
    return _read(lambda: pa.memory_map(name), name)


def read_bytes(data: bytes, name: str) -> GraphArrays:
    """The same over bytes in memory."""
    import pyarrow as pa

    return _read(lambda: pa.BufferReader(data), name)


def _read(connect: Callable[[], Any], name: str) -> GraphArrays:
    import pyarrow as pa

    try:
        reader = pa.ipc.open_file(connect())
        metadata = _metadata(reader.schema.metadata or {}, name)
        if reader.num_record_batches != 1:
            raise FormatError(f"{name}: expected one record batch, found {reader.num_record_batches}")
        batch = reader.get_batch(0)
        batch.validate()
        return _arrays(batch, metadata, name)
    except FormatError:
        raise
    except FileNotFoundError:
        raise FormatError(f"{name}: no such file") from None
    except (OSError, ValueError, LookupError, OverflowError, MemoryError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(f"{name}: not a readable GraphSet file ({reason})") from None


def _metadata(raw: dict[bytes, bytes], name: str) -> tuple[tuple[Label, ...], tuple[Label, ...] | None]:
    if raw.get(b"format") != FORMAT.encode():
        raise FormatError(f"{name}: an Arrow file, but not one that GraphSet.save wrote")
    version = raw.get(b"version", b"?").decode(errors="replace")
    if version != str(VERSION):
        raise FormatError(
            f"{name}: version {version} of the GraphSet format; this prune4sed reads version {VERSION}"
        )
    try:
        nodes = vocabulary(json.loads(raw[b"node_labels"]), "node")
        bonds = json.loads(raw[b"edge_labels"])
        return nodes, None if bonds is None else vocabulary(bonds, "edge")
    except (KeyError, ValueError, RecursionError) as error:
        raise FormatError(f"{name}: the label vocabulary is damaged ({error})") from None


def _arrays(
    batch: pa.RecordBatch, metadata: tuple[tuple[Label, ...], tuple[Label, ...] | None], name: str
) -> GraphArrays:
    import pyarrow as pa

    columns = {
        "labels": pa.large_list(pa.int32()),
        "edges": pa.large_list(pa.list_(pa.int32(), 2)),
        "edge_labels": pa.large_list(pa.int32()),
        "id": pa.large_string(),
    }
    found: dict[str, Any] = {}
    for column, kind in columns.items():
        if column not in batch.schema.names:
            if column in ("labels", "edges"):
                raise FormatError(f"{name}: column {column!r} is missing")
        elif batch.schema.field(column).type != kind:
            raise FormatError(f"{name}: column {column!r} is {batch.schema.field(column).type}, not {kind}")
        else:
            found[column] = batch.column(column)
    try:
        return _assemble(found, batch.num_rows, *metadata)
    except (GraphError, ValueError) as error:
        raise FormatError(f"{name}: {error}") from None


def _assemble(
    columns: dict[str, Any], n: int, nodes: tuple[Label, ...], bonds: tuple[Label, ...] | None
) -> GraphArrays:
    node_offsets, labels = _parts(columns["labels"], n)
    edge_offsets, ends = _parts(columns["edges"], n)
    bond_codes = None
    if "edge_labels" in columns:
        # The offsets of this column repeat those of the edges; a file where they differ is caught by the
        # lengths here or is as good as any other labelling.
        bond_codes = _parts(columns["edge_labels"], n)[1]
        if bonds is None or len(bond_codes) != len(ends) // 2:
            raise FormatError("the edge labels do not fit the edges")
    return GraphArrays(
        node_offsets=node_offsets,
        node_labels=labels,
        edge_offsets=edge_offsets,
        edges=ends[: len(ends) // 2 * 2].reshape(-1, 2),
        edge_labels=bond_codes,
        node_vocabulary=nodes,
        edge_vocabulary=bonds if bond_codes is not None else None,
        ids=_ids(columns.get("id"), n),
    )


def _parts(column: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets and values of a list column, as arrays over the very bytes of the file."""
    if column.null_count:
        raise FormatError("a graph without labels or edges is an empty list, never null")
    buffers = column.buffers()
    offsets = _numbers(buffers[1], np.int64)[: n + 1] if n else np.zeros(1, dtype=np.int64)
    if len(offsets) != n + 1:
        raise FormatError("the offsets are cut short")
    # Another writer may pad its buffers: the length of the column inside says how much of it counts.
    size = len(column.values) * (column.type.value_type.list_size if column.type.value_type.num_fields else 1)
    return offsets, _numbers(buffers[-1], np.int32)[:size]


def _numbers(buffer: Any, dtype: Any) -> NDArray[Any]:
    size = np.dtype(dtype).itemsize
    if buffer is None or buffer.size < size:
        return np.zeros(0, dtype=dtype)
    return np.frombuffer(buffer, dtype=dtype, count=buffer.size // size)


def _ids(column: Any, n: int) -> Ids:
    if column is None or n == 0:
        return Ids(n)
    given, offsets, text = column.buffers()
    places = _numbers(offsets, np.int64)
    bits = None if given is None else _numbers(given, np.uint8)
    if len(places) < n + 1 or (bits is not None and 8 * len(bits) < n):
        raise FormatError("the ids are cut short")
    return Ids(n, places, _numbers(text, np.uint8), bits)
