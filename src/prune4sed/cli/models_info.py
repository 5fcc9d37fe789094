"""``prune4sed models info NAME``: what a model file says about itself."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from prune4sed.errors import OptionError

# As many labels as are listed.
_SHOWN = 12


def info(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A bundled model or a checkpoint.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show what a model is, the labels it knows and how it was trained; the weights are not read."""
    from prune4sed.models.header import read_header
    from prune4sed.models.loading import find_model, solver_name

    if solver_name(name) is not None:
        raise OptionError(f"{name} is a solver and has no file; see prune4sed models list")
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
    for key, value in told.items():
        out.print(f"{key.replace('_', ' '):<16}{_words(value)}", soft_wrap=True)


def _words(value: Any) -> str:
    """A value in one line, as far as that goes."""
    if value is None:
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
