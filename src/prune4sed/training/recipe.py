"""How to train: everything that decides a run, as plain values with names."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from prune4sed.errors import OptionError
from prune4sed.models.options import Options
from prune4sed.training.schedule import cosine, cyclic

__all__ = ["PRESETS", "Recipe", "preset", "steps_in"]

# Without a number of steps and a time, the cosine takes this many. It has so many rounds, or fewer if they
# would take more than this share of the time.
_COSINE_STEPS, _ROUNDS, _VALIDATION_SHARE = 20_000, 10, 0.1
# A million times the seed and more still fits a generator of torch.
_SEEDS = 2**32


@dataclass(frozen=True)
class Recipe(Options):
    """A way to train; the defaults are the paper's.

    Parameters
    ----------
    optimizer : str
        ``"adamw"``, or ``"muon"``, which makes the updates of matrices orthogonal and learns several times
        faster.
    schedule : str
        ``"cyclic"`` for triangles of `rise` + `fall` steps, ``"cosine"`` for one warm-up and decay.
    peak_rate : float
        The largest learning rate.
    rise, fall : int
        Steps up and down of a cycle.
    warm_up : float
        Share of all steps in which the cosine's rate rises.
    batch_size : int
        Pairs per step, over all devices together.
    thrift : float
        0 to draw all sizes alike; more to draw those more often that teach more for their cost, and to weigh
        their losses in return: as often as ``query nodes^2 / all nodes`` to this power. Losses on keep
        probabilities are not weighted.
    focus : float
        0 to let errors count for nothing; more for a model that starts from trained weights, to draw those
        pairs more often that it gets wrong at the start, in proportion to ``sqrt(error^2 + (focus RMSE)^2)``,
        and to weigh their losses in return.
    weight_decay, clip : float
        Of weights; and the largest norm of a gradient, 0 for any.
    trust : float
        0, as in the paper, to be content with any distance between the bounds of a training pair that is not
        proven; more to ask for the upper part: the lower bound is moved up by this share of the gap, for the
        distance is mostly close to the upper one. With 1 the upper one is taken for the distance, and the
        best match found for optimal.
    keep_weight : float
        Weight of a second loss, which teaches Prune4SED's keep probabilities the target nodes that the
        optimal match uses; 0, as in the paper, for none.
    head_weight : float
        Weight of one more loss for Prune4SED: how wrong each head is by itself. 0, as in the paper, lets them
        be wrong as long as their mean is right.
    sum_weight : float
        Weight of a loss for Prune4SED-plus: the distance as it is before it is seen as a whole number.
    map_weight, cost_weight : float
        Weights of losses for Prune4SED-plus: on where the optimal match sends every query node, and on what
        each of them costs there.
    precision : str
        Of matrix products on a GPU: ``"float32"``, or ``"tf32"``, which is a little faster, but puts parts of
        the gradient off by a third; ``"bfloat16"`` lets the pair network of Prune4SED-plus compute in it.
    steps : int
        All steps; 0 for as many as `minutes` has room for, or else until `patience` is at its end.
    minutes : float
        Time for all, validation included; 0 for no limit. How many steps that is is measured at the start
        and, for a cosine, after every validation.
    round_steps : int
        Steps between validations; 0 for a cycle, or a tenth of the cosine (more if validation is slow).
    patience : int
        Rounds without gain before training stops; 0 for never.
    pairs, validation_pairs : int
        How many pairs to use, drawn by the seed; 0 for all. A smaller validation set is used as it is.
    seed : int
        Of weights and order.

    Examples
    --------
    >>> recipe = Recipe()
    >>> recipe.rate(1000), recipe.round_length
    (0.0005, 4000)
    """

    optimizer: str = "adamw"
    schedule: str = "cyclic"
    peak_rate: float = 1e-3
    rise: int = 2000
    fall: int = 2000
    warm_up: float = 0.05
    batch_size: int = 200
    thrift: float = 0.0
    focus: float = 0.0
    weight_decay: float = 1e-3
    clip: float = 0.1
    trust: float = 0.0
    keep_weight: float = 0.0
    head_weight: float = 0.0
    sum_weight: float = 0.0
    map_weight: float = 0.0
    cost_weight: float = 0.0
    precision: str = "float32"
    steps: int = 0
    minutes: float = 0.0
    round_steps: int = 0
    patience: int = 5
    pairs: int = 0
    validation_pairs: int = 0
    seed: int = 0

    def _check(self, name: str, default: Any, value: Any) -> None:
        if type(default) is not float:
            super()._check(name, default, value)
            if name == "seed" and value >= _SEEDS:
                raise OptionError(f"seed must be less than {_SEEDS}, got {value}")
            return
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise OptionError(f"{name} must be a number, got {value!r}")
        most = {"warm_up": 1.0, "thrift": 2.0, "trust": 1.0}.get(name)
        if value < 0 or (most is not None and value > most) or (name == "peak_rate" and value == 0):
            allowed = "more than 0" if name == "peak_rate" else "0 or more"
            allowed = allowed if most is None else f"between 0 and {most:g}"
            raise OptionError(f"{name} must be {allowed}, got {value!r}")
        object.__setattr__(self, name, float(value))

    def at_least(self, name: str) -> int:
        return 1 if name in ("rise", "fall", "batch_size") else 0

    def choices(self, name: str) -> tuple[str, ...]:
        allowed = {
            "optimizer": ("adamw", "muon"),
            "schedule": ("cyclic", "cosine"),
            "precision": ("float32", "tf32", "bfloat16"),
        }
        return allowed.get(name, ())

    def rate(self, step: int) -> float:
        """The learning rate of a step, from 0."""
        if self.schedule == "cyclic":
            return cyclic(step, self.rise, self.fall, self.peak_rate)
        total = self.steps or _COSINE_STEPS
        return cosine(step, math.ceil(self.warm_up * total), total, self.peak_rate)

    @property
    def total(self) -> int | None:
        """All steps; None if only patience ends the run."""
        return self.steps or (None if self.schedule == "cyclic" else _COSINE_STEPS)

    @property
    def round_length(self) -> int:
        """Steps from one validation to the next."""
        if self.round_steps:
            return self.round_steps
        if self.schedule == "cyclic":
            return self.rise + self.fall
        return math.ceil((self.total or 1) / _ROUNDS)

    def fit(self, room: int, rounds: int = _ROUNDS) -> Recipe:
        """The same with as many steps as there is room for: whole cycles, or a cosine in so many rounds.

        Examples
        --------
        >>> Recipe().fit(13_500).steps, Recipe().fit(500).rise
        (12000, 250)
        >>> Recipe(schedule="cosine").fit(13_500).steps
        13500
        """
        room = max(2, room)
        if self.schedule == "cosine":
            return replace(self, steps=room, round_steps=self.round_steps or math.ceil(room / rounds))
        cycle = self.rise + self.fall
        if room >= cycle:
            return replace(self, steps=room // cycle * cycle)
        rise = min(room - 1, max(1, room * self.rise // cycle))
        return replace(self, steps=room, rise=rise, fall=room - rise)


#: Recipes by name: the paper's, a faster one for a GPU, one for Prune4SED-plus, and one that shows on a CPU
#: that all works.
PRESETS = {
    "paper": Recipe(),
    "fast": Recipe(
        optimizer="muon",
        schedule="cosine",
        peak_rate=2.5e-3,
        clip=0.5,
        batch_size=1024,
        thrift=0.4,
        trust=0.7,
        keep_weight=0.05,
        head_weight=0.1,
        precision="tf32",
        patience=0,
    ),
    "plus": Recipe(
        optimizer="muon",
        schedule="cosine",
        peak_rate=1e-2,
        clip=1.0,
        batch_size=384,
        trust=0.7,
        keep_weight=0.2,
        sum_weight=0.5,
        map_weight=0.2,
        cost_weight=1.0,
        patience=0,
    ),
    "smoke": Recipe(
        optimizer="muon",
        schedule="cosine",
        peak_rate=2e-3,
        clip=0.5,
        batch_size=32,
        minutes=2.0,
        patience=0,
        validation_pairs=500,
    ),
}


# What only some models can be trained with.
_PARTS = {
    "keep_weight": ("prune4sed", "prune4sed-plus"),
    "head_weight": ("prune4sed",),
    "sum_weight": ("prune4sed-plus",),
    "map_weight": ("prune4sed-plus",),
    "cost_weight": ("prune4sed-plus",),
}


def preset(name: str, model: str = "prune4sed", **changes: Any) -> Recipe:
    """A recipe by name, with changes.

    Parameters
    ----------
    name : str
        Of the preset.
    model : str
        What is to be trained: what the preset has for other models alone is left out.
    **changes
        Fields of the recipe.

    Raises
    ------
    OptionError
        If there is no such recipe, no such field, or a value is not allowed.

    Examples
    --------
    >>> preset("fast", steps=100).batch_size
    1024
    >>> preset("fast").head_weight, preset("fast", "neurosed").head_weight
    (0.1, 0.0)
    """
    if name not in PRESETS:
        raise OptionError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
    known = [field.name for field in fields(Recipe)]
    for key in changes:
        if key not in known:
            raise OptionError(f"a recipe has no {key!r}; it has {', '.join(known)}")
    absent = dict.fromkeys((part for part, models in _PARTS.items() if model not in models), 0.0)
    return replace(PRESETS[name], **{**absent, **changes})


def steps_in(recipe: Recipe, seconds: float, per_step: float, per_round: float) -> tuple[int, int]:
    """How many steps a time has room for, and how many rounds a cosine should have in it.

    Parameters
    ----------
    seconds : float
        What there is.
    per_step, per_round : float
        What a step and a validation take.

    Examples
    --------
    >>> steps_in(preset("fast"), 110.0, 0.01, 1.0)
    (10000, 10)
    >>> steps_in(preset("fast"), 110.0, 0.01, 10.0)
    (10000, 1)
    """
    if recipe.schedule == "cyclic" or recipe.round_steps:
        return max(0, int(seconds / (per_step + per_round / recipe.round_length))), 1
    rounds = max(1, min(_ROUNDS, int(_VALIDATION_SHARE * seconds / per_round)))
    return max(0, int((seconds - rounds * per_round) / per_step)), rounds
