"""One legend for all panels of a figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["shared_legend"]


def shared_legend(panels: Iterable[Axes]) -> None:
    """Right of the last panel, what any panel shows, each once."""
    every = list(panels)
    known: dict[str, Artist] = {}
    for axes in every:
        handles, labels = axes.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            known.setdefault(label, handle)
    if known:
        every[-1].legend(list(known.values()), list(known), loc="center left", bbox_to_anchor=(1.02, 0.5))
