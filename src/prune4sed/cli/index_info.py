"""``prune4sed index info PATH``: what an index says about itself, and whether it is whole."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer


def info(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder of an index.")],
    verify: Annotated[bool, typer.Option("--verify", help="Compare the checksums of all files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show what is in an index, where it comes from, and with --verify whether it is undamaged."""
    from prune4sed.search.index import Index
    from prune4sed.search.index_meta import VERSION

    index = Index.open(path, verify=verify or None)
    meta = index.meta
    assert meta is not None
    told: dict[str, Any] = {
        "path": str(path),
        "version": VERSION,
        "graphs": meta.graphs,
        "segments": len(meta.segments),
        "bytes": sum(file.bytes for file in meta.files),
        "edge_labels": meta.edge_labels,
        "models": {role: asdict(file) for role, file in meta.models.items()},
        **meta.info,
        "verified": verify,
    }
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        _show(told)


def _show(told: dict[str, Any]) -> None:
    from prune4sed.cli.show import console

    out = console()
    request = told.pop("request", {})
    listed, salts = told.pop("listed", []), told.pop("salts", [])
    kept = ", ".join(f"{role} ({file['bytes'] / 1e6:.1f} MB)" for role, file in told.pop("models").items())
    told |= {"source": request.get("source"), "model": request.get("model"), "models": kept}
    for key, value in told.items():
        if value not in (None, {}, [], ""):
            out.print(f"{key.replace('_', ' '):<16}{_words(value)}", soft_wrap=True)
    for problem in listed[:20]:
        out.print(f"  left out: {problem}", soft_wrap=True)
    if salts:
        more = f" and {told['in_pieces'] - 20:,} more" if told["in_pieces"] > 20 else ""
        out.print(f"  in several parts: {', '.join(salts[:20])}{more}", soft_wrap=True)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
