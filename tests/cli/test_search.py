"""prune4sed search and prune4sed index, as a user meets them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rdkit")

import prune4sed as ps
from prune4sed.cli import main

MOLECULES = {
    "ethanol": "CCO",
    "aniline": "Nc1ccccc1",
    "phenol": "Oc1ccccc1",
    "salt": "[Na+].[Cl-]",
    "toluene": "Cc1ccccc1",
}


@pytest.fixture
def library(tmp_path: Path) -> str:
    path = tmp_path / "library.smi"
    path.write_text("".join(f"{text} {name}\n" for name, text in MOLECULES.items()) + "C1CC broken\n")
    return str(path)


@pytest.fixture
def queries(tmp_path: Path) -> str:
    """A name and two without; nothing contains the last one."""
    path = tmp_path / "queries.smi"
    path.write_text("CO methanol\nCc1ccccc1\nCC[Xe]\n")
    return str(path)


@pytest.fixture
def index(library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["index", "build", library, str(tmp_path / "index")]) == 0
    capsys.readouterr()
    return str(tmp_path / "index")


def jsonl(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


class TestSearch:
    def test_a_table(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["search", "Nc1ccccc1", library, "-k", "3"]) == 0
        out, err = capsys.readouterr()
        lines = out.splitlines()
        assert lines[1].split() == ["0", "proven", "aniline", "none:", "it", "contains", "it"]
        assert "1  proven  phenol" in lines[2]
        assert "relabel atom 0 from N to O" in lines[2]
        assert lines[-1].startswith("3 of 5 graphs, proven, ")
        assert "1 record left out" in err

    def test_the_same_from_an_index(
        self, library: str, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answers = []
        for where in (library, index):
            assert main(["search", "Nc1ccccc1", where, "-k", "3", "--format", "jsonl"]) == 0
            answers.append(jsonl(capsys.readouterr().out))
        for answer in answers[0] + answers[1]:
            answer.pop("predicted", None)  # an index may have a model
        assert answers[0] == answers[1]
        first = answers[0][0]
        assert (first["id"], first["rank"], first["lower"], first["certified"]) == ("aniline", 1, 0.0, True)
        assert sorted(first["mapping"]) == list(range(7))

    def test_a_ranking_is_told_from_a_proof(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        words = ["search", "Nc1ccccc1", index, "-k", "2", "--no-certify", "--model", "none"]
        assert main(words) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("2 of 5 graphs, not proven, ")
        assert last.endswith("; the bounds are proven, the ranking is not; it is without --no-certify")

    def test_rare_elements_are_atoms(self, library: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["search", "CC[Xe]", library, "-k", "1"]) == 0
        assert "relabel atom 2 from Xe to O" in capsys.readouterr().out

    def test_a_table_does_not_spell_out_hundreds_of_edits(
        self, library: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["search", "C" * 60, library, "-k", "1", "--time-limit", "0"]
        assert main(words) == 0
        assert len(capsys.readouterr().out) < 1500
        assert main([*words, "--format", "jsonl"]) == 0
        (hit,) = jsonl(capsys.readouterr().out)
        assert len(hit["edits"].split(", ")) == hit["upper"] > 100

    def test_an_index_that_is_not_finished(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        (Path(index) / "meta.json").rename(Path(index) / "building.json")
        for words in (["search", "C", index], ["index", "info", index]):
            assert main(words) == 2
            assert "this index is not finished; the same `prune4sed index build`" in capsys.readouterr().err

    def test_tsv_within_a_radius(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["search", "Nc1ccccc1", index, "--radius", "1", "--format", "tsv"]) == 0
        out, err = capsys.readouterr()
        rows = [line.split("\t") for line in out.splitlines()]
        assert rows[0][:7] == ["query", "rank", "id", "position", "lower", "upper", "certified"]
        assert [row[2] for row in rows[1:]] == ["aniline", "phenol", "toluene"]
        assert "3 of 5 graphs within 1, proven" in err

    def test_several_queries(self, index: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "queries.smi").write_text("CO methanol\nCN methylamine\n")
        assert main(["search", str(tmp_path / "queries.smi"), index, "-k", "1", "--format", "tsv"]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        assert [row[0] for row in rows] == ["query", "methanol", "methylamine"]

    def test_every_table_names_its_query(
        self, queries: str, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["search", queries, index, "-k", "1"]) == 0
        first, second, third = capsys.readouterr().out.split("\n\n")
        for name, text in (("methanol", first), ("query 1", second), ("query 2", third)):
            lines = text.splitlines()
            assert lines[0] == name
            assert lines[-1].startswith(f"{name}: 1 of 5 graphs, proven, ")

    def test_a_single_query_needs_no_name(
        self, tmp_path: Path, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "q.smi").write_text("CO\n")
        assert main(["search", str(tmp_path / "q.smi"), index, "-k", "1"]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("1 of 5 graphs, ")

    def test_programs_are_told_positions_of_queries(
        self, queries: str, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = [("methanol", 0), ("1", 1), ("2", 2)]
        assert main(["search", queries, index, "-k", "1", "--format", "tsv"]) == 0
        head, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
        assert (head[0], head[-1]) == ("query", "query_position")
        assert [(row[0], int(row[-1])) for row in rows] == found
        assert main(["search", queries, index, "-k", "1", "--format", "jsonl"]) == 0
        assert [(hit["query"], hit["query_position"]) for hit in jsonl(capsys.readouterr().out)] == found

    def test_a_query_without_hits_is_told(
        self, queries: str, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["search", queries, index, "--radius", "0"]
        assert main([*words, "--format", "tsv"]) == 0
        out, err = capsys.readouterr()
        assert [line.split("\t")[0] for line in out.splitlines()] == ["query", "methanol", "methanol", "1"]
        assert [line.partition(" within 0, proven")[0] for line in err.splitlines()] == [
            "methanol: 2 of 5 graphs",
            "query 1: 1 of 5 graphs",
            "query 2: 0 of 5 graphs",
        ]
        assert main(words) == 0
        last = capsys.readouterr().out.split("\n\n")[-1].splitlines()
        assert [line.partition(" within")[0] for line in last] == ["query 2", "query 2: 0 of 5 graphs"]

    def test_bonds(self, library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["search", "C1CCCCC1", library, "-k", "1", "--format", "jsonl"]) == 0
        assert jsonl(capsys.readouterr().out)[0]["upper"] == 0
        assert main(["index", "build", library, str(tmp_path / "bonds"), "--edge-labels"]) == 0
        capsys.readouterr()
        for where in ([library, "--edge-labels"], [str(tmp_path / "bonds")]):
            assert main(["search", "C1CCCCC1", *where, "-k", "1", "--format", "jsonl"]) == 0
            hit = jsonl(capsys.readouterr().out)[0]
            assert hit["id"] == "toluene"  # whose one single bond is kept
            assert hit["upper"] == 5
            assert hit["edits"].count("from single to aromatic") + hit["edits"].count("delete bond") == 5

    def test_without_proof(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["search", "Nc1ccccc1", index, "--no-certify", "-k", "2", "--format", "jsonl"]) == 0
        out, err = capsys.readouterr()
        assert jsonl(out)[0]["id"] == "aniline"
        assert "not proven" in err

    def test_a_report_of_all_queries(
        self, index: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "q.smi").write_text("CCO alcohol\nCc1ccccc1 methylbenzene\n")
        words = ["search", str(tmp_path / "q.smi"), index, "-k", "2", "--report", str(tmp_path / "out.html")]
        assert main(words) == 0
        assert capsys.readouterr().err == f"report: {tmp_path / 'out.html'}\n"
        page = (tmp_path / "out.html").read_text()
        assert page.count('<li class="card') == 4
        assert all(name in page for name in ("alcohol", "methylbenzene", "ethanol", "toluene"))

    def test_columns_of_a_library(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("code,drug\nA7,CCO\n")
        words = ["search", "CCO", str(tmp_path / "t.csv"), "--format", "jsonl"]
        assert main(words) == 2
        assert "--column" in capsys.readouterr().err
        assert main([*words, "--column", "drug", "--id-column", "code"]) == 0
        assert jsonl(capsys.readouterr().out)[0]["id"] == "A7"

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["CCO", "nowhere.smi"], "LIBRARY nowhere.smi: there is no such file or folder"),
            (["C1CC", "LIBRARY"], "neither a file that exists nor a molecule"),
            (["CCO", "LIBRARY", "-k", "0"], "k must be a whole number, 1 or more; got 0"),
            (["CCO", "LIBRARY", "-k", "2", "--radius", "1"], "--radius asks for all hits"),
            (["CCO", "LIBRARY", "--radius", "-1"], "radius must be a number"),
            (["CCO", "LIBRARY", "--time-limit", "-1"], "time_limit must be a number of seconds"),
            (["CCO", "LIBRARY", "--model", "molecules9"], "there is no model 'molecules9'"),
            (["CCO", "INDEX", "--model", "molecules"], "--model goes with a library file"),
            (["CCO", "INDEX", "--edge-labels"], "was built without edge labels"),
            (["CCO", "LIBRARY", "--report", "no/such/folder.html"], "the folder no/such does not exist"),
            (["-", "-"], "cannot both be -"),
        ],
    )
    def test_one_clear_line(
        self, words: list[str], line: str, library: str, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        paths = {"LIBRARY": library, "INDEX": index}
        assert main(["search", *(paths.get(word, word) for word in words)]) == 2
        err = [text for text in capsys.readouterr().err.splitlines() if text.startswith("prune4sed: error")]
        assert len(err) == 1
        assert line in err[0]

    @pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
    def test_ctrl_c(self, tmp_path: Path) -> None:
        sys.path.insert(0, str(Path(__file__).parents[1]))
        from random_graphs import hard_pair

        q, t = hard_pair()
        ps.GraphSet([q]).save(tmp_path / "q.arrow")
        ps.GraphSet([t] * 50).save(tmp_path / "t.arrow")
        code = "import sys; from prune4sed.cli import main; print('go', flush=True); sys.exit(main())"
        command = ["search", str(tmp_path / "q.arrow"), str(tmp_path / "t.arrow"), "--time-limit", "60"]
        child = subprocess.Popen(
            [sys.executable, "-c", code, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(2)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
        assert (child.returncode, err) == (130, "prune4sed: stopped\n")


class TestIndex:
    def test_build_tells_what_it_did(
        self, library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["index", "build", library, str(tmp_path / "out")]) == 0
        out, err = capsys.readouterr()
        assert out.startswith(f"{tmp_path / 'out'}: 5 graphs, ")
        assert "1 left out, 1 in several parts" in out
        assert "library.smi:6: cannot parse SMILES 'C1CC'" in err
        assert "takes the place" not in err

    def test_build_tells_what_it_replaces(
        self, library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        other, out = tmp_path / "other.smi", str(tmp_path / "out")
        other.write_text("CCO\n")
        for source in (library, library, other):
            capsys.readouterr()
            assert main(["index", "build", str(source), out]) == 0
            said = f"it takes the place of an index of {library}\n"
            assert (said in capsys.readouterr().err) == (source is other)

    def test_info(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["index", "info", index, "--verify", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["graphs"], told["edge_labels"], told["verified"], told["version"]) == (5, False, True, 1)
        assert main(["index", "info", index]) == 0
        assert "graphs          5" in capsys.readouterr().out

    def test_info_of_a_damaged_one(self, index: str, capsys: pytest.CaptureFixture[str]) -> None:
        path = next(Path(index).glob("*.graphs.arrow"))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)
        assert main(["index", "info", index, "--verify"]) == 2
        assert f"{path.name} is damaged" in capsys.readouterr().err

    def test_columns(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("code,drug\nA7,CCO\n")
        words = ["index", "build", str(tmp_path / "t.csv"), str(tmp_path / "out")]
        assert main(words) == 2
        assert main([*words, "--column", "drug", "--id-column", "code"]) == 0
        assert ps.Index.open(tmp_path / "out").library.id(0) == "A7"


def test_a_bad_query_is_told_before_the_library_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "some.smi"
    library.write_text("CCO\nC1CC\n")
    assert main(["search", "O=C1NC(=O", str(library)]) == 2
    told = capsys.readouterr().err
    assert "neither a file that exists nor a molecule" in told
    assert "left out" not in told  # which is what a look at the library would have said
    assert main(["search", "CCO", str(library)]) == 0
    assert "left out" in capsys.readouterr().err
