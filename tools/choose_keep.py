"""How many target nodes a bundled model keeps, chosen by the validation set after training.

    python tools/choose_keep.py dblp-plus 127 255 319
    python tools/choose_keep.py citeseer 5 8 10 15

Prune4SED-plus keeps so many nodes: training with few is cheap, but a match in a large target may need more of
them than that. Prune4SED keeps what is near its k best nodes: with few of them all heads go astray together
now and then, and the match is cut off. Predicts the validation pairs with each number, takes the one of the
least RMSE, and writes the model into the package with its figures on the test sets; weights stay as they are.
"""

from __future__ import annotations

import argparse
import sys

import torch

from grow_plus import run
from prune4sed.datasets import load
from prune4sed.models.base import SedModel
from prune4sed.models.bundled import FOLDER
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.training.evaluation import evaluate
from prune4sed.training.recorded import measured
from ship_models import with_half_matrices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="name of a bundled Prune4SED-plus or Prune4SED")
    parser.add_argument("keep", nargs="+", type=int, help="numbers to try")
    args = parser.parse_args()
    path = FOLDER / f"{args.model}.safetensors"
    header, model = read_header(path), load_checkpoint(path, "cpu")
    if not isinstance(model, (Prune4SED, Prune4SEDPlus)):
        sys.exit(f"{args.model} prunes nothing")
    data = load(header.info["dataset"]["name"])
    found = {}
    for keep in args.keep:
        use(model, keep)
        found[keep] = evaluate(model, data["validation"], latency=False).metrics
        print(f"{args.model}, {keep} nodes: validation RMSE {found[keep].rmse:.4f}", flush=True)
    best = min(found, key=lambda keep: found[keep].rmse)
    option = use(model, best)
    figures = {"validation": found[best].to_json(), **measured(model, data)}
    rmse = {keep: metrics.rmse for keep, metrics in found.items()}
    told = {"trained_with": trained_with(header.info, header.options[option]), "validation_rmse": rmse}
    info = {**header.info, "metrics": {**header.info["metrics"], **figures}, "keep": told}
    save_checkpoint(as_it_was(model), path, info)
    shown = ", ".join(f"{key} {figures[key]['rmse']:.4f}" for key in ("test", "strict_test"))
    print(f"{args.model}: {best} nodes, {shown}")


def use(model: Prune4SED | Prune4SEDPlus, number: int) -> str:
    """Keep by this number from now on; returns what the option is called."""
    if isinstance(model, Prune4SEDPlus):
        model.choose_keep(number)
        return "keep"
    model.choose_k(number)
    return "k"


def trained_with(info: dict[str, object], keep: int) -> int:
    """The number in training, also where another has been chosen before."""
    chosen = info.get("keep")
    return int(chosen["trained_with"]) if isinstance(chosen, dict) else keep


def as_it_was(model: SedModel) -> SedModel:
    """In half precision again if the weights came from such a file."""
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    halves = all(torch.equal(weight.half().float(), weight) for weight in matrices)
    return with_half_matrices(model) if halves else model


if __name__ == "__main__":
    run(main)
