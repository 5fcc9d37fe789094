"""Checkpoints are found by what they are, not by what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_studies import Bench

from prune4sed.errors import OptionError
from prune4sed.studies.shelf import Shelf


def test_variants_are_told_apart(bench: Bench) -> None:
    bench.model("prune4sed", "a")
    bench.model("prune4sed", "b", heads=1)
    bench.model("prune4sed", "c", use_qal=False)
    bench.model("h2mn", "d", hyperedges="walk")
    shelf = Shelf(bench.runs)

    def name(model: str, **options: object) -> str | None:
        found = shelf.find("made", model, **options)
        return found and found.name.partition("/")[0]

    assert name("prune4sed") == "a"
    assert name("prune4sed", heads=1) == "b"
    assert name("prune4sed", use_qal=False) == "c"
    assert name("prune4sed", heads=10) is None
    assert name("h2mn", hyperedges="walk") == "d"
    assert name("h2mn") is None
    assert shelf.find("citeseer", "prune4sed", heads=1) is None


def test_what_was_chosen_after_training_makes_no_variant(bench: Bench) -> None:
    bench.model("prune4sed", "chosen", k=9, trained_with=5)
    bench.model("prune4sed", "trained", k=9)
    shelf = Shelf(bench.runs)
    assert [x.name for x in shelf.seeds("made", "prune4sed")] == ["chosen/model.safetensors"]
    assert [x.name for x in shelf.seeds("made", "prune4sed", k=9)] == ["trained/model.safetensors"]


def test_the_best_validation_error_decides_and_seeds_are_listed(bench: Bench) -> None:
    bench.model("neurosed", "early", seed=0, rmse=0.9)
    bench.model("neurosed", "late", seed=0, rmse=0.4)
    bench.model("neurosed", "other", seed=3, rmse=0.5)
    found = Shelf(bench.runs).seeds("made", "neurosed")
    assert [(x.name, x.seed, x.validation) for x in found] == [
        ("late/model.safetensors", 0, 0.4),
        ("other/model.safetensors", 3, 0.5),
    ]


def test_what_ships_comes_first_unless_only_ones_own_will_do(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.model("neurosed", "run", rmse=0.9)
    bench.model("neurosed", "better", rmse=0.1)
    shipped = bench.runs / "better" / "model.safetensors"
    elsewhere = shipped.rename(bench.runs.parent / "shipped.safetensors")
    monkeypatch.setattr("prune4sed.studies.shelf.bundled", lambda: {"ours": elsewhere})
    shelf = Shelf(bench.runs)
    assert [x.name for x in shelf.seeds("made", "neurosed")] == ["ours"]
    assert [x.name for x in shelf.seeds("made", "neurosed", own=True)] == ["run/model.safetensors"]
    assert Shelf().find("made", "neurosed") is not None
    assert Shelf().find("made", "neurosed", own=True) is None


def test_other_files_do_no_harm(bench: Bench) -> None:
    bench.model("neurosed")
    (bench.runs / "state.safetensors").write_bytes(b"half written")
    assert Shelf(bench.runs).find("made", "neurosed") is not None


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no folder of runs"):
        Shelf(tmp_path / "nowhere")


def test_what_ships_is_the_standard_model_whatever_it_prunes_by(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.model("prune4sed", "papers", rmse=0.1)
    bench.model("prune4sed", "tuned", rmse=0.9, k=9, h=3)
    shipped = bench.runs / "tuned" / "model.safetensors"
    elsewhere = shipped.rename(bench.runs.parent / "shipped.safetensors")
    monkeypatch.setattr("prune4sed.studies.shelf.bundled", lambda: {"ours": elsewhere})
    shelf = Shelf(bench.runs)
    standard = shelf.find("made", "prune4sed")
    assert standard is not None
    assert standard.name == "ours"
    assert (standard.training["k"], standard.training["h"]) == (9, 3)
    ours, papers = shelf.find("made", "prune4sed", k=9), shelf.find("made", "prune4sed", k=5)
    assert ours is not None
    assert papers is not None
    assert (ours.name, papers.name) == ("ours", "papers/model.safetensors")
    assert not {"k", "h"} & papers.training.keys()
    assert shelf.find("made", "prune4sed", heads=1) is None
