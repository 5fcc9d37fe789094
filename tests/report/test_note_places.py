"""Numbers beside nodes: on the board, on no node and no other number, and nearest to the node they are of."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prune4sed as ps
from prune4sed.report.hit_picture import Artist
from prune4sed.report.page_hits import Answer
from prune4sed.report.svg_picture import Picture, svg_picture

DISC, LETTER, LINE = 9.0, 7.2, 10.0  # pixels: radius of a node, width and height of a bold digit of 12


def hub(size: int, extra: int, seed: int) -> ps.Graph:
    """A tree with a busy node or two, as ego-nets have them, and some more edges."""
    rng = np.random.default_rng(seed)
    tree = {(int(rng.integers(0, max(1, u // 6))), u) for u in range(1, size)}
    more = {tuple(sorted(map(int, rng.choice(size, 2, replace=False)))) for _ in range(extra)}
    return ps.Graph(rng.integers(0, 3, size), sorted(tree | more))


def drawn_query(graph: ps.Graph) -> ET.Element:
    return ET.fromstring(svg_picture(Artist(Answer(graph, [], ps.GraphSet([]))).draw_query(), "q"))


def discs(svg: ET.Element) -> np.ndarray:
    return np.array([[float(c.get("cx", "")), float(c.get("cy", ""))] for c in svg.iter("circle")])


def numbers(svg: ET.Element) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The numbers, and the corners of the boxes around them."""
    notes = [text for text in svg.iter("text") if text.get("class") == "note"]
    words = [note.text or "" for note in notes]
    middle = np.array([[float(note.get("x", "")), float(note.get("y", ""))] for note in notes])
    half = np.array([[LETTER * len(word), LINE] for word in words]) / 2
    return words, middle - half, middle + half


def board(svg: ET.Element) -> np.ndarray:
    return np.array((svg.get("viewBox") or "").split(), dtype=float)[2:]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 25), st.integers(0, 8), st.integers(0, 10**6))
def test_the_numbers_of_a_query_can_be_read(size: int, extra: int, seed: int) -> None:
    svg = drawn_query(hub(size, extra, seed))
    words, low, high = numbers(svg)
    assert words == [str(u) for u in range(size)]
    assert low.min() >= 0
    assert (high <= board(svg)).all()
    away = discs(svg)[None, :, :] - np.clip(discs(svg)[None, :, :], low[:, None, :], high[:, None, :])
    gaps = np.hypot(away[..., 0], away[..., 1]) - DISC
    assert gaps.min() > 0
    assert gaps.argmin(axis=1).tolist() == list(range(size))
    over = (low[:, None, :] < high[None, :, :]).all(axis=2)
    assert not (over & over.T & ~np.eye(size, dtype=bool)).any()


def test_an_edge_behind_a_number_does_not_shine_through() -> None:
    kinds = [(part.get("class") or "").split()[0] for part in drawn_query(hub(9, 0, 1))]
    assert kinds.index("bonds") < kinds.index("ground") < kinds.index("node") < kinds.index("note")


@pytest.mark.parametrize("molecule", [False, True])
def test_a_number_keeps_clear_of_the_bow_of_a_missing_edge(molecule: bool) -> None:
    graph, points = ps.Graph(["O", "C", "N"], [(0, 1)]), np.array([[0, 0], [-1, 0.4], [4, 0]])
    svg = ET.fromstring(svg_picture(Picture(graph, points, molecule, missing=[(0, 2)], notes={0: "7"}), "t"))
    (bow,) = (path.get("d", "") for path in svg.iter("path") if path.get("class") == "missing")
    (word,), (low,), (high,) = numbers(svg)
    start, control, end = np.array(bow.replace("M", "").replace("Q", " ").split(), dtype=float).reshape(3, 2)
    share = np.linspace(0, 1, 200)[:, None]
    curve = (1 - share) ** 2 * start + 2 * share * (1 - share) * control + share**2 * end
    assert word == "7"
    assert not ((curve > low) & (curve < high)).all(axis=1).any()


def test_the_board_is_as_wide_as_the_numbers_at_its_rim() -> None:
    picture = Picture(ps.Graph([1]), np.zeros((1, 2)), molecule=False, notes={0: "1234567890"})
    svg = ET.fromstring(svg_picture(picture, "one", least=(10, 10)))
    _, low, high = numbers(svg)
    assert low.min() >= 0
    assert (high <= board(svg)).all()
