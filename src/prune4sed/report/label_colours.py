"""A colour for every node label, told apart by colour-blind readers too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from prune4sed.labels import Label

if TYPE_CHECKING:
    from prune4sed.graph import Graph

__all__ = ["MATCHED", "OTHER", "PALETTE", "label_colours", "text_colour"]

# No red and no orange: those mean matched and edited. Found by a search for colours that stay far apart, from
# each other and from the red, as seen with each of the three kinds of colour blindness.
PALETTE = ("#6DBBFF", "#F4DC4F", "#239064", "#D586B2", "#2A51A5", "#E4E0FF", "#5B3D48", "#B1F5C7")
# Elements have colours that chemists expect, as far as the palette has them.
FIXED: dict[Label, str] = dict(enumerate(PALETTE)) | dict(
    zip(("P", "S", "Cl", "O", "N", "C", "Br", "F"), PALETTE, strict=True)
)
OTHER = "#A8A8A8"  # labels beyond the palette
MATCHED, EDITED = "#D0121F", "#E67700"


def label_colours(graphs: Iterable[Graph]) -> dict[Label, str]:
    """Colours for the labels of some graphs, in the order of the labels.

    Small integers and the commonest elements have the same colours in every picture. When there are more
    labels than colours, the most common ones get a colour of their own and the others share a grey.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> label_colours([Graph(["O", "C", "C"])])
    {'C': '#E4E0FF', 'O': '#D586B2'}
    """
    counts = Counter(label for graph in graphs for label in graph.labels)
    by_name = sorted(counts, key=_order)
    common = sorted(by_name, key=lambda label: -counts[label])[: len(PALETTE)]
    own = {label: FIXED[label] for label in common if label in FIXED}
    free = [colour for colour in PALETTE if colour not in own.values()]
    own |= zip(sorted(set(common) - set(own), key=_order), free, strict=False)
    return {label: own.get(label, OTHER) for label in by_name}


def text_colour(fill: str) -> str:
    """Black or white, whichever reads better on a fill.

    Examples
    --------
    >>> text_colour("#2A51A5"), text_colour("#F4DC4F")
    ('white', 'black')
    """
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 130 else "black"


def legend_names(colours: Mapping[Label, str]) -> dict[str, str]:
    """Name and colour of every entry of a legend; the labels that share the grey are one entry."""
    names = {str(label): colour for label, colour in colours.items() if colour != OTHER}
    return names | ({"other": OTHER} if OTHER in colours.values() else {})


def _order(label: Label) -> tuple[bool, Label]:
    return isinstance(label, str), label
