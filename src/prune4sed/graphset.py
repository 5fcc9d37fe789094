"""GraphSet: many graphs in flat arrays, the one currency of the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prune4sed.arrays import GraphArrays, check_arrays, flat, vocabulary
from prune4sed.errors import FormatError, GraphError, GraphTypeError, Prune4SEDError
from prune4sed.graph import Graph
from prune4sed.graphset_build import build, concat, take
from prune4sed.ids import Ids
from prune4sed.labels import Label

__all__ = ["GraphSet"]


class GraphSet(Sequence[Graph]):
    """An immutable sequence of labelled graphs, held as flat arrays in the Arrow layout.

    ``lib[i]`` is a Graph; ``lib[2:9]`` is a GraphSet that shares the arrays; ``lib[[4, 1]]``, a boolean mask
    or a slice with a step is a GraphSet with its own. All labels of a set are strings or all are integers,
    and either every edge has a label or none has.

    Parameters
    ----------
    graphs : iterable of Graph
        The graphs, in order.

    Attributes
    ----------
    problems : tuple of str
        What a reader told to skip bad lines skipped; empty otherwise.

    Examples
    --------
    >>> lib = GraphSet([Graph(["C", "O"], [(0, 1)], id="a"), Graph(["C"])])
    >>> lib
    GraphSet(2 graphs, 1.5 nodes and 0.5 edges on average, 2 labels)
    >>> lib[0], list(lib.ids)
    (Graph(id='a', nodes=2, edges=1, labels={C: 1, O: 1}), ['a', '1'])
    """

    __slots__ = ("_arrays", "_checked", "_error", "problems")

    _arrays: GraphArrays
    _checked: bool
    _error: type[Prune4SEDError]
    problems: tuple[str, ...]

    def __init__(self, graphs: Iterable[Graph] = ()) -> None:
        self._hold(graphs._arrays if isinstance(graphs, GraphSet) else build(graphs), checked=True)

    def _hold(self, arrays: GraphArrays, checked: bool, error: type[Prune4SEDError] = GraphError) -> None:
        self._arrays = arrays
        self._checked = checked
        self._error = error
        self.problems = ()

    @classmethod
    def _of(cls, arrays: GraphArrays, checked: bool, error: type[Prune4SEDError] = GraphError) -> GraphSet:
        made = cls.__new__(cls)
        made._hold(arrays, checked, error)
        return made

    @classmethod
    def from_arrays(
        cls,
        node_offsets: ArrayLike,
        node_labels: ArrayLike,
        edge_offsets: ArrayLike,
        edges: ArrayLike,
        *,
        node_vocabulary: Sequence[Label] | None = None,
        edge_labels: ArrayLike | None = None,
        edge_vocabulary: Sequence[Label] | None = None,
        ids: Sequence[str | None] | None = None,
    ) -> GraphSet:
        """Make a set from flat arrays, checked as a whole.

        Arrays that have the right type already are not copied and must not be changed afterwards.

        Parameters
        ----------
        node_offsets, edge_offsets : array of int64, (n + 1,)
            Graph ``i`` owns nodes ``node_offsets[i]:node_offsets[i + 1]``, and its edges likewise.
        node_labels : array of int32
            Positions in `node_vocabulary`, or the labels themselves if that is None.
        edges : array of int32, (edges, 2)
            Node numbers within the graph that owns the edge.
        node_vocabulary : sequence of str or int, optional
            The labels.
        edge_labels, edge_vocabulary : optional
            The same for edges.
        ids : sequence of str or None, optional
            Names.

        Returns
        -------
        GraphSet

        Examples
        --------
        >>> GraphSet.from_arrays([0, 2], [0, 1], [0, 1], [[0, 1]], node_vocabulary=["C", "O"])[0].labels
        ('C', 'O')
        """
        nodes, node_names = _coded(node_labels, node_vocabulary, "node")
        bonds, bond_names = (
            (None, None) if edge_labels is None else _coded(edge_labels, edge_vocabulary, "edge")
        )
        offsets = flat(node_offsets, np.int64, "node_offsets")
        if len(offsets) == 0:
            raise GraphError("node_offsets is empty; for n graphs it has n + 1 numbers")
        names = Ids(len(offsets) - 1) if ids is None else Ids.of(ids)
        if len(names) != len(offsets) - 1:
            raise GraphError(f"{len(names)} ids were given for {len(offsets) - 1} graphs")
        arrays = GraphArrays(
            node_offsets=offsets,
            node_labels=nodes,
            edge_offsets=flat(edge_offsets, np.int64, "edge_offsets"),
            edges=flat(edges, np.int32, "edges", width=2),
            edge_labels=bonds,
            node_vocabulary=node_names,
            edge_vocabulary=bond_names,
            ids=names,
        )
        check_arrays(arrays, GraphError)
        return cls._of(arrays, checked=True)

    @classmethod
    def concat(cls, sets: Iterable[GraphSet]) -> GraphSet:
        """One set after another, as one set of its own.

        Examples
        --------
        >>> len(GraphSet.concat([GraphSet([Graph(["C"])]), GraphSet([Graph(["O"])])]))
        2
        """
        parts = list(sets)
        for part in parts:
            part.validate()
        return cls._of(concat([part._arrays for part in parts]), checked=True)

    # -- the sequence ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._arrays)

    @overload
    def __getitem__(self, key: int) -> Graph: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | NDArray[Any]) -> GraphSet: ...
    def __getitem__(self, key: Any) -> Graph | GraphSet:
        if isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_)):
            return self._arrays.graph(self._position(int(key)), self._error)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                view = self._arrays.view(start, max(start, stop))
                return self._of(view, self._checked, self._error)
            return self.take(np.arange(start, stop, step))
        return self.take(key)

    def __iter__(self) -> Iterator[Graph]:
        return (self._arrays.graph(i, self._error) for i in range(len(self)))

    def _position(self, i: int) -> int:
        if not -len(self) <= i < len(self):
            raise IndexError(f"graph {i} does not exist: the set has {len(self)} graphs")
        return i + len(self) if i < 0 else i

    def take(self, positions: Sequence[int] | NDArray[Any]) -> GraphSet:
        """Some graphs, by position or boolean mask, as a set of their own.

        Examples
        --------
        >>> GraphSet([Graph(["C"]), Graph(["N"]), Graph(["O"])]).take([2, 0])[0].labels
        ('O',)
        """
        chosen = np.asarray(positions)
        if chosen.size == 0:
            chosen = np.zeros(0, dtype=np.int64)
        if chosen.dtype == np.bool_:
            if chosen.shape != (len(self),):
                raise GraphError(f"a mask of shape {chosen.shape} does not fit a set of {len(self)} graphs")
            chosen = np.flatnonzero(chosen)
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise GraphTypeError(
                f"graphs are chosen by an integer, a slice, a list of integers or a mask, not {positions!r}"
            )
        rows = np.array([self._position(int(i)) for i in chosen], dtype=np.int64)
        self.validate()
        return self._of(take(self._arrays, rows), checked=True)

    def __repr__(self) -> str:
        n = len(self)
        if n == 0:
            return "GraphSet(0 graphs)"
        offsets, ends = self.node_offsets, self.edge_offsets
        nodes, edges = (offsets[-1] - offsets[0]) / n, (ends[-1] - ends[0]) / n
        names, bonds = self.node_vocabulary, self.edge_vocabulary
        kinds = f"{len(names)} label{'s' * (len(names) != 1)}"
        more = "" if bonds is None else f", {len(bonds)} edge label{'s' * (len(bonds) != 1)}"
        size = f"{nodes:.4g} nodes and {edges:.4g} edges on average"
        return f"GraphSet({n} graph{'s' * (n != 1)}, {size}, {kinds}{more})"

    # -- the flat arrays, for the engine and the models ------------------------------------------------------

    @property
    def ids(self) -> Ids:
        """The names of the graphs; one without a name goes by its position in this set."""
        return self._arrays.ids

    @property
    def node_offsets(self) -> NDArray[np.int64]:
        """Graph ``i`` owns nodes ``node_offsets[i]:node_offsets[i + 1]``; need not start at 0."""
        return self._arrays.node_offsets

    @property
    def node_labels(self) -> NDArray[np.int32]:
        """Positions in `node_vocabulary`, of all nodes that the set and the sets it was sliced from hold."""
        return self._arrays.node_labels

    @property
    def edge_offsets(self) -> NDArray[np.int64]:
        """Graph ``i`` owns edges ``edge_offsets[i]:edge_offsets[i + 1]``; need not start at 0."""
        return self._arrays.edge_offsets

    @property
    def edges(self) -> NDArray[np.int32]:
        """Node numbers within the graph that owns the edge, (edges, 2)."""
        return self._arrays.edges

    @property
    def edge_label_codes(self) -> NDArray[np.int32] | None:
        """Positions in `edge_vocabulary`, or None for a set without edge labels."""
        return self._arrays.edge_labels

    @property
    def node_vocabulary(self) -> tuple[Label, ...]:
        """The node labels; a slice keeps those of the whole set."""
        return self._arrays.node_vocabulary

    @property
    def edge_vocabulary(self) -> tuple[Label, ...] | None:
        """The edge labels, or None for a set without edge labels."""
        return self._arrays.edge_vocabulary

    @property
    def num_nodes(self) -> NDArray[np.int64]:
        """Number of nodes of every graph."""
        return np.diff(self._arrays.node_offsets)

    @property
    def num_edges(self) -> NDArray[np.int64]:
        """Number of edges of every graph."""
        return np.diff(self._arrays.edge_offsets)

    def validate(self) -> GraphSet:
        """Check all graphs of a set that came from a file; done once, and free for any other set.

        Opening a file does not read it through. Whoever hands the flat arrays to native code calls this
        first.

        Returns
        -------
        GraphSet
            The set itself.

        Raises
        ------
        FormatError
            If the file is damaged, naming the first bad graph.
        """
        if not self._checked:
            check_arrays(self._arrays, self._error)
            self._checked = True
        return self

    def without_edge_labels(self) -> GraphSet:
        """The same graphs with their edge labels left out, sharing everything else.

        Examples
        --------
        >>> lib = GraphSet([Graph(["C", "O"], [(0, 1)], ["double"])])
        >>> lib.without_edge_labels()[0] == Graph(["C", "O"], [(0, 1)])
        True
        """
        return self._with(edge_labels=None, edge_vocabulary=None)

    def renamed(self, names: Mapping[Label, Label]) -> GraphSet:
        """The same graphs with other names for node labels, sharing everything else.

        Parameters
        ----------
        names : mapping
            New names by old ones; a label that is not in it keeps its name.

        Raises
        ------
        GraphError
            If two labels of the set would have one name.

        Examples
        --------
        >>> lib = GraphSet([Graph(["C", "O"], [(0, 1)])])
        >>> lib.renamed({"C": "O", "O": "C"})[0].labels
        ('O', 'C')
        """
        if not names:
            return self
        new = [names.get(name, name) for name in self.node_vocabulary]
        return self._with(node_vocabulary=vocabulary(new, "node"))

    def _with(self, **changes: Any) -> GraphSet:
        """The same set with some of its arrays exchanged, which are as good as those before."""
        other = self._of(replace(self._arrays, **changes), self._checked, self._error)
        other.problems = self.problems
        return other

    # -- on disk ---------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the set as an Arrow IPC file, whole or not at all.

        Parameters
        ----------
        path : path
            Usually ends in ``.arrow``.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     GraphSet([Graph(["C"])]).save(pathlib.Path(folder) / "one.arrow")
        ...     GraphSet.load(pathlib.Path(folder) / "one.arrow")[0]
        Graph(nodes=1, edges=0, labels={C: 1})
        """
        from prune4sed.graphset_file import write_file

        write_file(self._arrays, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> GraphSet:
        """Open a file that `save` wrote; it is mapped into memory, not read.

        Parameters
        ----------
        path : path
            An uncompressed file.

        Returns
        -------
        GraphSet

        Raises
        ------
        FormatError
            If the file is missing, of another kind, of a newer version or damaged.
        """
        from prune4sed.graphset_file import read_file

        return cls._of(read_file(path), checked=False, error=FormatError)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> GraphSet:
        """Read the bytes of a file that `save` wrote; `name` is how errors call it."""
        from prune4sed.graphset_file import read_bytes

        return cls._of(read_bytes(data, name), checked=False, error=FormatError)


def _coded(
    labels: ArrayLike, names: Sequence[Label] | None, what: str
) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    if names is not None:
        return flat(labels, np.int32, f"{what}_labels"), vocabulary(names, what)
    values, codes = np.unique(flat(labels, np.int64, f"{what}_labels"), return_inverse=True)
    return flat(codes, np.int32, f"{what}_labels"), cast("tuple[Label, ...]", tuple(values.tolist()))
