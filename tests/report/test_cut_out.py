"""Parts of large graphs: the nearest nodes by networkx's count, and the edges that networkx keeps."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.graph import Graph
from prune4sed.report.cut_out import around, cut_out


def graphs(size: int, seed: int) -> tuple[nx.Graph, Graph]:
    plain = nx.gnp_random_graph(size, 0.12, seed=seed)
    return plain, Graph([7 * u for u in plain], list(plain.edges), [a + b for a, b in plain.edges])


@given(st.integers(1, 40), st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 40))
def test_no_node_left_out_is_nearer_than_one_kept(size: int, seed: int, centres: int, most: int) -> None:
    plain, graph = graphs(size, seed)
    centre = list(range(min(centres, size)))
    kept = around(graph, centre, most)
    away = nx.multi_source_dijkstra_path_length(plain, set(centre))
    if size <= most:
        assert kept == list(range(size))
        return
    assert set(centre) <= set(kept)
    assert len(kept) == max(len(centre), min(most, len(away)))
    left = [distance for u, distance in away.items() if u not in kept]
    assert max(away[u] for u in kept) <= min(left, default=size)


@given(st.integers(1, 30), st.integers(0, 10**6), st.data())
def test_the_part_is_the_induced_graph(size: int, seed: int, data: st.DataObject) -> None:
    plain, graph = graphs(size, seed)
    nodes = sorted(data.draw(st.sets(st.integers(0, size - 1))))
    part = cut_out(graph, nodes)
    wanted = plain.subgraph(nodes)
    assert [label // 7 for label in part.labels] == nodes
    edges = {frozenset((nodes[a], nodes[b])) for a, b in part.edges}
    assert edges == {frozenset(edge) for edge in wanted.edges}
    assert all(nodes[a] + nodes[b] == w for (a, b), w in zip(part.edges, part.edge_labels or (), strict=True))
