"""Random graphs for hypothesis."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from prune4sed.graph import Graph

WORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["C", "Z"]),
    min_size=1,
    max_size=4,
)
NAMES = st.text(st.characters(exclude_categories=["C"]), max_size=6)
NUMBERS = st.integers(-(2**40), 2**40)


@st.composite
def graphs(
    draw: st.DrawFn,
    labels: st.SearchStrategy[str] | st.SearchStrategy[int] = WORDS,
    edge_labels: st.SearchStrategy[str] | st.SearchStrategy[int] | None = None,
    ids: st.SearchStrategy[str | None] | None = None,
    min_nodes: int = 0,
) -> Graph:
    """A graph of up to 7 nodes, its edges in any order and direction."""
    names = draw(st.lists(labels, min_size=min_nodes, max_size=7))
    pairs = list(combinations(range(len(names)), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [pair if draw(st.booleans()) else pair[::-1] for pair in chosen]
    bonds = None if edge_labels is None else [draw(edge_labels) for _ in edges]
    return Graph(names, edges, bonds, None if ids is None else draw(ids))


@st.composite
def graph_lists(
    draw: st.DrawFn, min_size: int = 0, min_nodes: int = 0, text: bool | None = None
) -> list[Graph]:
    """Graphs that may share a set: one kind of labels, edge labels on all or on none."""
    strings = draw(st.booleans()) if text is None else text
    labels = WORDS if strings else NUMBERS
    bonds = draw(st.sampled_from([None, labels]))
    one = graphs(labels, bonds, st.none() | WORDS, min_nodes)
    return draw(st.lists(one, min_size=min_size, max_size=6))


def same(a: Graph, b: Graph) -> bool:
    """Equal to the last detail: names, and the order and direction of edges."""
    return (a.labels, a.edges, a.edge_labels or None, a.id) == (
        b.labels,
        b.edges,
        b.edge_labels or None,
        b.id,
    )
