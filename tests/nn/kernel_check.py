"""Run by test_kernels in a process of its own, with TRITON_INTERPRET set before anything imports Triton.

Prints one line for everything in which kernels and plain torch disagree, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import kernel_check_pairs
import numpy as np
import torch
from kernel_compare import compare, compare_with_gradients, few_programs, kernels_everywhere, slopes
from made_batches import batch_of, some_graphs, words
from torch import Tensor

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.base import SedModel
from prune4sed.models.registry import create_model
from prune4sed.nn import kernels
from prune4sed.nn.batch import Budget, GraphBatch, PairBatch, pair_batch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.neighbours import graph_sum, neighbour_sum
from prune4sed.nn.on_cpu import torch_alone
from prune4sed.nn.padding import pad_rows, unpad_rows
from prune4sed.nn.pruning import top_nodes
from prune4sed.nn.query_attention import CrossAttention, QueryView

STAR = Graph([0] * 51, [(0, v) for v in range(1, 51)])


def masked(batch: GraphBatch, width: int) -> Tensor:
    return torch.randn(batch.rows, width) * batch.mask.unsqueeze(1)


def check_neighbour_sum() -> None:
    for extra in (0, 3):
        batch = batch_of(GraphSet([STAR, Graph([]), Graph([0, 1])]), words(), extra)
        for width in (5, 320, 600):
            compare_with_gradients(
                f"neighbour_sum of width {width}",
                lambda x, batch=batch: kernels.neighbour_sum(batch.links, x),
                lambda x, batch=batch: neighbour_sum(batch, x),
                batch.mask,
                masked(batch, width),
            )


def check_graph_sum() -> None:
    sets = [GraphSet([Graph([]), STAR, Graph([]), Graph([0])]), GraphSet([Graph([]), Graph([])])]
    for extra in (0, 3):
        for graphs in sets:
            batch = batch_of(graphs, words(), extra)
            there = batch.mask.unsqueeze(1).float()
            for width in (5, 100):
                compare_with_gradients(
                    f"graph_sum of width {width}",
                    lambda x, batch=batch, t=there: kernels.graph_sum(batch.starts, batch.graph_of, x * t),
                    lambda x, batch=batch, t=there: graph_sum(batch, x * t),
                    torch.ones(len(batch), dtype=torch.bool),
                    torch.randn(batch.rows, width),
                )


def check_gatv2() -> None:
    lone = Graph([0, 1, 2], [(0, 2)])
    for extra in (0, 3):
        batch = batch_of(GraphSet([STAR, Graph([]), lone]), words(), extra)
        # Large scores too, where exp would overflow; and bends that let nothing, little and all through.
        for size, bend in ((1.0, torch.zeros(16)), (30.0, slopes(20)), (1.0, torch.ones(20))):
            width = len(bend)

            def plain(
                both: Tensor,
                a: Tensor,
                *biases: Tensor,
                batch: GraphBatch = batch,
                bend: Tensor = bend,
            ) -> Tensor:
                layer = GATv2Layer(len(a))
                del layer.attention
                layer.attention = a.unsqueeze(0)  # type: ignore[assignment]
                source, end = (x + b for x, b in zip(both.chunk(2, 1), biases, strict=False))
                out = layer._over_arcs(batch, source, end, None) + biases[2]
                return torch.where(out > 0, out, bend * out)

            compare_with_gradients(
                f"gatv2 of width {width}",
                lambda both, a, *biases, batch=batch, bend=bend: kernels.gatv2(
                    batch.links, both, a, biases, 0.2, bend
                ),
                plain,
                batch.mask,
                size * torch.randn(batch.rows, 2 * width),
                torch.randn(width),
                *(torch.randn(width) for _ in range(3)),
            )


def _attentions(
    query: GraphBatch, target: GraphBatch, query_of: Tensor | None, width: int, heads: int
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    largest = target.largest, query.largest
    module = CrossAttention(width, heads)
    return (
        lambda asked, told, bias: kernels.attend(
            (asked, bias), told, target.starts, query.starts, query_of, heads, largest
        ),
        lambda asked, told, bias: unpad_rows(
            target, module._padded(pad_rows(target, asked + bias), QueryView(told, query, query_of))
        ),
    )


def check_attention() -> None:
    queries = GraphSet([Graph([0] * n) for n in (3, 0, 50, 1)])
    targets = GraphSet([Graph([0] * n) for n in (40, 2, 7, 0)])
    for extra in (0, 3):
        query, target = batch_of(queries, words(), extra), batch_of(targets, words(), extra)
        for width, heads in ((16, 4), (40, 2)):
            inputs = 2 * torch.randn(target.rows, width), torch.randn(query.rows, 2 * width)
            inputs = *inputs, torch.randn(width)
            name = f"attention of {heads} heads, width {width}"
            pair = _attentions(query, target, None, width, heads)
            compare_with_gradients(name, *pair, target.mask, *inputs)
            shared = _attentions(query, target, torch.tensor([2, 2, 0, 1]), width, heads)
            ours, theirs = (function(*inputs)[target.mask] for function in shared)
            compare(f"{name}, with shared queries", ours, theirs)


def check_gate() -> None:
    for rows, bend in ((70, torch.zeros(20)), (5, slopes(16))):
        width = len(bend)

        def plain(
            hidden: Tensor, x: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, bend: Tensor = bend
        ) -> Tensor:
            hidden = hidden + b1
            return x * torch.sigmoid(torch.where(hidden > 0, hidden, bend * hidden) @ w2.T + b2)

        compare_with_gradients(
            f"gate of width {width}",
            lambda hidden, x, *layers, bend=bend: kernels.gate(hidden, x, layers, bend),
            plain,
            torch.ones(rows, dtype=torch.bool),
            *(torch.randn(rows, width) for _ in range(2)),
            torch.randn(width),
            torch.randn(1, width),
            torch.randn(1),
        )


def check_gin_start() -> None:
    for extra in (0, 3):
        batch = batch_of(GraphSet([STAR, Graph([]), Graph([0, 1])]), words(), extra)
        for heads, width in ((1, 16), (5, 32)):
            keep = ((torch.rand(batch.rows, heads) < 0.7) & batch.mask.unsqueeze(1)).float()

            def plain(
                vectors: Tensor, bias: Tensor, scale: Tensor, keep: Tensor = keep, batch: GraphBatch = batch
            ) -> Tensor:
                x = (vectors.unsqueeze(1) * scale.unsqueeze(2) + bias) * keep.unsqueeze(2)
                return torch.cat([x, 2 * x, graph_sum(batch, x).index_select(0, batch.graph_of)], -1)

            def fused(
                vectors: Tensor, bias: Tensor, scale: Tensor, keep: Tensor = keep, batch: GraphBatch = batch
            ) -> Tensor:
                graphs = batch.starts, batch.graph_of
                x, again, sums = kernels.gin_start(vectors, bias, scale, keep.view(-1), graphs)
                rows = sums.view(len(batch), *scale.shape[1:], -1).index_select(0, batch.graph_of)
                return torch.cat([x.view_as(rows), 2 * again.view_as(rows), rows], -1)

            compare_with_gradients(
                f"gin_start of {heads} heads, width {width}",
                fused,
                plain,
                torch.ones(batch.rows, dtype=torch.bool),
                torch.randn(batch.rows, width),
                torch.randn(width),
                torch.rand(batch.rows, heads),
            )


def check_prune_logits() -> None:
    for extra in (0, 3):
        batch = batch_of(GraphSet([STAR, Graph([]), Graph([0, 1])]), words(), extra)
        for heads, width in ((1, 16), (5, 20)):
            norm = MaskedBatchNorm(heads * width)
            running, moves = (norm.running_mean.clone(), norm.running_var.clone()), (norm.momentum, norm.eps)

            def plain(
                x: Tensor,
                scale: Tensor,
                bias: Tensor,
                weight: Tensor,
                level: Tensor,
                norm: MaskedBatchNorm = norm,
                batch: GraphBatch = batch,
            ) -> Tensor:
                given = {"weight": scale, "bias": bias}
                normed = torch.func.functional_call(norm, given, (x, batch.mask))
                return (torch.relu(normed).view(len(x), *weight.shape) * weight).sum(-1) + level

            def fused(
                x: Tensor,
                scale: Tensor,
                bias: Tensor,
                weight: Tensor,
                level: Tensor,
                batch: GraphBatch = batch,
                running: tuple[Tensor, Tensor] = running,
                moves: tuple[float, float] = moves,
            ) -> Tensor:
                return kernels.prune_logits(x, batch.mask, (scale, bias), running, moves, (weight, level))

            compare_with_gradients(
                f"prune_logits of {heads} heads, width {width}",
                fused,
                plain,
                torch.ones(batch.rows, dtype=torch.bool),
                torch.randn(batch.rows, heads * width),
                *(torch.randn(heads * width) for _ in range(2)),
                torch.randn(heads, width),
                torch.randn(heads),
            )
            for ours, theirs in zip(running, (norm.running_mean, norm.running_var), strict=True):
                compare("running statistics of prune_logits", ours, theirs)


def check_top_score() -> None:
    scores = torch.tensor([5.0, 1, 4, 4, -1, -2, 7, 7, 7, 8, -9, -9]).unsqueeze(1)
    scores = torch.cat([scores, -scores, torch.randn(12, 1)], 1)
    for extra in (0, 3):
        batch = batch_of(GraphSet([Graph([0] * n) for n in (4, 2, 0, 4, 2)]), words(), extra)
        padded = torch.cat([scores, torch.full((extra, 3), 99.0)])
        parts = scores.split([4, 2, 0, 4, 2])
        for k in (1, 2, 3, 9):
            found = kernels.top_score(padded, batch.starts, k, batch.largest)
            for i, part in enumerate(parts):
                if len(part):
                    best = part.sort(0, descending=True).values[min(k, len(part)) - 1]
                    compare(f"top_score, k = {k}, graph {i}", found[i], best)
            with kernels_everywhere():
                ours = top_nodes(batch, padded, k)
            compare(f"top_nodes, k = {k}", ours.float(), top_nodes(batch, padded, k).float())


def _pairs(model: SedModel, extra: int, bonds: int) -> PairBatch:
    queries = model.place(some_graphs(0, 4, high=5, bonds=bonds))
    targets = model.place(some_graphs(1, 4, high=9, bonds=bonds))
    sizes = [int(sizes.sum()) for s in (queries, targets) for sizes in (s.num_nodes, s.num_arcs)]
    at = torch.arange(4)
    return pair_batch(queries, targets, at, at, Budget(*(n + extra for n in sizes)) if extra else None)


def _answers(model: SedModel, extra: int, bonds: int) -> tuple[Tensor, dict[str, Tensor]]:
    state = {name: x.clone() for name, x in model.state_dict().items()}
    model.zero_grad()
    out = model(_pairs(model, extra, bonds))
    out.square().mean().backward()
    model.load_state_dict(state)  # the running means move when training
    return out.detach(), {name: x.grad.clone() for name, x in model.named_parameters() if x.grad is not None}


def _compare_models(name: str, model: SedModel, extra: int, bonds: int) -> None:
    plain, plain_gradients = _answers(model, extra, bonds)
    with kernels_everywhere():
        ours, gradients = _answers(model, extra, bonds)
    name = f"{name}, {extra} rows of padding, {bonds} edge labels, training = {model.training}"
    compare(name, ours, plain)
    # Some gradients are nothing but rounding (of a bias that the distance takes off again).
    floor = 1e-2 * max(float(x.abs().max()) for x in plain_gradients.values())
    for parameter, x in plain_gradients.items():
        compare(f"{name}, gradient of {parameter}", gradients[parameter], x, floor)


def check_prune4sed() -> None:
    options: dict[str, Any] = {"width": 16, "k": 2, "h": 1, "stages": 2, "predictor_layers": 2, "heads": 2}
    for extra, training, bonds in ((0, False, 0), (3, True, 0), (3, True, 2)):
        model = create_model("prune4sed", words(bonds), **options).train(training)
        _compare_models("prune4sed", model, extra, bonds)


def check_prune4sed_plus() -> None:
    options = {"width": 16, "stages": 1, "keep": 6, "pair_width": 16, "pair_heads": 4, "pair_layers": 2}
    for extra, training, bonds in ((0, False, 0), (3, True, 0), (3, True, 2)):
        model = create_model("prune4sed-plus", words(bonds), **options, leaky=bonds == 0).train(training)
        for layer in model.layers if training and bonds == 0 else ():
            layer.bound = 0.7  # which many features reach
        for name, slope in model.named_buffers():
            if bonds == 0 and name.endswith(".slope"):
                slope.copy_(slopes(len(slope)))
        _compare_models("prune4sed-plus", model, extra, bonds)


def check_rivals() -> None:
    for name, options in (("neurosed", {"layers": 2}), ("simgnn", {}), ("h2mn", {"layers": 1})):
        model = create_model(name, words(), width=8, **options).train()
        _compare_models(name, model, 3, 0)


def check_predict() -> None:
    model = create_model("prune4sed", words(), width=16, k=2, h=1, stages=2, predictor_layers=2, heads=2)
    queries, targets = some_graphs(2, 3, low=0, high=5), some_graphs(3, 4, low=0, high=9)
    pairs = [(i % 3, (3 * i) % 4) for i in range(12)]
    plain = model.predict(queries, targets, pairs)
    with kernels_everywhere():
        ours = model.predict(queries, targets, pairs)
    compare("predict", torch.tensor(ours), torch.tensor(plain))
    assert np.ptp(plain) > 1e-3


CHECKS = {
    name[6:]: check
    for name, check in {**globals(), **vars(kernel_check_pairs)}.items()
    if name.startswith("check_")
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)  # memory that nothing was written to is NaN then
    for chosen in sys.argv[1:] or CHECKS:
        for numbers in (nullcontext, few_programs):
            torch.manual_seed(0)
            with torch_alone(), numbers():
                CHECKS[chosen]()
