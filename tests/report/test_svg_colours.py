"""Pictures that stand by themselves show their colours in viewers that know neither variables nor new CSS."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from prune4sed.graph import Graph
from prune4sed.report.markup import part
from prune4sed.report.picture_sheet import Panel, picture_sheet
from prune4sed.report.svg_colours import DARK, LIGHT, with_colours
from prune4sed.report.svg_picture import Picture, svg_picture

ROOT = Path(__file__).parents[2]
PICTURES = sorted([*(ROOT / "results").glob("*.svg"), *(ROOT / "docs" / "images").glob("*.svg")])
# CairoSVG stops at "rgb(0 0 0 / .5)" and draws what it does not know as black; resvg knows no "font: ...".
UNKNOWN = re.compile(r"var\(|--\w|currentColor|rgb\([^,)]*\)|[{;]\s*font:")


def test_a_sheet_has_its_colours_written_out() -> None:
    picture = Picture(Graph(["C", "O"], [(0, 1)]), np.eye(2), molecule=True, notes={0: "0"})
    sheet = picture_sheet([[Panel(svg_picture(picture, "two atoms"), "two")]])
    assert f"fill: {LIGHT['note']}" in sheet
    assert not UNKNOWN.findall(sheet)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_pictures_of_record_have_theirs_written_out(path: Path) -> None:
    assert not UNKNOWN.findall(path.read_text(encoding="utf-8"))


def test_colours_are_those_of_the_page() -> None:
    day, night = part("page.css").split("@media (prefers-color-scheme: dark)")[:2]
    for css, colours in ((day, LIGHT), (night, DARK)):
        told = dict(re.findall(r"--([\w-]+): (#\w+)", css.split("\n.graphs")[0]))
        assert {name: told[name] for name in colours} == colours


def test_a_variable_without_a_colour_is_told() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        with_colours("a { fill: var(--nowhere); }")
