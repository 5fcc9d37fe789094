"""Drawings of matches: the right atoms in the right colours."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from prune4sed.errors import FormatError, OptionError
from prune4sed.exact import EditCosts, SedResult
from prune4sed.graph import Graph
from prune4sed.report.marks import match_marks
from prune4sed.report.molecule import EDITED, MATCHED, match_png, match_svg

pytest.importorskip("rdkit")


def result(query: str, target: str, mapping: tuple[int | None, ...]) -> SedResult:
    q, t = Graph.from_smiles(query), Graph.from_smiles(target)
    cost = EditCosts().map_cost(q, t, mapping)
    return SedResult(cost, cost, mapping, 0, 0.0, query=q, target=t, costs=EditCosts())


def hex_colour(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{int(255 * part):02X}" for part in colour)


def test_marks_follow_the_edits() -> None:
    ours, theirs = match_marks(result("CCO", "CN", (0, 1, None)))
    assert ours.nodes == {0: True, 1: False, 2: False}
    assert ours.edges == {(0, 1): True, (1, 2): False}
    assert theirs.nodes == {0: True, 1: False}
    assert theirs.edges == {(0, 1): True}


def test_svg_is_well_formed_and_coloured() -> None:
    edited = match_svg("CCO", "CCN", result("CCO", "CCN", (0, 1, 2)))
    ET.fromstring(edited)
    assert hex_colour(MATCHED) in edited
    assert hex_colour(EDITED) in edited
    same = match_svg("CCO", "CCO", result("CCO", "CCO", (0, 1, 2)))
    # Only the legend still shows the colour of edits.
    assert same.count(hex_colour(EDITED)) < edited.count(hex_colour(EDITED))


def test_png() -> None:
    assert match_png("C", "C", result("C", "C", (0,))).startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_refused() -> None:
    r = result("CCO", "CCN", (0, 1, 2))
    with pytest.raises(OptionError, match="2 atoms"):
        match_svg("CC", "CCN", r)
    with pytest.raises(FormatError, match="not a valid SMILES"):
        match_svg("C(", "CCN", r)
