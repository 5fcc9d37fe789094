"""Index: a library of graphs made ready for search, in memory or in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, overload

from prune4sed.errors import GraphError, GraphTypeError, OptionError
from prune4sed.exact.bulk import as_set
from prune4sed.exact.comparable import check_sets_comparable
from prune4sed.exact.limits import Deadline
from prune4sed.exact.threads import thread_count
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.answer import answer_nearest, answer_unproven, answer_within
from prune4sed.search.cascade import ask_nearest, ask_within
from prune4sed.search.estimates import Guesses, by_bits, vectors_of
from prune4sed.search.features import QueryBounds, fingerprints
from prune4sed.search.hits import Hits
from prune4sed.search.index_models import IndexModels, find_models
from prune4sed.search.knowledge import Knowledge
from prune4sed.search.rounds import Engine
from prune4sed.search.segments import Segment, Segments

if TYPE_CHECKING:
    from prune4sed.search.index_meta import Meta

__all__ = ["Index"]

#: What it takes to put an answer together in the end, for every graph of the index.
SECONDS_PER_GRAPH = 2e-8
#: Segments of so many graphs are copied once more at most when graphs are added.
LARGEST_JOINED = 1 << 16


class Index:
    """Graphs with all that a search needs beside them; made by `build` or `open`.

    Distances are those of unit costs. Ids may repeat: every graph stays, and hits are told apart by position.

    Examples
    --------
    >>> a, b = Graph(["C", "C", "O"], [(0, 1), (1, 2)], id="a"), Graph(["C", "N"], [(0, 1)], id="b")
    >>> index = Index.build([a, b])
    >>> hits = index.search(Graph(["C", "O"], [(0, 1)]), k=2)
    >>> [(hit.id, hit.upper, hit.certified) for hit in hits], hits.proven
    ([('a', 0.0, True), ('b', 1.0, True)], True)
    >>> print(hits.edits(hits[1])[0])
    relabel node 1 from O to N
    """

    def __init__(
        self,
        library: Segments,
        models: IndexModels | None = None,
        threads: int = 1,
        folder: Path | None = None,
        meta: Meta | None = None,
    ) -> None:
        self.library = library
        self.models = models or IndexModels()
        self.threads = threads
        self.folder = folder
        self.meta = meta

    @classmethod
    def build(
        cls,
        library: GraphSet | Iterable[Graph],
        model: Any = None,
        *,
        embedder: Any = None,
        threads: int | None = None,
    ) -> Index:
        """Make an index in memory.

        Parameters
        ----------
        library : GraphSet or iterable of Graph
            What to search in; may be empty.
        model : str, path, SedModel or None
            What ranks targets where nothing is to be proven, and in certified searches that turn out to be
            long; None for bounds alone. What is proven does not depend on it.
        embedder : str, path, NeuroSED or None
            Estimates all distances from vectors kept in the index. By default the bundled NeuroSED that goes
            with a bundled `model`, if there is one; a `model` that is a NeuroSED is its own.
        threads : int, optional
            All cores by default.

        Returns
        -------
        Index

        Raises
        ------
        OptionError
            If there is no such model.
        GraphError
            If the graphs are damaged, or have labels that the model has never seen.
        """
        models = find_models(model, embedder)
        index = cls(Segments([]), models, thread_count(threads))
        index.add(as_set(library, "library"))
        return index

    @classmethod
    def open(
        cls, path: str | PathLike[str], *, verify: bool | None = None, threads: int | None = None
    ) -> Index:
        """Open an index that `save` wrote; its files are mapped into memory, not read.

        Parameters
        ----------
        path : path
            The folder.
        verify : bool, optional
            Whether to compare the checksums of all files. By default only if that takes no time, for less
            than 64 MB; sizes are always compared.
        threads : int, optional
            All cores by default.

        Raises
        ------
        FormatError
            If it is no index, one of another version, or damaged; the text names the file.
        """
        from prune4sed.search.index_files import open_files

        segments, models, meta = open_files(Path(path), verify)
        return cls(segments, models, thread_count(threads), Path(path), meta)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index to a folder, whole or not at all; an index that is there already is replaced.

        Raises
        ------
        FormatError
            If the folder holds anything else, somebody is writing to it, or it cannot be written.
        """
        from prune4sed.search.index_files import save_files

        self.folder, self.meta = Path(path), save_files(self.library, self.models, Path(path), self.meta)

    def add(self, graphs: GraphSet | Iterable[Graph]) -> None:
        """Add graphs after those that are there; an index in a folder grows there, too.

        Segments that are no larger than what is added after them become one with it, so that an index that
        was added to a thousand times has a dozen segments and not a thousand.

        Raises
        ------
        GraphError
            If they do not fit the others: labels of another kind, or edge labels on one side only.
        FormatError
            If somebody else is writing to the folder, or has written to it since it was opened.
        """
        fresh = as_set(graphs, "graphs")
        if self.library.parts:
            check_sets_comparable(fresh, self.library.parts[0].graphs)
        if not len(fresh):
            return
        vectors = None if self.models.embedder is None else vectors_of(self.models.embedder, fresh)
        segment = Segment(fresh, fingerprints(fresh, self.threads), vectors)
        parts = list(self.library.parts)
        while parts and len(parts[-1]) <= len(segment) <= LARGEST_JOINED and parts[-1].joins(segment):
            segment = parts.pop().joined(segment)
        if self.folder is not None and self.meta is not None:
            from prune4sed.search.index_files import add_segment

            replaced = len(self.library.parts) - len(parts)
            segment, self.meta = add_segment(segment, self.folder, self.meta, replaced)
        self.library = Segments([*parts, segment])

    def __len__(self) -> int:
        return len(self.library)

    def __repr__(self) -> str:
        where = "in memory" if self.folder is None else f"in {self.folder}"
        return f"Index({len(self)} graph{'s' * (len(self) != 1)}, {where})"

    # -- search ----------------------------------------------------------------------------------------------

    @overload
    def search(
        self, query: Graph, k: int = 10, certify: bool = True, time_limit: float | None = 10.0
    ) -> Hits: ...
    @overload
    def search(
        self, query: Sequence[Graph], k: int = 10, certify: bool = True, time_limit: float | None = 10.0
    ) -> list[Hits]: ...
    def search(
        self,
        query: Graph | Sequence[Graph],
        k: int = 10,
        certify: bool = True,
        time_limit: float | None = 10.0,
    ) -> Hits | list[Hits]:
        """The k graphs that come nearest to containing the query.

        Parameters
        ----------
        query : Graph or sequence of Graph
            What to look for; several are answered one after another.
        k : int
            How many hits.
        certify : bool
            True: every distance is proven, and that nothing nearer was left out; where the time does not
            suffice, ``proven`` is False and every hit says what is known of it. False: the ranking of the
            model, or of the bounds where there is none, with proven bounds.
        time_limit : float, optional
            Seconds per query; None for no limit. Bounds of the first graphs are made in any case.

        Returns
        -------
        Hits, or a list of them
        """
        if not isinstance(query, Graph):
            return [self.search(one, k, certify, time_limit) for one in _queries(query)]
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise OptionError(f"k must be a whole number, 1 or more; got {k!r}")
        started, deadline = perf_counter(), self._deadline(time_limit)
        known, engine = self._look(query, deadline)
        guesses = Guesses(query, self.library, known, self.models, deadline)
        if certify:
            better = guesses.ask if self.models else None
            ask_nearest(known, engine, int(k), guesses.best.order, better, deadline)
            return answer_nearest(query, self.library, known, engine, int(k), guesses.best, started)
        guesses.ask()
        return answer_unproven(query, self.library, known, engine, int(k), guesses.best, started)

    @overload
    def range_search(self, query: Graph, radius: float = 2, time_limit: float | None = 10.0) -> Hits: ...
    @overload
    def range_search(
        self, query: Sequence[Graph], radius: float = 2, time_limit: float | None = 10.0
    ) -> list[Hits]: ...
    def range_search(
        self, query: Graph | Sequence[Graph], radius: float = 2, time_limit: float | None = 10.0
    ) -> Hits | list[Hits]:
        """All graphs from which the query is no more than `radius` edits away.

        Parameters
        ----------
        query : Graph or sequence of Graph
            What to look for.
        radius : float
            The largest distance.
        time_limit : float, optional
            Seconds per query; None for no limit.

        Returns
        -------
        Hits, or a list of them
            Where the time does not suffice, ``undecided`` has the graphs that may or may not belong to them.
        """
        if not isinstance(query, Graph):
            return [self.range_search(one, radius, time_limit) for one in _queries(query)]
        if isinstance(radius, bool) or not isinstance(radius, Real) or not radius >= 0:
            raise OptionError(f"radius must be a number, 0 or more; got {radius!r}")
        started, deadline = perf_counter(), self._deadline(time_limit)
        known, engine = self._look(query, deadline)
        guessed = by_bits(self.library, known)
        # No distance is larger than that of deleting the whole query.
        most = int(min(radius, query.num_nodes + query.num_edges))
        ask_within(known, engine, most, deadline)
        return answer_within(query, self.library, known, engine, most, guessed, started)

    def _deadline(self, time_limit: float | None) -> Deadline:
        """When to stop asking: what is known has to be put together yet, which takes a look at all graphs."""
        return Deadline(time_limit).sooner(len(self) * SECONDS_PER_GRAPH)

    def _look(self, query: Graph, deadline: Deadline) -> tuple[Knowledge, Engine]:
        one = GraphSet([query])
        for part in self.library.parts:
            check_sets_comparable(one, part.graphs)
        bounds = QueryBounds(query, self.threads)
        return Knowledge(bounds, self.library, deadline), Engine(query, self.library, self.threads)


def _queries(queries: Any) -> list[Graph]:
    if isinstance(queries, (str, bytes)) or not isinstance(queries, Iterable):
        raise GraphTypeError(f"a query is a Graph, or a list of them, not {type(queries).__name__}")
    found = list(queries)
    for i, query in enumerate(found):
        if not isinstance(query, Graph):
            raise GraphError(f"query {i} is a {type(query).__name__}, not a Graph")
    return found
