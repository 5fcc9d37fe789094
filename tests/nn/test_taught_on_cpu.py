"""The engine's layers in training against torch's: the same answers, and the same gradients."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from made_batches import batch_of, noise, some_graphs, words
from torch import Tensor, nn

from prune4sed import _native
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.registry import create_model
from prune4sed.nn import gatv2, gin, query_attention
from prune4sed.nn.batch import GraphBatch, pair_batch
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.on_cpu import array_of, rows_of, torch_alone
from prune4sed.nn.query_attention import CrossAttention, QueryView
from prune4sed.nn.query_aware import QueryAware

STAR = Graph([1] * 40, [(0, v) for v in range(1, 40)])


@pytest.fixture(autouse=True)
def _learning() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> int:
    torch.set_num_threads(request.param)
    return int(request.param)


def targets(seed: int, extra: int) -> GraphBatch:
    """Empty graphs, a hub, and more rows than the engine takes at a time."""
    graphs = [*some_graphs(seed, 8, low=0, high=30), STAR, Graph([]), *some_graphs(seed + 1, 2, 150, 170)]
    return batch_of(GraphSet(graphs), words(), extra)


def learnt(work: Callable[[], Tensor], leaves: Sequence[Tensor]) -> list[Tensor]:
    """What comes out, and what a random pull on it says of every leaf."""
    torch.manual_seed(1)
    out = work()
    return [out.detach(), *torch.autograd.grad(out, leaves, torch.randn_like(out))]


def assert_same(work: Callable[[], Tensor], leaves: Sequence[Tensor], close: float = 5e-4) -> None:
    """By the engine and by torch, up to rounding: most of what is added up cancels."""
    ours = learnt(work, leaves)
    with torch_alone():
        theirs = learnt(work, leaves)
    for a, b in zip(ours, theirs, strict=True):
        assert b.abs().max() > 0
        torch.testing.assert_close(a / b.abs().max(), b / b.abs().max(), rtol=0, atol=close)


def shaken(module: nn.Module) -> nn.Module:
    """Away from zeros and ones, without units that are always off, or hundreds of nodes drowning all else."""
    for name, x in module.named_parameters():
        if name.endswith(("bias", "norm.weight")):
            nn.init.uniform_(x, 0.1, 0.5)
        elif ".mlp.2." in name:
            x.data *= 0.3
    return module


@pytest.mark.parametrize("width", [5, 16, 64])
@pytest.mark.parametrize("extra", [0, 4])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_encoder_learns_the_same(width: int, extra: int, layers: int, threads: int) -> None:
    batch, encoder = targets(3, extra), shaken(GINEncoder(4, width=width, layers=layers))
    weights = list(encoder.parameters())
    scale, keep = torch.rand(batch.rows, 3, requires_grad=True), torch.rand(batch.rows, 3) < 0.6
    assert_same(lambda: encoder(batch), weights)
    assert_same(lambda: encoder(batch, scale), [scale, *weights])
    assert_same(lambda: encoder(batch, scale, keep), [scale, *weights])


def test_what_was_pruned_teaches_nothing() -> None:
    batch, encoder = targets(3, 0), GINEncoder(4, width=16, layers=2)
    scale, keep = torch.rand(batch.rows, 2, requires_grad=True), torch.rand(batch.rows, 2) < 0.6
    (of_scale,) = torch.autograd.grad(encoder(batch, scale, keep).square().sum(), [scale])
    assert of_scale[keep].ne(0).all()
    assert of_scale[~keep].eq(0).all()


@pytest.mark.parametrize("extra", [0, 4])
@pytest.mark.parametrize(
    ("width", "size"), [(16, 1.0), (48, 30.0)]
)  # large scores too, where exp would overflow
def test_gatv2_learns_the_same(width: int, size: float, extra: int, threads: int) -> None:
    batch, layer = targets(4, extra), shaken(GATv2Layer(width))
    x = (size * noise(batch, width)).requires_grad_()
    assert_same(lambda: layer(batch, x)[batch.mask], [x, *layer.parameters()])


@pytest.mark.parametrize("extra", [0, 4])
@pytest.mark.parametrize(("width", "heads", "size"), [(16, 1, 1.0), (24, 3, 30.0), (64, 4, 1.0)])
def test_attention_learns_the_same(width: int, heads: int, size: float, extra: int, threads: int) -> None:
    batch = targets(5, extra)
    queries = batch_of(some_graphs(7, len(batch), low=0, high=40), words(), extra)
    attention = shaken(CrossAttention(width, heads))
    x, q = ((size * noise(each, width)).requires_grad_() for each in (batch, queries))

    def look() -> Tensor:
        view = QueryView(attention.tell(q), queries)
        return attention.look(x, batch, view)[batch.mask]

    # The bias of keys moves all scores of a row alike but for the zero key, so it counts like any other.
    assert_same(look, [x, q, attention.in_proj_weight, attention.in_proj_bias])


@pytest.mark.parametrize("shared", [False, True])
def test_query_aware_features_learn_the_same(shared: bool, threads: int) -> None:
    module = shaken(QueryAware(4, width=32, stages=3)).train()
    batch = targets(6, 2)
    queries = batch_of(some_graphs(7, 4 if shared else len(batch), low=0, high=20), words(), 2)
    query_of = torch.arange(len(batch)) % 4 if shared else None

    def look() -> Tensor:
        views = [QueryView(told, queries, query_of) for told in module.query_stages(queries)]
        return module(batch, views)[batch.mask]

    # Batch normalisation takes off again what some biases add: their gradients are nothing but rounding.
    weights = {name: x for name, x in module.named_parameters() if not name.endswith("0.norm.bias")}
    gradients = torch.autograd.grad(look().square().sum(), list(weights.values()))
    moved = [x for x, g in zip(weights.values(), gradients, strict=True) if g.abs().max() > 1e-2]
    assert len(moved) > 20
    assert_same(look, moved)


@pytest.mark.parametrize("name", ["prune4sed", "neurosed"])
def test_whole_models_learn_the_same(name: str, threads: int) -> None:
    model = create_model(name, words(), width=16, **({"k": 3, "h": 1} if name == "prune4sed" else {}))
    queries, targets = some_graphs(1, 12, high=9), some_graphs(2, 12, low=5, high=25)
    at = torch.arange(12)
    pairs = pair_batch(model.place(queries), model.place(targets), at, at)
    norms = {key: x.clone() for key, x in model.named_buffers()}

    def answer() -> Tensor:
        for key, x in model.named_buffers():  # running means move in training
            x.copy_(norms[key])
        return model(pairs)

    weights = dict(shaken(model.train()).named_parameters())
    gradients = torch.autograd.grad(answer().square().mean(), list(weights.values()), allow_unused=True)
    # Biases that a normalisation or a difference takes off again have gradients of rounding alone.
    floor = 1e-3 * max(float(g.abs().max()) for g in gradients if g is not None)
    moved = [
        x for x, g in zip(weights.values(), gradients, strict=True) if g is not None and g.abs().max() > floor
    ]
    assert len(moved) > len(weights) / 3
    assert_same(answer, moved)


def test_torch_does_what_the_engine_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((gatv2, "graph_means"), (gin, "gin_sums"), (query_attention, "query_means")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("the engine was asked"))
    batch = targets(8, 0)
    x = noise(batch, 16)
    GATv2Layer(12)(batch, x[:, :12])  # no multiple of 16
    GATv2Layer(16).double()(batch, x.double())
    GINEncoder(4, width=16, layers=1).double()(batch)
    view = QueryView(noise(batch, 32), batch, torch.zeros(len(batch), dtype=torch.int64))
    CrossAttention(16, 2).look(x, batch, view)  # queries that targets share, with gradients
    with torch.autocast("cpu", torch.bfloat16):
        GATv2Layer(16)(batch, x)
        CrossAttention(16, 2).look(x, batch, view._replace(query_of=None))
        GINEncoder(4, width=16, layers=1)(batch)


@pytest.fixture
def _doubles_by_default() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("_doubles_by_default")
def test_models_in_float32_stay_so_whatever_new_tensors_are() -> None:
    batch = targets(8, 0)
    layer, encoder, attention = (
        GATv2Layer(16).float(),
        GINEncoder(4, width=16).float(),
        CrossAttention(16).float(),
    )
    x, told = (noise(batch, width).float().requires_grad_() for width in (16, 32))
    assert_same(lambda: layer(batch, x), [x, layer.attention])
    assert_same(lambda: encoder(batch), [encoder.embedding.weight])
    assert_same(lambda: attention.look(x, batch, QueryView(told, batch)), [x, told])


def test_what_is_no_number_stays_none() -> None:
    batch = targets(8, 0)
    layer, attention = GATv2Layer(16), CrossAttention(16)
    x, told = noise(batch, 16), noise(batch, 32)
    layer.attention.data[0, 3] = float("nan")
    told[:, 5] = float("nan")
    assert layer(batch, x)[batch.mask].isnan().all()
    found = attention.look(x, batch, QueryView(told, batch))[batch.mask]
    assert found[:, 4:8].isnan().all()
    assert found[:, 8:].isfinite().all()
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(layer(batch, x).sum(), [x])
    assert gradient[batch.mask].isnan().all()


def test_what_waits_for_gradients_at_the_end_of_python_is_no_leak() -> None:
    code = """
import torch
from prune4sed import Graph
from prune4sed.models.registry import create_model
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.vocabulary import Vocabulary
model = create_model("prune4sed", Vocabulary(("C",)), width=16, k=1, h=0)
graphs, at = model.place([Graph(["C", "C"], [(0, 1)])]), torch.arange(1)
loss = model(pair_batch(graphs, graphs, at, at)).sum()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == ""


def test_gradients_of_what_has_changed_since_are_refused() -> None:
    batch, layer = targets(9, 0), GATv2Layer(16)
    out = layer(batch, noise(batch, 16))
    layer.attention.data.zero_()  # as torch itself does, this goes unnoticed ...
    with torch.no_grad():
        layer.attention.add_(1)  # ... and this does not
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_gradients_of_gradients_are_refused() -> None:
    batch, encoder = targets(9, 0), GINEncoder(4, width=16, layers=1)
    weight = encoder.embedding.weight
    (first,) = torch.autograd.grad(encoder(batch).sum(), [weight], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_arrays_that_do_not_fit_are_refused() -> None:
    batch = targets(9, 0)
    rows, x = rows_of(batch), array_of(noise(batch, 16))
    one, mass, vector = np.zeros_like(x), np.zeros(len(x), np.float32), np.ones(16, np.float32)
    means = _native.graph_means
    with pytest.raises(ValueError, match="the width must be a multiple of 16"):
        means(rows, x, x, vector[:12], 1, one, mass)
    for other in (one.astype(np.float64), np.asfortranarray(one), np.zeros((len(x), 32), np.float32)[:, ::2]):
        with pytest.raises(TypeError):  # a copy would be written to
            means(rows, x, x, vector, 1, other, mass)
    with pytest.raises(ValueError, match="features must be"):
        means(rows, x, x[:-1], vector, 1, one, mass)
    with pytest.raises(ValueError, match="features must be"):
        means(rows, x, x, vector, 1, one, mass[:-1])
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        means(rows, x, x, vector, 0, one, mass)
    with pytest.raises(ValueError, match="a gradient for every thread"):
        _native.graph_mean_gradients(rows, x, x, vector, mass, x, mass, 2, one, one.copy(), vector.copy())
    far = replace(batch, links=batch.links._replace(neighbours=batch.links.neighbours + 1000))
    with pytest.raises(ValueError, match="a neighbour is in no row of its graph"):
        means(rows_of(far), x, x, vector, 1, one, mass)


def test_queries_that_do_not_fit_are_refused() -> None:
    batch = targets(9, 0)
    starts, x = array_of(batch.starts[:-1]), array_of(noise(batch, 16))
    told, one = array_of(noise(batch, 32)), np.zeros_like(x)
    mass = np.zeros((len(x), 2), np.float32)
    means, back = _native.query_means, _native.query_mean_gradients
    with pytest.raises(ValueError, match="a multiple of the heads"):
        means(starts, x, told, starts, None, 3, 1, one, mass)
    with pytest.raises(ValueError, match="what is asked must be"):
        means(starts, x[:-1], told, starts, None, 2, 1, one, mass)
    with pytest.raises(ValueError, match="found must be"):
        means(starts, x, told, starts, None, 2, 1, one, mass[:-1])
    with pytest.raises(ValueError, match="there are fewer queries than targets"):
        means(starts, x, told[: starts[-2]], starts[:-1], None, 2, 1, one, mass)
    with pytest.raises(ValueError, match="gradients must be as large"):
        back(starts, x, told, starts, 2, mass, one, x, 1, one.copy(), told[:-1].copy())
