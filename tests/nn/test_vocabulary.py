"""Labels as the model's numbers."""

from __future__ import annotations

import pytest

from prune4sed.errors import GraphError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.vocabulary import Vocabulary


def test_codes_are_positions_whatever_the_sets_own_order() -> None:
    graphs = GraphSet([Graph(["C", "O", "N"], [(0, 1)]), Graph(["N"])])
    assert Vocabulary(("O", "N", "C")).node_codes(graphs).tolist() == [2, 0, 1, 1]
    assert Vocabulary(("O", "N", "C")).node_codes(graphs[1:]).tolist() == [1]


def test_only_labels_in_use_are_listed() -> None:
    graphs = GraphSet([Graph(["C"]), Graph(["Xx"])])
    assert Vocabulary.of(graphs[:1]).nodes == ("C",)
    assert Vocabulary.of(graphs[:1], graphs[1:]).nodes == ("C", "Xx")


def test_an_unknown_label_is_named_with_its_graph() -> None:
    graphs = GraphSet([Graph(["C"]), Graph(["C", "Xx"], id="odd")])
    with pytest.raises(GraphError, match=r"graph 'odd' has the node label 'Xx'.*it knows 'C', 'O'$"):
        Vocabulary(("C", "O")).node_codes(graphs)
    assert Vocabulary(("C", "O")).node_codes(graphs[:1]).tolist() == [0]
    with pytest.raises(GraphError, match="'odd'"):
        Vocabulary(("C", "O")).node_codes(graphs[1:])


def test_the_number_1_is_not_the_string_1() -> None:
    with pytest.raises(GraphError, match=r"node label 1, which"):
        Vocabulary(("1",)).node_codes(GraphSet([Graph([1])]))


def test_the_bucket_for_unknown_labels_is_the_last_number() -> None:
    words = Vocabulary(("C", "O"), ("single",), unknown=True)
    graphs = GraphSet([Graph(["Xx", "O"], [(0, 1)], ["triple"])])
    assert words.node_codes(graphs).tolist() == [2, 1]
    codes = words.edge_codes(graphs)
    assert codes is not None
    assert codes.tolist() == [1]
    assert (words.num_node_codes, words.num_edge_codes) == (3, 2)


def test_edge_labels_must_be_there_exactly_if_the_model_takes_them() -> None:
    plain, bonded = GraphSet([Graph(["C", "O"], [(0, 1)])]), GraphSet([Graph(["C", "O"], [(0, 1)], ["x"])])
    with pytest.raises(GraphError, match="takes no edge labels"):
        Vocabulary(("C", "O")).edge_codes(bonded)
    with pytest.raises(GraphError, match="these graphs have none"):
        Vocabulary(("C", "O"), ("x",)).edge_codes(plain)
    with pytest.raises(GraphError, match="edge label 'x'"):
        Vocabulary(("C", "O"), ("y",)).edge_codes(bonded)
    with pytest.raises(GraphError, match="give both or neither"):
        Vocabulary.of(plain, bonded)


def test_a_repeated_label_is_refused() -> None:
    with pytest.raises(GraphError, match="more than once"):
        Vocabulary(("C", "C"))
