"""One training run: steps, validations, patience, and files that it can go on from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.errors import OptionError
from prune4sed.labels import Label
from prune4sed.models.base import SedModel
from prune4sed.models.checkpoint import save_checkpoint
from prune4sed.models.stand_ins import query_labels
from prune4sed.training.interrupt import Stop
from prune4sed.training.log import Entry, Log
from prune4sed.training.metrics import measure
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.ranks import Ranks
from prune4sed.training.recipe import Recipe, steps_in
from prune4sed.training.result import Report, TrainResult
from prune4sed.training.run_folder import RunFolder, identity_of, resumed_recipe, training_info
from prune4sed.training.state import Standing, State, save_state
from prune4sed.training.step import TrainingStep
from prune4sed.training.subset import some_pairs
from prune4sed.training.threads import quickest

__all__ = ["Progress", "Run"]

# Steps per line of the log, and seconds after which the state is written in the middle of a round.
LOG_STEPS, SAVE_SECONDS = 20, 180.0
# What the errors that pairs are drawn by are called in the state.
ERRORS = "errors"

Progress = Callable[[Report], None]


class Run:
    """One run, from where it stands to its end."""

    last_rmse: float | None = None

    def __init__(
        self,
        model: SedModel,
        dataset: Dataset,
        asked: Recipe,
        folder: RunFolder,
        resume: bool,
        ranks: Ranks,
        start: float,
        told: dict[str, Any] | None = None,
    ) -> None:
        self.told = told or {}
        self.model, self.dataset, self.folder, self.ranks, self.asked = model, dataset, folder, ranks, asked
        self.identity = identity_of(model, dataset, self.told)
        earlier = folder.earlier(resume, self.identity)
        self.recipe = asked if earlier is None else resumed_recipe(earlier, asked)
        validation = dataset["validation"]
        count = min(asked.validation_pairs, len(validation.pairs))
        self.validation = PlacedPairs.of(some_pairs(validation, count or None, asked.seed), model)
        used = some_pairs(dataset["train"], asked.pairs or None, asked.seed)
        model.met = self._met(used)
        pairs = PlacedPairs.of(used, model, costs=asked.cost_weight > 0)
        self.errors = self._errors(pairs, earlier)
        self.step = TrainingStep(model, pairs, self.recipe, ranks, errors=self.errors)
        self.standing, self.best_weights = Standing(), dict[str, Tensor]()
        if earlier is not None:
            self._take_up(earlier)
        elif self.recipe.minutes and not self.recipe.steps:
            self._fit(start)
        ranks.copy_first_([x.detach() for x in self.step.tensors().values()])
        if ranks.first:
            self.log = Log(folder.log, self._is_past if earlier is not None else None)
        self.started, self.saved = start - self.standing.seconds, perf_counter()
        self.round_start = self.saved, self.step.done

    def _met(self, pairs: PairSet) -> tuple[Label, ...] | None:
        """Labels that the model will know from queries, those that it started with among them, if told."""
        if self.told.get("start") and self.model.met is None:
            return None
        return tuple(dict.fromkeys([*query_labels(pairs), *(self.model.met or ())]))

    def _errors(self, pairs: PlacedPairs, earlier: State | None) -> Tensor | None:
        """What the model gets wrong before the first step, if pairs are drawn by that; as ever if resumed."""
        if not self.recipe.focus:
            return None
        if earlier is not None:
            return earlier.tensors[ERRORS]
        errors = pairs.errors(self.model, self.recipe.trust)
        self.ranks.copy_first_([errors])
        return errors.half()  # enough to draw by, and half of the file

    def go(self, stop: Stop, progress: Progress | None) -> TrainResult:
        """Steps and validations until it is over."""
        if self.told.get("start") and self.step.done == 0:
            self._validate()  # trained weights may be better than all that come of them
        while True:
            if self._due():
                self._save()  # what Ctrl-C in a validation, which may take minutes, goes back to
                with stop.at_once():
                    before = perf_counter()
                    self._validate()
                    self._fit_again(before)
            if self._over():
                break
            self._advance(stop, progress)
        return self._finish()

    def _finish(self) -> TrainResult:
        """The best weights, in every process."""
        if self.best_weights:
            self.model.load_state_dict(self.best_weights)
        self.ranks.copy_first_([x.detach() for x in self.model.state_dict().values()])
        now = self.standing
        best = math.nan if now.best is None else now.best
        return TrainResult(self.model.eval(), best, now.best_step, now.done, now.seconds, self.folder.path)

    def _advance(self, stop: Stop, progress: Progress | None) -> None:
        """Steps up to the next line of the log; Ctrl-C ends them early, all processes at the same step."""
        alone = self.ranks.world == 1
        start, first, end = perf_counter(), self.step.done, self._boundary()
        while self.step.done < end and not (alone and stop.asked):
            self.step()
        self.standing.done = self.step.done
        if self.step.done == end:
            self._note(start, first, progress)
        if self.ranks.any(stop.asked):
            self._save()
            raise KeyboardInterrupt
        if perf_counter() - self.saved > SAVE_SECONDS and not self._due():
            self._save()

    def _boundary(self) -> int:
        """The next step after which there is something to do besides."""
        ends = [(self.step.done // n + 1) * n for n in (LOG_STEPS, self.recipe.round_length)]
        return min([*ends, self.recipe.total] if self.recipe.total else ends)

    def _note(self, start: float, first: int, progress: Progress | None) -> None:
        now = self.standing
        loss = self.step.take_losses() / (now.done - now.noted)
        now.noted, now.seconds = now.done, perf_counter() - self.started
        if not math.isfinite(loss):
            raise OptionError(
                f"the loss is no number any more at step {now.done}; lower peak_rate or clip and start anew"
            )
        speed = (now.done - first) / (perf_counter() - start)
        rate = speed * self.step.batch_size
        if self.ranks.first:
            self.log.write(
                step=now.done,
                loss=loss,
                rate=self.recipe.rate(now.done - 1),
                pairs_per_second=round(rate, 1),
                seconds=round(now.seconds, 3),
            )
        if progress is not None and self.ranks.first:
            total = self.recipe.total
            left = None if total is None else (total - now.done) / speed
            progress(Report(now.done, total, loss, self.last_rmse, now.best, rate, left))

    def _due(self) -> bool:
        """Whether a round is over and not validated."""
        done = self.step.done
        ends = done % self.recipe.round_length == 0 or done == self.recipe.total
        return done > self.standing.validated and ends

    def _over(self) -> bool:
        """Whether there is nothing left to do, as the first process sees it."""
        now, recipe = self.standing, self.recipe
        enough = recipe.total is not None and now.done >= recipe.total
        tired = bool(recipe.patience) and now.waiting >= recipe.patience
        return bool(self.ranks.of_first(enough or tired))

    def _validate(self) -> None:
        now = self.standing
        if self.ranks.first:
            predicted = self.validation.predict(self.model)
            rmse = self.last_rmse = self.validation.rmse(predicted)
            if not math.isfinite(rmse):
                raise OptionError(
                    f"the validation RMSE is no number any more at step {now.done}; "
                    "lower peak_rate or clip and start anew"
                )
            now.validated, now.seconds = now.done, perf_counter() - self.started
            now.waiting += 1
            if now.best is None or rmse < now.best:
                now.best, now.best_step, now.waiting = rmse, now.done, 0
                self.best_weights = {name: x.clone() for name, x in self.model.state_dict().items()}
                bounds = self.validation.lower.cpu().numpy(), self.validation.upper.cpu().numpy()
                metrics = measure(predicted, *bounds, self.validation.index[:, 0])
                told = training_info(self.dataset, self.identity, self.recipe, now, metrics)
                save_checkpoint(self.model, self.folder.model, {**told, **self.told})
            self.log.write(step=now.done, rmse=rmse, best=now.best, seconds=round(now.seconds, 3))
        now.validated = now.done
        self._save()

    def _save(self) -> None:
        if self.ranks.first:
            tensors = self.step.tensors() | {f"best.{name}": x for name, x in self.best_weights.items()}
            tensors |= {} if self.errors is None else {ERRORS: self.errors}
            self.standing.seconds = perf_counter() - self.started
            recipes = {"asked": self.asked.to_dict(), "resolved": self.recipe.to_dict()}
            save_state(State(self.standing, self.identity, recipes, tensors), self.folder.state)
        self.saved = perf_counter()

    def _take_up(self, state: State) -> None:
        """Go on from a state."""
        own = self.step.tensors()
        if {k: x.shape for k, x in own.items()} != {
            k: state.tensors[k].shape for k in own if k in state.tensors
        }:
            raise OptionError(f"{self.folder.state} does not fit the model; train anew")
        self.standing = state.standing
        torch.set_num_threads(max(1, state.standing.threads))
        self.step.restore(state.tensors, state.standing.done)
        self.best_weights = {
            name.removeprefix("best."): x.to(self.model.device)
            for name, x in state.tensors.items()
            if name.startswith("best.")
        }

    def _fit(self, start: float) -> None:
        """Choose the number of steps by the time there is."""
        per_step = quickest(self.step.seconds)
        self.standing.threads = torch.get_num_threads()
        before = perf_counter()
        self.validation.predict(self.model)
        per_round = perf_counter() - before
        left = 60 * self.recipe.minutes - (perf_counter() - start)
        room, rounds = steps_in(self.recipe, left, per_step, per_round)
        self.recipe = self.recipe.fit(self.ranks.of_first(room), self.ranks.of_first(rounds))
        self.step.use(self.recipe)

    def _fit_again(self, before: float) -> None:
        """Correct the number of steps by how long the last round took: others may use the device too."""
        start, first = self.round_start
        self.round_start = now, done = perf_counter(), self.step.done
        adapts = self.asked.minutes and not self.asked.steps and self.recipe.schedule == "cosine"
        if not adapts or done in (first, self.recipe.total):
            return
        per_step, left = (before - start) / (done - first), 60 * self.asked.minutes - (now - self.started)
        rounds = math.ceil(((self.recipe.total or done) - done) / self.recipe.round_length)
        room = max(1, int((left - rounds * (now - before)) / per_step))
        self.recipe = replace(self.recipe, steps=self.ranks.of_first(done + room))
        self.step.use(self.recipe)
        self._save()  # what is resumed after a kill goes on with the same number

    def _is_past(self, entry: Entry) -> bool:
        """Whether a line of the log is of what the state knows, and not of what was lost after it."""
        limit = self.standing.validated if "rmse" in entry else self.standing.noted
        return int(entry["step"]) <= limit
