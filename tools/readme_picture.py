"""Draw docs/images/search.svg, the picture of the README: a query and three hits, as the report draws them.

python tools/readme_picture.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import prune4sed as ps
from prune4sed.atomic import replacing
from prune4sed.cli.demo_data import bundled_molecules, fragments
from prune4sed.report.hit_picture import Artist
from prune4sed.report.markup import Html, part, tag
from prune4sed.report.page_hits import Answer, hit_match
from prune4sed.report.svg_colours import DARK, LIGHT, with_colours
from prune4sed.report.svg_nodes import text_at
from prune4sed.report.svg_picture import Picture, svg_picture

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "search.svg"
QUERY, HITS = "aspirin", ("NSC 2400", "NSC 299", "NSC 379")
WIDTH, HEIGHT, GAP, HEAD, FOOT = 225, 145, 10, 30, 30
STYLE = """
.card { fill: var(--card); stroke: var(--line); }
.under { font-size: 11.5px; font-weight: 400; fill: var(--soft); }
"""


@dataclass(frozen=True)
class Hit:
    """What the report needs of a hit."""

    id: str
    position: int
    lower: float
    upper: float
    certified: bool
    predicted: None
    mapping: tuple[int | None, ...]


def main() -> None:
    answer = _answer()
    artist = Artist(answer)
    panels = [_panel(0, artist.draw_query(), f"query: {QUERY}", "atoms numbered as in the edits")]
    for column, hit in enumerate(answer.hits, start=1):
        match = hit_match(answer.query, answer.target(hit), hit)
        assert match is not None
        edits = "; ".join(edit.words(molecule=True) for edit in match.edits) or "contained as it is"
        picture = artist.draw_hit(match.target, match, None)
        panels.append(_panel(column, picture, f"{hit.id}: distance {hit.upper:g}, proven", edits))
    css = f"{part('drawing.css')}{STYLE}"
    night = f"@media (prefers-color-scheme: dark) {{\n{with_colours(css, DARK)}}}"
    style = tag("style", Html(f"{with_colours(css, LIGHT)}{night}"))
    width, height = (WIDTH + GAP) * len(panels) - GAP, HEAD + HEIGHT + FOOT
    whole = tag(
        "svg",
        Html("\n".join([style, *panels])),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"-1 -1 {width + 2} {height + 2}",
        width=width + 2,
        height=height + 2,
    )
    with replacing(PICTURE) as temporary:
        temporary.write_text(whole + "\n", encoding="utf-8")
    print(f"{PICTURE.name}: {len(whole):,} bytes")


def _answer() -> Answer:
    """The query and the chosen hits, compared by the engine."""
    query = next(graph for graph in fragments() if graph.id == QUERY)
    library = bundled_molecules(5000)
    hits = []
    for name in HITS:
        position = list(library.ids).index(name)
        found = ps.sed(query, library[position])
        hits.append(Hit(name, position, found.lower, found.upper, found.certified, None, found.mapping))
    return Answer(query, hits, library)


def _panel(column: int, picture: Picture, title: str, under: str) -> Html:
    """A card with a picture, what it is, and what was edited."""
    left, middle = column * (WIDTH + GAP), column * (WIDTH + GAP) + WIDTH / 2
    card = tag("rect", class_="card", x=left, y=0, width=WIDTH, height=HEAD + HEIGHT + FOOT, rx=12)
    place = f'<svg x="{left + 8}" y="{HEAD}" width="{WIDTH - 16}" height="{HEIGHT}" '
    drawing = Html(svg_picture(picture, title).replace("<svg ", place, 1))
    words = text_at(under, (middle, HEAD + HEIGHT + 16), class_="under")
    return Html("\n".join([card, text_at(title, (middle, 20)), drawing, words]))


if __name__ == "__main__":
    main()
