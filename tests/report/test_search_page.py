"""The report of a search: the page says what the engine found, and nothing a user wrote is markup."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import prune4sed as ps
from exhaustive import Hits, exhaustive_search
from prune4sed.errors import FormatError, OptionError
from prune4sed.report.page_hits import Answer
from prune4sed.report.search_page import write_report, write_reports

MOTIF = ps.Graph([0, 1, 2], [(0, 1), (1, 2)], id="motif")
EGO_NETS = ps.GraphSet(
    [
        ps.Graph([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)], id="whole"),
        ps.Graph([0, 1, 3, 3], [(0, 1), (1, 2), (2, 3)], id="relabelled"),
        ps.Graph([0, 1, 2], [(0, 1)], id="cut"),
        ps.Graph([0], id="small"),
    ]
)
VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Checks that tags close in order, and collects them with their attributes and texts."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.texts: Counter[tuple[str, str]] = Counter()
        self.feed(path.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts[self.open[-1], data.strip()] += 1

    def cards(self) -> list[dict[str, Any]]:
        return [attrs for _, attrs in self.tags if (attrs.get("class") or "").startswith("card ")]

    def count(self, tag: str, kind: str) -> int:
        return sum(name == tag and kind in (attrs.get("class") or "").split() for name, attrs in self.tags)


def report(folder: Path, query: ps.Graph, hits: Any, library: ps.GraphSet, **rest: Any) -> Page:
    write_report(folder / "report.html", query, hits, library, **rest)
    assert [path.name for path in folder.iterdir()] == ["report.html"]
    return Page(folder / "report.html")


def test_cards_say_what_the_engine_says(tmp_path: Path) -> None:
    page = report(tmp_path, MOTIF, exhaustive_search(MOTIF, EGO_NETS), EGO_NETS)
    assert [(c["data-id"], c["data-distance"], c["data-size"]) for c in page.cards()] == [
        ("whole", "0", "4"),
        ("relabelled", "1", "4"),
        ("cut", "1", "3"),
        ("small", "4", "1"),
    ]
    assert page.texts["p", "Contained as it is."] == 1
    assert page.texts["li", "relabel node 2 from 2 to 3"] == 1
    assert page.texts["li", "delete edge 1-2"] == 2  # in "cut", and in "small", where only node 0 is left
    assert page.texts["p", "Proven: all distances, and that nothing nearer was left out."] == 1
    assert page.count("path", "missing") == 1  # a bow needs both ends: only in "cut"
    assert page.count("circle", "node") == 3 + 4 + 4 + 3 + 1


def test_molecules_are_drawn_with_their_bonds(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    query = ps.parse_smiles("c1ccccc1O", edge_labels=True, id="phenol")
    library = ps.GraphSet([ps.parse_smiles("c1ccccc1N", edge_labels=True, id="aniline")])
    page = report(tmp_path, query, exhaustive_search(query, library), library)
    assert page.texts["li", "relabel atom 6 from O to N"] == 1
    assert page.texts["text", "N"] == page.texts["text", "O"] == 1  # carbon is not written out
    dashed = [attrs["d"] for _, attrs in page.tags if attrs.get("class") == "bonds aromatic"]
    assert [path.count("M") for path in dashed] == [6, 6]  # of the query and of the hit
    plain = report(tmp_path, ps.parse_smiles("CO"), [], ps.GraphSet([]))
    assert any("bond orders were not compared" in text.lower() for _, text in plain.texts)


def test_open_hits_carry_their_bounds(tmp_path: Path) -> None:
    shared = {"predicted": 1.25, "certified": False}
    hits = [
        SimpleNamespace(id="cut", position=2, lower=0.0, upper=1.0, mapping=(0, 1, 2), **shared),
        SimpleNamespace(id=None, position=3, lower=3.0, upper=float("inf"), mapping=(), **shared),
    ]
    page = report(tmp_path, MOTIF, hits, EGO_NETS)
    assert page.texts["p", "between 0 and 1"] == 1
    assert page.texts["p", "at least 3"] == 1
    assert page.texts["p", "No match was looked for."] == 1
    assert page.texts["p", "0 of 2 distances proven; a nearer target may have been missed."] == 1
    assert page.texts["span", "predicted 1.25"] == 2
    assert page.texts["option", "predicted"] == 1
    assert [card["data-distance"] for card in page.cards()] == ["1", ""]
    assert page.cards()[1]["data-id"] == "graph 3"


NASTY = [
    '<script>alert("1")</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></script><b>&amp;$title ${id}",
    "\x00\x1b[31m",
    "\u202eabc" + "x" * 500,
]


@pytest.mark.parametrize("text", NASTY)
def test_nothing_a_user_wrote_becomes_markup(tmp_path: Path, text: str) -> None:
    page, plain = (written_by_a_user(tmp_path, words) for words in (text, "harmless"))
    made, wanted = (Counter((tag, *sorted(attrs)) for tag, attrs in one.tags) for one in (page, plain))
    assert made == wanted
    shown = re.sub("[\x00-\x08\x0e-\x1f]", "\N{REPLACEMENT CHARACTER}", text)
    assert page.cards()[0]["data-id"] == shown
    assert page.texts["title", shown] == 1
    assert page.texts["bdi", shown] == 3  # title, query, hit


def written_by_a_user(folder: Path, text: str) -> Page:
    """A page with the text wherever a user's text can come in."""
    query = ps.Graph([text, "a"], [(0, 1)], [text], id=text)
    library = ps.GraphSet([ps.Graph([text, text], [(0, 1)], ["b"], id=text)])
    return report(folder, query, exhaustive_search(query, library), library, title=text)


def test_halves_of_surrogate_pairs_can_be_in_a_title(tmp_path: Path) -> None:
    assert report(tmp_path, MOTIF, [], EGO_NETS, title="a\ud800b").texts["title", "a\ufffdb"] == 1


def test_keep_probabilities_go_along_for_every_head(tmp_path: Path) -> None:
    hits = exhaustive_search(MOTIF, EGO_NETS, k=2)
    keep = np.array([[0.0, 0.256, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0]])
    page = report(tmp_path, MOTIF, hits, EGO_NETS, prunings=[keep, SimpleNamespace(keep=keep[:, ::-1])])
    kept = [attrs["data-keep"] for tag, attrs in page.tags if tag == "circle" and "data-keep" in attrs]
    assert kept == ["0 100", "26 100", "50 0", "100 0", "100 0", "50 0", "26 100", "0 100"]
    heads = [attrs["value"] for tag, attrs in page.tags if tag == "input" and attrs.get("name") == "head"]
    assert heads == ["-1", "0", "1"]


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ({"prunings": []}, "0 prunings were given for 4 hits"),
        ({"prunings": [np.zeros((2, 3))] * 4}, r"shape \(heads, 4\) for whole, got \(2, 3\)"),
        ({"prunings": [np.full((2, 4), np.nan)] * 4}, "not all between 0 and 1"),
    ],
)
def test_bad_prunings_are_refused(tmp_path: Path, rest: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        write_report(tmp_path / "r.html", MOTIF, exhaustive_search(MOTIF, EGO_NETS), EGO_NETS, **rest)
    assert not list(tmp_path.iterdir())


def test_bad_prunings_of_a_target_without_a_name_are_told_by_its_position(tmp_path: Path) -> None:
    hit = SimpleNamespace(
        id=None, position=2, lower=0.0, upper=1.0, certified=False, predicted=None, mapping=()
    )
    with pytest.raises(OptionError, match=r"shape \(heads, 3\) for graph 2, got \(1, 2\)"):
        write_report(tmp_path / "r.html", MOTIF, [hit], EGO_NETS, prunings=[[0.5, 0.5]])


def test_hits_of_another_library_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="position 2 of a library of 2 graphs"):
        write_report(tmp_path / "r.html", MOTIF, exhaustive_search(MOTIF, EGO_NETS), EGO_NETS[:2])


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot write"):
        write_report(tmp_path / "nowhere" / "r.html", MOTIF, [], EGO_NETS)


def test_empty_graphs_and_no_hits(tmp_path: Path) -> None:
    nothing = ps.Graph([], id="nothing")
    library = ps.GraphSet([nothing, ps.Graph([1])])
    page = report(tmp_path, nothing, exhaustive_search(nothing, library), library)
    assert [card["data-distance"] for card in page.cards()] == ["0", "0"]
    assert report(tmp_path, MOTIF, Hits(), EGO_NETS).texts["p", "No hits."] == 1


def test_large_targets_are_drawn_around_the_match(tmp_path: Path) -> None:
    chain = ps.Graph([0] * 5000 + [7, 8], [(i, i + 1) for i in range(5001)], id="chain")
    query, library = ps.Graph([7, 8], [(0, 1)]), ps.GraphSet([chain])
    page = report(tmp_path, query, exhaustive_search(query, library), library)
    assert page.texts["span", "5,002 nodes, 5,001 edges"] == 1
    assert page.texts["span", "4,962 not drawn"] == 1
    assert page.count("path", "matched") == 2


def test_several_queries_on_one_page(tmp_path: Path) -> None:
    answers = [
        Answer(query, exhaustive_search(query, EGO_NETS), EGO_NETS)
        for query in (MOTIF, ps.Graph([3], id="b"))
    ]
    write_reports(tmp_path / "r.html", answers)
    page = Page(tmp_path / "r.html")
    assert [attrs["href"] for tag, attrs in page.tags if tag == "a"] == ["#query-1", "#query-2"]
    assert {attrs["id"] for tag, attrs in page.tags if tag == "section"} == {"query-1", "query-2"}
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert page.texts["title", "Nearest to motif, b"] == 1


def test_queries_without_names_go_by_their_positions(tmp_path: Path) -> None:
    queries = [ps.Graph([0]), MOTIF, ps.Graph([3]), ps.Graph([1]), ps.Graph([2])]
    write_reports(
        tmp_path / "report.html",
        [Answer(query, exhaustive_search(query, EGO_NETS), EGO_NETS) for query in queries],
    )
    page = Page(tmp_path / "report.html")
    assert page.texts["title", "Nearest to query 0, motif, query 2 and 2 more"] == 1
    assert [text for kind, text in page.texts if kind == "a"] == [
        "query 0",
        "motif",
        "query 2",
        "query 3",
        "query 4",
    ]
    assert page.texts["bdi", "query 4"] == 1
    alone = report(tmp_path, ps.Graph([0]), [], EGO_NETS, title=None)
    assert alone.texts["title", "Nearest to the query"] == alone.texts["bdi", "the query"] == 1


def test_the_page_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = report(tmp_path, MOTIF, exhaustive_search(MOTIF, EGO_NETS), EGO_NETS)
    assert not [tag for tag, attrs in page.tags if {"src", "srcset", "data", "action"} & set(attrs)]
    assert "://" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("link", "") == 0


def test_two_hundred_hits_stay_small(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(8, 24, 200).tolist()
    library = ps.GraphSet(
        ps.Graph(rng.integers(0, 6, n), [(int(rng.integers(0, j)), j) for j in range(1, n)]) for n in sizes
    )
    page = report(tmp_path, MOTIF, exhaustive_search(MOTIF, library, k=200), library)
    assert len(page.cards()) == 200
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
