"""Pictures of hits: the match lies as the query does, and bonds keep clear of letters."""

from __future__ import annotations

import re

import numpy as np
import pytest

import prune4sed as ps
from exhaustive import exhaustive_search
from prune4sed.exact.result import SedResult
from prune4sed.report.hit_picture import Artist
from prune4sed.report.page_hits import Answer, hit_match
from prune4sed.report.svg_bonds import LETTER, bond_lines
from prune4sed.report.svg_picture import Picture, svg_picture

pytest.importorskip("rdkit")


def pictures(query: ps.Graph, *targets: ps.Graph) -> tuple[Picture, list[tuple[SedResult, Picture]]]:
    """The query drawn, and the hits with their matches."""
    library = ps.GraphSet(targets)
    answer = Answer(query, exhaustive_search(query, library), library)
    artist = Artist(answer)
    drawn = []
    for hit in answer.hits:
        match = hit_match(query, answer.target(hit), hit)
        assert match is not None
        drawn.append((match, artist.draw_hit(match.target, match, None)))
    return artist.draw_query(), drawn


def numbers(path: str) -> np.ndarray:
    return np.array([float(n) for n in re.findall(r"-?[\d.]+", path)]).reshape(-1, 2, 2)


def test_a_contained_query_lies_as_it_does_alone() -> None:
    query = ps.parse_smiles("Oc1ccccc1N")
    own, [(match, hit)] = pictures(query, ps.parse_smiles("CCCCc1cc(O)c(N)cc1"))
    assert match.upper == 0
    shifts = hit.points[list(match.mapping)] - own.points
    assert np.allclose(shifts, shifts[0], atol=0.05)


def test_the_largest_piece_decides_which_way_up() -> None:
    query = ps.parse_smiles("c1ccccc1CCN")
    own, [(match, hit)] = pictures(query, ps.parse_smiles("NCCCCCCc1ccccc1C"))
    ring = list(range(6))
    assert match.upper == 1
    shifts = hit.points[[match.mapping[u] for u in ring]] - own.points[ring]
    assert np.allclose(shifts, shifts[0], atol=0.05)


def test_marks_and_missing_bonds_are_those_of_the_match() -> None:
    _, [(_, hit)] = pictures(ps.parse_smiles("C1CCCCC1O"), ps.parse_smiles("CCCCCCN"))
    assert sorted(hit.marks.nodes.values()) == [False] + 6 * [True]
    assert len(hit.missing) == 1
    assert len(hit.marks.edges) == 6
    svg = svg_picture(hit, "x")
    assert svg.count('class="missing"') == 1
    assert svg.count('class="nodes edited"') == 1


def test_bonds_end_before_letters() -> None:
    graph = ps.parse_smiles("CC(=O)N", edge_labels=True)
    xy = np.array([[0.0, 0.0], [30.0, 0.0], [60.0, 0.0], [30.0, 30.0]])
    solid, dashed = bond_lines(graph, xy, {2: "O", 3: "N"}, {})
    drawn = numbers(solid)
    assert dashed == ""
    assert len(drawn) == 4  # the double bond is two lines
    ends = np.linalg.norm(drawn.reshape(-1, 1, 2) - xy[None, [2, 3]], axis=2)
    assert ends.min() >= LETTER - 0.1


def test_the_board_holds_the_picture() -> None:
    _, hits = pictures(ps.parse_smiles("CO"), ps.parse_smiles("OC" + "C" * 40), ps.parse_smiles("OC"))
    for _, hit in hits:
        svg = svg_picture(hit, "x", least=(200, 100))
        width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
        places = np.array([(float(x), float(y)) for x, y in re.findall(r'x="([\d.]+)" y="([\d.]+)"', svg)])
        bonds = numbers(re.findall(r'class="bonds" d="([^"]+)"', svg)[0]).reshape(-1, 2)
        both = np.vstack([places, bonds])
        assert width >= 200
        assert height >= 100
        assert both.min() >= 0
        assert (both.max(axis=0) <= [width, height]).all()
