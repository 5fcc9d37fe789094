"""Models on disk: weights as safetensors, and all that makes sense of them as JSON in the header."""

from __future__ import annotations

import hashlib
import json
from os import PathLike
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError, Prune4SEDError
from prune4sed.models.base import SedModel, pick_device
from prune4sed.models.header import FORMAT, VERSION, Header, one_line
from prune4sed.models.header import read_header as read_told
from prune4sed.models.registry import create_model, model_class
from prune4sed.models.stand_ins import QUERY_LABELS, told_labels
from prune4sed.nn.memory import memory_advice

__all__ = ["FORMAT", "VERSION", "Header", "digest_of", "load_checkpoint", "read_header", "save_checkpoint"]

_Path = str | PathLike[str]
_KINDS = (torch.float16, torch.float32, torch.float64)


def save_checkpoint(model: SedModel, path: _Path, info: dict[str, Any] | None = None) -> None:
    """Write a model, whole or not at all.

    Parameters
    ----------
    model : SedModel
        What to write.
    path : path
        Usually ends in ``.safetensors``.
    info : dict, optional
        What else the header is to say; plain JSON values.

    Raises
    ------
    FormatError
        If a weight is not finite, `info` is not JSON, or the file cannot be written.
    """
    weights = {name: x.detach().cpu().contiguous() for name, x in model.state_dict().items()}
    _refuse_not_finite(weights, "the model")
    told = {} if model.met is None else {QUERY_LABELS: list(model.met)}
    try:
        # As it will be read, for the digest is of that: keys that are numbers come back as text.
        told = json.loads(json.dumps({**(info or {}), **told}))
        header = Header(model.name, model.options.to_dict(), model.vocabulary, told)
        text = _text(header, weights)
    except (TypeError, ValueError) as problem:
        raise FormatError(f"info cannot be written as JSON: {problem}") from None
    with replacing(path) as temporary:
        save_file(weights, temporary, metadata={FORMAT: text})


def load_checkpoint(path: _Path, device: str | torch.device = "auto") -> SedModel:
    """Read a model that `save_checkpoint` wrote, check it, and put it on a device, ready to predict.

    Raises
    ------
    FormatError
        If the file is missing, of another kind or version, damaged, or has weights that are not finite.
    """
    chosen = pick_device(device)
    header, weights = _read(path)
    try:
        # What is on "meta" takes no memory, whatever the options say; sizes beyond all bounds fail there too.
        with torch.device("meta"), memory_advice(f"a {header.model} of its options"):
            options = {**model_class(header.model).options_class.before, **header.options}
            model = create_model(header.model, header.vocabulary, **options)
    except Prune4SEDError as problem:
        raise FormatError(f"{path} cannot be loaded: {problem}") from None
    expected = {name: tuple(x.shape) for name, x in model.state_dict().items()}
    if expected != {name: tuple(x.shape) for name, x in weights.items()}:
        raise FormatError(f"{path} is damaged: its weights do not fit a {header.model} of its options")
    model.load_state_dict({name: x.float() for name, x in weights.items()}, assign=True)
    model.met = told_labels(header.info)
    return model.to(chosen).eval()


def read_header(path: _Path, verify: bool = False) -> Header:
    """What a checkpoint says about itself.

    Parameters
    ----------
    path : path
        The file.
    verify : bool
        Whether to read the weights too and check them, as `load_checkpoint` does.

    Raises
    ------
    FormatError
        As `load_checkpoint`.
    """
    return _read(path)[0] if verify else read_told(path)


def _read(path: _Path) -> tuple[Header, dict[str, Tensor]]:
    header = read_told(path)
    try:
        with safe_open(path, framework="pt") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as problem:
        raise FormatError(f"{path} is damaged: {one_line(problem)}") from None
    odd = [name for name, x in weights.items() if x.dtype not in _KINDS]
    if odd:
        raise FormatError(
            f"{path} is damaged: {odd[0]} is of {weights[odd[0]].dtype}, which no weight can be"
        )
    _refuse_not_finite(weights, str(path))
    if json.loads(_text(header, weights))["digest"] != header.digest:
        raise FormatError(f"{path} is damaged: its contents do not match its checksum")
    return header, weights


def _text(header: Header, weights: dict[str, Tensor]) -> str:
    """The header as JSON, with a digest over itself and the weights."""
    words = header.vocabulary
    told: dict[str, Any] = {
        "version": VERSION,
        "model": header.model,
        "options": header.options,
        "vocabulary": {"nodes": words.nodes, "edges": words.edges, "unknown": words.unknown},
        "info": header.info,
    }
    return json.dumps({**told, "digest": digest_of(told, weights)}, sort_keys=True)


def digest_of(told: dict[str, Any], tensors: dict[str, Tensor]) -> str:
    """SHA-256 of JSON values and of tensors on the CPU, by name."""
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, allow_nan=False).encode())
    for name in sorted(tensors):
        x = tensors[name]
        digest.update(f"{name} {x.dtype} {tuple(x.shape)}".encode())
        digest.update(x.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _refuse_not_finite(weights: dict[str, Tensor], where: str) -> None:
    for name, x in weights.items():
        if not bool(torch.isfinite(x).all()):
            raise FormatError(f"{where} has weights that are not finite, in {name}; it cannot predict")
