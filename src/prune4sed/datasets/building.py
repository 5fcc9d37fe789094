"""Build a dataset: raw data, sampled pairs, labels, a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.datasets import molecules
from prune4sed.datasets.catalogue import ALL, canonical, names
from prune4sed.datasets.dataset import KNOWN_LABELS, Dataset
from prune4sed.datasets.dataset_files import FILES
from prune4sed.datasets.dataset_read import read
from prune4sed.datasets.dataset_write import write
from prune4sed.datasets.folder import check_replaceable
from prune4sed.datasets.functional_groups import functional_groups
from prune4sed.datasets.home import home
from prune4sed.datasets.label_run import LabelRun, Progress
from prune4sed.datasets.network import Network
from prune4sed.datasets.protocol import protocol
from prune4sed.datasets.raw import counts_of, raw_file, read_raw
from prune4sed.datasets.sampling import FULL, SampledSet, fingerprint, sample, sample_own
from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["FULL", "build", "build_own", "check_name", "draw", "folder_of", "standard_groups"]


def build(
    name: str,
    pairs: tuple[int, int, int] | None = None,
    seed: int = 0,
    *,
    mirror: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
    extras: bool = True,
    fragments: GraphSet | None = None,
    relabel: bool = False,
    node_limit: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Build one of the seven datasets, or ``molecules``, and write it; one that was there is replaced.

    Labels that ship with the package are used for the sets they were made for, which are those of the
    standard sizes and seed. All others are computed.

    Parameters
    ----------
    name : str
        One of `names()`, or ``"molecules"``.
    pairs : three int, optional
        Pairs to train, validate and test on; by default 100,000, 10,000 and 10,000, or for molecules 300,000,
        5,000 and 10,000.
    seed : int
        The same seed gives the same bytes.
    mirror : path, optional
        A folder with the raw files; else ``PRUNE4SED_MIRROR``, else they are downloaded.
    out : path, optional
        Where to write; by default where `load` looks for it.
    extras : bool
        Whether to make the other sets too: strict_test, the size sets, large queries.
    fragments : GraphSet, optional
        For AIDS and molecules: the functional groups, instead of the list that the package ships.
    relabel : bool
        Compute the labels anew even where shipped ones fit.
    node_limit : int, optional
        Search nodes per pair, in all sets; by default as in the table `limits`.
    threads : int, optional
        All cores by default.
    resume : bool
        Go on where a build of the same dataset was cut off.
    progress : callable, optional
        Called as ``progress(set, done, total)`` while pairs are labelled.

    Returns
    -------
    Dataset
        As read from disk.

    Raises
    ------
    Prune4SEDError
        One line, if an argument, the raw data or the folder will not do.
    """
    key = canonical(name)
    folder = Path(out) if out is not None else folder_of(key)
    check_replaceable(folder, FILES)  # now, and not after an hour of labelling
    path = raw_file(key, mirror)
    source = read_raw(key, path)
    groups = standard_groups(key) if fragments is None else _chosen_groups(key, fragments)
    sets, rules = draw(key, source, groups, pairs, seed, extras)
    known = {"file": path.name, **asdict(counts_of(source))}
    if groups is not None:
        known["fragments"] = len(groups)
    labels = LabelRun(key, sets, check_limit(node_limit), threads, resume)
    info = {"title": ALL[key].title, "source": known, **rules}
    return _built(labels, seed, info, folder, not relabel, progress)


def build_own(
    targets: GraphSet | Iterable[Graph],
    queries: GraphSet | Iterable[Graph] | None = None,
    *,
    name: str = "own",
    pairs: tuple[int, int, int] = FULL,
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    node_limit: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Build a dataset of the same form from graphs of your own; edge labels are left out.

    Parameters
    ----------
    targets : GraphSet or iterable of Graph
        The graphs to find queries in.
    queries : GraphSet or iterable of Graph, optional
        What to look for; by default queries are grown in random targets.
    name : str
        What to call it, for `load`; letters, digits, dots, hyphens and underscores.
    pairs, seed, out, node_limit, threads, resume, progress
        As for `build`.

    Returns
    -------
    Dataset
    """
    check_name(name)
    folder = Path(out) if out is not None else folder_of(name)
    check_replaceable(folder, FILES)
    library, wanted = _plain(targets), None if queries is None else _plain(queries)
    sets = sample_own(library, wanted, pairs, seed)
    known = {**asdict(counts_of(library)), "queries": None if wanted is None else len(wanted)}
    labels = LabelRun(name, sets, check_limit(node_limit), threads, resume)
    return _built(labels, seed, {"source": known}, folder, False, progress)


def folder_of(name: str) -> Path:
    """Where a dataset is built unless told otherwise."""
    return home() / "datasets" / name


def check_name(name: str) -> None:
    """Raise OptionError unless a dataset of one's own can go by this name: it becomes that of a folder."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise OptionError(f"{name!r} cannot name a dataset: use letters, digits, dots, hyphens, underscores")
    try:
        taken = canonical(name)
    except OptionError:  # as it should be
        return
    whose = "the paper's datasets" if taken in names() else "the datasets that ship"
    raise OptionError(f"{taken} is one of {whose}; give yours another name")


def draw(
    key: str,
    source: Network | GraphSet,
    groups: GraphSet | None,
    pairs: tuple[int, int, int] | None = None,
    seed: int = 0,
    extras: bool = True,
) -> tuple[dict[str, SampledSet], dict[str, Any]]:
    """The pairs of a dataset, and what to write down about how they were drawn."""
    if key == "molecules" and isinstance(source, GraphSet) and groups is not None:
        chosen = molecules.PROTOCOL.pairs if pairs is None else pairs
        sets = molecules.sample_molecules(source, groups, chosen, seed, extras)
        known = list(molecules.known_labels(source))
        return sets, {"protocol": asdict(molecules.PROTOCOL), KNOWN_LABELS: known}
    sets = sample(key, source, FULL if pairs is None else pairs, seed, extras=extras, fragments=groups)
    return sets, {"protocol": asdict(protocol(key))}


def standard_groups(key: str) -> GraphSet | None:
    """The functional groups of AIDS and molecules; None for the other datasets, which grow their queries."""
    if key == "molecules":
        return functional_groups(smallest=molecules.PROTOCOL.smallest_query)[0]
    return functional_groups()[0] if key == "aids" else None


def _chosen_groups(key: str, chosen: GraphSet) -> GraphSet:
    if key not in ("aids", "molecules"):
        raise OptionError(
            f"fragments are for aids and molecules; the queries of {key} are grown in its targets"
        )
    return chosen.without_edge_labels()


def _plain(graphs: GraphSet | Iterable[Graph]) -> GraphSet:
    return (graphs if isinstance(graphs, GraphSet) else GraphSet(graphs)).without_edge_labels()


def check_limit(limit: int | None) -> int | None:
    """A node limit, or OptionError."""
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, Integral) or limit < 0:
        raise OptionError(f"node_limit must be a whole number, 0 or more, or None; got {limit!r}")
    return int(limit)


def _built(
    labels: LabelRun,
    seed: int,
    info: dict[str, Any],
    folder: Path,
    use_shipped: bool,
    progress: Progress | None,
) -> Dataset:
    """Label, write, and read what was written."""
    sets, limits, computed = labels.run(use_shipped, progress)
    known = {
        name: {"fingerprint": fingerprint(labels.sets[name]), "node_limit": limits[name]} for name in sets
    }
    write(Dataset(labels.dataset, seed, sets, {**info, "sets": known}), folder)
    labels.forget(computed)
    return read(folder)
