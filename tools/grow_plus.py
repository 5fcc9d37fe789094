"""A trained Prune4SED-plus with more layers and all that came later, that still adds up the same costs.

    python tools/grow_plus.py pubmed-plus grown.safetensors --layers 12

New layers and new inputs do nothing yet, and nodes of one label have one vector whatever their degree, so
training (`prune4sed train ... --start grown.safetensors`) begins where the smaller model ended, but for the
doubt about whole numbers, which has to be learnt. With --bounded, features beyond the bounds are cut off: see
that there are none. Options that the model was given otherwise than all were before them stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from prune4sed.errors import Prune4SEDError
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.loading import find_model
from prune4sed.models.prune4sed_plus import Prune4SEDPlus, Prune4SEDPlusOptions
from prune4sed.models.registry import create_model


def main() -> None:
    args = _arguments()
    path = find_model(args.model)
    small = load_checkpoint(path, "cpu")
    if not isinstance(small, Prune4SEDPlus) or args.layers < small.options.pair_layers:
        sys.exit(f"{args.model} is no Prune4SED-plus of up to {args.layers} layers")
    save_grown(grow(small, args.layers, args.bounded), path, args.out)


def grow(small: Prune4SEDPlus, layers: int, bounded: bool = False) -> Prune4SEDPlus:
    """The same with so many layers, and with all that came later; bounds only if so told."""
    torch.manual_seed(0)
    options = {**small.options.to_dict(), "pair_layers": layers, **later_options(small.options)}
    options["bounded"] = small.options.bounded or bounded
    large = create_model(small.name, small.vocabulary, **options)
    assert isinstance(large, Prune4SEDPlus)
    old = small.state_dict()
    large.load_state_dict({name: grown(name, x, old) for name, x in large.state_dict().items()})
    return large


def save_grown(model: Prune4SEDPlus, path: Path, out: Path, **more: Any) -> None:
    """With what the header of the model at `path`, which it grew from, says."""
    header = read_header(path)
    told = {name: value for name, value in header.info.items() if name != "metrics"}  # they were another's
    grown_from = {"digest": header.digest, "options": header.options, **more}
    save_checkpoint(model, out, {**told, "grown": grown_from})


def later_options(options: Prune4SEDPlusOptions) -> dict[str, Any]:
    """What came after this model was made, as it is now, save what would change what is there."""
    newest = Prune4SEDPlusOptions()
    old = [name for name, value in options.before.items() if getattr(options, name) == value]
    return {name: getattr(newest, name) for name in old if name != "bounded"}


def grown(name: str, new: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """The old weights, with zeros for further inputs; a new layer adds nothing to begin with."""
    old = weights.get(name)
    if old is None:
        silent = ".second." in name or (name.endswith(".slope") and is_old(name, weights))
        return torch.zeros_like(new) if silent else new
    if old.shape == new.shape:
        return old
    if name == "aware.embedding.weight":
        return old.repeat_interleave(len(new) // len(old), 0)
    wider = torch.zeros_like(new)
    wider[:, : old.shape[1]] = old
    return wider


def is_old(slope: str, weights: dict[str, Tensor]) -> bool:
    """Whether these slopes are of units that were there before, and were trained without."""
    part = slope.removesuffix(".slope").rpartition(".")[0]
    return any(name.startswith(f"{part}.") for name in weights)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--bounded", action="store_true", help="cut off features beyond the bounds")
    return parser.parse_args()


def run(main: Callable[[], None]) -> None:
    """Run a tool; what is wrong is one line."""
    try:
        main()
    except (Prune4SEDError, OSError) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    run(main)
