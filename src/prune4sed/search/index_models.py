"""Which models an index has, and which it is built with."""

from __future__ import annotations

from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.errors import OptionError

__all__ = ["AUTO", "IndexModels", "default_model", "find_models", "molecules_model"]

#: Instead of the name of a model: the one for molecules, where there is one and the library is of molecules.
AUTO = "auto"


class IndexModels:
    """The models of an index; a path stands for a checkpoint that is loaded when the model is first asked.

    Parameters
    ----------
    model : Predictor, path or None
        Re-ranks the most promising targets.
    embedder : NeuroSED, path or None
        Has its vectors of the targets in the index.
    """

    def __init__(self, model: Any = None, embedder: Any = None) -> None:
        self._model, self._embedder = model, embedder

    def __bool__(self) -> bool:
        return self._model is not None or self._embedder is not None

    @property
    def model(self) -> Any:
        """What re-ranks, or None."""
        self._model = _load(self._model)
        return self._model

    @property
    def embedder(self) -> Any:
        """What makes vectors, or None."""
        self._embedder = _load(self._embedder)
        return self._embedder


def find_models(model: Any, embedder: Any = None) -> IndexModels:
    """Load models by name or path, or take them as they are.

    Raises
    ------
    OptionError
        If there is no such model, or the embedder makes no vectors.
    """
    if model is None and embedder is None:
        return IndexModels()
    loaded = _load(model)
    if embedder is None and isinstance(model, str):
        embedder = _bundled_embedder(model)
    vectors = loaded if embedder is None and hasattr(loaded, "embed") else _load(embedder)
    if vectors is not None and not (hasattr(vectors, "embed") and hasattr(vectors, "compare")):
        raise OptionError("an embedder is a NeuroSED model; this one makes no vectors of graphs")
    return IndexModels(None if vectors is loaded else loaded, vectors)


def default_model(source: str | PathLike[str], format: str | None, edge_labels: bool | None) -> str | None:
    """The bundled model for molecules if it fits a library, else None.

    It does if the file is in a format of molecules and bonds are not compared, for the model knows elements
    alone.
    """
    from prune4sed.formats.reading import format_of

    if edge_labels or str(source) == "-" or not format_of(Path(source), format).bonds_on_request:
        return None
    return molecules_model()


def molecules_model() -> str | None:
    """The bundled model for molecules, if it comes with this installation, and torch does."""
    from prune4sed.models.bundled import bundled

    if find_spec("torch") is None or find_spec("safetensors") is None:
        return None
    return next((name for name in ("molecules", "molecules-neurosed") if name in bundled()), None)


def _load(model: Any) -> Any:
    if model is None or hasattr(model, "predict"):
        return model
    if not isinstance(model, (str, PathLike)):
        raise OptionError(f"a model is a name, a path or a model, not {type(model).__name__}")
    from prune4sed.models.loading import load_model

    return load_model(model)


def _bundled_embedder(name: str) -> str | None:
    from prune4sed.models.bundled import bundled, spelt

    partner = spelt(f"{name} neurosed")
    return partner if spelt(name) in bundled() and partner in bundled() else None
