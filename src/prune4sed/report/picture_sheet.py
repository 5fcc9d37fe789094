"""Many small pictures with captions as one SVG file, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from prune4sed.atomic import replacing
from prune4sed.report.markup import Html, part, tag
from prune4sed.report.svg_colours import with_colours

__all__ = ["Panel", "picture_sheet", "save_sheet"]

# In pixels: between panels, around the sheet, above and below a picture, for a heading over a row.
GAP, EDGE, HEAD, LINE, HEADING = 8, 10, 24, 16, 26
STYLE = """
.sheet { fill: #f5f6f4; } .panel { fill: #fff; stroke: #dfe4e1; }
svg text.title { font-size: 12.5px; }
svg text.under { font-size: 11.5px; font-weight: 400; fill: #5d6864; }
svg text.heading { font-size: 14px; text-anchor: start; }
svg.pruned .edge { stroke: #7f8984; stroke-width: 1.4; } svg.pruned .edge.gone { stroke: #d3d9d6; }
svg.pruned .node { stroke: #000; stroke-opacity: .6; stroke-width: .8; }
svg.pruned .ghost { fill: #fff; stroke: #a3ada8; stroke-width: 1; }
svg.pruned .ring { fill: none; stroke: #d0121f; stroke-width: 2.6; }
svg.pruned text { font-size: 10.5px; }
svg.pruned text.black { fill: #000; } svg.pruned text.white { fill: #fff; }
"""


class Panel(NamedTuple):
    """A picture with words.

    Parameters
    ----------
    picture
        An SVG element; None for words alone.
    title
        Above it.
    under
        Lines below it.
    """

    picture: Html | None
    title: str = ""
    under: Sequence[str] = ()


class _Frame(NamedTuple):
    """Sizes that all panels of a sheet share."""

    width: int
    height: int
    lines: int

    @property
    def whole(self) -> int:
        return HEAD + self.height + LINE * self.lines + 6


def picture_sheet(
    rows: Sequence[Sequence[Panel]], headings: Sequence[str] = (), size: tuple[int, int] = (190, 150)
) -> Html:
    """All panels as one SVG document.

    Parameters
    ----------
    rows : sequence of rows of Panel
        From the top; a row may be shorter than others.
    headings : sequence of str
        A line above each row; an empty one takes no room.
    size : width and height
        Of every picture, in pixels.

    Examples
    --------
    >>> sheet = picture_sheet([[Panel(None, "nothing")]], size=(100, 50))
    >>> sheet.partition(">")[0]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 100" width="120" height="100"'
    """
    lines = max((len(panel.under) for row in rows for panel in row), default=0)
    frame = _Frame(*size, lines)
    pieces, top = [], EDGE
    for row, heading in zip(rows, [*headings, *[""] * len(rows)], strict=False):
        if heading:
            pieces.append(_text(heading, EDGE, top + HEADING / 2, "heading"))
            top += HEADING
        pieces += [_panel(panel, frame, EDGE + i * (frame.width + GAP), top) for i, panel in enumerate(row)]
        top += frame.whole + GAP
    columns = max((len(row) for row in rows), default=0)
    width, height = 2 * EDGE + columns * (frame.width + GAP) - GAP, top - GAP + EDGE
    return tag(
        "svg",
        Html("\n".join([_style(), tag("rect", class_="sheet", width=width, height=height), *pieces])),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
    )


def save_sheet(sheet: Html, path: str | PathLike[str]) -> Path:
    """Write a sheet, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(sheet + "\n", encoding="utf-8")
    return Path(path)


def _style() -> Html:
    return tag("style", Html(f"{with_colours(part('drawing.css'))}{STYLE}"))


def _panel(panel: Panel, frame: _Frame, left: int, top: int) -> Html:
    """A card with a title, a picture that fills it as far as it can, and lines below."""
    middle = left + frame.width / 2
    pieces = [tag("rect", class_="panel", x=left, y=top, width=frame.width, height=frame.whole, rx=9)]
    if panel.title:
        pieces.append(_text(panel.title, middle, top + HEAD / 2, "title"))
    if panel.picture is not None:
        inner = frame.width - 12
        place = f'<svg x="{left + 6}" y="{top + HEAD}" width="{inner}" height="{frame.height}" '
        pieces.append(Html(panel.picture.replace("<svg ", place, 1)))
    for i, line in enumerate(panel.under):
        y = top + HEAD + frame.height + LINE * (i + 0.5)
        pieces.append(_text(line, middle, y, "under"))
    return Html("\n".join(pieces))


def _text(words: str, x: float, y: float, kind: str) -> Html:
    return tag("text", words, class_=kind, x=f"{x:g}", y=f"{y:g}")
