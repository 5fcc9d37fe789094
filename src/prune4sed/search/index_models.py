"""Which models an index is built with."""

from __future__ import annotations

from os import PathLike
from typing import Any

from prune4sed.errors import OptionError
from prune4sed.search.estimates import IndexModels

__all__ = ["find_models"]


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


def _load(model: Any) -> Any:
    if model is None or not isinstance(model, (str, PathLike)):
        return model
    from prune4sed.models.loading import load_model

    return load_model(model)


def _bundled_embedder(name: str) -> str | None:
    from prune4sed.models.bundled import bundled, spelt

    partner = spelt(f"{name} neurosed")
    return partner if spelt(name) in bundled() and partner in bundled() else None
