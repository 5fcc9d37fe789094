"""``prune4sed sed``: what it prints, and how it refuses."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from prune4sed.cli import main

LIBRARY = "CCO ethanol\nc1ccccc1 benzene\n[Na+].[Cl-] salt\n"


@pytest.fixture
def library(tmp_path: Path) -> str:
    path = tmp_path / "library.smi"
    path.write_text(LIBRARY)
    return str(path)


@pytest.mark.usefixtures("stand_in")
class TestAnswers:
    def test_one_pair_in_words(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "CCO", "CCN"]) == 0
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert lines[0] == ["query", "CCO:", "3", "nodes,", "2", "edges"]
        assert lines[2][:4] == ["SED", "=", "1,", "certified"]
        assert ["relabel", "node", "2", "from", "O", "to", "N"] in lines
        assert ["2", "O", "2", "N", "relabelled"] in lines

    def test_one_pair_as_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "C=O", "CO", "--edge-labels", "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert (record["query"], record["target"]) == ("C=O", "CO")
        assert (record["lower"], record["upper"], record["certified"]) == (1.0, 1.0, True)
        assert record["mapping"] == [0, 1]
        assert [edit["text"] for edit in record["edits"]] == ["relabel edge 0-1 from double to single"]
        assert {"nodes", "seconds"} <= record.keys()

    def test_a_file_of_targets_as_json_lines(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "CO", library, "--json"]) == 0
        records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [(r["target"], r["upper"]) for r in records] == [("ethanol", 0), ("benzene", 1), ("salt", 3)]

    def test_graphs_without_names_go_by_their_positions(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "q.smi").write_text("CO\n")
        (tmp_path / "t.smi").write_text("CCO ethanol\nCCN\n")
        words = ["sed", str(tmp_path / "q.smi"), str(tmp_path / "t.smi")]
        assert main([*words, "--json"]) == 0
        records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [(r["query"], r["target"], r["target_position"]) for r in records] == [
            ("0", "ethanol", 0),
            ("0", "1", 1),
        ]
        assert main(words) == 0
        assert "\n1        1    certified" in capsys.readouterr().out

    def test_a_file_of_targets_as_a_table(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "CO", library]) == 0
        out = capsys.readouterr().out
        assert "benzene  1    certified  relabel node 1 from O to C" in out
        assert "3 targets, 3 certified" in out

    @pytest.mark.parametrize(("query", "what"), [("*CO", "* is an atom"), ("C~O", "~ is a bond")])
    def test_what_may_be_meant_as_a_wildcard_is_told(
        self, query: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["sed", query, "CCO"]) == 0
        assert capsys.readouterr().err == f"{query}: {what} like others here, and no wildcard\n"
        assert main(["sed", "CCO", query]) == 0
        assert capsys.readouterr().err == ""
        path = tmp_path / "query.smi"
        path.write_text("*CO\n")
        assert main(["sed", str(path), "CCO"]) == 0
        assert "* is an atom like others here" in capsys.readouterr().err
        path = tmp_path / "query.jsonl"
        path.write_text('{"labels": ["*", "+"], "edges": [[0, 1]]}\n')
        assert main(["sed", str(path), "CCO"]) == 0
        assert capsys.readouterr().err == ""  # these nodes are no atoms

    def test_nodes_without_a_label_are_told(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        networkx = pytest.importorskip("networkx")
        club = networkx.path_graph(3)
        networkx.set_node_attributes(club, "Mr. Hi", "club")
        path = tmp_path / "club.graphml"
        networkx.write_graphml(club, path)
        assert main(["sed", str(path), str(path)]) == 0
        told = capsys.readouterr().err.splitlines()
        said = "nodes have no attribute 'label', so all are alike; there are: club"
        assert set(told) == {f"prune4sed: {path}: {said}"}

    def test_costs_are_passed_on(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "CCO", "CCN", "--node-relabel", "0.25", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["upper"] == 0.25

    def test_standard_input(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIBRARY.encode())))
        assert main(["sed", "CO", "-", "--json"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 3

    def test_no_time_gives_bounds(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "C1CCC1O", "CCCCNO", "--time-limit", "0"]) == 0
        assert "not certified" in capsys.readouterr().out

    def test_brackets_are_not_markup(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sed", "[Na+]", "[Cl-]"]) == 0
        assert "[Na+]" in capsys.readouterr().out

    def test_ctrl_c_is_quiet(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def interrupted(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(sys.modules["prune4sed.exact.engine"], "sed", interrupted)
        assert main(["sed", "C", "C"]) == 130
        assert capsys.readouterr().err == "prune4sed: stopped\n"


@pytest.mark.usefixtures("stand_in")
class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["sed", "CCO"], "Missing argument 'TARGET'"),
            (["sed", "CCO", "no-such-file.smi"], "neither a file that exists nor a molecule"),
            (["sed", "C(", "C"], "QUERY 'C('"),
            (["sed", "", "C"], "QUERY ''"),
            (["sed", "-", "-"], "cannot both be -"),
            (["sed", "C", "C", "--node-relabel", "nan"], "node_relabel"),
            (["sed", "C", "C", "--edge-deletion", "-1"], "edge_deletion"),
            (["sed", "C", "C", "--time-limit", "soon"], "--time-limit"),
            (["sed", "C", "C", "--colour"], "--colour"),
            (["frobnicate"], "frobnicate"),
        ],
    )
    def test_one_line_and_exit_code_2(
        self, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert_refused(arguments, words, capsys)

    def test_a_query_file_of_several(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert_refused(["sed", library, "C"], "holds 3 graphs (ethanol, benzene, salt)", capsys)

    def test_a_query_file_of_several_without_names(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "q.smi").write_text("C\nN nitrogen\nO\nF\n")
        assert_refused(["sed", str(tmp_path / "q.smi"), "C"], "holds 4 graphs (0, nitrogen, 2, ...)", capsys)

    def test_a_bad_line_is_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "bad.smi"
        path.write_text("CCO fine\nC1CC broken\n")
        assert_refused(["sed", "C", str(path)], "bad.smi:2", capsys)

    def test_an_unknown_format(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert_refused(["sed", "C", library, "--format", "docx"], "docx", capsys)
        assert_refused(["sed", "C", "CC", "--format", "docx"], "docx", capsys)  # where it is not needed, too

    def test_an_unreadable_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "binary.smi"
        path.write_bytes(b"\xff\xfe\x00C")
        assert_refused(["sed", "C", str(path)], "binary.smi", capsys)


def assert_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error, exit code 2, nothing on standard output."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("prune4sed: error: ")
    assert err.count("\n") == 1
    assert words in err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    from prune4sed import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"prune4sed {__version__}\n"
    for arguments in ([], ["--help"], ["sed", "-h"]):
        assert main(arguments) == 0
        assert "Usage: prune4sed" in capsys.readouterr().out


def test_end_to_end_with_the_real_engine() -> None:
    pytest.importorskip("rdkit")
    command = [
        sys.executable,
        "-m",
        "prune4sed",
        "sed",
        "CC(=O)Oc1ccccc1C(=O)O",
        "OC(=O)c1ccccc1NC(C)=O",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["certified"]
    assert record["upper"] == 1
    assert [edit["text"] for edit in record["edits"]] == ["relabel node 3 from O to N"]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--time-limit", "-1", "time_limit"),
        ("--time-limit", "nan", "time_limit"),
        ("--node-limit", "-5", "node_limit"),
    ],
)
def test_the_real_engine_refuses_bad_limits(
    option: str, value: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rdkit")
    assert_refused(["sed", "CCO", "CCN", option, value], words, capsys)


def test_a_missing_package_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "rdkit"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rdkit", None)
    for arguments in (["sed", "CCO", "CCN"], ["demo"]):
        monkeypatch.setitem(sys.modules, "prune4sed.exact.engine", ModuleType("engine"))
        assert_refused(arguments, "pip install 'prune4sed[chem]'", capsys)
