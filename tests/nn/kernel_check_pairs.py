"""The kernels of Prune4SED-plus against plain torch; run by kernel_check."""

from __future__ import annotations

from unittest.mock import patch

import torch
from kernel_compare import compare, compare_with_gradients, kernels_everywhere, slopes
from made_batches import batch_of, noise, some_graphs, words
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.pair_head import PairHead
from prune4sed.nn.pair_layer import PairGrid, PairLayer


def _pair_grid(extra: int, candidates: int, bonds: int) -> PairGrid:
    """Candidates with random edges, some of them not there; the labels of edges make a difference or not."""
    queries = batch_of(some_graphs(5, 4, high=7, bonds=bonds), words(bonds), extra)
    pairs, kinds = len(queries), max(1, bonds)
    there = torch.rand(pairs, candidates) < 0.8
    there[:, 0] = True
    edges = (torch.rand(kinds, pairs, candidates, candidates) < 0.2) & there[:, :, None] & there[:, None]
    edges[..., 0] = edges[..., 0, :] = False
    log_keep = -torch.rand(pairs, candidates) * there
    nothing = torch.zeros(0)
    return PairGrid(queries, there, (edges | edges.mT).float(), log_keep, nothing, nothing)


def _compare_modules(name: str, module: nn.Module, grid: PairGrid, x: Tensor) -> None:
    """A module of pair features with and without kernels; all of its results one below the other."""
    names, weights = zip(*module.named_parameters(), strict=True)

    def plain(x: Tensor, log_keep: Tensor, *given: Tensor) -> Tensor:
        told = grid._replace(log_keep=log_keep)
        out = torch.func.functional_call(module, dict(zip(names, given, strict=True)), (x, told))
        return out if isinstance(out, Tensor) else torch.stack(out, -1)

    def fused(*given: Tensor) -> Tensor:
        with kernels_everywhere():
            return plain(*given)

    inputs = x, grid.log_keep, *(weight.detach() for weight in weights)
    compare_with_gradients(name, fused, plain, grid.queries.mask, *inputs)


def check_pair_layer() -> None:
    for extra, candidates, width, heads, bonds in ((0, 13, 32, 8, 0), (3, 37, 16, 4, 3), (3, 1, 16, 8, 2)):
        grid = _pair_grid(extra, candidates, bonds)
        layer = PairLayer(width, heads, leak=0.1, bound=0.0 if bonds else 1.5)
        nn.init.normal_(layer.claim.score.weight)  # some claims large, some hardly any
        name = f"pair layer of width {width}, {heads} heads, {candidates} candidates, {bonds} edge labels"
        for most in (kernels.MOST_CANDIDATES, 8):  # as if there were too many
            with patch.object(kernels, "MOST_CANDIDATES", most):
                _compare_modules(name, layer, grid, 2 * noise(grid.queries, candidates, width))


def check_bounds() -> None:
    """At the bound nothing is learnt; what is no number stays none."""
    grid, layer = _pair_grid(0, 13, 0), PairLayer(16, 4, bound=2.0)
    nn.init.zeros_(layer.second.weight)
    nn.init.zeros_(layer.second.bias)
    x = noise(grid.queries, 13, 16).detach()
    x[..., 0], x[..., 1] = 2.0, 3.0
    _compare_modules("pair layer with features at the bound", layer, grid, x.requires_grad_())
    with torch.no_grad(), kernels_everywhere():
        x[0, 0] = float("nan")
        assert layer(x, grid)[0, 0].isnan().all()


def check_pair_head() -> None:
    for extra, candidates, width in ((0, 13, 32), (3, 37, 16), (3, 1, 16)):
        grid, head = _pair_grid(extra, candidates, 0), PairHead(width)
        name = f"pair head of width {width}, {candidates} candidates"
        _compare_modules(name, head, grid, 3 * noise(grid.queries, candidates, width))


def check_pair_layer_without_kernels() -> None:
    """Half precision and odd widths are for plain torch, wherever they are."""
    grid = _pair_grid(3, 13, 0)
    for width, heads, half in ((32, 8, True), (24, 8, False), (32, 3, False)):
        layer, x = PairLayer(width, heads, 0.1, 1.5), torch.randn(grid.queries.rows, 13, width)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, half):
            plain = layer(x, grid)
            with kernels_everywhere():
                ours = layer(x, grid)
        compare(f"pair layer of width {width}, {heads} heads, without kernels", ours, plain)


def check_pair_start() -> None:
    for extra, candidates, width, kinds in ((0, 13, 32, 45), (3, 37, 16, 5), (3, 1, 16, 5)):
        queries = batch_of(some_graphs(5, 4, high=7), words(), extra)
        counted, slope = torch.randn(queries.rows, candidates, kinds), slopes(2 * width)

        def plain(
            ours: Tensor,
            theirs: Tensor,
            both: Tensor,
            weight: Tensor,
            bias: Tensor,
            counted: Tensor = counted,
            slope: Tensor = slope,
            queries: GraphBatch = queries,
        ) -> Tensor:
            hidden = ours.unsqueeze(1) + theirs.index_select(0, queries.graph_of) + counted @ both.T
            return torch.where(hidden > 0, hidden, slope * hidden) @ weight.T + bias

        def fused(
            ours: Tensor,
            theirs: Tensor,
            *layers: Tensor,
            counted: Tensor = counted,
            slope: Tensor = slope,
            queries: GraphBatch = queries,
        ) -> Tensor:
            graphs = queries.starts, queries.graph_of
            return kernels.pair_start(ours, theirs, counted, layers, graphs, slope)

        compare_with_gradients(
            f"pair start of width {width}, {candidates} candidates",
            fused,
            plain,
            queries.mask,
            torch.randn(queries.rows, 2 * width),
            torch.randn(len(queries), candidates, 2 * width),
            torch.randn(2 * width, kinds),
            torch.randn(width, 2 * width),
            torch.randn(width),
        )
