"""SNAP's layout: one edge per line, two node numbers, and comments that start with #."""

from __future__ import annotations

import io
import tarfile
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.network import Network
from prune4sed.errors import FormatError
from prune4sed.formats.source import Source

__all__ = ["read"]

_SUFFIX = ".ungraph.txt"


def read(path: Path) -> Network:
    """Read an edge list, compressed or not, or the one named ``*.ungraph.txt`` in a tar.

    Node numbers may have gaps: they are renumbered from 0 in increasing order. All nodes have the label 0.

    Raises
    ------
    FormatError
        One line, naming the line of the file where there is one.
    """
    with Source(path) as source:
        data = source.read()
    name = str(path)
    if data[257:262] == b"ustar":
        data, inside = _from_tar(data, name)
        name = f"{name}/{inside}"
    ends = _numbers(data, name)
    nodes, local = np.unique(ends, return_inverse=True)
    return Network.from_edges(local.reshape(-1, 2), np.zeros(len(nodes), dtype=np.int32))


def _from_tar(data: bytes, name: str) -> tuple[bytes, str]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            # Macs add a hidden companion to every file.
            found = [m for m in archive if m.isfile() and _is_list(m.name)]
            if len(found) != 1:
                names = ", ".join(m.name for m in found) or "none"
                raise FormatError(f"{name}: expected one *{_SUFFIX} in it, found {names}")
            opened = archive.extractfile(found[0])
            return (opened.read() if opened else b""), found[0].name
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FormatError(f"{name}: not a whole tar ({error})") from None


def _is_list(name: str) -> bool:
    return name.endswith(_SUFFIX) and not Path(name).name.startswith("._")


def _numbers(data: bytes, name: str) -> NDArray[np.int64]:
    """Both columns, by numpy's fast reader; what it does not take is looked for line by line."""
    if b"\0" in data:
        raise FormatError(f"{name}: this is binary data; expected an edge list")
    try:
        with warnings.catch_warnings():
            # An empty file is told below; a number like 1.5 is no node.
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("error", DeprecationWarning)
            ends = np.loadtxt(io.BytesIO(data), dtype=np.int64, ndmin=2)
    except (ValueError, OverflowError, DeprecationWarning):
        ends = np.zeros((1, 0), dtype=np.int64)
    if len(ends) == 0:
        raise FormatError(f"{name}: there are no edges in it")
    if ends.shape[1] != 2 or ends.min() < 0:
        _refuse(data, name)
    return ends


def _refuse(data: bytes, name: str) -> None:
    for number, line in enumerate(data.splitlines(), 1):
        words = line.partition(b"#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(word.isdigit() and len(word) < 19 for word in words):
            text = line.decode(errors="replace").strip()[:60]
            raise FormatError(f"{name}:{number}: expected two node numbers, found {text!r}")
    raise FormatError(f"{name}: expected two node numbers per line")
