"""networkx's graph edit distance on tiny pairs; free insertions make it the subgraph distance."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from rich.progress import track

import prune4sed as ps
from _pairs import source
from _timing import ratios, timed, times
from prune4sed import Graph, GraphSet

QUERY, TARGET = 5, 8  # nodes; networkx needs minutes for little more


def tiny_pairs(count: int, seed: int) -> list[tuple[Graph, Graph]]:
    """Connected pieces of AIDS molecules."""
    rng = np.random.default_rng([seed, 2000])
    library = source("aids")
    assert isinstance(library, GraphSet)
    library = library[library.num_nodes >= TARGET]

    def piece(nodes: int) -> Graph:
        while True:
            graph = library[int(rng.integers(len(library)))].to_networkx()
            walk = list(nx.bfs_tree(graph, int(rng.integers(len(graph)))))[:nodes]
            if len(walk) == nodes:
                return Graph.from_networkx(nx.convert_node_labels_to_integers(graph.subgraph(walk)))

    return [(piece(QUERY), piece(TARGET)) for _ in range(count)]


def against_networkx(count: int, seed: int, limit: float) -> dict[str, Any]:
    """Time to the proven distance, and quality of the first answer of `optimize_graph_edit_distance`."""
    ours, first, proof, first_exact, unproven, disagree = [], [], [], 0, 0, 0
    pairs = tiny_pairs(count, seed)
    for q, t in track(pairs, "networkx"):
        result, seconds = timed(ps.sed, q, t)
        ours.append(seconds)
        graphs = q.to_networkx(), t.to_networkx()
        guess, seconds = timed(_first_answer, *graphs)
        first.append(seconds)
        value, seconds = timed(nx.graph_edit_distance, *graphs, timeout=limit, **_free_insertions())
        proof.append(seconds)
        proven = seconds < limit
        unproven += not proven
        first_exact += guess == result.upper
        disagree += value < result.lower or guess < result.lower or (proven and value != result.upper)
    return {
        "pairs": len(pairs),
        "query_nodes": QUERY,
        "target_nodes": TARGET,
        "ours": times(ours),
        "first_answer": times(first) | {"exact": first_exact} | ratios(first, ours),
        "graph_edit_distance": times(proof) | {"unproven": unproven} | ratios(proof, ours),
        "disagree": disagree,
    }


def _first_answer(q: Any, t: Any) -> float:
    return float(next(nx.optimize_graph_edit_distance(q, t, **_free_insertions())))


def _free_insertions() -> dict[str, Any]:
    """Unit costs for edits on the query; what the target has beyond it is free."""
    return {
        "node_match": lambda a, b: a["label"] == b["label"],
        "node_ins_cost": lambda _: 0,
        "edge_ins_cost": lambda _: 0,
    }
