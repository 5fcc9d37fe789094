"""``prune4sed demo``: distances between fragments and real molecules, and a picture of one match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from rich.table import Table

    from prune4sed.cli.demo_data import Molecules
    from prune4sed.exact.result import SedResult

#: How many of the bundled molecules are looked at: enough for close calls, few enough for seconds.
LIBRARY_SIZE = 1000

NEXT = """Try next:
  prune4sed sed "CC(=O)Oc1ccccc1C(=O)O" "COC(=O)c1ccccc1O"              two molecules
  prune4sed sed "Nc1ccc(S(N)(=O)=O)cc1" your-molecules.smi --json       one fragment, your own file
  prune4sed sed --help"""


@dataclass(frozen=True)
class CloseCall:
    """The nearest molecule that does not contain the fragment, and how many are how near."""

    fragment: int
    molecule: int
    result: SedResult
    within: tuple[int, int, int]  # molecules at distance 0, 1 and 2
    certified: int


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for demo-match.svg and .png.")] = Path(),
) -> None:
    """Compare a few fragments with molecules that come with RDKit, and draw one match."""
    from prune4sed.cli.demo_data import bundled_molecules, fragments
    from prune4sed.cli.show import console

    if not out.is_dir():
        raise OptionError(f"--out {out}: there is no such folder")
    queries, library = fragments(), bundled_molecules(LIBRARY_SIZE)
    start = perf_counter()
    calls = close_calls(queries, library)
    seconds = perf_counter() - start
    count, proven = len(calls) * len(library.graphs), sum(call.certified for call in calls)
    screen = console()
    screen.print("Molecules that contain a fragment, or miss it by one or two edits:\n")
    screen.print(_table(calls))
    screen.print(f"\n{count:,} distances in {seconds:.2f} s, {proven:,} of them certified.")
    files = _draw(_most_telling(calls), queries, library, out)
    screen.print(f"One match drawn: {' and '.join(map(str, files))}\n\n{NEXT}", soft_wrap=True)


def close_calls(queries: Molecules, library: Molecules) -> list[CloseCall]:
    """Compare every fragment with every molecule."""
    from prune4sed.exact import engine

    size = len(library.graphs)
    pairs = [(q, t) for q in range(len(queries.graphs)) for t in range(size)]
    table = engine.sed_pairs(queries.graphs, library.graphs, pairs=pairs)
    calls = []
    for q, query in enumerate(queries.graphs):
        upper, certified = (part[q * size : (q + 1) * size] for part in (table.upper, table.certified))
        nearest = min((t for t in range(size) if upper[t] > 0), key=lambda t: upper[t])
        within = tuple(int(((upper == d) & certified).sum()) for d in range(3))
        result = engine.sed(query, library.graphs[nearest])
        calls.append(CloseCall(q, nearest, result, (within[0], within[1], within[2]), int(certified.sum())))
    return calls


def _most_telling(calls: list[CloseCall]) -> CloseCall:
    """The match to draw: the one with the most kinds of edits, the first of these."""
    return max(calls, key=lambda call: (len({edit.kind for edit in call.result.edits}), call.result.upper))


def _draw(call: CloseCall, queries: Molecules, library: Molecules, out: Path) -> list[Path]:
    """Write the picture in both formats."""
    from prune4sed.atomic import replacing
    from prune4sed.report.molecule import match_png, match_svg

    smiles = queries.smiles[call.fragment], library.smiles[call.molecule]
    pictures = {
        out / "demo-match.svg": match_svg(*smiles, call.result).encode(),
        out / "demo-match.png": match_png(*smiles, call.result),
    }
    for path, content in pictures.items():
        with replacing(path) as temporary:
            temporary.write_bytes(content)
    return list(pictures)


def _table(calls: list[CloseCall]) -> Table:
    """One line per fragment: how many molecules contain it or nearly do, and the closest miss."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("fragment", "in", "1 off", "2 off", "closest miss", "SED", "its edits"):
        table.add_column(title, justify="right" if title in ("in", "1 off", "2 off") else "left")
    for call in calls:
        result = call.result
        edits = "\n".join(edit.words(molecule=True) for edit in result.edits)
        distance = f"{result.upper:g}" if result.certified else f"{result.lower:g} to {result.upper:g}"
        cells = (str(result.query.id), *map(str, call.within), str(result.target.id), distance, edits)
        table.add_row(*map(Text, cells))
    return table
