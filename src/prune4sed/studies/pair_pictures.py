"""Panels of a pair: query, target, and the target as pruned by a head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.graph_layout import layout, turn_to
from prune4sed.report.label_colours import label_colours
from prune4sed.report.molecule_layout import are_molecules, molecule_layout
from prune4sed.report.picture_sheet import Panel
from prune4sed.report.pruned_picture import PrunedPicture, pruned_svg
from prune4sed.studies.drawn_pair import DrawnPair

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

__all__ = ["PairArtist", "shared_colours"]

Points = NDArray[np.float64]


def shared_colours(pairs: Iterable[DrawnPair]) -> dict[Label, str]:
    """Colours of labels that serve all pictures of a sheet."""
    return label_colours([graph for pair in pairs for graph in (pair.query, pair.target)])


class PairArtist:
    """Draws one pair; the query lies as its image in the target does.

    Parameters
    ----------
    pair : DrawnPair
        What to draw.
    colours : mapping of label to colour
        From `shared_colours`.
    """

    def __init__(self, pair: DrawnPair, colours: dict[Label, str]) -> None:
        self.pair, self.colours = pair, colours
        self.span = float(pair.keep[pair.kept].min()), float(pair.keep[pair.kept].max())
        self.target_points = _lay_out(pair.target)
        images = [(u, v) for u, v in enumerate(pair.mapping) if v is not None]
        goal = self.target_points[[v for _, v in images]]
        self.query_points = turn_to(_lay_out(pair.query), goal, [u for u, _ in images])

    def query(self) -> Panel:
        """The query."""
        graph = self.pair.query
        picture = PrunedPicture(graph, self.query_points, self.colours)
        return Panel(pruned_svg(picture, f"query of {len(graph)} nodes"), "query", [f"{len(graph)} nodes"])

    def target(self) -> Panel:
        """The target with the optimal match ringed."""
        pair = self.pair
        picture = PrunedPicture(pair.target, self.target_points, self.colours, ringed=pair.matched)
        words = f"{len(pair.target)} nodes, SED {pair.distance}"
        return Panel(pruned_svg(picture, f"target of {words}"), "target", [words])

    def pruned(self, head: int, title: str, soft: bool = True) -> Panel:
        """The target as a head prunes it; with `soft`, nodes are as large as their keep probabilities."""
        pair = self.pair
        kept, keep = pair.kept[head], pair.keep[head]
        picture = PrunedPicture(
            pair.target,
            self.target_points,
            self.colours,
            keep if soft else None,
            self.span,
            kept,
            pair.matched,
        )
        words = (
            f"keep {keep[kept].min():.2f} to {keep[kept].max():.2f}, {kept.sum()} of {len(kept)}"
            if soft
            else ""
        )
        under = words or f"{kept.sum()} of {len(kept)} nodes stay"
        return Panel(pruned_svg(picture, f"{title}: {under}"), title, [under])


def _lay_out(graph: Graph) -> Points:
    return molecule_layout(graph)[0] if are_molecules([graph]) else layout(graph)
