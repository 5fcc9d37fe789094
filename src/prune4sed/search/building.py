"""Build an index in a folder straight from a file: part by part, and after a kill from where it was.

What is finished is in the folder as segments, and building.json (laid out like meta.json) says which, and
how many records of the source they took. meta.json comes last, so that a half-built index is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError, OptionError, Prune4SEDError
from prune4sed.exact.threads import thread_count
from prune4sed.formats.streaming import stream_graphs
from prune4sed.graphset import GraphSet
from prune4sed.search.estimates import vectors_of
from prune4sed.search.features import fingerprints
from prune4sed.search.index_files import (
    check_ours,
    check_sizes,
    new_meta,
    open_segment,
    sweep,
    write_models,
    write_segment,
)
from prune4sed.search.index_meta import BUILDING, META, Meta, read_meta, write_meta
from prune4sed.search.index_models import AUTO, IndexModels, default_model, find_models
from prune4sed.search.lock import LOCK, writing
from prune4sed.search.segments import Segment

__all__ = ["build_index"]

#: Records of the source that go into one segment, and are lost at most when a build is killed.
SEGMENT_SIZE = 1 << 16
#: As many problems are listed in meta.json; all of them are counted.
MOST_LISTED = 1000

Progress = Callable[[int], object]


def build_index(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    format: str | None = None,
    edge_labels: bool | None = None,
    model: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    segment_size: int = SEGMENT_SIZE,
    **options: Any,
) -> Meta:
    """Index the graphs of a file.

    Parameters
    ----------
    source : path
        A file of graphs; records that cannot be read are left out, counted and listed.
    out : path
        The folder; an index that is there is replaced once the new one is complete.
    format, edge_labels, **options
        As for `read_graphs`.
    model : str, path, SedModel or None
        As for `Index.build`; ``"auto"`` for the bundled model for molecules, where there is one and it fits.
    threads : int, optional
        Also the number of processes that parse molecules. All cores by default.
    progress : callable, optional
        Called with the number of records that are done.
    segment_size : int
        Records that go into one segment.

    Returns
    -------
    Meta
        What is in the index; open it with `Index.open`.
    """
    folder, workers = Path(out), thread_count(threads)
    if not Path(source).exists():
        raise FormatError(f"{source}: no such file")
    if folder.resolve() == Path(source).resolve():
        raise OptionError(f"{out} would overwrite its own source")
    check_ours(folder)
    if isinstance(model, str) and model == AUTO:
        model = default_model(source, format, edge_labels)
    models = find_models(model)
    if models.model is not None and not hasattr(models.model, "state_dict"):
        raise OptionError(f"model {model}: a solver has no weights that an index could keep")
    asked = _request(Path(source), format, edge_labels, model, options)
    made = not folder.exists()
    with writing(folder):
        meta = _start_or_resume(folder, asked, models)
        if progress is not None:
            progress(int(meta.info["records"]))
        parts = stream_graphs(
            source,
            format,
            edge_labels=edge_labels,
            skip=int(meta.info["records"]),
            size=segment_size,
            processes=workers,
            **options,
        )
        try:
            for part in parts:
                meta = _grown(meta, part, folder, models, workers)
                write_meta(meta, folder / BUILDING)
                if progress is not None:
                    progress(int(meta.info["records"]))
            return _finish(meta, folder)
        except Prune4SEDError:
            if not meta.segments:
                _forget(folder, made)
            raise


def _forget(folder: Path, made: bool) -> None:
    """Leave nothing of a build that failed before anything was done."""
    (folder / BUILDING).unlink(missing_ok=True)
    sweep(folder, _read(folder / META) or new_meta(False))
    if made:
        (folder / LOCK).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()


def _request(
    source: Path, format: str | None, edge_labels: bool | None, model: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """What makes two builds the same, so that one can go on with the other's work."""
    facts = source.stat()
    return {
        "source": str(source.resolve()),
        "bytes": facts.st_size,
        "changed": facts.st_mtime_ns,
        "format": format,
        "edge_labels": edge_labels,
        "model": None if model is None else str(model) if isinstance(model, (str, os.PathLike)) else "given",
        "options": {name: str(value) for name, value in options.items()},
    }


def _start_or_resume(folder: Path, asked: dict[str, Any], models: IndexModels) -> Meta:
    old, meta = _read(folder / META), _read(folder / BUILDING)
    kept = tuple(file.name for file in old.files) if old is not None else ()
    if meta is None or meta.info.get("request") != asked:
        meta = new_meta(
            False, {"request": asked, "records": 0, "problems": 0, "listed": [], "in_pieces": 0, "salts": []}
        )
        meta = replace(meta, models=write_models(models, folder))
    sweep(folder, meta, (BUILDING, *kept))
    write_meta(meta, folder / BUILDING)
    return meta


def _read(path: Path) -> Meta | None:
    """What is there; None if there is nothing, or it is damaged: to build again is the way out then."""
    try:
        meta = read_meta(path)
        check_sizes(path.parent, meta)
    except FormatError:
        return None
    return meta


def _grown(meta: Meta, part: Any, folder: Path, models: IndexModels, threads: int) -> Meta:
    """The index with one more part."""
    info = meta.info
    grown = meta.told(
        records=info["records"] + part.records,
        problems=info["problems"] + len(part.problems),
        listed=[*info["listed"], *part.problems][:MOST_LISTED],
        in_pieces=info["in_pieces"] + len(part.in_pieces),
        salts=[*info.get("salts", []), *_names(part.graphs, part.in_pieces, meta.graphs)][:MOST_LISTED],
    )
    if not len(part.graphs):
        return grown
    vectors = None if models.embedder is None else vectors_of(models.embedder, part.graphs)
    facts = write_segment(Segment(part.graphs, fingerprints(part.graphs, threads), vectors), folder)
    labels = grown.edge_labels or part.graphs.edge_vocabulary is not None
    return replace(grown, segments=(*grown.segments, facts), edge_labels=labels)


def _names(graphs: GraphSet, positions: Iterable[int], before: int) -> list[str]:
    """Ids of graphs; one without goes by its position in the index."""
    given = ((before + at, graphs.ids.given(at)) for at in positions)
    return [str(at) if name is None else name for at, name in given]


def _finish(meta: Meta, folder: Path) -> Meta:
    if not meta.segments and meta.info["problems"]:
        first = meta.info["listed"][0]
        raise FormatError(f"none of {meta.info['problems']:,} records can be read; the first: {first}")
    done = meta.told(repeated_ids=_repeated_ids(meta, folder))
    write_meta(done, folder / META)
    (folder / BUILDING).unlink(missing_ok=True)
    sweep(folder, done)
    return done


def _repeated_ids(meta: Meta, folder: Path) -> int:
    """How many graphs have an id that one before them has."""
    seen: set[int] = set()
    count = 0
    for facts in meta.segments:
        ids = open_segment(facts, folder).graphs.ids
        if ids.any_given:
            given = [hash(ids.given(i)) for i in range(len(ids)) if ids.given(i) is not None]
            count += len(given)
            seen.update(given)
    return count - len(seen)
