"""The part of the report about one query: the query drawn, what is proven, and the hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prune4sed.report.hit_card import hit_card, size_words
from prune4sed.report.hit_picture import Artist
from prune4sed.report.label_colours import legend_names
from prune4sed.report.markup import Html, fill, tag
from prune4sed.report.svg_picture import svg_picture

if TYPE_CHECKING:
    from prune4sed.report.page_hits import Answer

__all__ = ["hit_section", "query_names", "verdict"]


def hit_section(answer: Answer, name: str, anchor: str) -> Html:
    """The section of one query; `name` is what it is called, `anchor` its name in links."""
    artist = Artist(answer)
    cards = [hit_card(artist, answer, rank) for rank in range(len(answer.hits))]
    size = size_words(answer.query, artist.molecule)
    section = fill(
        "section.html",
        anchor=anchor,
        drawing=svg_picture(artist.draw_query(), f"The query, drawn: {size}.", least=(260, 150)),
        kicker="query",
        name=name,
        size=size,
        state="proven" if _proven(answer) else "open",
        verdict=verdict(answer),
        fine=_fine(answer, artist),
        legend=_legend(artist),
        cards=Html("\n".join(cards)),
    )
    return section if artist.molecule else tag("div", section, class_="graphs")


def query_names(answers: Sequence[Answer]) -> list[str]:
    """The ids of the queries; one without is called by its position, unless it is the only one."""
    ids = [answer.query.id for answer in answers]
    if ids == [None]:
        return ["the query"]
    return [f"query {i}" if name is None else str(name) for i, name in enumerate(ids)]


def verdict(answer: Answer) -> str:
    """What is proven about the hits as a whole, in a sentence.

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> from prune4sed.report.page_hits import Answer
    >>> verdict(Answer(Graph(["C"]), [], GraphSet([Graph(["C"])])))
    'No hits.'
    """
    count, sure = len(answer.hits), sum(hit.certified for hit in answer.hits)
    if not count:
        return "No hits."
    if getattr(answer.hits, "proven", None) is True:
        return "Proven: all distances, and that nothing nearer was left out."
    distances = f"{sure} of {count} distances proven" if sure < count else "All distances proven"
    return f"{distances}; a nearer target may have been missed."


def _proven(answer: Answer) -> bool:
    return getattr(answer.hits, "proven", None) is True


def _fine(answer: Answer, artist: Artist) -> str:
    """How much was searched, how long it took, and what to know about the drawings."""
    things = "molecules" if artist.molecule else "graphs"
    parts = [f"{len(answer.hits):,} hits among {len(answer.library):,} {things}"]
    elapsed, ties = getattr(answer.hits, "elapsed", None), getattr(answer.hits, "ties", None)
    if elapsed is not None:
        parts[0] += f" in {elapsed:.2f} s"
    if ties:
        parts.append(f"at least {ties:,} more at the distance of the last hit")
    parts += getattr(answer.hits, "notes", ())
    if artist.molecule and answer.query.edge_labels is None:
        parts.append("bond orders were not compared and are not drawn")
    sentences = [f"{part[0].upper()}{part[1:].rstrip('.')}." for part in parts]
    return " ".join(sentences)


def _legend(artist: Artist) -> Html:
    """The kinds of marks, and for graphs the labels."""
    edge = "bond" if artist.molecule else "edge"
    kinds = [("mark", "var(--matched)", "matched"), ("mark", "var(--edited)", "edited")]
    kinds.append(("line", "var(--missing)", f"missing {edge}"))
    kinds += [("label", colour, name) for name, colour in legend_names(artist.colours).items()]
    chips = [fill("chip.html", kind=kind, colour=colour, name=name) for kind, colour, name in kinds]
    return Html("".join(chips))
