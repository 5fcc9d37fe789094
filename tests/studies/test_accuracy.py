"""The accuracy study: its figures are those of the predictions, and missing is missing."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from made_studies import Bench

from prune4sed.datasets.dataset import PairSet
from prune4sed.datasets.shipped import shipped_header
from prune4sed.exact.engine import sed_pairs
from prune4sed.studies import evaluated
from prune4sed.studies.accuracy import Accuracy
from prune4sed.studies.accuracy_page import accuracy_page
from prune4sed.studies.methods import METHODS
from prune4sed.studies.record import Record
from prune4sed.studies.running import reproduce
from prune4sed.studies.study import Cell


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluated, "SOLVER_PAIRS", {False: 12, True: 6})


def rmse(predicted: np.ndarray, one: PairSet) -> float:
    true = sed_pairs(one.queries, one.targets, one.pairs.index, time_limit=None)
    assert true.certified.all()
    return math.sqrt(((predicted.astype(float) - true.upper) ** 2).mean())


def test_figures_are_those_of_the_model(bench: Bench) -> None:
    model = bench.model("neurosed").eval()
    found = reproduce(Accuracy(), bench.setting(methods=("neurosed",)))
    assert found.computed == 2
    for name in ("test", "strict_test"):
        one = bench.data[name]
        cell = found.record.figures(method="neurosed", dataset="made", set=name)
        assert cell is not None
        assert cell["rmse"] == pytest.approx(rmse(model.predict(*one[:2], one.pairs.index), one), rel=1e-5)
        assert cell["rmse_certified"] == cell["rmse"]
        assert cell["rmse_low"] < cell["rmse"] < cell["rmse_high"]
        assert cell["pairs"] == len(one.pairs)


def test_only_a_retrained_model_is_measured_again(bench: Bench) -> None:
    bench.model("neurosed")
    bench.model("prune4sed")
    setting = {"methods": ("neurosed", "prune4sed", "prune4sed-clipped")}
    first = reproduce(Accuracy(), bench.setting(**setting))
    assert (first.computed, first.kept) == (6, 0)
    assert reproduce(Accuracy(), bench.setting(**setting)).computed == 0
    bench.model("prune4sed", seed=5)
    later = reproduce(Accuracy(), bench.setting(**setting))
    assert (later.computed, later.kept) == (4, 2)
    plain, clipped = (
        later.record.figures(method=x, dataset="made", set="test") or {} for x in setting["methods"][1:]
    )
    assert clipped["rmse"] <= plain["rmse"]
    assert 0 < clipped["proven"] <= 1


def test_the_spread_over_training_seeds(bench: Bench) -> None:
    for seed in (0, 1, 2):
        bench.model("neurosed", f"run{seed}", seed=seed, rmse=1.0 + seed)
    setting = bench.setting(methods=("neurosed",))
    record = reproduce(Accuracy(), setting).record
    found = [x["figures"] for x in record.entries(method="neurosed", set="test")]
    assert sorted(x["training"]["seed"] for x in found) == [0, 1, 2]
    values = [x["rmse"] for x in found]
    told = f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f}, 3 seeds)"
    assert told in (setting.pages / "accuracy.md").read_text()
    # The table itself has the one with the best validation error.
    main = record.figures(method="neurosed", dataset="made", set="test")
    assert main is not None
    assert main["training"]["seed"] == 0


def test_a_model_that_was_trained_for_longer_says_nothing_on_the_spread(bench: Bench) -> None:
    # The last one does not tell how long it was trained.
    for seed, steps in ((0, 100), (1, 10), (2, 12), (3, 0)):
        bench.model("neurosed", f"run{seed}", seed=seed, rmse=1.0 + seed, steps=steps)
    setting = bench.setting(methods=("neurosed",))
    record = reproduce(Accuracy(), setting).record
    found = [x["figures"] for x in record.entries(method="neurosed", set="test")]
    alike = [x["rmse"] for x in found if x["training"]["seed"] in (1, 2)]
    page = (setting.pages / "accuracy.md").read_text()
    assert f"{np.mean(alike):.3f} ({min(alike):.3f} to {max(alike):.3f}, 2 seeds)" in page
    assert "Each drew 80 to 96 pairs" in page


def test_solvers_on_a_sample(bench: Bench) -> None:
    pytest.importorskip("highspy")
    names = ("branch", "mip-f2", "exact-100ms", "exact-100ms-middle")
    found = reproduce(Accuracy(), bench.setting(methods=names)).record
    cells = {x: found.figures(method=x, dataset="made", set="test") or {} for x in names}
    assert {cell["pairs"] for cell in cells.values()} == {12}
    # Graphs this small are proven in a tenth of a second by both exact methods.
    assert cells["exact-100ms"]["rmse"] == cells["exact-100ms-middle"]["rmse"] == cells["mip-f2"]["rmse"] == 0
    assert cells["branch"]["rmse"] > 0


def test_missing_prints_as_missing(bench: Bench) -> None:
    bench.model("neurosed")
    setting = bench.setting(quick=True)
    found = reproduce(Accuracy(), setting)
    # All models but one, on both sets.
    assert len(found.missing) == 2 * (sum(hasattr(x, "model") for x in METHODS.values()) - 1)
    page = (setting.pages / "accuracy.md").read_text()
    assert "| SimGNN | – |" in page
    assert "no trained prune4sed with heads=10 was found" in page
    assert "nan" not in page.lower()
    assert "None" not in page
    svg = (setting.out / "accuracy.svg").read_text()
    assert "NeuroSED" in svg
    assert "SimGNN" not in svg
    cells = json.loads((setting.out / "accuracy.json").read_text())["cells"]
    assert all(("figures" in cell) != ("missing" in cell) for cell in cells)


def test_a_model_that_does_not_fit_is_missing(bench: Bench) -> None:
    path = bench.runs / "neurosed" / "model.safetensors"
    bench.model("neurosed")
    whole = path.read_bytes()
    path.write_bytes(whole[:-8] + b"\x01\x02\x03\x04\x05\x06\x07\x08")
    found = reproduce(Accuracy(), bench.setting(methods=("neurosed",)))
    assert len(found.missing) == 2
    assert "is damaged" in found.missing[0][1]


def stored(
    record: Record, method: str, dataset: str, rmse: float, print_: str = "a", data: str = "", drawn: int = 9
) -> None:
    figures = dict.fromkeys(("rmse", "rmse_certified", "rmse_low", "rmse_high"), rmse)
    told = {**figures, "certified": 1.0, "pairs": 9, "training": {"fingerprint": print_, "pairs": drawn}}
    key = {"method": method, "dataset": dataset, "set": "test"}
    record.store(Cell(key, {"pairs": 9, "data": data}), told, 0.0)


MADE = {"checkpoint": "x", "data": "", "pairs": 200}
FIGURES = dict.fromkeys(("rmse", "rmse_certified", "rmse_low", "rmse_high", "certified", "pairs"), 1.0)


def test_claims_are_told_as_they_are(tmp_path: Path) -> None:
    record = Record(tmp_path / "accuracy.json", "accuracy", {"quick": False})
    for dataset, ours, plus in (("aids", 0.4804, 0.2), ("citeseer", 0.4, 0.25)):
        stored(record, "prune4sed", dataset, ours)
        stored(record, "plus", dataset, plus, "b")
        stored(record, "neurosed", dataset, 0.5)
    stored(record, "branch", "citeseer", 2 * 3.161)  # twice the paper's
    page = accuracy_page(record)
    assert "| AIDS | 0.480 | 0.480 | yes | 0.240 | 0.200 | yes | – |" in page
    assert "| CiteSeer | 0.365 | 0.400 | missed by 0.035 | 0.200 | 0.250 | missed by 0.050 | 2.00 |" in page
    # 1 - 0.4804 / 0.5, 1 - 0.4 / 0.5, and their mean.
    assert "| Prune4SED | 3.9 % | 20.0 % | 12.0 % |" in page
    # Trained on other pairs than NeuroSED was, so no gain is claimed.
    assert "| Prune4SED-plus | – | – | – |" in page
    # Unless NeuroSED had the more of them.
    stored(record, "plus", "citeseer", 0.25, "b", drawn=8)
    assert "| Prune4SED-plus | – | 50.0 %* | – |" in accuracy_page(record)
    assert "Spread over training seeds" not in page


def test_small_samples_are_told_as_such_and_claim_nothing(tmp_path: Path) -> None:
    quick, whole = (Record(tmp_path / f"{x}.json", "accuracy", {"quick": x}) for x in (True, False))
    for record in (quick, whole):
        stored(record, "prune4sed", "aids", 0.485)
        stored(record, "neurosed", "aids", 0.5)
        record.store(Cell({"method": "plus", "dataset": "aids", "set": "test"}, MADE), FIGURES, 0.0)
    page = accuracy_page(quick)
    assert "Models are measured on a sample of a set (200 random pairs), solvers" in page
    for words in ("missed by", "What was aimed at", "Gain over NeuroSED", "all pairs of a set"):
        assert words not in page
        assert words in accuracy_page(whole)


def test_no_table_of_training_where_none_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path / "accuracy.json", "accuracy", {"quick": False})
    stored(record, "prune4sed", "aids", 0.5)
    assert "## Training" not in accuracy_page(record)


def test_data_that_is_not_the_standard_one_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path / "accuracy.json", "accuracy", {"quick": False})
    header = shipped_header("aids")
    assert header is not None
    stored(record, "prune4sed", "aids", 0.5, data=header["sets"]["test"]["fingerprint"])
    assert "not the standard dataset" not in accuracy_page(record)
    stored(record, "prune4sed", "protein", 0.5, data="another")
    assert "**Protein** as used here is not the standard dataset" in accuracy_page(record)
