"""``prune4sed index ...``: build an index of a library, and look into one."""

from __future__ import annotations

import typer

from prune4sed.cli.index_build import build
from prune4sed.cli.index_info import info

app = typer.Typer(help="Indexes: libraries made ready for search.")
app.command()(build)
app.command()(info)


@app.callback(invoke_without_command=True)
def _main(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
