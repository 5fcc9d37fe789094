"""Muon against torch's own, singular values, and parts of matrices."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.training.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(3, 20, 20), (2, 16, 48), (2, 48, 16)])
def test_singular_values_are_near_one_and_vectors_stay(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    given = torch.randn(shape)
    found = orthogonal(given)
    values = torch.linalg.svdvals(found)
    assert values.min() > 0.3
    assert values.max() < 1.3
    u, _, v = torch.linalg.svd(given, full_matrices=False)
    inner = u.mT @ found @ v.mT  # diagonal, if the singular vectors are the same
    off = inner - torch.diag_embed(torch.diagonal(inner, dim1=-2, dim2=-1))
    assert off.abs().max() < 1e-3


def test_zeros_stay_zeros() -> None:
    assert orthogonal(torch.zeros(2, 16, 16)).abs().max() == 0


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="this torch has no Muon of its own")
def test_steps_are_those_of_torch() -> None:
    torch.manual_seed(0)
    ours = nn.Parameter(torch.randn(24, 36))
    start = ours.detach().clone()
    theirs = nn.Parameter(start.clone())
    rate, decay = torch.tensor(1e-2), 0.1
    bias = nn.Parameter(torch.zeros(3))
    muon = Muon(nn.ParameterList([ours, bias]), rate, decay)
    other = torch.optim.Muon(
        nn.ParameterList([theirs]), lr=1e-2, weight_decay=decay, adjust_lr_fn="match_rms_adamw"
    )
    for _ in range(5):
        gradient = torch.randn(24, 36)
        ours.grad, theirs.grad, bias.grad = gradient.clone(), gradient.clone(), torch.ones(3)
        muon.step()
        other.step()
    # Theirs multiplies in bfloat16.
    way = (ours - start).norm()
    assert (ours - theirs).norm() < 0.03 * way
    assert (bias < 0).all()


def test_a_tall_matrix_is_taken_as_square_ones() -> None:
    torch.manual_seed(0)
    tall = nn.Parameter(torch.zeros(48, 16))
    parts = [nn.Parameter(torch.zeros(16, 16)) for _ in range(3)]
    bias, gradient = nn.Parameter(torch.zeros(1)), torch.randn(48, 16)
    bias.grad, tall.grad = torch.zeros(1), gradient
    for part, slope in zip(parts, gradient.split(16), strict=True):
        part.grad = slope.clone()
    Muon(nn.ParameterList([tall, *parts, bias]), torch.tensor(0.1), 0.0).step()
    assert tall.norm() > 0
    assert torch.allclose(tall, torch.cat(list(parts)), atol=1e-6)


def test_what_it_remembers_is_where_the_steps_read_it() -> None:
    torch.manual_seed(0)
    weight, bias = nn.Parameter(torch.zeros(16, 16)), nn.Parameter(torch.zeros(1))
    muon = Muon(nn.ParameterList([weight, bias]), torch.tensor(0.1), 0.0)
    weight.grad, bias.grad = torch.randn(16, 16), torch.zeros(1)
    muon.step()
    remembered = muon.state[weight]["direction"]
    assert torch.allclose(remembered, 0.05 * weight.grad)
    with torch.no_grad():
        remembered.fill_(0.0)
        weight.zero_()
    before = weight.clone()
    muon.step()
    first = weight.clone() - before
    assert torch.allclose(muon.state[weight]["direction"], 0.05 * weight.grad)
    assert first.norm() > 0


def test_a_weight_without_gradient_only_decays() -> None:
    weight, bias = nn.Parameter(torch.ones(16, 16)), nn.Parameter(torch.zeros(1))
    bias.grad = torch.zeros(1)
    Muon(nn.ParameterList([weight, bias]), torch.tensor(0.1), 0.5).step()
    assert torch.allclose(weight, torch.full((16, 16), 0.95))


def test_vectors_of_labels_are_left_to_adamw() -> None:
    table = LabelEmbedding(40, 16)
    muon = Muon(table, torch.tensor(0.1), 0.0)
    assert set(muon.state[table.weight]) == {"step", "exp_avg", "exp_avg_sq"}
