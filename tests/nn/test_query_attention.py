"""Attention over the query against torch's own, and batch normalisation against torch's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from made_batches import batch_of, noise, some_graphs, words
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.query_attention import CrossAttention, QueryAttention, QueryView

WIDTH = 16
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(params=["learning", "predicting"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    torch.manual_seed(0)
    with torch.inference_mode(request.param == "predicting"):
        yield str(request.param)


def theirs_and_ours() -> tuple[nn.MultiheadAttention, CrossAttention]:
    theirs = nn.MultiheadAttention(WIDTH, 4, add_zero_attn=True, batch_first=True)
    nn.init.normal_(theirs.in_proj_bias)
    nn.init.normal_(theirs.out_proj.bias)
    ours = CrossAttention(WIDTH, 4)
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


def parts(batch: GraphBatch, x: Tensor) -> list[Tensor]:
    return list(x[batch.mask].split(batch.sizes.tolist()))


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("extra", [0, 3])
def test_cross_attention_is_multihead_attention_with_a_zero_key(extra: int, shared: bool) -> None:
    theirs, ours = theirs_and_ours()
    queries = batch_of(some_graphs(0, 4, low=0, high=6), words(), extra)  # the first is empty
    targets = batch_of(some_graphs(1, 4, low=0, high=20), words(), extra)
    q, t = noise(queries, WIDTH), noise(targets, WIDTH)
    query_of = [0, 3, 1, 1] if shared else [0, 1, 2, 3]
    view = QueryView(ours.tell(q), queries, torch.tensor(query_of) if shared else None)
    found = ours(t, targets, view)
    assert torch.isfinite(found).all()
    for i, (rows, answer) in enumerate(zip(parts(targets, t), parts(targets, found), strict=True)):
        look = parts(queries, q)[query_of[i]]
        if len(rows):
            expected, _ = theirs(rows[None], look[None], look[None])
            torch.testing.assert_close(answer, expected[0], **CLOSE)


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("extra", [0, 3])
def test_query_attention_scales_and_normalises(extra: int) -> None:
    block = QueryAttention(WIDTH)
    queries = batch_of(some_graphs(2, 3, high=6), words(), extra)
    targets = batch_of(some_graphs(3, 3, high=20), words(), extra)
    q, t = noise(queries, WIDTH), noise(targets, WIDTH)
    view = QueryView(block.attention.tell(q), queries)
    weight = torch.sigmoid(block.weigh(block.attention(t, targets, view)))[targets.mask]
    assert ((weight > 0) & (weight < 1)).all()
    expected = nn.BatchNorm1d(WIDTH)(weight * t[targets.mask])
    torch.testing.assert_close(block(t, targets, view)[targets.mask], expected, **CLOSE)


@pytest.mark.parametrize("real", [0.6, 1.0])
def test_masked_batch_norm_is_batchnorm1d_on_the_real_rows(real: float) -> None:
    torch.manual_seed(0)
    ours, theirs = MaskedBatchNorm(WIDTH), nn.BatchNorm1d(WIDTH)
    nn.init.normal_(ours.weight)
    nn.init.normal_(ours.bias)
    theirs.load_state_dict(ours.state_dict(), strict=False)
    for _ in range(3):
        x = 3 + 2 * torch.randn(24, WIDTH)
        mask = torch.rand(24) < real
        ours_x, theirs_x = x.clone().requires_grad_(), x.clone().requires_grad_()
        left, right = ours(ours_x, mask)[mask], theirs(theirs_x[mask])
        torch.testing.assert_close(left, right, **CLOSE)
        weights = torch.randn_like(left)
        (left * weights).sum().backward()
        (right * weights).sum().backward()
        torch.testing.assert_close(ours_x.grad, theirs_x.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean, **CLOSE)
    torch.testing.assert_close(ours.running_var, theirs.running_var, **CLOSE)
    ours.eval(), theirs.eval()
    torch.testing.assert_close(ours(x, mask)[mask], theirs(x[mask]), **CLOSE)


def test_masked_batch_norm_stands_one_row_and_none() -> None:
    norm = MaskedBatchNorm(WIDTH)
    before = norm.running_mean.clone()
    assert torch.isfinite(norm(torch.randn(3, WIDTH), torch.zeros(3, dtype=torch.bool))).all()
    assert torch.equal(norm.running_mean, before)
    norm(torch.randn(3, WIDTH), torch.tensor([True, False, False]))
    assert torch.equal(norm.running_var, torch.ones(WIDTH))
