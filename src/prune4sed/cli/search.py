"""``prune4sed search QUERY LIBRARY``: the graphs of a library that contain the query, or nearly do."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.search.hits import Hits
    from prune4sed.search.index import Index


#: Queries that one page has room for.
MOST_REPORTED = 100


class Format(StrEnum):
    """How hits are printed."""

    table = "table"
    tsv = "tsv"
    jsonl = "jsonl"


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A file of graphs, a SMILES string, or -.")],
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="A file of graphs, or an index folder.")],
    k: Annotated[int | None, typer.Option("-k", metavar="K", help="How many hits; 10 by default.")] = None,
    radius: Annotated[
        float | None, typer.Option(metavar="R", help="All within R edits, instead of the K nearest.")
    ] = None,
    time_limit: Annotated[float, typer.Option(metavar="S", help="Seconds per query.")] = 10.0,
    no_certify: Annotated[
        bool, typer.Option("--no-certify", help="The ranking with bounds at once, nothing proven.")
    ] = False,
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Compare edge labels (bond types) as well.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(metavar="NAME|PATH", help="What ranks targets of a library file, or none.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How hits are printed.")] = Format.table,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with the hits drawn, as HTML.")
    ] = None,
    column: Annotated[str | None, typer.Option(metavar="C", help="Column of SMILES in LIBRARY.")] = None,
    id_column: Annotated[str | None, typer.Option(metavar="C", help="Column of ids in LIBRARY.")] = None,
    threads: Annotated[int | None, typer.Option(metavar="T", help="All cores by default.")] = None,
) -> None:
    """Find the graphs that contain QUERY, or miss it by the fewest edits, with proof.

    LIBRARY is a file (SMILES, SDF, CSV, t/v/e, JSON, ...) or a folder that `prune4sed index build` made.
    """
    from prune4sed.cli.hits_show import show_hits
    from prune4sed.cli.outputs import check_out

    if radius is not None and (k is not None or no_certify):
        raise OptionError(
            "--radius asks for all hits within a distance; it goes with neither -k nor --no-certify"
        )
    if query == library == "-":
        raise OptionError("QUERY and LIBRARY cannot both be -; give one of them as a file")
    if report is not None:
        check_out(report, query, library)
    if query != "-":
        # What is wrong with them is told before a library is read, which may take minutes.
        _read_queries(query, edge_labels, quiet=True)
    columns = {name: value for name, value in (("column", column), ("id_column", id_column)) if value}
    index = _index(library, edge_labels, model, threads, columns)
    queries = _read_queries(query, edge_labels or index.library.edge_labels)
    if report is not None and len(queries) > MOST_REPORTED:
        raise OptionError(f"--report is for up to {MOST_REPORTED} queries; {query} holds {len(queries)}")
    answers: list[Hits] = []
    for position, one in enumerate(queries):
        if radius is not None:
            hits = index.range_search(one, radius=radius, time_limit=time_limit)
        else:
            hits = index.search(one, 10 if k is None else k, not no_certify, time_limit)
        show_hits(hits, format.value, radius, not no_certify, position, several=len(queries) > 1)
        if report is not None:
            answers.append(hits)
    if report is not None:
        _write_report(report, answers, index, _report_model(library, index))


def _index(
    library: str, edge_labels: bool, model: str | None, threads: int | None, columns: dict[str, Any]
) -> Index:
    from prune4sed.cli.inputs import read_input
    from prune4sed.graphset import GraphSet
    from prune4sed.search.index import Index
    from prune4sed.search.index_meta import BUILDING, META
    from prune4sed.search.index_models import IndexModels

    folder = Path(library)
    bare = model is not None and model.lower() == "none"
    if bare:
        model = None
    if library != "-" and any((folder / name).exists() for name in (META, BUILDING)):
        if model is not None:
            raise OptionError(
                "--model goes with a library file; an index has its model from when it was built"
            )
        if columns:
            raise OptionError("--column and --id-column go with a library file, not with an index")
        index = Index.open(folder, threads=threads)
        if bare:
            index.models = IndexModels()
        if edge_labels and not index.library.edge_labels and len(index):
            raise OptionError(f"{library} was built without edge labels; build it again with --edge-labels")
        return index
    if library != "-" and not folder.exists():
        raise OptionError(f"LIBRARY {library}: there is no such file or folder")
    graphs = GraphSet(read_input(library, "LIBRARY", None, edge_labels, skip=True, **columns))
    return Index.build(graphs, model, threads=threads)


def _read_queries(query: str, edge_labels: bool, quiet: bool = False) -> list[Graph]:
    from prune4sed.cli.inputs import read_input

    return list(read_input(query, "QUERY", edge_labels=edge_labels, quiet=quiet))


def _report_model(library: str, index: Index) -> Any:
    """What tells keep probabilities for the report: the model of the index, or else the one for molecules."""
    from prune4sed.search.index_models import default_model

    if index.models or index.folder is not None:
        return index.models.model
    return default_model(library, None, edge_labels=False)  # bonds are left out of what it is shown


def _write_report(path: Path, answers: list[Hits], index: Index, model: Any) -> None:
    """One page with a section for every query."""
    from prune4sed.cli.prunings import MOST_PRUNED, prunings_of
    from prune4sed.report.page_hits import Answer
    from prune4sed.report.search_page import write_reports

    if isinstance(model, str):
        from prune4sed.models.loading import load_model

        model = load_model(model)
    sections = []
    for hits in answers:
        # The graphs are not copied into one set: the page asks for a few by position.
        targets = [index.library[hit.position] for hit in hits[:MOST_PRUNED]]
        sections.append(
            Answer(hits.query, hits, index.library, prunings_of(model, hits.query, targets, len(hits)))
        )
    write_reports(path, sections)
    typer.echo(f"report: {path}", err=True)
