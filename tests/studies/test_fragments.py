"""The study of functional groups on a few molecules."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rdkit")
sys.path.insert(0, str(Path(__file__).parent.parent / "search"))

from made_studies import Bench
from molecules import fragments, library

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.dataset_read import read
from prune4sed.datasets.dataset_write import write
from prune4sed.datasets.functional_groups import functional_groups
from prune4sed.datasets.table import PairTable
from prune4sed.exact.engine import sed_pairs
from prune4sed.graphset import GraphSet
from prune4sed.studies.fragments import Fragments
from prune4sed.studies.fragments_page import fragments_page
from prune4sed.studies.record import Record
from prune4sed.studies.running import reproduce
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell


@pytest.fixture
def chemistry(tmp_path: Path) -> Bench:
    """A dataset of molecules, and models that know all elements of molecules and groups."""
    targets, (groups, _) = library(80), functional_groups()
    every = PairSet(groups, targets, _labelled(groups, targets, len(groups)))
    queries = GraphSet(fragments())
    test = PairSet(queries, targets, _labelled(queries, targets, len(queries)))
    write(Dataset("molecules", 0, {"train": every, "test": test}), tmp_path / "made")
    (tmp_path / "runs").mkdir()
    return Bench(tmp_path, read(tmp_path / "made"))


def _labelled(queries: GraphSet, targets: GraphSet, count: int) -> PairTable:
    index = np.array([(at, at % len(targets)) for at in range(count)], dtype=np.int64)
    found = sed_pairs(queries, targets, index, time_limit=None, node_limit=2000, threads=1)
    return PairTable(index, found.lower, found.upper, found.mapping)


def test_hits_are_those_of_the_model_with_true_distances(chemistry: Bench) -> None:
    model = chemistry.model("neurosed")
    chemistry.model("prune4sed")
    found = reproduce(Fragments(), chemistry.setting(quick=True))
    assert (found.computed, len(found.missing)) == (3, 1)
    told = found.record.figures(method="neurosed", dataset="molecules")
    assert told is not None
    assert (told["molecules"], len(told["groups"])) == (80, 4)
    groups, _ = functional_groups()
    by_name = {group.id: group for group in groups}
    for row in told["groups"]:
        group = by_name[row["group"]]
        exact = sed_pairs(group, chemistry.data.test.targets, time_limit=None).upper
        order = np.argsort(model.predict(group, chemistry.data.test.targets), kind="stable")
        assert row["true_5"] == pytest.approx(exact[order[:5]].mean())
        assert row["best_5"] == pytest.approx(np.sort(exact)[:5].mean())
        right = (exact[order[:5]] <= np.sort(exact)[4]).mean()
        assert row["precision_5"] == pytest.approx(right)
    drawn = [row for row in told["groups"] if "hits" in row]
    assert [len(row["hits"]) for row in drawn] == [5, 5]
    sheet = ET.fromstring((chemistry.folder / "out" / "fragments.svg").read_text())
    space = "{http://www.w3.org/2000/svg}"
    assert len([s for s in sheet.iter(f"{space}svg") if s.get("class") == "molecule"]) == 2 * 2 * 6
    words = [text.text or "" for text in sheet.iter(f"{space}text")]
    for hit in drawn[0]["hits"]:
        assert f"SED {hit['true']:g}, predicted {hit['predicted']:.1f}" in words
    page = (chemistry.folder / "out" / "fragments.md").read_text()
    assert "| Prune4SED-plus | – | – |" in page
    assert f"| NeuroSED | 4 | 80 | {told['precision_5']:.3f} |" in page


def test_no_dataset_no_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PRUNE4SED_MIRROR", str(tmp_path))
    found = reproduce(Fragments(), Setting(tmp_path / "out", tmp_path / "out", quick=True))
    assert len(found.missing) == 4
    assert "| NeuroSED | – | – |" in (tmp_path / "out" / "fragments.md").read_text()


def test_the_page_says_which_molecules_are_searched(tmp_path: Path) -> None:
    row = {"group": "benzene", "precision_5": 0.8}
    figures = dict.fromkeys(("precision_5", "precision_10", "true_5", "best_5"), 0.5)

    def page(quick: bool, *names: str) -> str:
        record = Record(tmp_path / f"{quick}{names}.json", "fragments", {"quick": quick})
        for name in names:
            cell = Cell({"method": "neurosed", "dataset": name}, {})
            record.store(cell, {**figures, "molecules": 200, "groups": [row]}, 0.0)
        return fragments_page(record)

    unseen = "molecules of the NCI collection that it was not trained on by"
    assert f"ranks the {unseen}" in page(False, "molecules")
    assert f"ranks {unseen}" in page(True, "molecules")
    assert "ranks molecules of the test set of AIDS by" in page(True, "aids")
    assert "NCI" not in page(True, "aids")
    both = page(True, "molecules", "aids")
    assert "| NeuroSED, AIDS | 1 | 200 |" in both
    assert "| precision at 5 | NeuroSED, molecules | NeuroSED, AIDS |\n" in both
    assert "| benzene | 0.8 | 0.8 |" in both
