"""The folder of an index: graphs as Arrow files, fingerprints and vectors as npy, models, and meta.json.

All files but meta.json have names that are used once. A writer adds its files, and then switches meta.json:
until that moment the index is what it was, and whatever a writer that died has left is swept by the next one.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.atomic import reason, replacing
from prune4sed.errors import FormatError, OptionError
from prune4sed.graphset import GraphSet
from prune4sed.search.features import SCHEME, WORDS
from prune4sed.search.index_meta import MAGIC, META, FileFacts, Meta, SegmentFacts, read_meta, write_meta
from prune4sed.search.index_models import IndexModels
from prune4sed.search.lock import LOCK, writing
from prune4sed.search.segments import Segment, Segments

__all__ = [
    "add_segment",
    "check_ours",
    "check_sizes",
    "new_meta",
    "open_files",
    "open_segment",
    "save_files",
    "sweep",
    "verify_files",
]

#: Checksums of less than so many bytes are compared whenever an index is opened.
QUICKLY_VERIFIED = 64 << 20
#: Names of our files, and of what a writer that died had not finished. Nothing else is ever removed.
OURS = re.compile(
    r"segment-[0-9a-z]+\.(graphs\.arrow|(bits|vectors)\.npy)|(model|embedder)-[0-9a-z]+\.safetensors"
    r"|(meta|building)\.json"
)
UNFINISHED = re.compile(rf"\.({OURS.pattern})\.[^.]+\.part")


def new_meta(edge_labels: bool, info: dict[str, Any] | None = None) -> Meta:
    """The meta.json of an index without graphs."""
    from prune4sed import __version__

    made = {"package": __version__, "made": datetime.now(UTC).isoformat(timespec="seconds")}
    return Meta(SCHEME, edge_labels, info={**made, **(info or {})})


def save_files(library: Segments, models: IndexModels, folder: Path, meta: Meta | None) -> Meta:
    """Write an index to a folder; one that is there is replaced."""
    check_ours(folder)
    with writing(folder):
        fresh = new_meta(library.edge_labels, None if meta is None else meta.info)
        fresh = replace(fresh, models=write_models(models, folder))
        fresh = replace(fresh, segments=tuple(write_segment(part, folder) for part in library.parts))
        write_meta(fresh, folder / META)
        sweep(folder, fresh)
    return fresh


def add_segment(segment: Segment, folder: Path, meta: Meta, replaced: int = 0) -> tuple[Segment, Meta]:
    """Put a segment at the end of an index, in the place of so many others; what comes back is mapped."""
    with writing(folder):
        if read_meta(folder / META) != meta:
            raise FormatError(f"{folder}: somebody has written to this index since; open it again")
        facts = write_segment(segment, folder)
        kept = meta.segments[: len(meta.segments) - replaced]
        labels = meta.edge_labels or segment.graphs.edge_vocabulary is not None
        grown = replace(meta, segments=(*kept, facts), edge_labels=labels)
        write_meta(grown, folder / META)
        sweep(folder, grown)
    return open_segment(facts, folder), grown


def write_segment(segment: Segment, folder: Path) -> SegmentFacts:
    """Write the files of one segment."""
    stem = f"segment-{secrets.token_hex(6)}"
    paths = {"graphs": folder / f"{stem}.graphs.arrow", "bits": folder / f"{stem}.bits.npy"}
    segment.graphs.save(paths["graphs"])
    _write_array(segment.bits, paths["bits"])
    if segment.vectors is not None:
        paths["vectors"] = folder / f"{stem}.vectors.npy"
        _write_array(segment.vectors, paths["vectors"])
    return SegmentFacts(len(segment), {role: FileFacts.of(path) for role, path in paths.items()})


def write_models(models: IndexModels, folder: Path) -> dict[str, FileFacts]:
    """Write the models, so that the index does not depend on files elsewhere."""
    found = {}
    roles: dict[str, Any] = {"model": models.model, "embedder": models.embedder}
    for role, model in roles.items():
        if model is None:
            continue
        if not hasattr(model, "state_dict"):
            raise OptionError(f"{model.name} is a solver, which an index in a folder cannot keep; do without")
        from prune4sed.models.checkpoint import save_checkpoint

        path = folder / f"{role}-{secrets.token_hex(6)}.safetensors"
        save_checkpoint(model, path)
        found[role] = FileFacts.of(path)
    return found


def _write_array(array: NDArray[Any], path: Path) -> None:
    # Not np.save: of a full disk it says no more than how many bytes it could write.
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        file.write(np.ascontiguousarray(array).data)


def check_ours(folder: Path) -> None:
    """Refuse a folder that holds anything but an index."""
    if folder.exists() and not folder.is_dir():
        raise FormatError(f"cannot write {folder}: it is not a folder")
    try:
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
    except OSError as error:
        raise FormatError(f"cannot write {folder}: {reason(error)}") from None
    other = next((name for name in names if not _ours(name)), None)
    if other is None and names in ([META], sorted([LOCK, META])) and not _about_an_index(folder / META):
        other = META
    if other is not None:
        raise FormatError(f"cannot write {folder}: it holds other things than an index ({other})")


def _about_an_index(path: Path) -> bool:
    """Whether a meta.json is ours, damaged or not; many programs have one."""
    text = path.read_bytes() if path.is_file() else b"?"
    return not text or MAGIC.encode() in text


def _ours(name: str) -> bool:
    return name == LOCK or any(pattern.fullmatch(name) for pattern in (OURS, UNFINISHED))


def sweep(folder: Path, meta: Meta, keep: tuple[str, ...] = ()) -> None:
    """Remove files of ours that no meta.json speaks of: a writer died, or they were replaced."""
    used = {META, LOCK, *keep, *(file.name for file in meta.files)}
    for name in os.listdir(folder):
        if name not in used and _ours(name):
            (folder / name).unlink(missing_ok=True)


def open_files(folder: Path, verify: bool | None) -> tuple[Segments, IndexModels, Meta]:
    """Open an index: sizes are compared, and checksums where asked for or where it takes no time."""
    if not folder.is_dir():
        raise FormatError(
            f"{folder}: there is no such folder" if not folder.exists() else f"{folder}: no folder"
        )
    meta = read_meta(folder / META)
    if meta.scheme != SCHEME:
        raise FormatError(f"{folder}: its fingerprints are of another version; build the index again")
    check_sizes(folder, meta)
    if verify or (verify is None and sum(file.bytes for file in meta.files) < QUICKLY_VERIFIED):
        verify_files(folder, meta)
    parts = [open_segment(facts, folder) for facts in meta.segments]
    return Segments(parts), _open_models(meta, folder), meta


def verify_files(folder: Path, meta: Meta) -> None:
    """Compare the checksums of all files.

    Raises
    ------
    FormatError
        Naming the first file that is not what it was.
    """
    check_sizes(folder, meta)
    for file in meta.files:
        if FileFacts.of(folder / file.name) != file:
            raise FormatError(
                f"{folder / file.name} is damaged: its checksum does not fit; build the index again"
            )


def check_sizes(folder: Path, meta: Meta) -> None:
    """Compare the sizes of all files; the error names the first that is not what it was."""
    for file in meta.files:
        _check_size(folder / file.name, file)


def _check_size(path: Path, file: FileFacts) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise FormatError(f"{path}: a file of the index cannot be read ({error.strerror})") from None
    if size != file.bytes:
        raise FormatError(
            f"{path} is damaged: it has {size:,} bytes, not {file.bytes:,}; build the index again"
        )


def open_segment(facts: SegmentFacts, folder: Path) -> Segment:
    """Map the files of a segment."""
    files = facts.files
    graphs = GraphSet.load(folder / files["graphs"].name)
    bits = _map(folder / files["bits"].name, np.uint64, facts.graphs)
    vectors = _map(folder / files["vectors"].name, np.float32, facts.graphs) if "vectors" in files else None
    if len(graphs) != facts.graphs or bits.shape != (facts.graphs, WORDS):
        raise FormatError(
            f"{folder / files['graphs'].name} is damaged: it does not have {facts.graphs:,} graphs"
        )
    return Segment(graphs, bits, vectors)


def _map(path: Path, dtype: Any, rows: int) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FormatError(f"{path} is damaged: {str(error).splitlines()[0]}") from None
    if array.dtype != dtype or array.ndim != 2 or len(array) != rows:
        raise FormatError(f"{path} is damaged: {array.shape} of {array.dtype} is not what was written")
    return array


def _open_models(meta: Meta, folder: Path) -> IndexModels:
    """Not loaded yet: that takes longer than to open the index, and most searches can do without."""
    paths = {role: folder / file.name for role, file in meta.models.items()}
    return IndexModels(paths.get("model"), paths.get("embedder"))
