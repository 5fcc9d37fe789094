"""Start from trained weights instead of random ones: to train a model further, or on data of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from prune4sed.errors import OptionError
from prune4sed.models.base import SedModel
from prune4sed.models.checkpoint import load_checkpoint, read_header
from prune4sed.models.header import KEPT
from prune4sed.models.loading import find_model
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.models.prune4sed_plus import Prune4SEDPlus

__all__ = ["check_start", "trained_model"]


def trained_model(
    name: str | PathLike[str], options: Mapping[str, Any] | None = None
) -> tuple[SedModel, dict[str, Any]]:
    """A trained model on the CPU, and what the checkpoint of a run that starts from it has to say of that.

    Parameters
    ----------
    name : str or path
        A bundled model, or the file of a checkpoint.
    options : mapping, optional
        Another k of Prune4SED, or `keep` of Prune4SED-plus: no weight depends on those.

    Returns
    -------
    model : SedModel
        With its own hyperparameters and labels, those that it was trained with: another k or keep may have
        been chosen for prediction afterwards.
    told : dict
        For `train`: which model it was, by its digest, how long and on which pairs it was trained, and what
        it started from in its turn.
    """
    path = find_model(name)
    header = read_header(path)
    recipe, training, data = (header.info.get(name, {}) for name in ("recipe", "training", "dataset"))
    start = {
        "model": fspath(path.name),
        "digest": header.digest,
        "steps": training.get("best_step"),
        "batch_size": recipe.get("batch_size"),
        "pairs": data.get("train_pairs"),
        "variants": data.get("variants", 0),
        "fingerprint": data.get("fingerprints", {}).get("train"),
        "start": header.info.get("start"),
    }
    start |= {"grown": header.info["grown"]} if "grown" in header.info else {}
    model = load_checkpoint(path, "cpu")
    chosen = {**header.trained_options, **(options or {})}
    if isinstance(model, Prune4SED):
        model.choose_k(chosen.get("k", model.options.k))
    if isinstance(model, Prune4SEDPlus):
        model.choose_keep(chosen.get("keep", model.options.keep))
    return model, {"start": start}


def check_start(name: str, model: str | None, options: dict[str, Any], unknown: bool) -> str:
    """Refuse what a trained model cannot become; returns which kind it is.

    Raises
    ------
    OptionError
        If another model, or other hyperparameters or labels, are asked for than it was trained with.
    """
    is_now = read_header(find_model(name)).model
    if model is not None and model != is_now:
        raise OptionError(f"--start {name} is a {is_now}, not a {model}")
    fixed = options.keys() - {KEPT.get(is_now)}
    if fixed:
        raise OptionError(f"--option {min(fixed)} is for new models; --start {name} keeps its own")
    if unknown:
        raise OptionError(f"--unknown is for new models; --start {name} keeps its own labels")
    return is_now
