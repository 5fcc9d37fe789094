"""Raw data: find the file of a dataset, read it, and know that it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from prune4sed.atomic import replacing
from prune4sed.datasets import edge_list, npz_network
from prune4sed.datasets.catalogue import ALL, Counts, Entry, canonical
from prune4sed.datasets.download import DownloadError, Progress, download
from prune4sed.datasets.elements import with_elements
from prune4sed.datasets.home import home
from prune4sed.datasets.identity import counts_of, digest
from prune4sed.datasets.network import Network
from prune4sed.errors import FormatError, OptionError, Prune4SEDError
from prune4sed.formats import read_graphs, tudataset
from prune4sed.graphset import GraphSet

__all__ = ["MIRROR", "counts_of", "digest", "fetch_raw", "raw_file", "read_raw"]

#: The environment variable that names a folder with the raw files.
MIRROR = "PRUNE4SED_MIRROR"


def read_raw(name: str, where: str | PathLike[str]) -> Network | GraphSet:
    """Read the raw data of a dataset and check that all of it is there.

    Edge labels are left out, as in the paper. The labels of AIDS and of molecules are element symbols, those
    of the other datasets the integers of the file, and Amazon has the one label 0. Molecules that rdkit
    cannot read are left out, and listed in ``problems`` of the set.

    Parameters
    ----------
    name : str
        A dataset, as `catalogue.canonical` understands it.
    where : path
        The raw file, or a folder that holds it.

    Returns
    -------
    Network or GraphSet
        A network for the single-network datasets, a set of graphs for AIDS, Protein and molecules.

    Raises
    ------
    FormatError
        One line, if the file is missing, damaged, of another kind or not whole.
    """
    entry = ALL[canonical(name)]
    path = Path(where)
    if path.is_dir() and path.name not in entry.files:
        path = _in_folder(entry, path) or _refuse_missing(entry, path)
    source = _read(entry, path)
    found = _rows(source) if entry.layout == "smiles" else counts_of(source)
    if found not in entry.counts:
        expected = " or ".join(map(str, entry.counts))
        raise FormatError(f"{path}: found {found}; whole {entry.title} data has {expected}")
    return source


def raw_file(
    name: str, mirror: str | PathLike[str] | None = None, fetch: bool = True, progress: Progress | None = None
) -> Path:
    """The raw file of a dataset: from a mirror if there is one, else from the cache, else downloaded into it.

    Parameters
    ----------
    name : str
        A dataset.
    mirror : path, optional
        A folder with raw files, or else the one that ``PRUNE4SED_MIRROR`` names. A mirror without the file is
        an error: nothing is downloaded behind its back.
    fetch : bool
        Whether to download what is not there.
    progress : callable, optional
        Called with the bytes that have come and their total, or None where that is not known.

    Returns
    -------
    Path
    """
    entry = ALL[canonical(name)]
    found = _mirrored(entry, mirror) or _in_folder(entry, _cache())
    if found is not None:
        return found
    if not fetch:
        raise FormatError(f"{entry.name} is not here yet; get it with: prune4sed data get {entry.name}")
    return _downloaded(entry, progress)


def fetch_raw(
    name: str, mirror: str | PathLike[str] | None = None, progress: Progress | None = None
) -> tuple[Path, Network | GraphSet]:
    """Bring the raw file of a dataset into the cache, from a mirror or the public source, and read it.

    A whole file that is in the cache stays as it is; a damaged one is replaced.

    Parameters
    ----------
    name : str
        A dataset.
    mirror : path, optional
        As for `raw_file`; the file is copied from there.
    progress : callable, optional
        As for `raw_file`.

    Returns
    -------
    path, data
        Where it is, and what `read_raw` makes of it.
    """
    entry = ALL[canonical(name)]
    original = _mirrored(entry, mirror)
    if original is not None:
        return _copied(entry, original)
    cached = _in_folder(entry, _cache())
    if cached is not None:
        try:
            return cached, read_raw(entry.name, cached)
        except Prune4SEDError:
            pass  # not whole: what is downloaded now takes its place
    path = _downloaded(entry, progress)
    if cached is not None and cached != path and cached.is_file():
        cached.unlink()  # it goes by another name, and would be found first
    return path, read_raw(entry.name, path)


def _cache() -> Path:
    return home() / "raw"


def _in_folder(entry: Entry, folder: Path) -> Path | None:
    return next((folder / file for file in entry.files if (folder / file).exists()), None)


def _refuse_missing(entry: Entry, folder: Path) -> Path:
    raise FormatError(f"{folder}: the raw data of {entry.title} is not in it; expected {entry.files[0]}")


def _mirrored(entry: Entry, mirror: str | PathLike[str] | None) -> Path | None:
    """The file in the mirror; None where there is no mirror."""
    chosen = mirror if mirror is not None else os.environ.get(MIRROR) or None
    if chosen is None:
        return None
    folder = Path(chosen).expanduser()
    said = f"the mirror {folder}" if mirror is not None else f"the mirror {folder} ({MIRROR})"
    if not folder.is_dir():
        raise OptionError(f"{said} is not a folder")
    found = _in_folder(entry, folder)
    if found is None:
        raise FormatError(f"{said} has no raw data of {entry.title}; expected {entry.files[0]} in it")
    return found


def _read(entry: Entry, path: Path) -> Network | GraphSet:
    readers: dict[str, Callable[[Path], Network | GraphSet]] = {
        "npz": npz_network.read,
        "edge list": edge_list.read,
        "tudataset": tudataset.read,
        "smiles": _molecules,
    }
    if not path.exists():
        raise FormatError(f"{path}: no such file")
    data = readers[entry.layout](path)
    if isinstance(data, Network):
        return data
    data = data.without_edge_labels()
    return with_elements(data, path) if entry.name == "aids" else data


def _molecules(path: Path) -> GraphSet:
    return read_graphs(path, "table", edge_labels=False, on_error="skip")


def _rows(source: Network | GraphSet) -> Counts:
    """How many molecules there were to read."""
    unread = source.problems if isinstance(source, GraphSet) else ()
    return Counts(0, 0, 0, graphs=len(source) + len(unread))


def _downloaded(entry: Entry, progress: Progress | None) -> Path:
    """Try one address after another, and say why each failed if all do."""
    reasons = []
    for source in entry.downloads:
        path = _cache() / source.file
        try:
            download(source.url, path, check=lambda part: read_raw(entry.name, part), progress=progress)
            return path
        except DownloadError as error:
            reasons.append(str(error))
    # Some commands that build a dataset on first use have no --mirror.
    there = f"prune4sed data get {entry.name} --mirror FOLDER"
    advice = f"get {entry.files[0]} in another way and name its folder by {MIRROR}, or by {there}"
    raise DownloadError("; ".join([*reasons, advice]))


def _copied(entry: Entry, original: Path) -> tuple[Path, Network | GraphSet]:
    data = read_raw(entry.name, original)
    path = _cache() / original.name
    if original.is_dir() or (path.exists() and path.samefile(original)):
        return original, data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot make the folder {path.parent}: {error.strerror}") from None
    with replacing(path) as temporary:
        shutil.copyfile(original, temporary)
    return path, data
