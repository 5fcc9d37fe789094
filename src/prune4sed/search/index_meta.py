"""meta.json of an index: what it is, which files it has, and the checksums of all, its own included."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError

__all__ = [
    "BUILDING",
    "MAGIC",
    "META",
    "VERSION",
    "FileFacts",
    "Meta",
    "SegmentFacts",
    "read_meta",
    "write_meta",
]

MAGIC, VERSION = "prune4sed.index", 1
META = "meta.json"
#: Laid out like meta.json, while an index is being built.
BUILDING = "building.json"


@dataclass(frozen=True)
class FileFacts:
    """A file of the index: its name, its size and its SHA-256."""

    name: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> FileFacts:
        """The facts of a file as it is."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return cls(path.name, path.stat().st_size, digest)


@dataclass(frozen=True)
class SegmentFacts:
    """Graphs that were added together, and the files that they are in."""

    graphs: int
    files: dict[str, FileFacts]


@dataclass(frozen=True)
class Meta:
    """What meta.json says.

    Attributes
    ----------
    scheme : int
        Of the fingerprints.
    edge_labels : bool
        Whether edges have labels.
    segments : tuple of SegmentFacts
        In order.
    models : dict
        Files of the models, by role.
    info : dict
        Where it comes from: source, package version, date, and what was left out or noticed.
    """

    scheme: int
    edge_labels: bool
    segments: tuple[SegmentFacts, ...] = ()
    models: dict[str, FileFacts] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def graphs(self) -> int:
        """How many there are."""
        return sum(segment.graphs for segment in self.segments)

    @property
    def files(self) -> list[FileFacts]:
        """All files but meta.json."""
        return [file for segment in self.segments for file in segment.files.values()] + list(
            self.models.values()
        )

    def told(self, **facts: Any) -> Meta:
        """The same with more to tell."""
        return replace(self, info={**self.info, **facts})


def write_meta(meta: Meta, path: Path) -> None:
    """Write it whole or not at all."""
    told = {"magic": MAGIC, "version": VERSION, **asdict(meta)}
    with replacing(path) as temporary:
        temporary.write_text(json.dumps({**told, "digest": _digest(told)}, indent=1) + "\n", encoding="utf-8")


def read_meta(path: Path) -> Meta:
    """Read and check it.

    Raises
    ------
    FormatError
        If it is not there, of another kind or version, or damaged.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if path.with_name(BUILDING).exists():
            raise FormatError(
                f"{path.parent}: this index is not finished; the same `prune4sed index build` goes on"
            ) from None
        raise FormatError(f"{path.parent}: not an index: there is no {path.name}") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise FormatError(f"{path} is damaged: it is not JSON") from None
    if not isinstance(told, dict) or told.get("magic") != MAGIC:
        raise FormatError(f"{path}: not the meta.json of an index")
    if told.get("version") != VERSION:
        found = told.get("version")
        raise FormatError(f"{path}: version {found} of the index format; this prune4sed reads {VERSION}")
    if told.pop("digest", None) != _digest(told):
        raise FormatError(f"{path} is damaged: its checksum does not fit")
    return Meta(
        told["scheme"],
        told["edge_labels"],
        tuple(SegmentFacts(part["graphs"], _files(part["files"])) for part in told["segments"]),
        _files(told["models"]),
        told["info"],
    )


def _files(told: dict[str, dict[str, Any]]) -> dict[str, FileFacts]:
    return {role: FileFacts(**facts) for role, facts in told.items()}


def _digest(told: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
