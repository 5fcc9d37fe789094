"""What every model promises about prediction."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from made_batches import shuffled, some_graphs, words

from prune4sed.errors import GraphError, OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.base import SedModel, pick_device
from prune4sed.models.registry import create_model, model_class, model_names
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.training.losses import interval_loss
from random_graphs import random_graph

SMALL = {
    "prune4sed": {"width": 16, "k": 2, "h": 1},
    "prune4sed-plus": {"width": 16, "stages": 2, "keep": 12, "pair_width": 16, "pair_layers": 2},
    "neurosed": {"width": 16},
    "neurosed-mlp": {"width": 16, "head": "mlp"},
    "simgnn": {"width": 16},
    "h2mn": {"width": 16},
    "h2mn-walk": {"width": 16, "hyperedges": "walk"},
}
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def small(kind: str, bonds: int = 0, seed: int = 0) -> SedModel:
    torch.manual_seed(seed)
    name = kind if kind in model_names() else kind.partition("-")[0]
    return create_model(name, words(bonds), **SMALL[kind])


@pytest.fixture(params=SMALL)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_prediction_does_not_depend_on_its_batch(kind: str) -> None:
    model = small(kind)
    queries, targets = some_graphs(0, 8, high=7), some_graphs(1, 10, high=40)
    pairs = np.array([(i % 8, (3 * i) % 10) for i in range(40)])
    answers = model.predict(queries, targets, pairs)
    assert answers.dtype == np.float32
    assert np.ptp(answers) > 1e-3
    alone = [model.predict(queries[i], targets[j])[0] for i, j in pairs.tolist()]
    np.testing.assert_allclose(answers, alone, **CLOSE)
    for batch_size in (1, 7):
        again = model.predict(queries, targets, pairs[::-1], batch_size=batch_size)[::-1]
        np.testing.assert_allclose(answers, again, **CLOSE)


def test_prediction_and_training_compute_the_same(kind: str) -> None:
    """Sparse products over kept rows in the one, dense or arc by arc over all rows in the other."""
    for bonds in (0, 2):
        model = small(kind, bonds).eval()
        queries, targets = some_graphs(20, 8, high=7, bonds=bonds), some_graphs(21, 8, high=40, bonds=bonds)
        index = np.column_stack([np.arange(8)] * 2)
        learning = model.predict_placed(model.place(queries), model.place(targets), index)
        assert learning.requires_grad
        np.testing.assert_allclose(model.predict(queries, targets), learning.detach(), **CLOSE)


def test_one_query_is_paired_with_every_target(kind: str) -> None:
    model = small(kind)
    queries, targets = some_graphs(2, 3), some_graphs(3, 9)
    expected = model.predict(queries, targets, [(1, j) for j in range(9)])
    np.testing.assert_allclose(model.predict(queries[1], targets), expected, **CLOSE)
    other = [(1, 0), *((2, j) for j in range(9)), *((1, j) for j in range(9))]
    np.testing.assert_allclose(model.predict(queries, targets, other)[10:], expected, **CLOSE)


def test_two_threads_give_what_one_gives(kind: str) -> None:
    model = small(kind)
    queries, targets = some_graphs(30, 12, high=9), some_graphs(31, 60, low=0, high=80)
    pairs = np.array([(i % 12, i % 60) for i in range(120)])
    alone = model.predict(queries, targets, pairs)
    torch.set_num_threads(2)
    try:
        np.testing.assert_allclose(model.predict(queries, targets, pairs), alone, **CLOSE)
        one = model.predict(queries[0], targets)
    finally:
        torch.set_num_threads(1)
    np.testing.assert_allclose(one, model.predict(queries[0], targets), **CLOSE)


@pytest.mark.parametrize("name", ["prune4sed", "prune4sed-plus", "neurosed", "simgnn", "h2mn"])
def test_one_query_is_encoded_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = small(name), []
    encode = model.encode_query
    if name == "neurosed":
        forward = model.encoder.forward
        monkeypatch.setattr(model.encoder, "forward", lambda g: rows.append(len(g)) or forward(g))
    else:
        monkeypatch.setattr(model, "encode_query", lambda g: rows.append(len(g)) or encode(g))
    model.predict(some_graphs(4, 1)[0], some_graphs(5, 30), batch_size=4)
    assert rows.pop(0) == 1
    assert sum(rows) == (30 if name == "neurosed" else 0)  # NeuroSED's encoder also takes the targets


def test_a_prediction_does_not_depend_on_the_order_of_nodes(kind: str) -> None:
    model = small(kind)
    queries, targets = some_graphs(6, 10, high=8), some_graphs(7, 10, high=30)
    moved = [GraphSet([shuffled(g, i)[0] for i, g in enumerate(part)]) for part in (queries, targets)]
    np.testing.assert_allclose(model.predict(queries, targets), model.predict(*moved), **CLOSE)


def test_symmetric_targets_do_not_depend_on_the_order_of_nodes() -> None:
    """Nodes of a cycle with a tail tie in many ways; the choice among them must not show."""
    model = small("prune4sed")
    ring = Graph([0] * 9, [(i, (i + 1) % 8) for i in range(8)] + [(0, 8)])
    query = Graph([0, 1], [(0, 1)])
    answers = model.predict(query, [ring, *(shuffled(ring, s)[0] for s in range(8))])
    np.testing.assert_allclose(answers, answers[0], **CLOSE)


def test_predict_leaves_mode_and_gradients_alone(kind: str) -> None:
    model = small(kind).train()
    before = {name: x.clone() for name, x in model.state_dict().items()}
    model.predict(some_graphs(8, 4), some_graphs(9, 4))
    assert model.training
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert model(_bucket(model)).requires_grad


def test_a_part_left_in_training_predicts_like_the_rest(kind: str) -> None:
    model = small(kind).eval()
    queries, targets = some_graphs(8, 4), some_graphs(9, 4)
    expected = model.predict(queries, targets)
    before = {name: x.clone() for name, x in model.state_dict().items()}
    for part in model.children():
        part.train()
    np.testing.assert_array_equal(model.predict(queries, targets), expected)
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert not model.training


def test_several_threads_may_predict_with_a_model_that_is_being_trained(kind: str) -> None:
    model = small(kind).train()
    before = {name: x.clone() for name, x in model.state_dict().items()}
    queries, targets = some_graphs(8, 4), some_graphs(9, 4, high=40)
    expected = model.predict(queries, targets)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: model.predict(queries, targets), range(24)))
    np.testing.assert_allclose(found, [expected] * 24, **CLOSE)
    assert model.training
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())


def test_only_graphs_that_are_asked_for_are_placed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, placed = small(kind), []
    graphs = GraphSet([*some_graphs(8, 30), Graph([7], id="odd")])
    place = model.place
    monkeypatch.setattr(model, "place", lambda g: placed.append(len(g)) or place(g))
    pairs = [(3, 20), (3, 4), (9, 20)]
    answers = model.predict(graphs, graphs, pairs)
    assert placed == [2, 2]
    np.testing.assert_allclose(answers, model.predict(graphs[:30], graphs[:30], pairs), **CLOSE)
    with pytest.raises(GraphError, match="graph 'odd'"):
        model.predict(graphs, graphs, [*pairs, (0, 30)])


def _bucket(model: SedModel):  # type: ignore[no-untyped-def]
    placed = model.place(some_graphs(10, 4))
    at = torch.arange(4)
    return pair_batch(placed, placed, at, at)


def test_gradients_reach_every_parameter(kind: str) -> None:
    model = small(kind, bonds=2)
    graphs = some_graphs(11, 20, low=4, bonds=2), some_graphs(12, 20, low=4, bonds=2)
    index = np.column_stack([np.arange(20)] * 2)
    model.predict_placed(*(model.place(g) for g in graphs), index).sum().backward()
    for name, x in model.named_parameters():
        assert x.grad is not None, name
        assert float(x.grad.abs().max()) > 1e-9, name


def test_ten_pairs_can_be_learnt_by_heart(kind: str) -> None:
    model = small(kind)
    queries, targets = some_graphs(13, 10, low=4, high=8), some_graphs(14, 10, low=10, high=16)
    placed = model.place(queries), model.place(targets)
    true = torch.arange(10.0) % 5 + torch.arange(10.0) / 10
    index = np.column_stack([np.arange(10)] * 2)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(400):
        loss = interval_loss(model.train().predict_placed(*placed, index), true, true)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 20 == 19 and _rmse(model, queries, targets, true) < 0.1:
            break
    assert _rmse(model, queries, targets, true) < 0.1


def _rmse(model: SedModel, queries: GraphSet, targets: GraphSet, true: torch.Tensor) -> float:
    return float(np.sqrt(np.mean((model.predict(queries, targets) - true.numpy()) ** 2)))


# -- bad and odd input ---------------------------------------------------------------------------------------


def test_empty_graphs_have_known_distances(kind: str) -> None:
    model = small(kind)
    path = Graph([0, 1, 2], [(0, 1), (1, 2)])
    empty = Graph([])
    pairs = [(0, 1), (1, 0), (1, 1), (0, 0)]
    answers = model.predict([path, empty], [path, empty], pairs)
    assert answers[:3].tolist() == [5, 0, 0]
    np.testing.assert_allclose(answers[3], model.predict(path, path)[0], **CLOSE)


def test_odd_sizes_give_finite_answers(kind: str) -> None:
    model = small(kind)
    lone, big = Graph([0]), some_graphs(15, 1, low=30)[0]
    assert np.isfinite(model.predict([lone, big, lone, big], [lone, lone, big, big])).all()


def test_a_target_of_5000_nodes(kind: str) -> None:
    model = small(kind)
    rng = random.Random(0)
    edges = {(rng.randrange(v), v) for v in range(1, 5000)}
    huge = Graph([rng.randrange(4) for _ in range(5000)], sorted(edges))
    both = model.predict(some_graphs(16, 1, low=6)[0], [huge, random_graph(rng, 20, 0.1, 4)])
    assert np.isfinite(both).all()
    np.testing.assert_allclose(both[0], model.predict(some_graphs(16, 1, low=6)[0], huge)[0], rtol=1e-4)


def test_an_unknown_label_is_named(kind: str) -> None:
    with pytest.raises(GraphError, match="graph 'odd' has the node label 7, which the model has never seen"):
        small(kind).predict(Graph([0]), Graph([7], id="odd"))


def test_a_model_with_a_bucket_for_unknown_labels_takes_any() -> None:
    torch.manual_seed(0)
    model = create_model("prune4sed", Vocabulary(("C",), unknown=True), width=16)
    a, b = model.predict(Graph(["C"]), [Graph(["Xx"]), Graph(["Yy"])])
    assert np.isfinite(a)
    assert a == b


def test_an_answer_that_is_not_finite_is_said(kind: str) -> None:
    model = small(kind)
    with torch.no_grad():
        for x in model.parameters():
            x.mul_(1e30)
    lone, path = Graph([0], id="lone"), Graph([0, 1, 2], [(0, 1), (1, 2)], id="path")
    with pytest.raises(GraphError, match="no finite answer for query 'path' and target 'lone'"):
        model.predict(path, lone)
    assert model.predict(path, Graph([])).tolist() == [5]


def test_bad_arguments() -> None:
    model = small("neurosed")
    graphs = some_graphs(17, 3)
    with pytest.raises(OptionError, match="batch_size must be"):
        model.predict(graphs, graphs, batch_size=0)
    with pytest.raises(OptionError, match="pair 0 names target 9"):
        model.predict(graphs, graphs, [(0, 9)])
    with pytest.raises(OptionError, match="queries must be graphs"):
        model.predict(3, graphs)
    assert model.predict(graphs, graphs, []).shape == (0,)
    with pytest.raises(OptionError, match="there is no model 'gpt'; there are"):
        model_class("gpt")
    with pytest.raises(OptionError, match="there is no option 'depth'; there are width"):
        create_model("neurosed", words(), depth=3)
    with pytest.raises(OptionError, match="head must be one of norm, mlp"):
        create_model("neurosed", words(), head="none")
    for device in ("nowhere", "meta"):
        with pytest.raises(OptionError, match=f"device '{device}' cannot be used"):
            pick_device(device)
    assert {model_class(name).name for name in model_names()} == set(model_names())


def test_nothing_is_above_deleting_the_whole_query(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = small(kind), Graph([0, 1, 2], [(0, 1), (1, 2)])
    assert model.metric == (kind == "neurosed")
    for said, told in ((4.5, 4.5), (5.5, 5.5 if model.metric else 5.0)):

        def placed(*args: object, said: float = said) -> torch.Tensor:
            return torch.full((1,), said)

        monkeypatch.setattr(type(model), "predict_placed", placed)
        assert model.predict(path, path).tolist() == [told]
