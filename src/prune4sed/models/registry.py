"""Models by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prune4sed.errors import OptionError, did_you_mean, require

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel
    from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["create_model", "model_class", "model_names"]

_HOME = {
    "h2mn": ("h2mn", "H2MN"),
    "neurosed": ("neurosed", "NeuroSED"),
    "prune4sed": ("prune4sed", "Prune4SED"),
    "prune4sed-plus": ("prune4sed_plus", "Prune4SEDPlus"),
    "simgnn": ("simgnn", "SimGNN"),
}


def model_names() -> tuple[str, ...]:
    """The names of all models."""
    return tuple(_HOME)


def model_class(name: str) -> type[SedModel]:
    """The class of a model.

    Raises
    ------
    OptionError
        If there is no model of this name.
    """
    home = _HOME.get(name.lower() if isinstance(name, str) else "")
    if home is None:
        near, there = did_you_mean(name, _HOME), ", ".join(_HOME)
        raise OptionError(f"there is no model {name!r}{near}; there are {there}")
    require("torch", "nn", "for models")
    found: type[SedModel] = getattr(import_module(f"prune4sed.models.{home[0]}"), home[1])
    return found


def create_model(name: str, vocabulary: Vocabulary, /, **options: Any) -> SedModel:
    """A new model with random weights.

    Parameters
    ----------
    name : str
        One of `model_names`.
    vocabulary : Vocabulary
        The labels it is to know.
    **options
        Hyperparameters; the rest are the defaults.

    Returns
    -------
    SedModel

    Examples
    --------
    >>> from prune4sed.nn.vocabulary import Vocabulary
    >>> create_model("neurosed", Vocabulary(("C", "O")), head="mlp").name
    'neurosed'
    """
    kind = model_class(name)
    return kind(vocabulary, kind.options_class.of(options))
