"""Checkpoints come back as they were, and bad ones are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from prune4sed.errors import FormatError
from prune4sed.models.base import SedModel
from prune4sed.models.checkpoint import FORMAT, digest_of, load_checkpoint, read_header, save_checkpoint
from prune4sed.models.registry import create_model
from prune4sed.nn.vocabulary import Vocabulary


@pytest.fixture
def model() -> SedModel:
    torch.manual_seed(0)
    return create_model("prune4sed", words(), width=16, heads=2)


@pytest.fixture
def path(model: SedModel, tmp_path: Path) -> Path:
    save_checkpoint(model, tmp_path / "m.safetensors", {"dataset": "toy", "rmse": 0.5})
    return tmp_path / "m.safetensors"


def rewritten(path: Path, **changes: object) -> None:
    """The same file with other values in its header."""
    with safe_open(path, framework="pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        header = json.loads(file.metadata()[FORMAT])
    save_file(weights, path, metadata={FORMAT: json.dumps({**header, **changes})})


@pytest.mark.parametrize("name", ["prune4sed", "neurosed", "simgnn", "h2mn"])
def test_a_model_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = create_model(name, words(), width=16)
    save_checkpoint(model, tmp_path / "m.safetensors")
    again = load_checkpoint(tmp_path / "m.safetensors", device="cpu")
    assert type(again) is type(model)
    assert again.options == model.options
    assert again.vocabulary == model.vocabulary
    assert not again.training
    graphs = some_graphs(0, 5)
    assert np.array_equal(model.predict(graphs, graphs), again.predict(graphs, graphs))


def test_the_header_tells_everything(path: Path) -> None:
    header = read_header(path, verify=True)
    assert (header.model, header.info) == ("prune4sed", {"dataset": "toy", "rmse": 0.5})
    assert header.options["heads"] == 2
    assert header.vocabulary == words()


def test_string_labels_edge_labels_and_the_unknown_bucket_are_kept(tmp_path: Path) -> None:
    vocabulary = Vocabulary(("C", "é"), ("single",), unknown=True)
    save_checkpoint(create_model("neurosed", vocabulary, width=8), tmp_path / "m.safetensors")
    assert load_checkpoint(tmp_path / "m.safetensors").vocabulary == vocabulary


def test_weights_that_are_not_finite_are_refused(model: SedModel, path: Path, tmp_path: Path) -> None:
    with torch.no_grad():
        model.pruning.p[0, 0] = float("nan")
    before = path.read_bytes()
    with pytest.raises(FormatError, match=r"not finite, in pruning\.p"):
        save_checkpoint(model, path)
    assert path.read_bytes() == before
    weights = {name: x.clone() for name, x in model.state_dict().items()}
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    save_file(weights, tmp_path / "nan.safetensors", metadata=metadata)
    with pytest.raises(FormatError, match=r"nan\.safetensors has weights that are not finite"):
        load_checkpoint(tmp_path / "nan.safetensors")


def one_line(path: Path, match: str) -> None:
    for read in (load_checkpoint, lambda p: read_header(p, verify=True)):
        with pytest.raises(FormatError, match=match) as caught:
            read(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("keep", [0, 4, 100, 0.3, 0.9])
def test_truncated(path: Path, keep: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(keep if keep > 1 else keep * len(data))])
    one_line(path, "damaged")


def test_every_flipped_byte_of_the_weights_is_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    start = 8 + int.from_bytes(data[:8], "little")
    for at in rng.integers(start, len(data), 12).tolist():
        data[at] ^= 1
        path.write_bytes(data)
        one_line(path, "damaged|not finite")
        data[at] ^= 1


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"version": 2}, "of version 2 and this program reads version 1"),
        ({"model": "neurosed"}, "damaged"),
        ({"options": {"heads": 3}}, "damaged"),
        ({"info": {"rmse": 0.1}}, "do not match its checksum"),
        ({"vocabulary": {"nodes": [0, 0], "edges": None, "unknown": False}}, "header cannot be read"),
        ({"vocabulary": 3}, "header cannot be read"),
    ],
)
def test_hand_edited(path: Path, changes: dict[str, object], match: str) -> None:
    rewritten(path, **changes)
    one_line(path, match)


def signed(path: Path, weights: dict[str, torch.Tensor], **changes: object) -> None:
    """The file with other contents and the checksum that they should have."""
    with safe_open(path, framework="pt") as file:
        told = {**json.loads(file.metadata()[FORMAT]), **changes}
    del told["digest"]
    text = json.dumps({**told, "digest": digest_of(told, weights)})
    save_file(weights, path, metadata={FORMAT: text})


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"options": {"name": "x"}}, "there is no option 'name'"),
        ({"options": {"width": 10**7}}, "do not fit"),  # refused before memory is taken for it
        ({"options": {"width": 10**10}}, "too little memory for a prune4sed of its options"),
    ],
)
def test_edited_with_the_right_checksum(path: Path, changes: dict[str, object], match: str) -> None:
    signed(path, load_file(path), **changes)
    with pytest.raises(FormatError, match=match):
        load_checkpoint(path)


def test_a_model_of_before_an_option_came(tmp_path: Path) -> None:
    model = create_model("prune4sed-plus", words(), width=16, pair_layers=1, relations=False)
    path = tmp_path / "m.safetensors"
    save_checkpoint(model, path)
    options = {name: value for name, value in model.options.to_dict().items() if name != "relations"}
    signed(path, load_file(path), options=options)
    assert load_checkpoint(path).options == model.options


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float8_e4m3fn, torch.int32])
def test_weights_of_other_kinds_are_refused(path: Path, kind: torch.dtype) -> None:
    weights = load_file(path)
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    save_file({**weights, "pruning.p": weights["pruning.p"].to(kind)}, path, metadata=metadata)
    one_line(path, "pruning.p is of torch")


def test_a_header_without_end(path: Path) -> None:
    save_file({"x": torch.zeros(1)}, path, metadata={FORMAT: "[" * 100_000})
    one_line(path, "header cannot be read")


def test_other_files(tmp_path: Path) -> None:
    one_line(tmp_path / "none.safetensors", "there is no model file")
    one_line(tmp_path, "there is no model file")
    (tmp_path / "text").write_text("hello " * 50)
    one_line(tmp_path / "text", "not a model file, or it is damaged")
    save_file({"x": torch.zeros(1)}, tmp_path / "other.safetensors")
    one_line(tmp_path / "other.safetensors", "not a model of prune4sed")


def test_keys_that_are_numbers_do_not_break_the_digest(model: SedModel, tmp_path: Path) -> None:
    save_checkpoint(model, tmp_path / "m.safetensors", {"tried": {2: 0.5, 12: 0.25}})
    assert read_header(tmp_path / "m.safetensors", verify=True).info == {"tried": {"2": 0.5, "12": 0.25}}


def test_info_must_be_json(model: SedModel, tmp_path: Path) -> None:
    for info in ({"x": object()}, {"x": float("nan")}):
        with pytest.raises(FormatError, match="cannot be written as JSON"):
            save_checkpoint(model, tmp_path / "m.safetensors", info)
    assert not list(tmp_path.iterdir())
