"""One step of training, on a GPU replayed as one captured CUDA graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from time import perf_counter

import torch
from torch import Tensor, nn

from prune4sed.errors import OptionError
from prune4sed.models.base import SedModel
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.nn.batch import Budget, PairBatch, Part, pair_batch
from prune4sed.training.adamw import new_adamw
from prune4sed.training.losses import interval_loss, keep_loss, mapping_loss, node_cost_loss
from prune4sed.training.muon import Muon
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.ranks import Ranks
from prune4sed.training.recipe import Recipe
from prune4sed.training.strata import Strata, like_sizes
from prune4sed.training.thrift import WeightedStrata, new_strata

__all__ = ["TrainingStep", "check_recipe"]

# Steps before a capture, in which libraries set themselves up.
_WARM_UP = 3


class TrainingStep:
    """Takes the next pairs, predicts, goes back, clips, updates; waits for the device only where it says so.

    All that a step reads and writes lies in tensors that stay where they are: the order of the epoch, its
    learning rates, the column that comes next, the sum of losses. So the whole step, from the choice of pairs
    to the new weights, is one CUDA graph, and a new epoch is a copy into the same memory.

    Parameters
    ----------
    model : SedModel
        What to train, on its device.
    pairs : PlacedPairs
        What to train on.
    recipe : Recipe
        Batch size, rates, decay, clipping and seed.
    ranks : Ranks
        Which strata are this process's, and whom to share gradients with.
    capture : bool, optional
        Whether to capture a CUDA graph; by default on a GPU.
    errors : Tensor, (pairs,), optional
        By how much the model missed each pair when its training began; for a recipe with `focus`.
    """

    def __init__(
        self,
        model: SedModel,
        pairs: PlacedPairs,
        recipe: Recipe,
        ranks: Ranks | None = None,
        capture: bool | None = None,
        errors: Tensor | None = None,
    ) -> None:
        check_recipe(model, recipe)
        self.model, self.pairs, self.recipe, self.ranks = model.train(), pairs, recipe, ranks or Ranks()
        self._lower = torch.lerp(pairs.lower, pairs.upper, recipe.trust)
        self.strata = self._cut(errors)
        self._weights = self._pair_weights()
        self._budget = self._bounds()
        self._parts = self._divide()
        device, on_gpu = model.device, model.device.type == "cuda"
        part = self.strata.epoch(recipe.seed, 0)[self.ranks.rank :: self.ranks.world]
        self._order = torch.zeros_like(part, device=device)
        self._rates = torch.zeros(self.strata.steps, device=device)
        self._column = torch.zeros(1, dtype=torch.int64, device=device)
        self._rate = torch.zeros((), device=device)
        self._losses = torch.zeros((), device=device)
        self.optimizer = (
            Muon(model, self._rate, recipe.weight_decay)
            if recipe.optimizer == "muon"
            else new_adamw(list(model.parameters()), self._rate, recipe.weight_decay)
        )
        self._graph: torch.cuda.CUDAGraph | None = None
        self._capture_wanted = on_gpu if capture is None else capture
        self.done = 0
        self.go_to(0)

    @property
    def batch_size(self) -> int:
        """Pairs per step, over all processes."""
        return self.strata.batch_size

    def __call__(self) -> None:
        """Take one step."""
        if self.done % self.strata.steps == 0:
            self.go_to(self.done)
        if self._capture_wanted and self._graph is None:
            self._graph = self._capture()
        if self._graph is None:
            self._step()
        else:
            self._graph.replay()
        self.done += 1

    def go_to(self, done: int) -> None:
        """Make the order and the rates those of the epoch in which so many steps are done."""
        epoch, column = divmod(done, self.strata.steps)
        order = self.strata.epoch(self.recipe.seed, epoch)[self.ranks.rank :: self.ranks.world]
        first = done - column
        self._order.copy_(order)
        self._rates.copy_(torch.tensor([self.recipe.rate(first + i) for i in range(self.strata.steps)]))
        self._column.fill_(column)
        self.done = done

    def use(self, recipe: Recipe) -> None:
        """Go on with other learning rates."""
        self.recipe = recipe
        self.go_to(self.done)

    def take_losses(self) -> float:
        """The sum of losses since the last call; waits for the device."""
        losses = [self._losses.clone()]
        self.ranks.average_(losses)
        self._losses.zero_()
        return float(losses[0])

    def tensors(self) -> dict[str, Tensor]:
        """All that steps change, by name: weights, buffers, what the optimizer remembers, losses."""
        found = {f"model.{name}": x for name, x in self.model.state_dict(keep_vars=True).items()}
        for name, weight in self.model.named_parameters():
            found |= {f"optimizer.{key}.{name}": x for key, x in self.optimizer.state[weight].items()}
        return {**found, "losses": self._losses}

    def seconds(self, at_least: float = 1.0, steps: int = 5) -> float:
        """How long a step takes, the median of some; nothing is changed by the measurement."""
        with self._rehearsal():
            self()
            self._wait()
            times: list[float] = []
            # Processes step together, so the first one says when it is enough.
            while self.ranks.of_first(len(times) < steps or sum(times) < at_least):
                start = perf_counter()
                self()
                self._wait()
                times.append(perf_counter() - start)
            return median(times)

    def _cut(self, errors: Tensor | None) -> Strata:
        queries, targets, world = self.pairs.query_nodes, self.pairs.target_nodes, self.ranks.world
        if len(self.pairs) < world:
            raise OptionError(f"{len(self.pairs)} pairs are too few for {world} processes")
        # The same number of strata for every process, so that the mean of their means is the mean of all.
        size = max(world, min(self.recipe.batch_size, len(self.pairs)) // world * world)
        recipe, both = self.recipe, isinstance(self.model, Prune4SEDPlus)
        if recipe.focus and errors is None:
            raise OptionError("focus is for a model whose errors are known")
        wrong = None if errors is None else errors.cpu().numpy()
        return new_strata(queries, targets, size, recipe.thrift, wrong, recipe.focus, both)

    def _pair_weights(self) -> Tensor | None:
        """How much each pair counts, if not all the same."""
        if not isinstance(self.strata, WeightedStrata):
            return None
        return torch.from_numpy(self.strata.weights).to(self.model.device, torch.float32)

    def _bounds(self, among: slice = slice(None)) -> Budget | None:
        """One shape for all steps; on a CPU, where shapes may change, every step has its own."""
        if self.model.device.type == "cpu":
            return None
        pairs, part = self.pairs, (self.ranks.rank, self.ranks.world)
        counts = (pairs.query_nodes, pairs.query_arcs, pairs.target_nodes, pairs.target_arcs)
        return Budget(*(self.strata.bound(count, part, among) for count in counts))

    def _divide(self) -> tuple[Part, ...]:
        """Parts of a batch with targets of like size, for the model whose candidates are padded."""
        if not isinstance(self.model, Prune4SEDPlus):
            return ()
        largest = self.strata.largest(self.pairs.target_nodes, (self.ranks.rank, self.ranks.world))
        ends = like_sizes(largest, self.model.options.keep)
        return tuple(
            Part(a, b, max(largest[a:b]), self._bounds(slice(a, b)))
            for a, b in zip([0, *ends], ends, strict=False)
        )

    def _step(self) -> None:
        rows = self._order.index_select(1, self._column).squeeze(1)
        self._rate.copy_(self._rates.index_select(0, self._column).squeeze(0))
        pairs = self.pairs
        positions = pairs.query_at[rows], pairs.target_at[rows]
        batch = pair_batch(pairs.queries, pairs.targets, *positions, self._budget)
        batch = replace(batch, parts=self._parts)
        loss, whole = self._loss(batch, rows)
        self.optimizer.zero_grad(set_to_none=True)
        whole.backward()  # type: ignore[no-untyped-call]
        self.ranks.average_([x.grad for x in self.model.parameters() if x.grad is not None])
        if self.recipe.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip, foreach=True)
        self.optimizer.step()
        self._losses.add_(loss.detach())
        self._column.add_(1).remainder_(self.strata.steps)

    def _loss(self, batch: PairBatch, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of the distances, and what is minimised."""
        pairs, recipe, bounds = self.pairs, self.recipe, (self._lower[rows], self.pairs.upper[rows])
        weights = None if self._weights is None else self._weights[rows]
        if isinstance(self.model, Prune4SEDPlus):
            return self._taught_loss(batch, rows, weights)
        if not isinstance(self.model, Prune4SED):
            loss = interval_loss(self.model(batch), *bounds, weights)
            return loss, loss
        heads, logits = self.model.heads_and_logits(batch)
        loss = whole = interval_loss(heads.mean(1), *bounds, weights)
        if recipe.head_weight:
            lower, upper = (x.unsqueeze(1) for x in bounds)
            counts = None if weights is None else weights.unsqueeze(1)
            whole = whole + recipe.head_weight * interval_loss(heads, lower, upper, counts)
        if recipe.keep_weight:
            whole = whole + recipe.keep_weight * keep_loss(logits, batch.target, pairs.mapping[rows])
        return loss, whole

    def _taught_loss(self, batch: PairBatch, rows: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor]:
        """The same for Prune4SED-plus, which is told about the best match as well."""
        pairs, recipe, mapping = self.pairs, self.recipe, self.pairs.mapping[rows]
        lower, upper = self._lower[rows], pairs.upper[rows]
        counts = (lower == upper).float()  # proven, or trusted in full
        counts = counts if weights is None else weights * counts
        assert isinstance(self.model, Prune4SEDPlus)
        # Without the cache of cast weights, which a captured graph would never fill anew.
        half = torch.autocast(
            upper.device.type, torch.bfloat16, recipe.precision == "bfloat16", cache_enabled=False
        )
        with half:
            thoughts = self.model.thoughts(batch)
        loss = whole = interval_loss(thoughts.distances, lower, upper, weights)
        if recipe.sum_weight and self.model.options.whole:  # else the sum is the distance
            whole = whole + recipe.sum_weight * interval_loss(thoughts.sums, lower, upper, weights)
        if recipe.keep_weight:
            taught = keep_loss(thoughts.keep_logits.unsqueeze(1), batch.target, mapping)
            whole = whole + recipe.keep_weight * taught
        if recipe.map_weight:
            whole = whole + recipe.map_weight * mapping_loss(thoughts, mapping, counts)
        if recipe.cost_weight:
            assert pairs.node_costs is not None
            taught = node_cost_loss(thoughts, pairs.node_costs[rows], counts)
            whole = whole + recipe.cost_weight * taught
        return loss, whole

    def _capture(self) -> torch.cuda.CUDAGraph:
        """A graph of one step; the steps that go before a capture are undone."""
        graph = torch.cuda.CUDAGraph()
        with self._rehearsal():
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_WARM_UP):
                    self._step()
            torch.cuda.current_stream().wait_stream(side)
            # Other threads may train on streams of their own meanwhile, and allocate memory.
            with torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
                self._step()
        return graph

    @contextmanager
    def _rehearsal(self) -> Iterator[None]:
        """Steps inside the block leave no trace."""
        done, kept = self.done, {name: x.detach().clone() for name, x in self.tensors().items()}
        try:
            yield
        finally:
            self.restore(kept, done)

    @torch.no_grad()
    def restore(self, tensors: dict[str, Tensor], done: int) -> None:
        """Be where `tensors` was after so many steps; in place, for a captured graph knows no other place."""
        for name, x in self.tensors().items():
            x.copy_(tensors[name])
        self.go_to(done)

    def _wait(self) -> None:
        if self.model.device.type == "cuda":
            torch.cuda.current_stream(self.model.device).synchronize()


def check_recipe(model: SedModel, recipe: Recipe) -> None:
    """Every loss needs a model that has what it is about.

    Raises
    ------
    OptionError
        If the model cannot be trained by this recipe.
    """
    plus = isinstance(model, Prune4SEDPlus)
    if recipe.keep_weight and not plus and not isinstance(model, Prune4SED):
        raise OptionError(f"keep_weight is for prune4sed; {model.name} has no keep probabilities")
    if recipe.head_weight and not isinstance(model, Prune4SED):
        raise OptionError(f"head_weight is for prune4sed; {model.name} has no heads that predict distances")
    for name in ("sum_weight", "map_weight", "cost_weight"):
        if getattr(recipe, name) and not plus:
            raise OptionError(f"{name} is for prune4sed-plus; {model.name} matches no nodes")
