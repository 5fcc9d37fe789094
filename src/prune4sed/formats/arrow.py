"""The Arrow file of GraphSet.save."""

from __future__ import annotations

from prune4sed.formats.source import Source
from prune4sed.graphset import GraphSet

__all__ = ["read"]


def read(source: Source) -> GraphSet:
    """A plain file is mapped into memory; anything else is read into it."""
    if source.path is not None and not source.compressed:
        return GraphSet.load(source.path)
    return GraphSet.from_bytes(source.read(), source.name)
