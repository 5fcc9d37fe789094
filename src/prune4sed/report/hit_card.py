"""One hit as a card of the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from prune4sed.report.hit_picture import Artist, keep_array
from prune4sed.report.markup import Html, fill, tag
from prune4sed.report.page_hits import hit_match
from prune4sed.report.svg_picture import svg_picture

if TYPE_CHECKING:
    from prune4sed.exact.result import SedResult
    from prune4sed.graph import Graph
    from prune4sed.report.page_hits import Answer, HitLike

__all__ = ["distance_words", "hit_card", "size_words"]


def hit_card(artist: Artist, answer: Answer, rank: int) -> Html:
    """The card of a hit: its picture, distance, edits and facts.

    Parameters
    ----------
    artist : Artist
        Who draws.
    answer : Answer
        What was found.
    rank : int
        Which hit, from 0.
    """
    hit = answer.hits[rank]
    target = answer.target(hit)
    match = hit_match(answer.query, target, hit)
    name = hit_name(hit)
    keep = keep_array(answer.prunings[rank] if answer.prunings else None, len(target), name)
    picture = artist.draw_hit(target, match, keep)
    edits = _edits(match, artist.molecule)
    hidden = len(target) - len(picture.graph)
    return fill(
        "card.html",
        rank=rank + 1,
        id=name,
        upper=_data(hit.upper),
        size=len(target),
        predicted=_data(hit.predicted),
        proven="proven" if hit.certified else "open",
        drawing=svg_picture(picture, f"{name}, drawn. {_described(match, artist.molecule)}"),
        distance=_best(hit),
        verdict=distance_words(hit),
        edits=edits,
        facts=size_words(target, artist.molecule),
        estimate=Html() if hit.predicted is None else tag("span", f"predicted {hit.predicted:.2f}"),
        hidden=tag("span", f"{hidden:,} not drawn") if hidden else Html(),
    )


def hit_name(hit: HitLike) -> str:
    """The id of a hit, or its place in the library if it has none."""
    return f"graph {hit.position}" if hit.id is None else str(hit.id)


def distance_words(hit: HitLike) -> str:
    """How sure the distance is.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> distance_words(SimpleNamespace(lower=1.0, upper=3.0, certified=False))
    'between 1 and 3'
    """
    if hit.certified:
        return "proven"
    if not math.isfinite(hit.upper):
        return f"at least {hit.lower:g}"
    return f"between {hit.lower:g} and {hit.upper:g}"


def size_words(graph: Graph, molecule: bool) -> str:
    """How large a graph is.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> size_words(Graph(["C", "O"], [(0, 1)]), molecule=True)
    '2 atoms, 1 bond'
    """
    things = ("atom", "bond") if molecule else ("node", "edge")
    counts = zip((len(graph), len(graph.edges)), things, strict=True)
    return ", ".join(f"{count:,} {thing}{'s' * (count != 1)}" for count, thing in counts)


def _best(hit: HitLike) -> str:
    """The distance to print large: the best that is known."""
    if not math.isfinite(hit.upper):
        return f"≥ {hit.lower:g}"
    return f"{hit.upper:g}" if hit.certified else f"≤ {hit.upper:g}"


def _edits(match: SedResult | None, molecule: bool) -> Html:
    if match is None:
        return tag("p", "No match was looked for.", class_="edits")
    if not match.edits:
        return tag("p", "Contained as it is.", class_="edits")
    items = [tag("li", edit.words(molecule)) for edit in match.edits]
    return tag("ul", Html("".join(items)), class_="edits", aria_label="edits")


def _described(match: SedResult | None, molecule: bool) -> str:
    """What the picture shows, for those who cannot see it."""
    if match is None:
        return "No match is marked."
    things = "atoms" if molecule else "nodes"
    placed = sum(v is not None for v in match.mapping)
    changed = sum(edit.kind == "relabel node" for edit in match.edits)
    return (
        f"{placed} of {len(match.mapping)} query {things} are placed, {changed} of them with another label."
    )


def _data(value: float | None) -> str:
    """A number for the page's script; empty if there is none."""
    return "" if value is None or not math.isfinite(value) else f"{value:.6g}"
