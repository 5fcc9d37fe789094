"""A trained Prune4SED-plus with new, leaky units in its layers in place of those that are never on.

    python tools/revive_plus.py dblp-plus revived.safetensors --dataset dblp

With plain ReLUs and large steps many units of a network end up where no input turns them on, and nothing is
learnt there any more. Here units of the pair layers that no pair of a sample turns on get new weights, such
that half of all inputs turn them on, and do nothing yet for what comes after. Query-aware features that have
died out as a whole are made anew. All else stays, plain ReLUs among it; how much predictions change for all
that is shown. Training goes on from there (`prune4sed train ... --start revived.safetensors`).
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from grow_plus import grow, later_options, run, save_grown
from prune4sed.datasets import loading
from prune4sed.models.checkpoint import load_checkpoint
from prune4sed.models.loading import find_model
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.models.registry import create_model
from prune4sed.nn.bend import LEAK
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.on_cpu import torch_alone
from prune4sed.nn.pair_layer import PairLayer

Placed, Pairs = tuple[DeviceSet, DeviceSet], NDArray[np.int64]


def main() -> None:
    args = _arguments()
    path = find_model(args.model)
    old = load_checkpoint(path, "cpu")
    if args.pairs < 1:
        sys.exit("--pairs must be 1 or more")
    if not isinstance(old, Prune4SEDPlus):
        sys.exit(f"{args.model} is no Prune4SED-plus")
    if set(later_options(old.options)) - {"leaky"}:
        sys.exit(f"{args.model} is of an earlier kind: let it grow first (tools/grow_plus.py)")
    new = grow(old, old.options.pair_layers)
    data = loading.load(args.dataset).train
    pairs = data.pairs.index[:: max(1, len(data.pairs) // args.pairs)][: args.pairs]
    placed = old.place(data.queries), old.place(data.targets)
    told: dict[str, Any] = {"features": renew_features(new, old, placed, pairs)}
    told["units"] = [renew_units(layer, partial(ask, new, placed, pairs)) for layer in new.layers]
    change = (ask(new, placed, pairs) - ask(old, placed, pairs)).abs().max()
    units = len(told["units"]) * 2 * old.options.pair_width
    print(f"query-aware features renewed: {told['features']}; units: {sum(told['units'])} of {units}")
    print(f"predictions for {len(pairs)} pairs change by at most {change:.2g}")
    save_grown(new, path, args.out, revived=told)


def ask(model: Prune4SEDPlus, placed: Placed, pairs: Pairs) -> Tensor:
    """Predictions for the sample; meanwhile parts of the model can be overheard."""
    with torch_alone(), model.evaluating():
        return model.predict_placed(*placed, pairs)


def renew_features(new: Prune4SEDPlus, old: Prune4SEDPlus, placed: Placed, pairs: Pairs) -> bool:
    """Make query-aware features anew where all are dead, those of queries too; they mean nothing yet."""
    width = old.options.width
    attention = old.aware.blocks[-1].attention  # type: ignore[union-attr]
    constant = attention.in_proj_bias[width:]  # type: ignore[union-attr,index]  # what dead query features tell
    with old.evaluating():
        told = old.encode_query(old._gather(placed[0], pairs[:, 0])).parts[-1]
    targets_live = overheard(old.aware, partial(ask, old, placed, pairs)).any()
    if targets_live or not torch.allclose(told, constant.expand_as(told), atol=1e-6):
        return False
    with torch.no_grad():
        new.start.query.bias += old.start.query.weight[:, : 2 * width] @ constant
        for weight, columns in (
            (new.start.query.weight, 2 * width),
            (new.start.target.weight, width),
            (new.keep_head.mlp[0].weight, width),
        ):
            weight[:, :columns] = 0  # type: ignore[index]
    fresh = create_model(new.name, new.vocabulary, **new.options.to_dict())
    new.aware.load_state_dict(fresh.aware.state_dict())  # type: ignore[union-attr]
    return True


def renew_units(layer: nn.Module, ask: Any) -> int:
    """Give plain units of a layer that are never on new weights; returns how many there were."""
    assert isinstance(layer, PairLayer)
    assert layer.bend.slope is not None
    inputs: list[Tensor] = []
    hook = layer.first.register_forward_pre_hook(lambda _, x: inputs.append(x[0].detach().flatten(0, -2)))
    ask()
    hook.remove()
    seen = torch.cat(inputs)
    with torch.no_grad():
        dead = ~(layer.first(seen) > 0).any(0) & (layer.bend.slope == 0)
        new = nn.Linear(seen.shape[1], len(dead))
        new.weight /= seen.std(0).clamp(min=0.1)
        middle = (seen @ new.weight.T).median(0).values
        layer.first.weight[dead] = new.weight[dead]
        layer.first.bias[dead] = -middle[dead]
        layer.second.weight[:, dead] = 0
        layer.bend.slope[dead] = LEAK
    return int(dead.sum())


def overheard(module: nn.Module, ask: Any) -> Tensor:
    """What a part of the model says while it is asked."""
    said: list[Tensor] = []
    hook = module.register_forward_hook(lambda _, __, x: said.append(x.detach()))
    ask()
    hook.remove()
    return torch.cat([x.flatten(0, -2) for x in said])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--pairs", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    run(main)
