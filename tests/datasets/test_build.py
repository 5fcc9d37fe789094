"""Building and loading datasets: sets, bytes, shipped labels, and going on after an interruption."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from made import made_graphs, made_network

import prune4sed as ps
from prune4sed.datasets import building, label_run, loading, shipped
from prune4sed.datasets.label_codec import encode
from prune4sed.datasets.labelling import Labels, label_set
from prune4sed.datasets.limits import LIMITS, OWN, NodeLimits, node_limit
from prune4sed.datasets.sampling import sample
from prune4sed.errors import FormatError, OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

PAIRS = (20, 4, 4)
SIZES = [
    f"{size}_{part}" for size in ("small", "medium", "large") for part in ("train", "validation", "test")
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small network in the place of the raw data, and little work per pair."""
    monkeypatch.setitem(LIMITS, "pubmed", NodeLimits(60, 80, 20))
    monkeypatch.setattr(building, "raw_file", lambda name, mirror: Path(f"/raw/{name}.npz"))
    monkeypatch.setattr(building, "read_raw", lambda name, path: made_network())


def _digests(folder: Path | None) -> dict[str, str]:
    assert folder is not None
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


class Stop:
    """Progress that interrupts the run once so many pairs of a set are done."""

    def __init__(self, name: str, after: int) -> None:
        self.name, self.after = name, after

    def __call__(self, name: str, done: int, total: int) -> None:
        if name == self.name and done >= self.after:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("made")
class TestBuild:
    def test_the_sets_and_what_is_known_of_them(self, home: Path) -> None:
        dataset = ps.datasets.build("PubMed", PAIRS, seed=3)
        assert list(dataset) == ["train", "validation", "test", "strict_test", "large_queries"]
        assert [len(one.pairs) for one in dataset.values()][:4] == [20, 4, 4, 4]
        assert (dataset.name, dataset.seed, dataset.folder) == ("pubmed", 3, home / "datasets" / "pubmed")
        counts = {"nodes": 400, "edges": 1385, "labels": 9, "graphs": 1}
        assert dataset.info["source"] == {"file": "pubmed.npz", **counts}
        assert dataset.info["sets"]["train"]["node_limit"] == LIMITS["pubmed"].training
        assert dataset.info["sets"]["test"]["node_limit"] == LIMITS["pubmed"].evaluation
        assert dataset.info["protocol"]["standard"]["hops"]
        assert not list((home / "journals").iterdir())

    def test_the_labels_are_those_of_the_pairs(self) -> None:
        one = ps.datasets.build("pubmed", PAIRS, extras=False).train
        for row in range(0, 20, 5):
            q, t = one.queries[row], one.targets[int(one.pairs.target[row])]
            exact = ps.sed(q, t, time_limit=None)
            assert one.pairs.lower[row] <= exact.upper <= one.pairs.upper[row]
            mapping = [v if v >= 0 else None for v in one.pairs.mapping[row, : len(q)].tolist()]
            assert ps.EditCosts().map_cost(q, t, mapping) == one.pairs.upper[row]

    def test_without_extras(self) -> None:
        assert list(ps.datasets.build("cora_ml", PAIRS, extras=False)) == ["train", "validation", "test"]

    def test_the_same_seed_gives_the_same_bytes(self, tmp_path: Path) -> None:
        built = [
            ps.datasets.build("pubmed", PAIRS, seed=seed, threads=threads, out=tmp_path / f"{seed}-{threads}")
            for seed, threads in ((0, 1), (0, 2), (1, 1))
        ]
        one, same, other = (_digests(dataset.folder) for dataset in built)
        assert one == same
        assert one != other

    def test_load_reads_what_was_built(self) -> None:
        built = ps.datasets.build("pubmed", PAIRS)
        for name in ("pubmed", "PubMed", str(built.folder), built.folder):
            assert name is not None
            loaded = ps.datasets.load(name)
            assert np.array_equal(loaded.test.pairs.mapping, built.test.pairs.mapping)

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ({"pairs": (0, 1, 1)}, "each of the pairs must be a whole number, 1 or more; got 0"),
            ({"pairs": 5}, "pairs must be three numbers"),
            ({"seed": -1}, "seed must be a whole number, 0 or more"),
            ({"node_limit": -1}, "node_limit must be a whole number, 0 or more, or None; got -1"),
            ({"fragments": GraphSet()}, "fragments are for aids and molecules; the queries of pubmed are"),
            ({"threads": 0}, "threads must be a whole number"),
        ],
    )
    def test_arguments_that_will_not_do(self, arguments: dict[str, object], line: str, home: Path) -> None:
        with pytest.raises(OptionError, match=line):
            ps.datasets.build("pubmed", **{"pairs": PAIRS, **arguments})  # type: ignore[arg-type]
        assert not (home / "datasets" / "pubmed").exists()

    def test_an_unknown_name(self) -> None:
        with pytest.raises(OptionError, match=r"'citeceer' \(did you mean citeseer\?\); there are: aids, "):
            ps.datasets.build("citeceer", PAIRS)

    def test_a_folder_that_cannot_be_written_is_found_out_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("mine")
        monkeypatch.setattr(building, "sample", lambda *_, **__: pytest.fail("too late"))
        for out in (tmp_path / "file", tmp_path / "file" / "below", tmp_path):
            with pytest.raises(FormatError, match="cannot write"):
                ps.datasets.build("pubmed", PAIRS, out=out)
        assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.usefixtures("made")
class TestInterruption:
    @pytest.mark.parametrize(("name", "after"), [("train", 1), ("validation", 1), ("strict_test", 4)])
    def test_resume_goes_on_and_ends_in_the_same_bytes(
        self, tmp_path: Path, home: Path, name: str, after: int
    ) -> None:
        whole = ps.datasets.build("pubmed", PAIRS, out=tmp_path / "whole")
        with pytest.raises(KeyboardInterrupt):
            ps.datasets.build("pubmed", PAIRS, threads=1, progress=Stop(name, after))
        with pytest.raises(OptionError, match="not finished; go on with --resume"):
            ps.datasets.build("pubmed", PAIRS)
        seen: dict[str, int] = {}
        again = ps.datasets.build(
            "pubmed", PAIRS, resume=True, progress=lambda set_, done, total: seen.setdefault(set_, done)
        )
        assert seen[name] >= after  # at the first sight of it
        if name != "train":
            assert seen["train"] == 20  # kept from the run before, though no dataset was written
        assert _digests(again.folder) == _digests(whole.folder)
        assert not list((home / "journals").iterdir())

    def test_the_old_dataset_stays(self) -> None:
        before = _digests(ps.datasets.build("pubmed", PAIRS).folder)
        with pytest.raises(KeyboardInterrupt):
            ps.datasets.build("pubmed", PAIRS, seed=1, progress=Stop("test", 1))
        assert _digests(ps.datasets.load("pubmed").folder) == before


@pytest.fixture
def doctored(made: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shipped labels of train and test at seed 0 that nobody would compute: every lower bound is 0."""
    sets = sample("pubmed", made_network(), PAIRS, seed=0)
    wrong = {}
    for name in ("train", "test"):
        true = label_set(sets[name], 50)
        wrong[name] = Labels(np.zeros_like(true.lower), true.upper, true.mapping)
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    data = encode(sets, wrong, {"train": 50, "test": 60})
    (tmp_path / "pubmed.labels").write_bytes(data)


@pytest.mark.usefixtures("doctored")
class TestShippedLabels:
    def test_they_are_used_where_they_fit(self) -> None:
        seen = set()
        dataset = ps.datasets.build("pubmed", PAIRS, progress=lambda name, done, total: seen.add(name))
        assert seen == {"validation", "strict_test", "large_queries"}
        assert not dataset.train.pairs.lower.any()
        assert not dataset.test.pairs.lower.any()
        assert dataset.validation.pairs.lower.any()
        limits = {name: known["node_limit"] for name, known in dataset.info["sets"].items()}
        assert (limits["train"], limits["test"], limits["validation"]) == (
            50,
            60,
            LIMITS["pubmed"].training,
        )

    def test_they_give_way_to_relabel_and_to_other_seeds_sizes_and_limits(self) -> None:
        for arguments in ({"relabel": True}, {"seed": 1}, {"pairs": (21, 4, 4)}, {"node_limit": 70}):
            dataset = ps.datasets.build("pubmed", **{"pairs": PAIRS, "extras": False, **arguments})  # type: ignore[arg-type]
            assert dataset.train.pairs.lower.any(), arguments

    def test_a_limit_that_is_theirs_keeps_them(self) -> None:
        dataset = ps.datasets.build("pubmed", PAIRS, node_limit=50)
        assert not dataset.train.pairs.lower.any()
        assert dataset.test.pairs.lower.any()


class TestOwn:
    def test_queries_are_grown(self, home: Path) -> None:
        dataset = ps.datasets.build_own(made_graphs(1, 60, (8, 12)), name="mine", pairs=PAIRS)
        assert list(dataset)[:3] == ["train", "validation", "test"]
        assert (len(dataset.train.pairs), len(dataset.test.pairs)) == (20, 4)
        assert dataset.info["source"]["graphs"] == 60
        assert dataset.info["sets"]["train"]["node_limit"] == OWN.training
        assert ps.datasets.load("mine").folder == home / "datasets" / "mine"

    def test_queries_are_given(self, tmp_path: Path) -> None:
        queries = GraphSet(
            [Graph([0, 1], [(0, 1)], id="edge"), Graph([0, 1, 2], [(0, 1), (1, 2)], id="path")]
        )
        dataset = ps.datasets.build_own(made_graphs(1, 60, (8, 12)), queries, pairs=PAIRS, out=tmp_path / "d")
        assert set(dataset.train.queries.ids) <= {"edge", "path"}
        assert dataset.info["source"]["queries"] == 2

    def test_edge_labels_are_left_out(self, tmp_path: Path) -> None:
        ring = [(i, (i + 1) % 8) for i in range(8)]
        graphs = [Graph(["C"] * 8, ring, ["single"] * k + ["double"] * (8 - k)) for k in range(5)]
        dataset = ps.datasets.build_own(graphs, graphs, pairs=(3, 1, 1), out=tmp_path / "d")
        assert dataset.train.queries.edge_vocabulary is None
        assert not dataset.train.pairs.upper.any()

    @pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden", "citeseer", "Cora-ML", "a b"])
    def test_names_that_will_not_do(self, name: str) -> None:
        with pytest.raises(OptionError, match=r"cannot name a dataset|paper's datasets"):
            ps.datasets.build_own(made_graphs(1, 9, (8, 12)), name=name, pairs=PAIRS)


class TestLoad:
    def test_it_builds_on_first_use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []
        monkeypatch.setattr(loading, "build", lambda *args, **options: calls.append((args, options)))
        ps.datasets.load("CiteSeer", mirror="somewhere")
        assert calls == [
            (("CiteSeer",), {"mirror": "somewhere", "threads": None, "resume": True, "progress": None})
        ]

    @pytest.mark.usefixtures("made")
    def test_a_folder_of_that_name_elsewhere_is_not_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ps.datasets.build("pubmed", PAIRS, out=tmp_path / "pubmed", extras=False)
        monkeypatch.chdir(tmp_path)
        assert loading.find("pubmed") is None
        assert loading.find("./pubmed") == Path("./pubmed")

    @pytest.mark.parametrize("name", ["nowhere", "no/where", "../datasets/nowhere", ""])
    def test_nothing_of_that_name(self, name: str) -> None:
        with pytest.raises(OptionError, match=r"there is no dataset .* and any folder"):
            ps.datasets.load(name)


def test_limits_cover_all_datasets() -> None:
    assert set(LIMITS) == {*ps.datasets.names(), "molecules"}
    assert node_limit("amazon", "large_train") == LIMITS["amazon"].training
    assert node_limit("amazon", "large_queries") == LIMITS["amazon"].large_queries
    assert node_limit("mine", "test") == OWN.evaluation


@pytest.mark.skipif(not os.environ.get("PRUNE4SED_MIRROR"), reason="needs the raw data")
@pytest.mark.parametrize("name", ["citeseer", "aids", "protein"])
def test_real_raw_data(name: str) -> None:
    dataset = ps.datasets.build(name, (40, 10, 10), seed=5, node_limit=500)
    assert len(dataset.train.pairs) == 40
    extra = [*SIZES, "large_queries"] if name == "citeseer" else []
    assert list(dataset) == ["train", "validation", "test", "strict_test", *extra]
    if name == "aids":
        assert "C" in dataset.train.queries.node_vocabulary
        assert dataset.info["source"]["fragments"] > 100


def test_label_runs_are_kept_apart_by_content(home: Path) -> None:
    sets = sample("pubmed", made_network(), PAIRS, extras=False)
    other = sample("pubmed", made_network(), PAIRS, seed=1, extras=False)
    journals = {
        label_run.LabelRun("pubmed", which, limit)._journal(name)
        for which in (sets, other)
        for limit in (10, 20)
        for name in which
    }
    assert len(journals) == 12


@pytest.mark.skipif(not os.environ.get("PRUNE4SED_MIRROR"), reason="needs the raw data")
def test_fragments_of_ones_own() -> None:
    rings = GraphSet(
        Graph(["C"] * n, [(i, (i + 1) % n) for i in range(n)], id=f"{n}-ring") for n in range(5, 9)
    )
    dataset = ps.datasets.build("aids", (40, 10, 10), fragments=rings, extras=False, node_limit=100)
    assert set(dataset.train.queries.ids) <= {"5-ring", "6-ring", "7-ring", "8-ring"}
    assert dataset.info["source"]["fragments"] == 4
