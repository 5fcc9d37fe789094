"""The hits of a search as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from prune4sed.atomic import replacing
from prune4sed.report.hit_section import hit_section, query_names
from prune4sed.report.markup import Html, fill, part, tag
from prune4sed.report.page_hits import Answer, HitLike, Library

if TYPE_CHECKING:
    from prune4sed.graph import Graph

__all__ = ["write_report", "write_reports"]

TITLED = 3  # queries that a title names


def write_report(
    path: str | PathLike[str],
    query: Graph,
    hits: Sequence[HitLike],
    library: Library,
    title: str | None = None,
    prunings: Sequence[Any] | None = None,
) -> None:
    """Write the hits of one query as a page: drawn, sortable, filterable.

    Parameters
    ----------
    path : path
        The HTML file to make or replace.
    query : Graph
        What was searched for.
    hits : sequence
        Best first; see `Answer` for what the page needs of them.
    library : GraphSet or Library
        What was searched.
    title : str, optional
        Of the page.
    prunings : sequence, optional
        For each hit the keep probabilities, an array (heads, nodes); drawn as node sizes, a switch per head.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from types import SimpleNamespace
    >>> from prune4sed import Graph, GraphSet
    >>> library = GraphSet([Graph([1, 2], [(0, 1)], id="a")])
    >>> hit = SimpleNamespace(
    ...     id="a", position=0, lower=0.0, upper=0.0, certified=True, predicted=None, mapping=(1,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(Path(folder) / "report.html", Graph([2]), [hit], library, title="Two")
    ...     "<title>Two</title>" in (Path(folder) / "report.html").read_text(encoding="utf-8")
    True
    """
    write_reports(path, [Answer(query, hits, library, prunings)], title)


def write_reports(path: str | PathLike[str], answers: Sequence[Answer], title: str | None = None) -> None:
    """Write the hits of several queries as one page, a section each; see `write_report`."""
    page = _page(answers, title or _title(query_names(answers)))
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _title(names: Sequence[str]) -> str:
    """The first few queries, and how many more there are."""
    more = f" and {len(names) - TITLED:,} more" if len(names) > TITLED else ""
    return f"Nearest to {', '.join(names[:TITLED])}{more}"


def _page(answers: Sequence[Answer], title: str) -> Html:
    from prune4sed import __version__

    names = query_names(answers)
    sections = [hit_section(*one, f"query-{i}") for i, one in enumerate(zip(answers, names, strict=True), 1)]
    script = Html(f"\n{part('page.js')}\n")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    total = sum(len(one.hits) for one in answers)
    predicted = any(hit.predicted is not None for one in answers for hit in one.hits)
    return fill(
        "page.html",
        title=title,
        style=Html(f"{part('page.css')}\n{part('drawing.css')}"),
        digest=digest,
        contents=_contents(names),
        by_predicted=tag("option", "predicted", value="predicted") if predicted else Html(),
        heads=_heads(_head_count(answers)),
        count=f"{total} hits",
        sections=Html("\n".join(sections)),
        version=__version__,
        script=script,
    )


def _contents(names: Sequence[str]) -> Html:
    """Links to the sections, if there are several."""
    if len(names) < 2:
        return Html()
    links = [tag("a", name, href=f"#query-{i}") for i, name in enumerate(names, 1)]
    return tag("nav", tag("ul", Html("".join(tag("li", link) for link in links))), aria_label="queries")


def _head_count(answers: Sequence[Answer]) -> int:
    prunings = [pruning for one in answers for pruning in one.prunings or () if pruning is not None]
    return max((len(getattr(pruning, "keep", pruning)) for pruning in prunings), default=0)


def _heads(count: int) -> Html:
    """A switch for every head of the pruning, and one for none."""
    if not count:
        return Html()
    choices = [(-1, "off"), *((head, str(head + 1)) for head in range(count))]
    return fill("heads.html", choices=Html("".join(_choice(head, name) for head, name in choices)))


def _choice(head: int, name: str) -> Html:
    return fill("head.html", value=head, name=name, checked="checked" if head < 0 else "")
