"""Where to put notes beside the nodes of a picture: clear of nodes and other notes, and of edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.graph_notes import free_angle

if TYPE_CHECKING:
    from prune4sed.report.marks import Edge

__all__ = ["note_places"]

Points = NDArray[np.float64]
Ends = NDArray[np.int64]

BESIDE, CLEAR = 2.5, 3.0  # pixels from a node to its note, and the room wanted around a note
ANGLES, FARTHER = 24, (0.0, 4.0, 9.0)  # the places to choose from: ways to go, and pixels beyond the nearest
ROUNDS = 3  # notes make room for each other
# How bad the square of a pixel too near is, to another note, a node or an edge; a pixel farther away is 1.
BY_NOTE, BY_NODE, BY_EDGE = 4.0, 3.0, 1.0


def note_places(
    xy: Points, edges: Sequence[Edge], radii: Points, boxes: Mapping[int, Points]
) -> dict[int, Points]:
    """The middle of every note.

    Parameters
    ----------
    xy : array, (nodes, 2)
        The nodes, in pixels.
    edges : sequence of node pairs
        What runs between them.
    radii : array, (nodes,)
        How far each node reaches.
    boxes : mapping of node to array, (2,)
        Half the width and half the height of the note of each node that has one.

    Examples
    --------
    >>> line, box = np.array([[0.0, 0.0], [30.0, 0.0]]), np.array([3.0, 4.0])
    >>> places = note_places(line, [(0, 1)], np.array([9.0, 9.0]), {0: box, 1: box})
    >>> [round(float(place[0]), 1) for place in places.values()]  # away from the edge
    [-14.5, 44.5]
    """
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    choices = [_choices(u, xy, ends, radii[u], box) for u, box in boxes.items()]
    crowding = [_crowding(u, choices[i], xy, ends, radii, boxes[u]) for i, u in enumerate(boxes)]
    halves = np.array(list(boxes.values())).reshape(-1, 2)
    chosen = np.full(halves.shape, np.inf)
    for _ in range(ROUNDS):
        for i, places in enumerate(choices):
            chosen[i] = np.inf  # out of its own way
            others = _short(_apart(places[:, None, :] - chosen, halves[i] + halves))
            chosen[i] = places[int((crowding[i] + BY_NOTE * (others**2).sum(axis=1)).argmin())]
    return dict(zip(boxes, chosen, strict=True))


def _choices(u: int, xy: Points, ends: Ends, radius: float, box: Points) -> Points:
    """Places around a node: first where the fewest edges leave it, and the near ones before the far ones."""
    others = np.concatenate([ends[ends[:, 0] == u, 1], ends[ends[:, 1] == u, 0]])
    angles = free_angle(xy[others] - xy[u]) + np.linspace(0, 2 * np.pi, ANGLES, endpoint=False)
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    reach = radius + BESIDE + np.hypot(*(ways * box).T)
    return np.concatenate([xy[u] + ways * (reach + more)[:, None] for more in FARTHER])


def _crowding(u: int, places: Points, xy: Points, ends: Ends, radii: Points, box: Points) -> Points:
    """How bad each place is, whatever the other notes do."""
    # Whatever is farther from the node than this is in the way of no place.
    reach = float(np.hypot(*(places - xy[u]).T).max() + np.hypot(*box)) + CLEAR
    own = np.maximum(_apart(places - xy[u], box) - radii[u], 0)
    away = np.hypot(*(xy - xy[u]).T) - radii
    away[u] = np.inf
    # A note that is as near to another node would be taken for the note of that one.
    others = away < 2 * reach
    gaps = _apart(places[:, None, :] - xy[others], box) - radii[others]
    by_nodes = (_short(gaps - own[:, None]) ** 2).sum(axis=1)
    here = np.zeros(2)
    near = ends[_from_edges(xy[u][None], xy, ends, here)[0] < reach]
    by_edges = (_short(_from_edges(places, xy, near, box)) ** 2).sum(axis=1)
    bad: Points = BY_NODE * by_nodes + BY_EDGE * by_edges + np.repeat(FARTHER, ANGLES)
    return bad


def _from_edges(places: Points, xy: Points, ends: Ends, box: Points) -> Points:
    """How far from a note at each place each edge runs, (places, edges); 0 if it runs through."""
    start, along = xy[ends[:, 0]], xy[ends[:, 1]] - xy[ends[:, 0]]
    away = places[:, None, :] - start
    share = (away * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-9)
    return _apart(away - np.clip(share, 0, 1)[..., None] * along, box)


def _apart(away: Points, box: Points) -> Points:
    """How far points are from a box around the origin; 0 within."""
    beyond = np.maximum(np.abs(away) - box, 0)
    return np.hypot(beyond[..., 0], beyond[..., 1])


def _short(gaps: Points) -> Points:
    """By how much gaps fall short of the room that is wanted."""
    return np.maximum(CLEAR - gaps, 0)
