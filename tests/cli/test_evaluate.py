"""``prune4sed evaluate``: figures for models and solvers on a small made dataset."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from prune4sed.cli import main
from prune4sed.datasets.dataset_write import write

sys.path.insert(0, str(Path(__file__).parent.parent / "datasets"))
from made import made_dataset


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    write(made_dataset(), tmp_path / "made")
    return str(tmp_path / "made")


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    torch = pytest.importorskip("torch")
    from prune4sed.models.checkpoint import save_checkpoint
    from prune4sed.models.registry import create_model
    from prune4sed.nn.vocabulary import Vocabulary

    torch.manual_seed(0)
    torch.set_num_threads(1)
    save_checkpoint(create_model("neurosed", Vocabulary((0, 1, 2)), width=16), tmp_path / "n.safetensors")
    return str(tmp_path / "n.safetensors")


def test_both_test_sets_by_default(dataset: str, checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", dataset, "--model", "exact", "--model", checkpoint, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["dataset"] == "made"
    rows = found["results"]
    assert [(r["set"], r["model"], r["kind"]) for r in rows] == [
        (name, model, kind)
        for name in ("test", "strict_test")
        for model, kind in (("exact", "exact"), (checkpoint, "neurosed"))
    ]
    assert [r["pairs"] for r in rows] == [5, 5, 6, 6]
    for row in rows:
        assert row["certified"] == 1
        assert row["rmse_low"] <= row["rmse"] <= row["rmse_high"]
        assert row["batch_us"] > 0
        assert row["single_us"] > 0
    for row in rows[::2]:
        assert (row["rmse"], row["mae"], row["r2"], row["proven"]) == (0, 0, 1, 1)
        assert row["kendall"] == pytest.approx(1)
    assert rows[1]["rmse"] > 0
    assert rows[1]["proven"] is None


def test_bounds_help_a_model(dataset: str, checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for options in ([], ["--bounds"]):
        assert main(["evaluate", dataset, "--model", checkpoint, "--sets", "train", "--json", *options]) == 0
        rows += json.loads(capsys.readouterr().out)["results"]
    assert rows[1]["rmse"] < rows[0]["rmse"]
    assert 0 < rows[1]["proven"] <= 1


def test_a_table_and_fewer_pairs(dataset: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--model", "branch", "--pairs", "3", "--sets", "test,test"]
    assert main(["evaluate", dataset, *options]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert " ".join(lines[0]) == "made, test: 3 pairs, 100 % certified"
    assert lines[1] == ["model", "RMSE", "95", "%", "certified", "MAE", "R2", "tau"]
    assert lines[2][0] == "branch"
    assert len(lines) == 6


def test_same_seed_same_figures(dataset: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in ("1", "1", "2"):
        options = ["--model", "branch", "--pairs", "4", "--sets", "train", "--seed", seed, "--json"]
        assert main(["evaluate", dataset, *options]) == 0
        row = json.loads(capsys.readouterr().out)["results"][0]
        found.append([row[name] for name in ("rmse", "rmse_low", "mae", "kendall")])
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-dataset", "--model", "exact"], "there is no dataset 'no-such-dataset'"),
        (["DATASET"], "Missing option '--model'"),
        (["DATASET", "--model", "gpt"], "there is no model 'gpt'"),
        (["DATASET", "--model", "exact", "--sets", "tset"], "made has no set 'tset'; there are train, test"),
        (["DATASET", "--model", "exact", "--pairs", "0"], "--pairs"),
        (["DATASET", "--model", "exact", "--time-limit", "nan"], "time_limit must be"),
    ],
)
def test_refusals(dataset: str, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *(dataset if word == "DATASET" else word for word in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


def test_the_engine_first(dataset: str, checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "evaluate",
        dataset,
        "--model",
        checkpoint,
        "--model",
        "branch",
        "--sets",
        "test",
        "--engine",
        "5",
    ]
    assert main([*words, "--json"]) == 0
    model, branch = json.loads(capsys.readouterr().out)["results"]
    assert (model["kind"], branch["kind"]) == ("engine-first", "branch")
    assert (model["used"], branch["used"]) == (["engine first"], [])
    assert model["proven"] == 1
    assert model["rmse"] == 0
    assert main(words) == 0
    assert "n, engine first" in capsys.readouterr().out
