"""``prune4sed demo``: search real molecules for a few fragments, and write the report."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from rich.table import Table

    from prune4sed.report.page_hits import Answer, HitLike

#: How many of the bundled molecules are searched, and how many of the hits are printed and written.
LIBRARY_SIZE, PRINTED, WRITTEN = 5000, 5, 12
REPORT = "demo-report.html"

NEXT = """Try next:
  prune4sed search "Nc1ccc(S(N)(=O)=O)cc1" your-molecules.smi --report hits.html   your own file
  prune4sed sed "CC(=O)Oc1ccccc1C(=O)O" "COC(=O)c1ccccc1O"                         two molecules
  prune4sed search --help"""


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help=f"Folder for {REPORT}.")] = Path(),
) -> None:
    """Search the molecules that come with RDKit for a few fragments, and write a page of the hits."""
    from prune4sed.cli.demo_data import bundled_molecules, fragments
    from prune4sed.cli.show import console
    from prune4sed.report.page_hits import Answer
    from prune4sed.report.search_page import write_reports
    from prune4sed.search.index import Index

    if not out.is_dir():
        raise OptionError(f"--out {out}: there is no such folder")
    screen = console()
    library = bundled_molecules(LIBRARY_SIZE)
    start = perf_counter()
    index = Index.build(library, model=None)
    built = perf_counter()
    answers = [Answer(query, index.search(query, k=WRITTEN), library) for query in fragments()]
    end = perf_counter()
    screen.print("The molecules nearest to each fragment, and the edits that are left:\n")
    screen.print(demo_table(answers))
    screen.print(
        f"\n{len(library):,} molecules indexed in {built - start:.1f} s, "
        f"{len(answers)} searches in {end - built:.1f} s, {_proof(answers)}."
    )
    write_reports(
        out / REPORT, _with_prunings(answers), title="Molecules that contain a fragment, or nearly do"
    )
    screen.print(f"All hits, drawn: {out / REPORT} (open it in a browser)\n\n{NEXT}", soft_wrap=True)


def _with_prunings(answers: list[Answer]) -> list[Answer]:
    """The answers with what the bundled model for molecules keeps of each hit, if there is one."""
    from dataclasses import replace

    from prune4sed.cli.prunings import prunings_of
    from prune4sed.search.index_models import molecules_model

    name = molecules_model()
    if name is None:
        return answers
    from prune4sed.models.loading import load_model

    model = load_model(name)
    return [
        replace(
            one, prunings=prunings_of(model, one.query, [one.target(hit) for hit in one.hits], len(one.hits))
        )
        for one in answers
    ]


def demo_table(answers: list[Answer]) -> Table:
    """The first hits of every fragment."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("fragment", "distance", "", "molecule", "edits"):
        table.add_column(title, justify="right" if title == "distance" else "left")
    for answer in answers:
        for rank, hit in enumerate(answer.hits[:PRINTED]):
            table.add_row(*map(Text, _row(answer, hit, first=rank == 0)))
        table.add_section()
    return table


def _row(answer: Answer, hit: HitLike, first: bool) -> tuple[str, ...]:
    from prune4sed.report.hit_card import distance_words, hit_name
    from prune4sed.report.page_hits import hit_match

    match = hit_match(answer.query, answer.target(hit), hit)
    edits = () if match is None else match.edits
    words = "\n".join(edit.words(molecule=True) for edit in edits) or "contained as it is"
    name = str(answer.query.id) if first else ""
    return name, f"{hit.upper:g}", distance_words(hit), hit_name(hit), words


def _proof(answers: list[Answer]) -> str:
    """What is proven about the answers as a whole."""
    proven = sum(getattr(answer.hits, "proven", False) for answer in answers)
    if proven == len(answers):
        return "all proven: no molecule is nearer than those found"
    return f"{proven} of them proven"
