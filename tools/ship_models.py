"""Put trained models into the package, with their figures on the test sets in the header.

    python tools/ship_models.py runs/citeseer-prune4sed runs/citeseer-neurosed ...

Takes the best weights of each run, evaluates them on test and strict_test of the dataset that they were
trained on, and writes src/prune4sed/models/weights/DATASET[-MODEL].safetensors. Matrices are kept in half
precision unless the validation set tells the difference.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from prune4sed.datasets import load
from prune4sed.datasets.dataset import Dataset
from prune4sed.models.base import SedModel
from prune4sed.models.bundled import FOLDER, spelt
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.training.calibration import calibrate
from prune4sed.training.evaluation import evaluate
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recorded import measured

# How much worse the smaller file may be on the validation set, all of it: a few pairs would not tell.
WORSE = 1.005


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    for run in parser.parse_args().runs:
        print(ship(run / "model.safetensors"), flush=True)


def ship(path: Path) -> str:
    header = read_header(path)
    dataset = header.info["dataset"]["name"]
    name = spelt(f"{dataset}-{header.model}")
    data, model = load(dataset), load_checkpoint(path, "cpu")
    rounded = with_half_matrices(load_checkpoint(path, "cpu")).float()
    calibrate(rounded, data["train"], **drawn_by(header.info["recipe"], model, data))
    exact, rough = (rmse_of(x, data) for x in (model, rounded))
    halves = rough <= WORSE * exact
    model = rounded if halves else model
    figures = measured(model, data)
    info = {**header.info, "metrics": {**header.info["metrics"], **figures}}
    ready = with_half_matrices(model) if halves else model
    save_checkpoint(ready, FOLDER / f"{name}.safetensors", info)
    kept = f"{'half' if halves else 'full'} precision: {rough:.4f} against {exact:.4f}"
    shown = ", ".join(f"{key} {figures[key]['rmse']:.4f}" for key in ("test", "strict_test", "sample"))
    return f"{name} ({kept}): {shown}"


def drawn_by(recipe: dict[str, Any], model: SedModel, data: Dataset) -> dict[str, Any]:
    """How pairs were drawn in training, for `calibrate`."""
    drawn = {name: recipe.get(name, 0.0) for name in ("thrift", "focus")}
    if drawn["focus"]:
        drawn["errors"] = PlacedPairs.of(data["train"], model).errors(model, recipe["trust"]).numpy()
    return drawn


def rmse_of(model: SedModel, data: Dataset) -> float:
    """On the validation set."""
    return evaluate(model, data["validation"], latency=False).metrics.rmse


def with_half_matrices(model: SedModel) -> SedModel:
    """The same with matrices in half precision. Variances of batch norms may be too small for that."""
    for weight in model.parameters():
        if weight.dim() > 1:
            weight.data = weight.data.half()
    return model


if __name__ == "__main__":
    main()
