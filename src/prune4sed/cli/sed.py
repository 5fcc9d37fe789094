"""``prune4sed sed QUERY TARGET``: the distance, its proof, the mapping and the edits."""

from __future__ import annotations

from typing import Annotated

import typer

Cost = Annotated[float, typer.Option(help="Cost of one such edit.", metavar="COST", rich_help_panel="Costs")]


def sed(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A file with one graph, a SMILES string, or -.")
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A file of graphs, a SMILES string, or -.")],
    time_limit: Annotated[
        float, typer.Option(metavar="S", help="Seconds per target; 0 for bounds at once.")
    ] = 1.0,
    node_limit: Annotated[int | None, typer.Option(metavar="N", help="Stop after N search nodes.")] = None,
    threshold: Annotated[
        float | None, typer.Option(metavar="T", help="Stop once the distance is proven to exceed T.")
    ] = None,
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Compare edge labels (bond types) as well.")
    ] = False,
    format: Annotated[
        str | None, typer.Option(metavar="F", help="Format of the files, if not by suffix.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per target.")] = False,
    node_deletion: Cost = 1.0,
    node_relabel: Cost = 1.0,
    edge_deletion: Cost = 1.0,
    edge_relabel: Cost = 1.0,
) -> None:
    """How many edits away is the nearest subgraph of TARGET?

    Shows the distance with its proof (or bounds), where the query sits in the target, and the edits in words.
    """
    from prune4sed.cli.inputs import read_pair
    from prune4sed.cli.show import show_json, show_one, show_table
    from prune4sed.exact import engine
    from prune4sed.exact.costs import EditCosts

    costs = EditCosts(node_deletion, node_relabel, edge_deletion, edge_relabel)
    one, many = read_pair(query, target, format, edge_labels)
    results = (
        engine.sed(one, t, time_limit=time_limit, threshold=threshold, costs=costs, node_limit=node_limit)
        for t in many
    )
    if json:
        show_json(results)
    elif len(many) == 1:
        show_one(next(results), threshold)
    else:
        show_table(results, len(many))
