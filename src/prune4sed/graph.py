"""Graph: one small labelled graph, checked when made and never changed afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.graph_check import check_edges, clean_edges, clean_labels
from prune4sed.labels import Label, intern_labels

if TYPE_CHECKING:
    import networkx

__all__ = ["Graph", "GraphCodes"]

_UNIFORM: tuple[set[type], ...] = ({str}, {int}, set())


class GraphCodes(NamedTuple):
    """A graph as the engine reads it: read-only, C-contiguous int32 arrays with process-wide label codes."""

    labels: NDArray[np.int32]
    edges: NDArray[np.int32]
    edge_labels: NDArray[np.int32] | None


class Graph:
    """An undirected simple graph with a label on every node and, if wanted, on every edge.

    Graphs are immutable. Two graphs are equal when they have the same labels and the same undirected edges
    (with the same edge labels) under the same node numbering; the order and direction in which edges were
    given do not matter, and neither does ``id``, which is a name and not a part of the graph.

    Parameters
    ----------
    labels : sequence of str or int
        One label per node: all strings or all integers.
    edges : sequence of pairs of int
        Undirected edges between nodes ``0 .. len(labels) - 1``; no self-loops, no repeats.
    edge_labels : sequence of str or int, optional
        One label per edge, in the order of `edges`.
    id : str, optional
        A name for the graph.

    Examples
    --------
    >>> g = Graph(labels=["C", "C", "O"], edges=[(0, 1), (1, 2)], id="q1")
    >>> g
    Graph(id='q1', nodes=3, edges=2, labels={C: 2, O: 1})
    >>> g == Graph(["C", "C", "O"], [(2, 1), (1, 0)])
    True
    """

    __slots__ = ("_codes", "_key", "edge_labels", "edges", "id", "labels")

    labels: tuple[Label, ...]
    edges: tuple[tuple[int, int], ...]
    edge_labels: tuple[Label, ...] | None
    id: str | None
    _codes: GraphCodes | None
    _key: tuple[tuple[Label, ...], frozenset[Any]] | None

    def __init__(
        self,
        labels: Sequence[Label] | NDArray[Any],
        edges: Sequence[Sequence[int]] | NDArray[Any] = (),
        edge_labels: Sequence[Label] | NDArray[Any] | None = None,
        id: str | None = None,
    ) -> None:
        nodes = _labels(labels, "node")
        pairs = _edges(edges, len(nodes))
        bonds = None if edge_labels is None else _labels(edge_labels, "edge")
        if bonds is not None and len(bonds) != len(pairs):
            raise GraphError(
                f"{len(bonds)} edge labels were given for {len(pairs)} edges; give one label per edge"
            )
        if id is not None and not isinstance(id, str):
            raise GraphTypeError(f"id must be a string or None, not {id!r}")
        put = object.__setattr__
        put(self, "labels", nodes)
        put(self, "edges", pairs)
        put(self, "edge_labels", bonds)
        put(self, "id", id if id is None else str(id))
        put(self, "_codes", None)
        put(self, "_key", None)

    # -- what it holds ---------------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.edges)

    @property
    def codes(self) -> GraphCodes:
        """The graph as read-only int32 arrays for the engine, made on first use.

        Examples
        --------
        >>> Graph(["C", "O"], [(0, 1)]).codes.edges
        array([[0, 1]], dtype=int32)
        """
        if self._codes is None:
            object.__setattr__(self, "_codes", _encode(self))
        return cast(GraphCodes, self._codes)

    def __len__(self) -> int:
        return len(self.labels)

    def __bool__(self) -> bool:
        # An empty graph is still a graph: `if graph` should not be false because of its size.
        return True

    def __repr__(self) -> str:
        name = "" if self.id is None else f"id={self.id!r}, "
        counts = Counter(self.labels).most_common()
        shown = ", ".join(f"{label}: {count}" for label, count in counts[:8])
        more = ", ..." if len(counts) > 8 else ""
        bonds = "" if self.edge_labels is None else f", edge_labels={len(set(self.edge_labels))}"
        return (
            f"Graph({name}nodes={len(self.labels)}, edges={len(self.edges)}, labels={{{shown}{more}}}{bonds})"
        )

    # -- identity --------------------------------------------------------------------------------------------

    def _structure(self) -> tuple[tuple[Label, ...], frozenset[Any]]:
        if self._key is None:
            ends = [(u, v) if u < v else (v, u) for u, v in self.edges]
            edges = (
                frozenset(ends)
                if self.edge_labels is None
                else frozenset(zip(ends, self.edge_labels, strict=True))
            )
            object.__setattr__(self, "_key", (self.labels, edges))
        return cast("tuple[tuple[Label, ...], frozenset[Any]]", self._key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self is other or self._structure() == other._structure()

    def __hash__(self) -> int:
        return hash(self._structure())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Graph cannot be changed; make a new one instead of setting {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Graph cannot be changed; {name!r} cannot be deleted")

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self

    def __reduce__(self) -> tuple[type[Graph], tuple[Any, ...]]:
        return Graph, (self.labels, self.edges, self.edge_labels, self.id)

    # -- other graphs made from it ---------------------------------------------------------------------------

    def subgraph(self, nodes: Sequence[int]) -> Graph:
        """The subgraph induced by some nodes, renumbered in the order given.

        Parameters
        ----------
        nodes : sequence of int
            Distinct node numbers; new node ``i`` is old node ``nodes[i]``.

        Returns
        -------
        Graph

        Examples
        --------
        >>> Graph(["C", "N", "O"], [(0, 1), (1, 2)]).subgraph([2, 1]).edges
        ((1, 0),)
        """
        kept = [int(node) for node in nodes]
        new = {old: i for i, old in enumerate(kept)}
        for node in kept:
            if not 0 <= node < len(self.labels):
                raise GraphError(f"node {node} does not exist: the graph has {len(self.labels)} nodes")
        if len(new) != len(kept):
            twice = next(node for node, count in Counter(kept).items() if count > 1)
            raise GraphError(f"node {twice} is listed more than once")
        inside = [i for i, (u, v) in enumerate(self.edges) if u in new and v in new]
        return Graph(
            [self.labels[node] for node in kept],
            [(new[self.edges[i][0]], new[self.edges[i][1]]) for i in inside],
            None if self.edge_labels is None else [self.edge_labels[i] for i in inside],
            self.id,
        )

    def permuted(self, order: Sequence[int]) -> Graph:
        """The same graph with its nodes renumbered.

        Parameters
        ----------
        order : sequence of int
            A permutation; new node ``i`` is old node ``order[i]``.

        Returns
        -------
        Graph

        Examples
        --------
        >>> Graph(["C", "N", "O"], [(0, 1)]).permuted([2, 1, 0]).labels
        ('O', 'N', 'C')
        """
        if len(order) != len(self.labels):
            raise GraphError(
                f"a permutation of {len(self.labels)} nodes is needed, but {len(order)} were given"
            )
        return self.subgraph(order)

    # -- conversions -----------------------------------------------------------------------------------------

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph[Any], label: str = "label", edge_label: str | None = None
    ) -> Graph:
        """Make a Graph from an undirected networkx graph.

        Parameters
        ----------
        graph : networkx.Graph
            Node ``i`` of the result is the i-th of ``graph.nodes``.
        label : str
            Node attribute that holds the label. Where no node has "label", every label is 0; any other
            attribute must be there.
        edge_label : str, optional
            Edge attribute that holds the edge label; None for no edge labels.

        Returns
        -------
        Graph

        Raises
        ------
        GraphError
            If an attribute is missing, or the graph is directed or has parallel edges or self-loops.

        Examples
        --------
        >>> import networkx as nx
        >>> Graph.from_networkx(nx.path_graph(3)).edges
        ((0, 1), (1, 2))
        """
        from prune4sed.convert.networkx_ import from_networkx

        return from_networkx(graph, label, edge_label)

    def to_networkx(self, label: str = "label", edge_label: str = "label") -> networkx.Graph[int]:
        """The graph as a networkx graph with its labels as attributes.

        Parameters
        ----------
        label, edge_label : str
            Names of the node and edge attributes to write.

        Returns
        -------
        networkx.Graph

        Examples
        --------
        >>> Graph(["C", "O"], [(0, 1)]).to_networkx().nodes[1]["label"]
        'O'
        """
        from prune4sed.convert.networkx_ import to_networkx

        return to_networkx(self, label, edge_label)

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """Make a Graph from a PyTorch Geometric ``Data`` object.

        ``x`` holds labels as one column of integers or as one-hot rows (absent: every label is 0),
        ``edge_attr`` the same for edges (absent: no edge labels). Edges may be listed once or in both
        directions. ``label_names`` and ``edge_label_names``, as `to_pyg` writes them, turn numbers back into
        names.

        Parameters
        ----------
        data : torch_geometric.data.Data
            Or anything with the same attributes, numpy arrays included.

        Returns
        -------
        Graph

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> Graph.from_pyg(SimpleNamespace(x=[[6], [8]], edge_index=[[0, 1], [1, 0]], num_nodes=2))
        Graph(nodes=2, edges=1, labels={6: 1, 8: 1})
        """
        from prune4sed.convert.pyg import from_pyg

        return from_pyg(data)

    def to_pyg(self) -> Any:
        """The graph as a PyTorch Geometric ``Data`` object that `from_pyg` reads back.

        Returns
        -------
        torch_geometric.data.Data
            With ``x`` (nodes, 1), ``edge_index`` in both directions and, with edge labels, ``edge_attr``.
            String labels are numbered, and ``label_names`` / ``edge_label_names`` list their names.
        """
        from prune4sed.convert.pyg import to_pyg

        return to_pyg(self)

    @classmethod
    def from_smiles(cls, smiles: str, edge_labels: bool = False) -> Graph:
        """Make a Graph from a SMILES string: heavy atoms, labelled by element (needs rdkit).

        Parameters
        ----------
        smiles : str
            One molecule.
        edge_labels : bool
            Label edges by bond: "single", "double", "triple" or "aromatic".

        Returns
        -------
        Graph

        Examples
        --------
        >>> Graph.from_smiles("CC=O", edge_labels=True).edge_labels
        ('single', 'double')
        """
        from prune4sed.convert.smiles import parse_smiles

        return parse_smiles(smiles, edge_labels)


def _labels(labels: Any, what: str) -> tuple[Label, ...]:
    """Labels as a tuple of only str or only int; the slow road is taken for anything unusual."""
    if type(labels) is list or type(labels) is tuple:
        labels = tuple(labels)
        if set(map(type, labels)) in _UNIFORM:
            return cast("tuple[Label, ...]", labels)
    return clean_labels(labels, what)


def _edges(edges: Any, n: int) -> tuple[tuple[int, int], ...]:
    """Edges as pairs of int, checked with set operations; on any doubt the slow road finds the offender."""
    pairs = clean_edges(edges)
    flat = tuple(chain.from_iterable(pairs))
    if not flat:
        return pairs
    fine = (
        min(flat) >= 0
        and max(flat) < n
        and not any(map(eq, flat[::2], flat[1::2]))
        and len({(u, v) if u < v else (v, u) for u, v in pairs}) == len(pairs)
    )
    if not fine:
        check_edges(pairs, n)
    return pairs


def _encode(graph: Graph) -> GraphCodes:
    ends = np.fromiter(chain.from_iterable(graph.edges), dtype=np.int32, count=2 * len(graph.edges))
    bonds = None if graph.edge_labels is None else _frozen(intern_labels(graph.edge_labels))
    return GraphCodes(_frozen(intern_labels(graph.labels)), _frozen(ends.reshape(-1, 2)), bonds)


def _frozen(array: NDArray[np.int32]) -> NDArray[np.int32]:
    array.setflags(write=False)
    return array
