"""``prune4sed models ...``: list, inspect and verify model files."""

from __future__ import annotations

import typer

from prune4sed.cli.models_info import info
from prune4sed.cli.models_list import list_
from prune4sed.cli.models_verify import verify

app = typer.Typer(help="Model files: those that come with the package, and your own.")
app.command("list")(list_)
app.command()(info)
app.command()(verify)


@app.callback(invoke_without_command=True)
def _main(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
