"""The molecules that models rank first for a functional group, drawn with the match in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prune4sed.graph import Graph
from prune4sed.report.graph_layout import layout, turn_to
from prune4sed.report.marks import match_marks
from prune4sed.report.markup import Html
from prune4sed.report.match_facts import known_match, largest_piece, missing_edges
from prune4sed.report.molecule_layout import are_molecules, molecule_layout
from prune4sed.report.picture_sheet import Panel, picture_sheet
from prune4sed.report.svg_picture import Picture, svg_picture
from prune4sed.studies.fragments_page import title_in
from prune4sed.studies.record import Record

__all__ = ["fragments_sheet"]

_SIZE, _LETTERS = (165, 120), 22


def fragments_sheet(record: Record) -> Html | None:
    """A row for every group and model: the query, then the molecules found; None if nothing is known."""
    rows, headings = [], []
    done = [e for e in record.entries() if "figures" in e and e["key"]["method"] != "bounds"]
    drawn = [row["group"] for entry in done[:1] for row in entry["figures"]["groups"] if "hits" in row]
    for name in drawn:
        heading = name
        for entry in done:
            found: Mapping[str, Any] = next(
                (row for row in entry["figures"]["groups"] if row["group"] == name), {}
            )
            if "hits" in found:
                rows.append(_row(found, title_in(record, entry)))
                headings.append(heading)
                heading = ""
    return picture_sheet(rows, headings, _SIZE) if rows else None


def _row(found: Mapping[str, Any], title: str) -> list[Panel]:
    query = _graph(found["query"])
    points, rings = _lay_out(query)
    picture = Picture(query, points, are_molecules([query]), rings=rings)
    under = f"precision at 5: {found['precision_5']:.1f}"
    panels = [Panel(svg_picture(picture, "query"), f"query, {title}", [under])]
    return [*panels, *(_hit(query, points, hit) for hit in found["hits"])]


def _hit(query: Graph, places: Any, hit: Mapping[str, Any]) -> Panel:
    target = _graph(hit)
    match = known_match(query, target, hit["mapping"], hit["lower"], hit["upper"])
    points, rings = _lay_out(target)
    placed = [(u, v) for u in largest_piece(match) if (v := match.mapping[u]) is not None]
    points = turn_to(points, places[[u for u, _ in placed]], [v for _, v in placed])
    marks, missing = match_marks(match)[1], missing_edges(match)
    picture = Picture(target, points, are_molecules([target]), marks, missing, rings=rings)
    words = f"SED {hit['true']:g}, predicted {hit['predicted']:.1f}"
    return Panel(svg_picture(picture, words), str(hit["id"] or "")[:_LETTERS], [words])


def _lay_out(graph: Graph) -> tuple[Any, dict[tuple[int, int], tuple[int, ...]]]:
    return molecule_layout(graph) if are_molecules([graph]) else (layout(graph), {})


def _graph(told: Mapping[str, Any]) -> Graph:
    return Graph(told["labels"], [(a, b) for a, b in told["edges"]])
