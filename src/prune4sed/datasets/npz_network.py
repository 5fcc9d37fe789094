"""The graph2gauss layout: one network in an npz, its adjacency as a sparse matrix in CSR form.

Files in the wild hold node attributes, and names as pickled objects, beside what is needed here; these are
never touched.
"""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.network import Network
from prune4sed.errors import FormatError, GraphError

__all__ = ["read"]

_NEEDED = ("adj_data", "adj_indices", "adj_indptr", "adj_shape", "labels")


def read(path: Path) -> Network:
    """Read a network; a stored zero is no edge, and directions are dropped.

    Raises
    ------
    FormatError
        One line, if the file is missing, damaged, of another kind or can only be read by unpickling.
    """
    with _open(path) as archive:
        data, indices, starts, shape, labels = (_member(archive, name, path) for name in _NEEDED)
    n = len(labels) if labels.ndim == 1 else -1
    if shape.shape != (2,) or shape.tolist() != [n, n]:
        size = " x ".join(map(str, shape.ravel().tolist()))
        raise FormatError(f"{path}: an adjacency of {size} does not fit labels of shape {labels.shape}")
    lengths = np.diff(starts)
    sound = starts.shape == (n + 1,) and starts[0] == 0 and not (lengths < 0).any()
    if not (sound and indices.shape == data.shape == (int(starts[-1]),)):
        raise FormatError(f"{path}: adj_indptr, adj_indices and adj_data do not make a sparse matrix")
    rows = np.repeat(np.arange(n), lengths)
    present = data != 0
    try:
        return Network.from_edges(np.column_stack([rows[present], indices[present]]), labels)
    except GraphError as error:
        raise FormatError(f"{path}: {error}") from None


def _open(path: Path) -> np.lib.npyio.NpzFile:
    try:
        archive = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: not a whole npz file ({error})") from None
    except ValueError:
        # numpy takes whatever is neither npy nor npz for a pickle, and was told not to load one.
        raise FormatError(f"{path}: not an npz file; pickles are never loaded") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise FormatError(f"{path}: one array; expected an npz with {', '.join(_NEEDED)}")
    return archive


def _member(archive: np.lib.npyio.NpzFile, name: str, path: Path) -> NDArray[Any]:
    if name not in archive.files:
        held = ", ".join(archive.files[:8]) or "nothing"
        raise FormatError(f"{path}: there is no {name} in it, but {held}; expected the graph2gauss layout")
    try:
        array: NDArray[Any] = archive[name]
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, tokenize.TokenError, RuntimeError) as error:
        # numpy reads an array's header as Python; zipfile has RuntimeError for what it cannot unpack.
        raise FormatError(f"{path}: {name} is damaged ({error})") from None
    except ValueError as error:
        if "pickle" in str(error):
            raise FormatError(f"{path}: {name} is a pickled object, and pickles are never loaded") from None
        raise FormatError(f"{path}: {name} is damaged ({error})") from None
    if not isinstance(array, np.ndarray):
        raise FormatError(f"{path}: {name} is not an array")
    if array.dtype.kind not in ("biuf" if name == "adj_data" else "iu"):
        raise FormatError(f"{path}: {name} must hold integers, not {array.dtype}")
    return array
