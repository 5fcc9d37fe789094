"""The typer application that ties the verbs together."""

from __future__ import annotations

from typing import Annotated

import typer

from prune4sed.cli import data, index, models
from prune4sed.cli.demo import demo
from prune4sed.cli.evaluate import evaluate
from prune4sed.cli.label import label
from prune4sed.cli.predict import predict
from prune4sed.cli.reproduce import reproduce
from prune4sed.cli.search import search
from prune4sed.cli.sed import sed
from prune4sed.cli.train import train

app = typer.Typer(
    help="Find the graphs that almost contain yours, and see where and why.",
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(search)
app.command()(sed)
app.command()(label)
app.command()(predict)
app.command()(evaluate)
app.command()(train)
app.command()(reproduce)
app.add_typer(index.app, name="index")
app.add_typer(data.app, name="data")
app.add_typer(models.app, name="models")


def _version(wanted: bool) -> None:
    if wanted:
        from prune4sed import __version__

        typer.echo(f"prune4sed {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
