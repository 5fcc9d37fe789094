"""The integer program F2 of Lerouge et al. as sparse arrays, in its subgraph form.

J. Lerouge, Z. Abu-Aisheh, R. Raveaux, P. Héroux, S. Adam: New binary linear programming formulation to
compute the graph edit distance. Pattern Recognition 72, 2017.

F2 starts from deleting everything and earns back what is substituted. Binaries x[i,k] send query node i to
target node k, y[ij,kl] send query edge ij to target edge kl; both directions of an undirected edge are the
same variable:

    min  sum_i c(i,-) + sum_ij c(ij,-)
         + sum_ik (c(i,k) - c(i,-)) x[i,k] + sum_ij,kl (c(ij,kl) - c(ij,-)) y[ij,kl]
    s.t. sum_k x[i,k] <= 1                                for every query node i
         sum_i x[i,k] <= 1                                for every target node k
         sum_{l: kl in E_t} y[ij,kl] <= x[i,k] + x[j,k]   for every query edge ij and target node k

Here -, the empty element, stands for deletion. In the paper's objective each substitution also saves the
insertion of k or kl; in the subgraph form insertions are free, so these terms vanish. The last family links
edges to nodes: if y[ij,kl] = 1, one of i, j sits on k and one on l, and as i cannot sit on both, the edge is
matched as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.edge_codes import edge_codes

if TYPE_CHECKING:
    from prune4sed.exact.costs import EditCosts
    from prune4sed.exact.maps import Mapping
    from prune4sed.graph import Graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class F2Model:
    """Minimise ``offset + cost @ z`` over binaries z with ``A z <= right``; A is stored by rows (CSR)."""

    offset: float
    cost: Floats
    start: Ints
    index: Ints
    value: Floats
    right: Floats
    shape: tuple[int, int]  # query nodes, target nodes: the first columns are x[i,k] in row order

    def mapping(self, solution: Floats) -> Mapping:
        """The node mapping in a solution vector."""
        n, m = self.shape
        x = solution[: n * m].reshape(n, m)
        best = x.argmax(axis=1)
        return tuple(int(k) if x[i, k] > 0.5 else None for i, k in enumerate(best))


def build_f2(q: Graph, t: Graph, costs: EditCosts) -> F2Model:
    """The F2 program for a query and a target with at least one node each."""
    n, m = q.num_nodes, t.num_nodes
    differ = q.codes.labels[:, None] != t.codes.labels[None, :]
    cost_x = costs.node_relabel * differ - costs.node_deletion
    ij, kl, cost_y = _edge_columns(q, t, costs)
    rows, columns, values, right = _constraints(q, t, ij, kl)
    order = np.argsort(rows, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=right.size))])
    return F2Model(
        offset=n * costs.node_deletion + q.num_edges * costs.edge_deletion,
        cost=np.concatenate([cost_x.ravel(), cost_y]),
        start=start,
        index=columns[order],
        value=values[order],
        right=right,
        shape=(n, m),
    )


def _edge_columns(q: Graph, t: Graph, costs: EditCosts) -> tuple[Ints, Ints, Floats]:
    """Query edge, target edge and cost of every y that earns something; no optimum needs the others."""
    differ = edge_codes(q)[:, None] != edge_codes(t)[None, :]
    gain = costs.edge_mismatch * differ - costs.edge_deletion
    ij, kl = np.nonzero(gain < 0)
    return ij, kl, gain[ij, kl]


def _constraints(q: Graph, t: Graph, ij: Ints, kl: Ints) -> tuple[Ints, Ints, Floats, Floats]:
    """Row, column and value of every entry, and the right-hand sides; rows in the order given above."""
    n, m = q.num_nodes, t.num_nodes
    edges_q, edges_t = q.codes.edges.astype(np.int64), t.codes.edges.astype(np.int64)
    x, y = np.arange(n * m), n * m + np.arange(ij.size)
    once = [x // m, n + x % m]  # the row of x[i,k] as a use of i, then as a use of k
    ends = np.concatenate([edges_t[kl, 0], edges_t[kl, 1]])
    # Rows of the last family are made only where some y meets (ij, k).
    keys, link = np.unique(np.tile(ij, 2) * m + ends, return_inverse=True)
    edge, k = keys // m, keys % m
    number = n + m + np.arange(keys.size)
    rows = np.concatenate([*once, n + m + link, number, number])
    columns = np.concatenate([x, x, y, y, edges_q[edge, 0] * m + k, edges_q[edge, 1] * m + k])
    values = np.concatenate([np.ones(2 * x.size + 2 * y.size), -np.ones(2 * keys.size)])
    right = np.concatenate([np.ones(n + m), np.zeros(keys.size)])
    return rows, columns, values, right
