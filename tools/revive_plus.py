"""A trained Prune4SED-plus with all of its units in use: new, leaky ones in place of those that are never on.

    python tools/revive_plus.py citeseer-plus revived.safetensors --dataset citeseer

With plain ReLUs and large steps most units of a network end up where no input turns them on, and nothing is
learnt there any more. Here units that no pair of a sample turns on get new weights, such that half of all
inputs turn them on, and do nothing yet for what comes after. Query-aware features that have died out as a
whole are made anew. All else stays, plain ReLUs among it, and predictions are the same; training goes on from
there (`prune4sed train ... --start revived.safetensors`).
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from grow_plus import grow, save_grown
from prune4sed.datasets import loading
from prune4sed.errors import Prune4SEDError
from prune4sed.models.checkpoint import load_checkpoint
from prune4sed.models.loading import find_model
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.models.registry import create_model
from prune4sed.nn.bend import LEAK
from prune4sed.nn.pair_layer import PairLayer

# A unit that fewer inputs turn on is of no use; features that vary less are none.
_RARELY, _STILL = 1e-3, 1e-4


def main() -> None:
    args = _arguments()
    path = find_model(args.model)
    old = load_checkpoint(path, "cpu")
    if not isinstance(old, Prune4SEDPlus) or old.options.leaky:
        sys.exit(f"{args.model} is no Prune4SED-plus with plain ReLUs")
    new = grow(old, old.options.pair_layers)
    data = loading.load(args.dataset).train
    pairs = data.pairs.index[:: max(1, len(data.pairs) // args.pairs)][: args.pairs]
    placed = old.place(data.queries), old.place(data.targets)
    told = {"features": renew_features(new, old, partial(ask, old, placed, pairs))}
    told["units"] = [renew_units(layer, partial(ask, new, placed, pairs)) for layer in new.layers]
    print(told)
    save_grown(new, path, args.out, revived=told)


def ask(model: Prune4SEDPlus, placed: Any, pairs: Any) -> None:
    """A prediction for the sample, for what can be overheard meanwhile."""
    with model.evaluating():
        model.predict_placed(*placed, pairs)


def renew_features(new: Prune4SEDPlus, old: Prune4SEDPlus, ask: Any) -> bool:
    """Make query-aware features anew where those of targets are all alike; they mean nothing yet."""
    heard = overheard(old.aware, ask)
    if heard.std(0).max() > _STILL:
        return False
    width, told = old.options.width, old.aware.blocks[-1].attention.in_proj_bias  # type: ignore[union-attr]
    # What dead query features tell is this constant; it becomes part of the bias.
    constant = told[width:]  # type: ignore[index]
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
    """Give units of a layer that are never on new weights; returns how many there were."""
    assert isinstance(layer, PairLayer)
    inputs: list[Tensor] = []
    hook = layer.first.register_forward_pre_hook(lambda _, x: inputs.append(sample_rows(x[0])))
    ask()
    hook.remove()
    seen = torch.cat(inputs)
    with torch.no_grad():
        dead = (layer.first(seen) > 0).float().mean(0) < _RARELY
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


def sample_rows(x: Tensor) -> Tensor:
    """Some of the rows of features."""
    rows = x.detach().flatten(0, -2)
    return rows[:: max(1, len(rows) // 2000)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--pairs", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except Prune4SEDError as problem:
        sys.exit(str(problem))
