"""tools/choose_keep.py: as many kept nodes as the validation set likes best, and honest figures with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from made import made_graphs, made_set

from prune4sed.datasets.dataset import Dataset
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.training.evaluation import evaluate
from prune4sed.training.loop import new_model

TOOLS = Path(__file__).parents[2] / "tools"


def dataset() -> Dataset:
    pool = made_graphs(1, 6, (8, 12))
    names = ("train", "validation", "test", "strict_test")
    return Dataset("made", 7, {name: made_set(seed, pool, 12) for seed, name in enumerate(names, 3)})


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import choose_keep

    monkeypatch.setattr(choose_keep, "FOLDER", tmp_path)
    monkeypatch.setattr(choose_keep, "load", lambda name: dataset())
    yield choose_keep
    for name in ("choose_keep", "grow_plus", "ship_models"):
        sys.modules.pop(name)


def run(tool: Any, monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["choose_keep.py", "made-plus", *words])
    tool.main()


def test_the_best_on_validation_is_kept(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.manual_seed(0)
    data, path = dataset(), tmp_path / "made-plus.safetensors"
    model = new_model("prune4sed-plus", data, 0, width=16, pair_width=16, pair_layers=2, keep=2)
    save_checkpoint(model, path, {"dataset": {"name": "made"}, "metrics": {"validation": {"rmse": 1.0}}})
    run(tool, monkeypatch, "2", "5", "12")
    chosen, header = load_checkpoint(path, "cpu"), read_header(path)
    assert isinstance(chosen, Prune4SEDPlus)
    found = {int(keep): rmse for keep, rmse in header.info["keep"]["validation_rmse"].items()}
    assert set(found) == {2, 5, 12}
    assert len(set(found.values())) > 1  # or the choice would mean nothing
    assert found[chosen.options.keep] == min(found.values())
    for name, rmse in (("test", header.info["metrics"]["test"]["rmse"]), ("validation", min(found.values()))):
        assert evaluate(chosen, data[name], latency=False).metrics.rmse == pytest.approx(rmse, rel=1e-5)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, chosen.state_dict()[name]), name
    run(tool, monkeypatch, "3")
    assert read_header(path).info["keep"]["trained_with"] == 2


def test_prune4sed_has_its_k_chosen(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.manual_seed(0)
    data, path = dataset(), tmp_path / "made-plus.safetensors"
    model = new_model("prune4sed", data, 0, width=16, stages=2, heads=2, predictor_layers=2, k=1, h=0)
    save_checkpoint(model, path, {"dataset": {"name": "made"}, "metrics": {"validation": {"rmse": 1.0}}})
    run(tool, monkeypatch, "1", "4", "8")
    chosen, header = load_checkpoint(path, "cpu"), read_header(path)
    assert isinstance(chosen, Prune4SED)
    found = {int(k): rmse for k, rmse in header.info["keep"]["validation_rmse"].items()}
    assert len(set(found.values())) == 3
    assert found[chosen.options.k] == min(found.values())
    rmse = evaluate(chosen, data["validation"], latency=False).metrics.rmse
    assert rmse == pytest.approx(min(found.values()), rel=1e-5)
    assert header.info["keep"]["trained_with"] == 1


def test_other_models_are_refused(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = new_model("neurosed", dataset(), 0, width=8, layers=2)
    save_checkpoint(other, tmp_path / "made-plus.safetensors", {})
    with pytest.raises(SystemExit, match="prunes nothing"):
        run(tool, monkeypatch, "3")
