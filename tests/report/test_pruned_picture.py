"""Pictures of pruned targets: what is ringed, left out and large is what was asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.graph import Graph
from prune4sed.report.picture_sheet import Panel, picture_sheet
from prune4sed.report.pruned_picture import PrunedPicture, pruned_svg


def circles(svg: str, kind: str) -> list[ET.Element]:
    return [c for c in ET.fromstring(svg).iter("circle") if c.get("class") == kind]


@given(st.integers(0, 12), st.integers(0, 10**6))
def test_every_node_is_drawn_once_as_what_it_is(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = Graph([0] * size, [(u, u + 1) for u in range(size - 1)])
    kept = rng.random(size) < 0.5
    ringed = set(np.flatnonzero(rng.random(size) < 0.3).tolist())
    keep = rng.random(size).astype(np.float32)
    points = rng.normal(size=(size, 2)).round(3) * 9
    svg = pruned_svg(PrunedPicture(graph, points, {0: "#123456"}, keep, (0, 1), kept, ringed), "<words>")
    assert len(circles(svg, "node")) == kept.sum()
    assert len(circles(svg, "ghost")) == (~kept).sum()
    assert len(circles(svg, "ring")) == len(ringed)
    sizes = [float(c.get("r", "")) for c in circles(svg, "node")]
    # Written to a tenth of a pixel: nodes that are kept more are never smaller.
    assert (np.diff(np.array(sizes)[np.argsort(keep[kept])]) >= 0).all()
    inside = sum(bool(kept[a] and kept[b]) for a, b in graph.edges)
    drawn = {p.get("class"): (p.get("d") or "").count("M") for p in ET.fromstring(svg).iter("path")}
    assert drawn.get("edge", 0) == inside
    assert drawn.get("edge gone", 0) == len(graph.edges) - inside


def test_no_node_is_outside_the_board() -> None:
    points = np.array([[0.0, 0.0], [12.0, -3.0], [1.0, 30.0]])
    svg = pruned_svg(PrunedPicture(Graph([0, 1, 2]), points, {}), "three")
    root = ET.fromstring(svg)
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for circle in circles(svg, "node"):
        x, y, r = (float(circle.get(name, "")) for name in ("cx", "cy", "r"))
        assert r <= x <= width - r
        assert r <= y <= height - r
    assert [t.text for t in root.iter("text")] == ["0", "1", "2"]


def test_narrow_keep_probabilities_stay_alike() -> None:
    keep = np.array([0.50, 0.51], np.float32)
    svg = pruned_svg(PrunedPicture(Graph([0, 0]), np.eye(2) * 9, {}, keep, (0.50, 0.51)), "two")
    small, large = (float(c.get("r", "")) for c in circles(svg, "node"))
    assert 0 < large - small < 1


def test_a_sheet_holds_every_panel_and_escapes_words() -> None:
    picture = pruned_svg(PrunedPicture(Graph([0]), np.zeros((1, 2)), {}), "one")
    rows = [[Panel(picture, "a<b", ["R&D"])] * 3, [Panel(None, "words")]]
    root = ET.fromstring(picture_sheet(rows, ["", "second"]))
    space = "{http://www.w3.org/2000/svg}"
    kinds = [r.get("class") for r in root.iter(f"{space}rect")]
    assert kinds.count("panel") == 4
    assert len([s for s in root.iter(f"{space}svg") if s.get("class") == "pruned"]) == 3
    words = [t.text for t in root.iter(f"{space}text")]
    assert words.count("a<b") == 3
    assert words.count("R&D") == 3
    assert words.count("second") == 1
