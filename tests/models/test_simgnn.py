"""The parts of SimGNN."""

from __future__ import annotations

import torch

from prune4sed.models.simgnn import TensorNetwork, histogram


def test_tensor_network_by_hand() -> None:
    torch.manual_seed(0)
    net = TensorNetwork(4, 3)
    q, t = torch.randn(2, 4), torch.randn(2, 4)
    for b in range(2):
        for s in range(3):
            linear = net.linear.weight[s] @ torch.cat([q[b], t[b]]) + net.linear.bias[s]
            expected = torch.relu(q[b] @ net.weight[s] @ t[b] + linear)
            torch.testing.assert_close(net(q, t)[b, s], expected, rtol=1e-5, atol=1e-5)


def test_histogram_counts_real_pairs_alone() -> None:
    values = torch.tensor([[[0.125, 0.375, 0.9], [0.125, 0.25, 0.9]]])
    yes, no = torch.tensor([[True, True]]), torch.tensor([[True, True, False]])
    torch.testing.assert_close(histogram(values, yes, no, 4), torch.tensor([[0.625, 0.375, 0.0, 0.0]]))
    assert not histogram(values, ~yes, no, 4).any()
    everything = histogram(torch.rand(3, 5, 6), torch.rand(3, 5) < 0.7, torch.rand(3, 6) < 0.7, 8)
    torch.testing.assert_close(everything.sum(1), torch.ones(3))
