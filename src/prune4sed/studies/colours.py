"""One colour per method in all pictures of the studies."""

from __future__ import annotations

__all__ = ["colour_of"]

_COLOURS = {
    "neurosed": "#E67700",
    "prune4sed": "#2A6FBB",
    "prune4sed-clipped": "#7FB2E5",
    "plus": "#239064",
    "plus-clipped": "#7CC8A6",
    "plus-beam": "#8B5FBF",
    "exact-10ms": "#8A8A8A",
    "plus-10ms": "#C2559D",
}
_OTHER = "#B0413E"


def colour_of(method: str) -> str:
    """Of a method; the same red for all that have none of their own."""
    return _COLOURS.get(method, _OTHER)
