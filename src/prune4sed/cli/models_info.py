"""``prune4sed models info NAME``: what a model file says about itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Annotated, Any

import typer

# As many labels as are listed, and letters of what shares a line with others; a digest has more.
_SHOWN, _SHORT = 12, 40
# So many columns may a line begin to the right; deeper ones share one.
_DEEPEST = 4


def info(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A bundled model or a checkpoint.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show what a model is, the labels it knows and how it was trained; the weights are not read."""
    from prune4sed.models.header import read_header
    from prune4sed.models.loading import find_model

    path = find_model(name)
    header = read_header(path)
    words = header.vocabulary
    told: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "model": header.model,
        "options": header.options,
        "node_labels": list(words.nodes),
        "edge_labels": None if words.edges is None else list(words.edges),
        "unknown_labels": words.unknown,
        **header.info,
        "digest": header.digest,
    }
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        _show(told)


def _show(told: dict[str, Any]) -> None:
    from prune4sed.cli.show import console

    out = console()
    for line in _lines({key.replace("_", " "): value for key, value in told.items()}, out.width):
        out.print(line, soft_wrap=True)


def _lines(told: dict[str, Any], width: int, indent: int = 0) -> Iterator[str]:
    """A line for every value; where that is wider than the screen, one for every part of the value."""
    column = max(map(len, told)) + 2
    for key, value in told.items():
        head, text = " " * indent + key.ljust(column), _words(value)
        parts = _parts(value)
        if len(head + text) <= width or not isinstance(value, (dict, list)):
            yield head + text
        elif indent >= _DEEPEST:  # --json tells it all
            yield f"{(head + text)[: width - 4]} ..."
        elif parts:
            yield head.rstrip()
            yield from _lines(parts, width, indent + 2)
        else:
            yield from _wrapped(head, text, width)


def _parts(value: Any) -> dict[str, Any]:
    """The parts of a value by name or number; none if all are so short that they may share lines."""
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        value = {str(number): part for number, part in enumerate(value, 1)}
    parts: dict[str, Any] = value if isinstance(value, dict) else {}
    long = any(isinstance(part, (dict, list)) or len(str(part)) > _SHORT for part in parts.values())
    return parts if long else {}


def _wrapped(head: str, text: str, width: int) -> list[str]:
    """Text behind its name and below itself, in lines that end at commas."""
    whole = ", ".join(part.replace(" ", "\xa0") for part in text.split(", "))
    lines = wrap(
        whole,
        width,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0", " ") for line in lines]


def _words(value: Any) -> str:
    """A value in one line, as far as that goes."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        more = f", ... ({len(value)} in all)" if len(value) > _SHOWN else ""
        return ", ".join(map(_words, value[:_SHOWN])) + more
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inner(part)}" for key, part in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _inner(value: Any) -> str:
    return f"({_words(value)})" if isinstance(value, dict) else _words(value)
