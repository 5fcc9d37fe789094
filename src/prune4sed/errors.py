"""Every error a user can cause, under one base class so that callers can catch them in one place."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

__all__ = [
    "CostError",
    "FormatError",
    "GraphError",
    "GraphTypeError",
    "InputWarning",
    "MissingExtraError",
    "OptionError",
    "Prune4SEDError",
    "did_you_mean",
    "require",
]


class Prune4SEDError(Exception):
    """Base of every error that prune4sed raises on purpose; its text is one clear line."""


class GraphError(Prune4SEDError, ValueError):
    """A graph, or a set of graphs, that is not what it should be."""


class GraphTypeError(GraphError, TypeError):
    """Something of the wrong type where labels, edges or a graph were expected."""


class FormatError(Prune4SEDError, ValueError):
    """A file, or a line of one, that cannot be read or written in the format asked for."""


class CostError(Prune4SEDError, ValueError):
    """Edit costs that are negative, not finite or not numbers."""


class OptionError(Prune4SEDError, ValueError):
    """An argument outside its range, such as a negative time limit."""


class MissingExtraError(Prune4SEDError, ImportError):
    """An optional package is needed and not installed."""


# How alike a name must be that is suggested; "plus" is no more like one "...-plus" than like another.
_NEAR = 0.78


class InputWarning(UserWarning):
    """Something in a file that is read, but may have been meant in another way."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """What an error says behind a name that is not known: the nearest known one; nothing if none is near.

    Examples
    --------
    >>> did_you_mean("Citeser", ["citeseer", "aids"]), did_you_mean("plus", ["aids-plus", "dblp-plus"])
    (' (did you mean citeseer?)', '')
    """
    from difflib import get_close_matches

    spelt = {one.replace("-", "_"): one for one in known}
    near = get_close_matches(str(name).lower().replace("-", "_"), spelt, 1, _NEAR)
    return f" (did you mean {spelt[near[0]]}?)" if near else ""


def require(module: str, extra: str, purpose: str | None = None) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    Parameters
    ----------
    module : str
        Dotted name of the module, for example ``"rdkit.Chem"``.
    extra : str
        The extra of prune4sed that installs it, for example ``"chem"``.
    purpose : str, optional
        What the module is needed for, as it reads after "is needed".

    Returns
    -------
    module
        The imported module.

    Examples
    --------
    >>> require("json", "chem").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        reason = f" {purpose}" if purpose else ""
        raise MissingExtraError(
            f"{package} is needed{reason}; install it with: pip install 'prune4sed[{extra}]'"
        ) from error
