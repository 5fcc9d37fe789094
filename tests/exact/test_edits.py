"""Edit scripts: they read well, add up, and lead to a query that the target contains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import contained, costs, pairs_of_graphs
from prune4sed.errors import OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edits import Edit, apply_edits, edit_script
from prune4sed.graph import Graph

QUERY = Graph(labels=["C", "N", "O"], edges=[(1, 0), (1, 2)], edge_labels=["single", "double"])
TARGET = Graph(labels=["C", "C", "O"], edges=[(0, 1), (1, 2)], edge_labels=["single", "single"])


def test_words() -> None:
    script = edit_script(QUERY, TARGET, [0, 1, 2], EditCosts())
    assert [str(edit) for edit in script] == [
        "relabel edge 1-2 from double to single",
        "relabel node 1 from N to C",
    ]
    assert script[1].words(molecule=True) == "relabel atom 1 from N to C"
    script = edit_script(QUERY, TARGET, [0, 1, None], EditCosts())
    assert [str(edit) for edit in script] == [
        "delete edge 1-2 (double)",
        "relabel node 1 from N to C",
        "delete node 2 (O)",
    ]
    assert script[0].words(molecule=True) == "delete bond 1-2 (double)"


def test_an_edge_is_deleted_where_relabelling_is_dearer() -> None:
    script = edit_script(QUERY, TARGET, [0, 1, 2], EditCosts(edge_relabel=3))
    assert [edit.kind for edit in script] == ["delete edge", "relabel node"]


@given(pairs_of_graphs(), costs(), st.data())
def test_script_adds_up_and_the_edited_query_is_contained(
    pair: tuple[Graph, Graph], prices: EditCosts, data: st.DataObject
) -> None:
    q, t = pair
    free: list[int | None] = [*range(len(t.labels)), *[None] * len(q.labels)]
    mapping = data.draw(st.permutations(free))[: len(q.labels)]
    script = edit_script(q, t, mapping, prices)
    assert sum(edit.cost for edit in script) == pytest.approx(prices.map_cost(q, t, mapping))
    assert contained(apply_edits(q, script), t)


def test_no_edits_give_the_query_back() -> None:
    assert apply_edits(QUERY, []) == QUERY


@pytest.mark.parametrize(
    "edits",
    [
        [Edit("delete node", 9, None, "C", None, 1.0)],
        [Edit("delete edge", None, (0, 2), None, None, 1.0)],
        [Edit("delete node", 0, None, "C", None, 1.0)],
        [Edit("relabel edge", None, (0, 1), "single", None, 1.0)],
    ],
)
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(OptionError):
        apply_edits(QUERY, edits)
