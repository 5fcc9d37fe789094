"""Notes beside nodes as SVG: texts, on a ground that no edge shines through."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.markup import Html, tag
from prune4sed.report.svg_bonds import lines
from prune4sed.report.svg_nodes import text_at

__all__ = ["note_boxes", "note_grounds", "note_texts"]

Points = NDArray[np.float64]

ACROSS, HIGH = 0.62, 0.84  # of a digit, as shares of its size in the style sheet


def note_boxes(notes: Mapping[int, str], size: float) -> dict[int, Points]:
    """Half the width and half the height of every note, in letters of this size.

    Examples
    --------
    >>> note_boxes({7: "12"}, size=10)[7].round(1).tolist()
    [6.2, 4.2]
    """
    return {u: np.array([ACROSS * len(note), HIGH]) * size / 2 for u, note in notes.items()}


def note_texts(notes: Mapping[int, str], places: Mapping[int, Points]) -> Html:
    """Notes with their middles at the places given."""
    return Html("".join(text_at(note, places[u], class_="note") for u, note in notes.items()))


def note_grounds(boxes: Mapping[int, Points], places: Mapping[int, Points]) -> Html:
    """A broad stroke in the colour of the paper under every note; not all viewers can outline letters.

    Examples
    --------
    >>> note_grounds({0: np.array([6.0, 4.0])}, {0: np.array([20.0, 8.0])})
    '<path class="ground" d="M17 8L23 8"></path>'
    """
    ends = [places[u] + way * box * [0.5, 0] for u, box in boxes.items() for way in (-1, 1)]
    d = lines(np.array(ends), [(i, i + 1) for i in range(0, len(ends), 2)])
    return tag("path", class_="ground", d=d) if d else Html()
