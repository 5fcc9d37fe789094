"""``prune4sed data ...``: list, get, build, verify and look at datasets."""

from __future__ import annotations

import typer

from prune4sed.cli.data_build import build
from prune4sed.cli.data_get import get
from prune4sed.cli.data_info import info
from prune4sed.cli.data_list import list_
from prune4sed.cli.data_verify import verify

app = typer.Typer(help="Datasets of labelled pairs: the paper's seven, and your own.")
app.command("list")(list_)
app.command()(get)
app.command()(build)
app.command()(verify)
app.command()(info)


@app.callback(invoke_without_command=True)
def _main(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
