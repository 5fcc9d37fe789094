"""BRANCH: the bipartite bound of Blumenthal and Gamper, in its subgraph form.

Each query node takes half of its incident edges along. Assigning such branches to target nodes, or to
deletion, is a linear assignment problem. Every edge is paid by halves at both ends, so its optimum is a lower
bound on the distance; the assignment itself is a mapping, whose cost is an upper bound.

D. B. Blumenthal, J. Gamper: Improved lower bounds for graph edit distance. IEEE TKDE 30(3), 2018.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.bounds import greedy_mapping, multiset_lower, settle
from prune4sed.exact.comparable import check_comparable
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edge_codes import NO_LABEL, edge_codes
from prune4sed.exact.limits import Deadline
from prune4sed.exact.result import SedResult

if TYPE_CHECKING:
    from prune4sed.exact.maps import Mapping
    from prune4sed.graph import Graph

Floats = NDArray[np.float64]


def branch(q: Graph, t: Graph, costs: EditCosts | None = None, time_limit: float | None = None) -> SedResult:
    """Bound the subgraph edit distance by one assignment of branches.

    Parameters
    ----------
    q, t
        Query and target; both with edge labels or both without.
    costs
        Edit costs; unit costs if None.
    time_limit
        Seconds. If the limit passes before the assignment starts, bounds from label counts are returned.

    Returns
    -------
    SedResult
        Proven bounds and the mapping of the upper one. ``certified`` only when the two happen to meet.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> q = Graph(labels=["C", "N"], edges=[(0, 1)])
    >>> branch(q, Graph(labels=["C", "N", "O"], edges=[(0, 1), (1, 2)]))
    SED = 0 (certified)
    """
    check_comparable(q, t)
    start, costs = perf_counter(), costs or EditCosts()
    deadline = Deadline(time_limit)
    mapping = greedy_mapping(q, t, costs)
    lower = multiset_lower(q, t, costs)
    table = None if deadline.passed() else branch_costs(q, t, costs)
    if table is not None and table.size and not deadline.passed():
        total, found = _assign(table, len(t.labels))
        lower = max(lower, total)
        mapping = min(found, mapping, key=lambda m: costs.map_cost(q, t, m))
    bounds = settle(lower, costs.map_cost(q, t, mapping), costs)
    return SedResult(*bounds, mapping, 0, perf_counter() - start, query=q, target=t, costs=costs)


def branch_costs(q: Graph, t: Graph, costs: EditCosts) -> Floats:
    """Cost of giving query node u's branch to target node v; as many deletion columns follow as u has rivals.

    The inner assignment of incident edges has a closed form because edge costs depend only on whether labels
    agree: match as many equal labels as both ends share, change while the target has edges left, drop the
    rest.
    """
    n = len(q.labels)
    differ = q.codes.labels[:, None] != t.codes.labels[None, :]
    degrees, rooms, shared = _incidence(q, t)
    both = np.minimum(degrees[:, None], rooms[None, :])
    edges = costs.edge_mismatch * (both - shared) + costs.edge_deletion * (degrees[:, None] - both)
    drop = costs.node_deletion + 0.5 * costs.edge_deletion * degrees
    return np.hstack([costs.node_relabel * differ + 0.5 * edges, np.repeat(drop[:, None], n, axis=1)])


def _assign(table: Floats, room: int) -> tuple[float, Mapping]:
    """Cheapest assignment; columns from ``room`` on mean deletion."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table)
    return float(table[rows, columns].sum()), tuple(int(v) if v < room else None for v in columns)


def _incidence(q: Graph, t: Graph) -> tuple[Floats, Floats, Floats]:
    """Degrees of query and target nodes, and how many equally labelled incident edges each pair shares."""
    ours, theirs = edge_codes(q), edge_codes(t)
    shared = np.zeros((q.num_nodes, t.num_nodes))
    for kind in np.unique(ours):  # one small outer minimum per label keeps memory at |V_q| x |V_t|
        left, right = _degrees(q, ours == kind), _degrees(t, theirs == kind)
        shared += np.minimum(left[:, None], right[None, :])
    return _degrees(q, ours >= NO_LABEL), _degrees(t, theirs >= NO_LABEL), shared


def _degrees(g: Graph, chosen: NDArray[np.bool_]) -> Floats:
    """How many of the chosen edges meet at each node."""
    return np.bincount(g.codes.edges[chosen].ravel(), minlength=g.num_nodes).astype(np.float64)
