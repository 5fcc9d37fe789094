"""The shipped form of labels: bounds and mappings of whole datasets in about one megabyte each.

A file is a line that says what it is, the length and CRC-32 of a JSON header, the header, and one xz stream
per set. The header names every set with its fingerprint, so that labels are only ever read back for the pairs
they were computed for.
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.adjacency import Adjacency
from prune4sed.datasets.labelling import Labels, mapping_width
from prune4sed.datasets.map_codec import BLOCK, read_mappings, write_mappings
from prune4sed.datasets.sampled import SampledSet, fingerprint
from prune4sed.datasets.streams import StreamReader, StreamWriter
from prune4sed.errors import FormatError, OptionError
from prune4sed.graphset import GraphSet

__all__ = ["decode", "encode", "read_header"]

MAGIC = b"prune4sed labels 1\n"
HEAD = struct.Struct("<II")
# The bytes before a number say nothing about it, and numbers are not aligned to anything.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0}]


class _Graphs(NamedTuple):
    """A set with the neighbours of its nodes."""

    queries: Adjacency
    targets: Adjacency
    pairs: NDArray[np.int64]
    width: int


def encode(
    sampled: Mapping[str, SampledSet],
    labels: Mapping[str, Labels],
    node_limits: Mapping[str, int],
    meta: Mapping[str, Any] | None = None,
) -> bytes:
    """Pack the labels of some sets of a dataset.

    Parameters
    ----------
    sampled : mapping of str to SampledSet
        The sets by name.
    labels : mapping of str to Labels
        Labels of those that are to be packed.
    node_limits : mapping of str to int
        Search nodes per pair they were computed with.
    meta : mapping, optional
        Anything else worth keeping, as JSON values.

    Returns
    -------
    bytes
        The same for the same input.

    Raises
    ------
    OptionError
        If labels do not fit their pairs: every file is read back before it is handed out.

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> from prune4sed.datasets.labelling import label_set
    >>> g = GraphSet([Graph(["C", "O"], [(0, 1)])])
    >>> sets = {"test": SampledSet("test", g, g, np.array([[0, 0]]))}
    >>> data = encode(sets, {"test": label_set(sets["test"], 10)}, {"test": 10})
    >>> decode(data, sets)["test"].mapping
    array([[0, 1]], dtype=int32)
    """
    pools: dict[int, Adjacency] = {}
    header: dict[str, Any] = {"meta": dict(meta or {}), "block": BLOCK, "sets": {}}
    parts: list[bytes] = []
    for name, found in labels.items():
        graphs = _graphs(sampled[name], pools)
        plain = _pack(name, graphs, found)
        parts.append(lzma.compress(plain, check=lzma.CHECK_CRC32, filters=FILTERS))
        header["sets"][name] = {
            "pairs": len(found),
            "fingerprint": fingerprint(sampled[name]),
            "node_limit": node_limits[name],
            "certified": int(found.certified.sum()),
            "bytes": len(parts[-1]),
        }
    text = json.dumps(header).encode()
    return MAGIC + HEAD.pack(len(text), zlib.crc32(text)) + text + b"".join(parts)


def decode(data: bytes, sampled: Mapping[str, SampledSet]) -> dict[str, Labels]:
    """Labels of those of the given sets that the file was made for.

    Parameters
    ----------
    data : bytes
        What `encode` made.
    sampled : mapping of str to SampledSet
        Sets by name. One that the file does not hold, or holds for other pairs, is left out of the result.

    Raises
    ------
    FormatError
        If the data is damaged, or of a version that is not known.
    """
    header, start = _split(data)
    pools: dict[int, Adjacency] = {}
    labels: dict[str, Labels] = {}
    for name, entry in header["sets"].items():
        part = data[start : start + entry["bytes"]]
        start += entry["bytes"]
        if name in sampled and entry["fingerprint"] == fingerprint(sampled[name]):
            try:
                labels[name] = _unpack(lzma.decompress(part), _graphs(sampled[name], pools))
            except (lzma.LZMAError, FormatError) as problem:
                raise FormatError(f"the labels of {name} are damaged: {problem}") from None
    return labels


def read_header(data: bytes) -> dict[str, Any]:
    """What a file holds: ``meta``, and per set pairs, fingerprint, node_limit, certified and bytes."""
    return _split(data)[0]


def _split(data: bytes) -> tuple[dict[str, Any], int]:
    start = len(MAGIC) + HEAD.size
    if not data.startswith(MAGIC) or len(data) < start:
        raise FormatError("these are no labels that this version reads")
    length, check = HEAD.unpack_from(data, len(MAGIC))
    text = data[start : start + length]
    if len(text) != length or zlib.crc32(text) != check:
        raise FormatError("the header of the labels is damaged")
    header: dict[str, Any] = json.loads(text)
    if header["block"] != BLOCK:
        raise FormatError(f"labels in blocks of {header['block']} pairs are not known to this version")
    return header, start + length


def _graphs(sampled: SampledSet, pools: dict[int, Adjacency]) -> _Graphs:
    """Sets that share a pool of targets, which is the large part, share its neighbours too."""
    targets: GraphSet = sampled.targets
    if id(targets) not in pools:
        pools[id(targets)] = Adjacency.of(targets)
    queries = Adjacency.of(sampled.queries)
    return _Graphs(queries, pools[id(targets)], sampled.index, mapping_width(sampled))


def _pack(name: str, graphs: _Graphs, labels: Labels) -> bytes:
    fits = len(labels) == len(graphs.pairs) and labels.mapping.shape == (len(graphs.pairs), graphs.width)
    if not fits or (labels.lower < 0).any() or (labels.lower > labels.upper).any():
        raise OptionError(f"the labels of {name} are not those of its pairs")
    upper, gap = StreamWriter(), StreamWriter()
    upper.add(_sizes(graphs), labels.upper.astype(np.int64))
    gap.add(_sizes(graphs), (labels.upper - labels.lower).astype(np.int64))
    plain = write_mappings(*graphs[:3], labels.mapping) + upper.to_bytes() + gap.to_bytes()
    try:
        same = np.array_equal(_unpack(plain, graphs).mapping, labels.mapping)
    except FormatError:
        same = False
    if not same:
        raise OptionError(f"the mappings of {name} do not fit its pairs")
    return plain


def _unpack(plain: bytes, graphs: _Graphs) -> Labels:
    mapping, start = read_mappings(plain, *graphs)
    bounds = StreamReader(plain, start)
    upper = bounds.take(_sizes(graphs)).astype(np.int32)
    gap = StreamReader(plain, bounds.stop).take(_sizes(graphs)).astype(np.int32)
    return Labels(upper - gap, upper, mapping)


def _sizes(graphs: _Graphs) -> NDArray[np.int64]:
    """Query nodes of each pair: the context in which its bounds are stored."""
    sizes: NDArray[np.int64] = np.diff(graphs.queries.offsets)[graphs.pairs[:, 0]]
    return sizes
