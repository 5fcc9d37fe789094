"""``prune4sed data``: what its commands print and write, how they refuse, and a build that is killed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest

from prune4sed.cli import main
from prune4sed.cli.data_build import parse_pairs
from prune4sed.datasets import actual, load
from prune4sed.datasets.catalogue import ALL, DATASETS
from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.dataset_write import write
from prune4sed.errors import OptionError
from prune4sed.formats import write_graphs
from prune4sed.graphset import GraphSet
from random_graphs import random_graph

MOLECULES = [
    "CC(=O)Oc1ccccc1C(=O)O aspirin",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C caffeine",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)O ibuprofen",
    "not-a-molecule broken",
    "CN1CCC23C4C1CC5=C2C(=C(C=C5)O)OC3C(C=C4)O morphine",
    "NCCc1c[nH]c2ccc(O)cc12 serotonin",
    "NCCc1ccc(O)c(O)c1 dopamine",
    "OC1CCCCC1 cyclohexanol",
    "CCOC(=O)c1ccccc1 benzoate",
]
FRAGMENTS = ["c1ccccc1 benzene", "CC(=O)O acetate", "C1CCNCC1 piperidine"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def molecules(tmp_path: Path) -> str:
    pytest.importorskip("rdkit")
    path = tmp_path / "my drugs.smi"
    path.write_text("\n".join(MOLECULES) + "\n")
    return str(path)


@pytest.fixture
def built(molecules: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["data", "build", "drugs", "--from", molecules, "--pairs", "20"]) == 0
    capsys.readouterr()
    return "drugs"


def _digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


class TestList:
    def test_paper_and_ours_side_by_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["data", "list"]) == 0
        out = capsys.readouterr().out
        rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
        ours = json.loads(actual.SHIPPED.read_text())
        for name, entry in DATASETS.items():
            mine = ours[name]
            expected = [
                str(entry.paper.query_nodes),
                f"{mine['query_nodes']:.1f}",
                str(entry.paper.target_nodes),
                f"{mine['target_nodes']:.1f}",
                str(entry.paper.labels),
                str(mine["labels"]),
            ]
            found = next(line.split() for line in out.splitlines() if line.startswith(name))
            assert found[1:7] == expected
            assert found[-1] == "no"
        assert "co-author" in out  # what differs for DBLP
        assert "Your own" not in out
        assert rows["dataset"][:2] == ["|V_q|", "ours"]

    def test_nothing_is_cut_on_a_screen_of_80_columns(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from prune4sed.cli import data_list

        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr(data_list, "_state", lambda name: ["325,000", "325,000"])
        assert main(["data", "list"]) == 0
        out = capsys.readouterr().out
        assert "…" not in out
        assert out.count("325,000  325,000\n") == len(ALL)

    def test_own_datasets_are_listed(self, built: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["data", "list"]) == 0
        assert f"Your own: {built}" in capsys.readouterr().out

    def test_the_shipped_figures_are_near_the_papers(self) -> None:
        # The Amazon subset has no larger ego-nets.
        for name, ours in json.loads(actual.SHIPPED.read_text()).items():
            paper = DATASETS[name].paper
            assert ours["query_nodes"] == pytest.approx(paper.query_nodes, rel=0.1)
            if name != "amazon":
                assert ours["target_nodes"] == pytest.approx(paper.target_nodes, rel=0.1)


class TestBuildOwn:
    def test_queries_are_grown_in_the_molecules(
        self, molecules: str, capsys: pytest.CaptureFixture[str], home: Path
    ) -> None:
        assert main(["data", "build", "--from", molecules, "--pairs", "20"]) == 0
        out, err = capsys.readouterr()
        assert "my drugs.smi: 1 record left out" in err
        assert "not-a-molecule" in err
        assert "my_drugs: built in" in out
        dataset = load("my_drugs")
        assert dataset.folder == home / "datasets" / "my_drugs"
        assert [len(dataset[name].pairs) for name in ("train", "validation", "test")] == [20, 2, 2]
        assert set(dataset.train.targets.ids) <= {line.split()[1] for line in MOLECULES}

    def test_queries_are_given(self, molecules: str, tmp_path: Path) -> None:
        fragments = tmp_path / "fragments.smi"
        fragments.write_text("\n".join(FRAGMENTS) + "\n")
        out = str(tmp_path / "out")
        arguments = ["--from", molecules, "--queries", str(fragments), "--pairs", "6,1,1", "--out", out]
        assert main(["data", "build", *arguments]) == 0
        dataset = load(out)
        assert set(dataset.train.queries.ids) <= {"benzene", "acetate", "piperidine"}
        for row, (query, target) in enumerate(dataset.train.pairs.index.tolist()):
            q, t = dataset.train.queries[query], dataset.train.targets[target]
            if (q.id, t.id) == ("benzene", "aspirin"):
                assert dataset.train.pairs.upper[row] == 0


class TestVerifyAndInfo:
    def test_verify(self, built: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["data", "verify", built, "--sample", "10"]) == 0
        assert (
            capsys.readouterr().out
            == "drugs: 10 pairs checked, 10 of 10 certified ones proven again: no problem\n"
        )

    def test_verify_finds_wrong_labels(
        self, built: str, home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        dataset = load(built)
        queries, targets, pairs = dataset.train
        wrong = PairSet(queries, targets, replace(pairs, upper=pairs.upper + 1))
        write(Dataset("drugs", 0, {**dataset, "train": wrong}, dataset.info), home / "datasets" / "drugs")
        assert main(["data", "verify", built]) == 1
        out = capsys.readouterr().out
        assert "train, pair 0: the mapping costs" in out
        assert out.splitlines()[-1].endswith(" problems")

    def test_info(self, built: str, capsys: pytest.CaptureFixture[str], home: Path) -> None:
        assert main(["data", "info", built]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"drugs, seed 0, in {home / 'datasets' / 'drugs'}"
        assert lines[1].startswith("raw data: own graphs, 8 graphs, ")
        train = next(line.split() for line in lines if line.startswith("train"))
        one = load(built).train
        assert train[1] == "20"
        assert train[3] == f"{one.queries.num_nodes.mean():.1f}"
        assert train[5] == f"{one.pairs.upper.mean():.2f}"

    def test_plots(self, built: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("matplotlib")
        assert main(["data", "info", built, "--plots", str(tmp_path / "plots")]) == 0
        names = {path.name for path in (tmp_path / "plots").iterdir()}
        assert names == {"sed_histogram.png", "sizes.png", "certified.png", "matches.png"}
        assert f"wrote {tmp_path / 'plots' / 'matches.png'}" in capsys.readouterr().out


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (["build"], "name a dataset (see prune4sed data list), or give graphs of your own with --from"),
            (["build", "citeceer"], "there is no dataset 'citeceer' (did you mean citeseer?); there are: "),
            (["build", "citeseer", "--pairs", "0"], "--pairs must be 1 or more; got '0'"),
            (["build", "citeseer", "--pairs", "99999999999"], "--pairs must be at most 50,000,000"),
            (["build", "citeseer", "--pairs", "5,5"], "--pairs must be N or N,N,N"),
            (["build", "citeseer", "--pairs", "many"], "--pairs must be N or N,N,N"),
            (["build", "citeseer", "--pairs", "1__0"], "--pairs must be N or N,N,N"),
            (["build", "citeseer", "--pairs", "9" * 5000], "--pairs must be N or N,N,N"),
            (["build", "citeseer", "--pairs", "100,000"], "--pairs must be N or N,N,N"),
            (["build", "aids", "--from", "{tmp}/no.smi"], "aids is one of the paper's datasets"),
            (
                ["build", "citeseer", "--mirror", "{tmp}"],
                "has no raw data of CiteSeer; expected",
            ),
            (["build", "citeseer", "--mirror", "{tmp}/no"], "is not a folder"),
            (["build", "citeseer", "--out", "{tmp}/file/d"], "file is not a folder"),
            (["build", "--from", "{tmp}/no.smi"], "no.smi: no such file"),
            (
                ["build", "--from", "{tmp}/no.smi", "--relabel"],
                "are for the paper's datasets, not for --from",
            ),
            (["verify", "nothing"], "there is no dataset 'nothing'"),
            (
                ["verify", "citeseer"],
                "citeseer is not built yet; build it with: prune4sed data build citeseer",
            ),
            (["info", "CiteSeer"], "citeseer is not built yet"),
            (["frobnicate"], "No such command 'frobnicate'"),
        ],
    )
    def test_one_clear_line(
        self,
        arguments: list[str],
        line: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.delenv("PRUNE4SED_MIRROR", raising=False)
        (tmp_path / "file").write_text("")
        assert main(["data", *(part.format(tmp=tmp_path) for part in arguments)]) == 2
        out, err = capsys.readouterr()
        assert line in err
        assert err.count("\n") == 1
        assert out == ""

    def test_pairs(self) -> None:
        assert parse_pairs("500") == (500, 50, 50)
        assert parse_pairs("7") == (7, 1, 1)
        assert parse_pairs("100_000, 10,20") == (100_000, 10, 20)
        with pytest.raises(OptionError):
            parse_pairs("1,0,1")


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_a_build_that_is_killed_goes_on_where_it_was(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(3)
    graphs = tmp_path / "hard.jsonl"
    write_graphs(GraphSet(random_graph(rng, 20, 0.25, 3) for _ in range(80)), graphs)
    command = ["data", "build", "hard", "--from", str(graphs), "--pairs", "200", "--node-limit", "30"]
    child = subprocess.Popen(
        [sys.executable, "-m", "prune4sed", *command, "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for_rows(home / "journals", child)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert not (home / "datasets" / "hard").exists()
    assert main(command) == 2
    assert "go on with --resume, or delete it" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert main([*command, "--out", str(tmp_path / "whole")]) == 0
    assert _digests(home / "datasets" / "hard") == _digests(tmp_path / "whole")
    assert not list((home / "journals").iterdir())


def _wait_for_rows(journals: Path, child: subprocess.Popen[bytes]) -> None:
    """Until the journal of the running build holds some rows."""
    end = monotonic() + 60
    while monotonic() < end and child.poll() is None:
        if any(file.suffix == ".journal" and file.stat().st_size > 2000 for file in journals.glob("*")):
            return
        sleep(0.005)
    pytest.fail(f"no rows to kill: exit code {child.returncode}")


@pytest.mark.skipif(not os.environ.get("PRUNE4SED_MIRROR"), reason="needs the raw data")
def test_citeseer_from_the_mirror(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--pairs", "50", "--node-limit", "300", "--no-extras"]
    assert main(["data", "build", "CiteSeer", *arguments]) == 0
    assert "citeseer: built in" in capsys.readouterr().out
    assert main(["data", "verify", "citeseer", "--sample", "30"]) == 0
    assert "30 pairs checked" in capsys.readouterr().out
    assert main(["data", "list"]) == 0
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("citeseer"))
    assert row[-1] == "60"
