"""``prune4sed models list|info|verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prune4sed.cli import main
from prune4sed.cli.models_list import dataset_of, rmse_of, size_of

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two bundled models."""
    from prune4sed.models import bundled
    from prune4sed.models.checkpoint import save_checkpoint
    from prune4sed.models.registry import create_model
    from prune4sed.nn.vocabulary import Vocabulary

    torch.manual_seed(0)
    words = Vocabulary(("C", "O"), ("single",), unknown=True)
    info = {"dataset": "citeseer", "metrics": {"test": {"rmse": 0.4321}, "strict_test": {"rmse": 0.6}}}
    for name, kind in (("citeseer", "prune4sed"), ("citeseer-neurosed", "neurosed")):
        save_checkpoint(create_model(kind, words, width=16), tmp_path / f"{name}.safetensors", info)
    monkeypatch.setattr(bundled, "FOLDER", tmp_path)
    return tmp_path


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["name", "model", "dataset", "test", "RMSE", "size"]
    assert lines[1][:4] == ["citeseer", "prune4sed", "citeseer", "0.432"]
    assert lines[2][:4] == ["citeseer-neurosed", "neurosed", "citeseer", "0.432"]
    assert "branch, mip-f2, exact" in " ".join(lines[-1])


def test_list_of_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in folder.iterdir():
        path.unlink()
    assert main(["models", "list"]) == 0
    assert "No trained model" in capsys.readouterr().out
    assert main(["models", "verify"]) == 0
    assert main(["models"]) == 0
    assert "Usage: prune4sed models" in capsys.readouterr().out


def test_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "info", "CiteSeer", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["model"], told["dataset"], told["options"]["width"]) == ("prune4sed", "citeseer", 16)
    assert (told["node_labels"], told["edge_labels"]) == (["C", "O"], ["single"])
    assert told["unknown_labels"] is True
    assert len(told["digest"]) == 64
    assert main(["models", "info", str(folder / "citeseer-neurosed.safetensors")]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "model neurosed" in text
    assert "metrics strict_test (rmse 0.6), test (rmse 0.4321)" in text


def test_info_is_laid_out_for_a_screen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint

    monkeypatch.setenv("COLUMNS", "80")
    digest, figures = "0123456789abcdef" * 4, {f"figure_{at}": at / 8 for at in range(9)}
    start = {"digest": digest, "steps": 3, "start": None}
    info = {
        "dataset": {"name": "a", "more": [{"name": name, "pairs": 300_000, "seed": 1} for name in "bcd"]},
        "metrics": {"sample": {"pairs": 200}, "test": figures},
        "start": {**start, "start": start},
    }
    path = folder / "citeseer.safetensors"
    save_checkpoint(load_checkpoint(path, "cpu"), path, info)
    assert main(["models", "info", "citeseer"]) == 0
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines() if str(path) not in line) <= 80
    assert "\n  more\n    1  name b, pairs 300000, seed 1\n    2  name c," in out
    assert "\n  sample  pairs 200\n  test    figure_0 0, figure_1 0.125, " in out
    assert "\n          figure_" in out  # behind the name of the set
    assert f"\nstart\n  digest  {digest}\n  start\n    digest  {digest}\n    start   none\n" in out
    assert not any(line.endswith("figure_") or line != line.rstrip() for line in out.splitlines())


def test_verify_says_what_it_did_not_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint

    monkeypatch.setenv("PRUNE4SED_HOME", str(folder / "home"))
    path = folder / "citeseer.safetensors"
    model, metrics = load_checkpoint(path, "cpu"), {"sample": {"rmse": 0.5}}
    known = [("citeseer", metrics, "citeseer is not built"), ("citeseer", {}, "none is recorded")]
    for name, told, why in [*known, ("mine", metrics, "its dataset mine is not here")]:
        save_checkpoint(model, path, {"dataset": name, "metrics": told})
        assert main(["models", "verify", "citeseer"]) == 0
        assert capsys.readouterr().out.endswith(f", accuracy not checked: {why}\n")


def test_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "verify"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "citeseer",
        "citeseer-neurosed",
    ]
    path = folder / "citeseer.safetensors"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    assert main(["models", "verify"]) == 1
    out = capsys.readouterr().out
    assert "citeseer-neurosed: fine" in out
    assert "citeseer.safetensors is damaged" in out
    assert main(["models", "verify", "citeseer-neurosed"]) == 0
    assert main(["models", "verify", str(path)]) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "nope"], "there is no model 'nope'; bundled: citeseer, citeseer-neurosed"),
        (["verify", "nope"], "there is no model 'nope'"),
        (["info", "exact"], "exact is a solver and has no file"),
        (["verify", "branch"], "branch is a solver"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_refusals(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(["models", *arguments], words, capsys)


def assert_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


def damage(path: Path, how: str) -> None:
    from safetensors import safe_open
    from safetensors.torch import save_file

    from prune4sed.models.header import FORMAT

    with safe_open(path, framework="pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        header = json.loads(file.metadata()[FORMAT])
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:-50])
    elif how == "text":
        path.write_text("these are not weights\n" * 9)
    else:
        if how == "version":
            header["version"] = 99
        elif how == "edited":
            header["info"]["metrics"]["test"]["rmse"] = 0.01
        else:
            next(x for x in weights.values() if x.is_floating_point()).view(-1)[0] = float("nan")
        save_file(weights, path, metadata={FORMAT: json.dumps(header)})


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("truncated", "damaged"),
        ("text", "not a model file"),
        ("version", "is of version 99 and this program reads version 1"),
        ("edited", "do not match its checksum"),
        ("nan", "weights that are not finite"),
    ],
)
def test_a_bad_checkpoint_is_refused_in_one_line(
    folder: Path, how: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rdkit")
    path = folder / "citeseer.safetensors"
    damage(path, how)
    assert_refused(["predict", "CO", "CO", "--model", str(path)], words, capsys)
    assert_refused(["evaluate", "citeseer", "--model", str(path)], words, capsys)
    assert main(["models", "verify", str(path)]) == 1
    assert words in capsys.readouterr().out


def test_figures_of_a_header() -> None:
    assert dataset_of({"dataset": {"name": "aids", "seed": 0}}) == dataset_of({"dataset": "aids"}) == "aids"
    assert dataset_of({}) == dataset_of({"dataset": {}}) == "-"
    assert rmse_of({}) == rmse_of({"metrics": 3}) == "-"
    assert rmse_of({"metrics": {"validation": {"rmse": 0.5}}}) == "0.500 (validation)"
    assert rmse_of({"metrics": {"validation_rmse": 0.5}}) == "0.500 (validation)"
    assert (size_of(436_224), size_of(9_000)) == ("0.44 MB", "9.0 kB")
