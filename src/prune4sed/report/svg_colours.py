"""Colours written out in a style sheet: hardly any viewer of SVG but a browser knows variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

from prune4sed.report.markup import Html

__all__ = ["DARK", "LIGHT", "with_colours"]

#: By the names of the variables of the report's page, by day and by night.
LIGHT = {
    "ink": "#1d2522",
    "soft": "#5d6864",
    "faint": "#99a29e",
    "card": "#fff",
    "line": "#dfe4e1",
    "matched": "#b5e3c4",
    "edited": "#ffbe85",
    "missing": "#d9680b",
    "note": "#a34a00",
    "keep": "#7a5cff",
}
DARK = {
    "ink": "#e8edea",
    "soft": "#a3aea9",
    "faint": "#77827d",
    "card": "#1c2320",
    "line": "#303a36",
    "matched": "#22603d",
    "edited": "#8f4d10",
    "missing": "#ff9d4d",
    "note": "#ffb77d",
    "keep": "#a08bff",
}


def with_colours(css: str, colours: Mapping[str, str] = LIGHT) -> Html:
    """A style sheet with colours in place of variables.

    Examples
    --------
    >>> with_colours(".card { fill: var(--card); }", DARK)
    '.card { fill: #1c2320; }'
    """
    return Html(re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], css))
