"""Train a model, in one process or in several."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from time import perf_counter
from typing import Any

import torch

from prune4sed.datasets.dataset import KNOWN_LABELS, Dataset
from prune4sed.errors import OptionError
from prune4sed.models.base import SedModel
from prune4sed.models.registry import create_model
from prune4sed.nn.memory import memory_advice
from prune4sed.nn.threads import kept_threads
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.training.interrupt import Stop, stopping
from prune4sed.training.ranks import together
from prune4sed.training.recipe import Recipe
from prune4sed.training.result import TrainResult
from prune4sed.training.run import Progress, Run
from prune4sed.training.run_folder import RunFolder
from prune4sed.training.step import check_recipe

__all__ = ["new_model", "train"]


def new_model(name: str, dataset: Dataset, seed: int = 0, unknown: bool = False, **options: Any) -> SedModel:
    """A model with random weights for the labels of a dataset.

    Parameters
    ----------
    name : str
        Of the model, as in `prune4sed.models.registry.model_names`.
    dataset : Dataset
        With a set ``train``.
    seed : int
        Of the weights.
    unknown : bool
        Whether one number stands for all labels that the dataset lacks. A dataset that says which labels
        a model is to know by name has such a number for all others anyway, and it is trained.
    **options
        Hyperparameters.
    """
    words = _vocabulary(dataset, unknown)
    with torch.random.fork_rng(devices=[]), memory_advice("this model; choose smaller options"):
        torch.manual_seed(seed)
        return create_model(name, words, **options)


def _vocabulary(dataset: Dataset, unknown: bool) -> Vocabulary:
    known = dataset.info.get(KNOWN_LABELS)
    if known is not None:
        return Vocabulary(tuple(known), unknown=True)
    # All sets, for a test must not fail at a rare label; one that no training pair has stays a random vector.
    sets = [dataset[name] for name in dataset.sets]
    return Vocabulary.of(*(graphs for one in sets for graphs in one[:2]), unknown=unknown)


def train(
    model: SedModel,
    dataset: Dataset,
    recipe: Recipe | None = None,
    folder: str | PathLike[str] = "run",
    *,
    resume: bool = False,
    device: str = "auto",
    progress: Progress | None = None,
    told: dict[str, Any] | None = None,
    stop: Stop | None = None,
) -> TrainResult:
    """Train a model on the set ``train`` of a dataset, validate on ``validation``, and keep the best weights.

    Parameters
    ----------
    model : SedModel
        From `new_model`, or from `start.trained_model` to go on with trained weights. It is moved to the
        device and trained in place.
    dataset : Dataset
        What to train on.
    recipe : Recipe, optional
        How; by default as the paper does.
    folder : path
        Where to write ``model.safetensors`` (the best model), ``log.jsonl``, and ``state.safetensors``.
    resume : bool
        Whether to go on with the run in this folder, if there is one. On a CPU the result is, bit for bit,
        that of a run that was never stopped.
    device : str
        ``"auto"`` for a GPU if there is one. Under torchrun every process takes the GPU of its local rank.
    progress : callable, optional
        Called with a `Report` every few steps.
    told : dict, optional
        What else the header of the best model is to say; plain JSON values.
    stop : Stop, optional
        Whoever sets its `asked` ends the run as Ctrl-C does, but not in the midst of a validation: for runs
        in threads, which get no Ctrl-C.

    Returns
    -------
    TrainResult

    Raises
    ------
    OptionError
        If the run cannot be resumed, the loss is no number any more, or the device has too little memory.
    KeyboardInterrupt
        After Ctrl-C, when the state is written.
    """
    start, recipe = perf_counter(), recipe or Recipe()
    check_recipe(model, recipe)  # before there is a folder
    if recipe.focus and not (told or {}).get("start"):
        raise OptionError("focus is for a start from trained weights: random ones know no pair from another")
    _check_labels(model.vocabulary, dataset)
    with (
        together(device) as ranks,
        _products(recipe.precision),
        memory_advice(_advice(recipe)),
        kept_threads(),
        stopping(stop) as stop,
    ):
        run = Run(model.to(ranks.device), dataset, recipe, RunFolder(folder), resume, ranks, start, told)
        return run.go(stop, progress)


def _check_labels(words: Vocabulary, dataset: Dataset) -> None:
    """Refuse what the model cannot read: one that was trained on other data may not know its labels."""
    for name in {"train", "validation"} & set(dataset.sets):
        for graphs in dataset[name][:2]:
            words.node_codes(graphs)
            words.edge_codes(graphs)


@contextmanager
def _products(precision: str) -> Iterator[None]:
    """How exact matrix products are while training."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _advice(recipe: Recipe) -> str:
    smaller = max(1, recipe.batch_size // 2)
    return f"{recipe.batch_size} pairs at a time; try a batch size of {smaller}, or close what else uses it"
