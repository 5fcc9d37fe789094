"""Hits for people (a table) and for programs (TSV, JSON lines)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from prune4sed.ids import name_at

if TYPE_CHECKING:
    from prune4sed.search.hits import Hit, Hits

#: Edits of one hit that a table spells out; the formats for programs have them all.
MOST_EDITS = 12
# What a label has to be for edits to speak of atoms; * is an atom of any kind in SMILES.
_SYMBOLS = """
    * H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
    Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu
    Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr
    Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
ELEMENTS = frozenset(_SYMBOLS.split())
COLUMNS = (
    *("query", "rank", "id", "position", "lower", "upper", "certified", "predicted", "mapping", "edits"),
    "query_position",
)


def show_hits(
    hits: Hits,
    format: str,
    radius: float | None = None,
    certify: bool = True,
    position: int = 0,
    several: bool = False,
) -> None:
    """Print the answer to one query.

    Parameters
    ----------
    hits : Hits
        The answer.
    format : str
        ``"table"``, ``"tsv"`` or ``"jsonl"``.
    radius : float, optional
        Of a search for all within a distance.
    certify : bool
        Whether a proof was asked for.
    position : int
        Of the query in its file. The first one starts a TSV with the names of its columns.
    several : bool
        Whether there are other queries, so that tables have to say whose they are.
    """
    name = query_name(hits, position, several)
    if format == "jsonl":
        for record in _records(hits, position):
            typer.echo(json.dumps(record))
    elif format == "tsv":
        if position == 0:
            typer.echo("\t".join(COLUMNS))
        for record in _records(hits, position):
            typer.echo("\t".join(_cell(record[column]) for column in COLUMNS))
    else:
        if several:
            typer.echo(name if position == 0 else f"\n{name}")
        if len(hits):
            _table(hits)
    # What the lines do not say goes where it does not disturb a program.
    whose = f"{name}: " if several or format != "table" else ""
    typer.echo(whose + verdict(hits, radius, certify), err=format != "table")


def query_name(hits: Hits, position: int, several: bool) -> str:
    """What the query is called in words; several go by their positions if they have no names."""
    return _cell(hits.query.id) or (f"query {position}" if several else "query")


def _records(hits: Hits, position: int) -> list[dict[str, Any]]:
    return [
        {
            "query": name_at(hits.query.id, position),
            "rank": rank,
            "id": hit.id,
            "position": hit.position,
            "lower": hit.lower,
            "upper": hit.upper,
            "certified": hit.certified,
            "predicted": hit.predicted,
            "mapping": list(hit.mapping),
            "edits": edit_words(hits, hit),
            "query_position": position,
        }
        for rank, hit in enumerate(hits, 1)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join("-" if item is None else str(item) for item in value)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return " ".join(text.split())  # a tab or a line end in a name would break the table


def edit_words(hits: Hits, hit: Hit, most: int | None = None) -> str:
    """The edits in words: ``relabel atom 3 from N to C, delete bond 3-4``; at most so many of them."""
    molecule, edits = looks_like_molecule(hits), hits.edits(hit)
    words = [edit.words(molecule) for edit in edits[:most]]
    if len(words) < len(edits):
        words.append(f"and {len(edits) - len(words):,} more")
    return ", ".join(words)


def looks_like_molecule(hits: Hits) -> bool:
    """Whether all labels of the query could be element symbols."""
    return bool(hits.query.labels) and ELEMENTS.issuperset(hits.query.labels)


def _table(hits: Hits) -> None:
    from rich.table import Table
    from rich.text import Text

    from prune4sed.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    guessed = not hits.proven and any(hit.predicted is not None for hit in hits)
    for title in ("SED", "", *(["predicted"] if guessed else []), "id", "edits"):
        right = title in ("SED", "predicted")
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for hit in hits:
        proof = "proven" if hit.certified else "bounds"
        guess = ["" if hit.predicted is None else f"{hit.predicted:.2f}"] if guessed else []
        edits = edit_words(hits, hit, MOST_EDITS) or "none: it contains it"
        table.add_row(*map(Text, (hit.distance, proof, *guess, hit.id, edits)))
    console().print(table)


def verdict(hits: Hits, radius: float | None = None, certify: bool = True) -> str:
    """What the answer is worth, in a sentence or two."""
    count, total = len(hits), hits.counts.targets
    what = f"{count:,} of {total:,} graphs" + (f" within {radius:g}" if radius is not None else "")
    words = [f"{what}, {'proven' if hits.proven else 'not proven'}, {hits.elapsed:.2f} s"]
    if hits.proven and (hits.ties or hits.possible_ties):
        more = [f"{hits.ties:,} more as near as the last"] if hits.ties else []
        more += [f"{hits.possible_ties:,} that may be as near"] if hits.possible_ties else []
        one = (hits.ties or hits.possible_ties) == 1
        words.append(f"there {'is' if one else 'are'} " + " and ".join(more))
    left = f"{hits.counts.left:,} graph{'s' * (hits.counts.left != 1)}"
    if not certify:
        words.append("the bounds are proven, the ranking is not; it is without --no-certify")
    elif not hits.proven and hits.counts.left:
        words.append(f"{left} could still belong here; a longer --time-limit decides")
    return "; ".join([*words, *hits.notes])
