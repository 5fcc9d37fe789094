"""``prune4sed label``: what it writes, that nothing is lost when it dies, and how it refuses."""

from __future__ import annotations

import io
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from prune4sed import EditCosts, GraphSet, read_graphs, sed, write_graphs
from prune4sed.cli import main
from prune4sed.cli import progress as display
from prune4sed.datasets.journal import RECORD, row_type
from prune4sed.exact import engine
from random_graphs import random_graph


def made_file(path: Path, seed: int, count: int, nodes: tuple[int, int], labels: int = 2) -> str:
    rng = random.Random(seed)
    graphs = [random_graph(rng, rng.randint(*nodes), 0.35, labels, id=f"g{i}") for i in range(count)]
    write_graphs(GraphSet(graphs), path)
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Four queries, one of them larger than some targets, and five targets."""
    return [
        made_file(tmp_path / "queries.tve", 1, 4, (3, 6)),
        made_file(tmp_path / "targets.tve", 2, 5, (4, 8)),
    ]


def rows(path: Path) -> list[dict[str, Any]]:
    return pyarrow.parquet.read_table(path).to_pylist()


def test_more_pairs_than_memory_are_refused(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prune4sed.cli.label.MOST_PAIRS", 19)
    assert main(["label", *files, "--out", str(tmp_path / "all.parquet")]) == 2
    assert "4 queries and 5 targets make 20 pairs; say how many" in capsys.readouterr().err
    assert main(["label", *files, "--out", str(tmp_path / "some.parquet"), "--pairs", "20"]) == 0


def test_all_pairs(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pairs.parquet"
    assert main(["label", *files, "--out", str(out)]) == 0
    queries, targets = map(read_graphs, files)
    found = rows(out)
    assert [(r["query"], r["target"]) for r in found] == [(i, j) for i in range(4) for j in range(5)]
    for row in found:
        q, t = queries[row["query"]], targets[row["target"]]
        assert (row["query_id"], row["target_id"]) == (q.id, t.id)
        assert row["certified"]
        assert row["lower"] == row["upper"] == sed(q, t).upper
        images = [None if v < 0 else v for v in row["mapping"]]
        assert EditCosts().map_cost(q, t, images) == row["upper"]
    shown, err = capsys.readouterr()
    assert f"{out}: 20 pairs, 20 certified (100.0%)" in shown
    assert err == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.parquet", "queries.tve", "targets.tve"]


def test_the_types_of_the_columns(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "pairs.parquet"
    assert main(["label", *files, "--out", str(out)]) == 0
    schema = pyarrow.parquet.read_schema(out)
    assert {field.name: str(field.type) for field in schema} == {
        "query": "int64",
        "target": "int64",
        "query_id": "string",
        "target_id": "string",
        "lower": "double",
        "upper": "double",
        "certified": "bool",
        "mapping": "list<element: int32>",
    }


def test_random_pairs_are_distinct_and_fixed_by_the_seed(files: list[str], tmp_path: Path) -> None:
    def chosen(*options: str) -> list[tuple[int, int]]:
        assert main(["label", *files, "--out", str(tmp_path / "p.parquet"), *options]) == 0
        return [(r["query"], r["target"]) for r in rows(tmp_path / "p.parquet")]

    some = chosen("--pairs", "11", "--seed", "3")
    assert len(set(some)) == 11
    assert some == sorted(some) == chosen("--pairs", "11", "--seed", "3")
    assert some != chosen("--pairs", "11", "--seed", "4")
    assert chosen("--pairs", "20") == chosen()


def test_a_limit_leaves_bounds(tmp_path: Path) -> None:
    files = [made_file(tmp_path / f"{i}.tve", i, 4, (12, 12), labels=1) for i in (1, 2)]
    assert main(["label", *files, "--out", str(tmp_path / "p.parquet"), "--node-limit", "0"]) == 0
    found = rows(tmp_path / "p.parquet")
    assert not all(row["certified"] for row in found)
    assert all(row["lower"] <= row["upper"] for row in found)
    assert main(["label", *files, "--out", str(tmp_path / "p.parquet"), "--time-limit", "0"]) == 0
    assert not all(row["certified"] for row in rows(tmp_path / "p.parquet"))


def test_molecules_bond_labels_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rdkit")
    out = tmp_path / "p.parquet"
    for option, distance in (([], 0), (["--edge-labels"], 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"CO methanol\n")))
        assert main(["label", "C=O", "-", "--out", str(out), *option]) == 0
        (row,) = rows(out)
        assert (row["query_id"], row["target_id"], row["upper"]) == ("C=O", "methanol", distance)


def test_molecules_that_do_not_parse_are_listed_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rdkit")
    library, out = tmp_path / "library.smi", tmp_path / "p.parquet"
    library.write_text("CCO ethanol\nnot-a-molecule broken\nCO methanol\n")
    assert main(["label", "CO", str(library), "--out", str(out)]) == 0
    assert [(row["target"], row["target_id"]) for row in rows(out)] == [(0, "ethanol"), (1, "methanol")]
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"{library}: 1 record left out"
    assert f"{library}:2: cannot parse SMILES 'not-a-molecule'" in second


class TestCutOff:
    """A run of some seconds on one core, ended in the middle."""

    COUNT = 3000

    @pytest.fixture
    def command(self, tmp_path: Path) -> list[str]:
        files = [
            made_file(tmp_path / "queries.tve", 1, 60, (8, 10)),
            made_file(tmp_path / "targets.tve", 2, 50, (14, 18)),
        ]
        options = ["--node-limit", "200", "--threads", "1"]
        return [sys.executable, "-m", "prune4sed", "label", *files, *options]

    def start_until_some_rows(self, command: list[str], journal: Path) -> subprocess.Popen[str]:
        """A run that has put some rows into the journal, new ones if there were rows before."""
        enough = 4000 + (journal.stat().st_size if journal.exists() else 0)
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = monotonic() + 60
        while monotonic() < deadline and (not journal.exists() or journal.stat().st_size < enough):
            assert child.poll() is None, child.communicate()
            sleep(0.002)
        return child

    def recorded(self, journal: Path, width: int = 10) -> list[int]:
        """Pairs in the journal, read apart from the code that wrote it."""
        data = journal.read_bytes()
        start = data.index(b"}") + 1
        found: list[int] = []
        while start + RECORD.size <= len(data):
            length, _ = RECORD.unpack_from(data, start)
            start += RECORD.size
            if start + length <= len(data):
                found += np.frombuffer(data[start : start + length], row_type(width))["row"].tolist()
            start += length
        return found

    def test_kill_and_resume_gives_the_same_bytes(self, command: list[str], tmp_path: Path) -> None:
        whole, out = tmp_path / "whole.parquet", tmp_path / "pairs.parquet"
        journal = tmp_path / "pairs.parquet.journal"
        subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
        child = self.start_until_some_rows([*command, "--out", str(out)], journal)
        child.kill()
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert not out.exists()
        kept = self.recorded(journal)
        assert 0 < len(kept) < self.COUNT
        assert len(set(kept)) == len(kept)

        refused = subprocess.run([*command, "--out", str(out)], capture_output=True, text=True)
        assert refused.returncode == 2
        assert "--resume" in refused.stderr
        assert refused.stderr.count("\n") == 1

        child = self.start_until_some_rows([*command, "--out", str(out), "--resume"], journal)
        child.kill()  # again
        child.communicate()
        more = self.recorded(journal)
        assert more[: len(kept)] == kept  # kept as they were, and none twice
        assert len(kept) < len(set(more)) == len(more) < self.COUNT

        done = subprocess.run([*command, "--out", str(out), "--resume"], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert out.read_bytes() == whole.read_bytes()
        assert not journal.exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
    def test_ctrl_c_says_how_to_go_on(self, command: list[str], tmp_path: Path) -> None:
        journal = tmp_path / "pairs.parquet.journal"
        child = self.start_until_some_rows([*command, "--out", str(tmp_path / "pairs.parquet")], journal)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        assert (child.returncode, out) == (130, "")
        assert err.splitlines() == [
            f"what is done is kept in {journal}; the same command with --resume goes on",
            "prune4sed: stopped",
        ]
        assert 0 < len(self.recorded(journal)) < self.COUNT


def test_resume_takes_the_rows_of_the_journal(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first run found is not computed again, even where it failed only in writing the file."""
    from prune4sed.datasets import pairs_file
    from prune4sed.errors import FormatError

    out = tmp_path / "p.parquet"
    command = ["label", *files, "--out", str(out)]
    out.write_text("old")

    def full(*_: object) -> None:
        raise FormatError("cannot write p.parquet: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pairs_file, "write_pairs", full)
        assert main(command) == 2
    assert out.read_text() == "old"

    asked: list[int] = []
    solve = engine.sed_pairs

    def counted(queries: Any, targets: Any, index: Any, **rest: Any) -> Any:
        asked.append(len(index))
        return solve(queries, targets, index, **rest)

    monkeypatch.setattr(engine, "sed_pairs", counted)
    assert main([*command, "--resume"]) == 0
    assert sum(asked) == 0
    assert len(rows(out)) == 20


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Missing option '--out'"),
        (["--out", "no/such/folder/p.parquet"], "the folder no/such/folder does not exist"),
        (["--out", "."], "it is a folder"),
        (["--out", "p.parquet", "--pairs", "21"], "there are only 20"),
        (["--out", "p.parquet", "--pairs", "0"], "--pairs"),
        (["--out", "p.parquet", "--seed", "-1"], "--seed"),
        (["--out", "p.parquet", "--seed", str(2**70)], "--seed"),
        (["--out", "p.parquet", "--node-limit", "-1"], "node_limit"),
        (["--out", "p.parquet", "--time-limit", "nan"], "time_limit"),
        (["--out", "p.parquet", "--threads", "0"], "threads"),
        (["--out", "p.parquet", "--format", "docx"], "docx"),
        (["--out", "queries.tve"], "would overwrite an input"),
        (
            ["--out", "p.csv"],
            "cannot write p.csv: labels are written as Parquet; choose a name that ends in .parquet",
        ),
    ],
)
def test_refusals(
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["label", *files, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("prune4sed: error: ")
    assert err.count("\n") == 1
    assert words in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["queries.tve", "targets.tve"]


def test_both_from_standard_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "-", "-", "--out", str(tmp_path / "p.parquet")]) == 2
    assert "cannot both be -" in capsys.readouterr().err


class TestProgress:
    def test_the_rate_does_not_count_what_a_journal_held(self) -> None:
        now = [100.0]
        pace = display.Pace(lambda: now[0])
        assert pace.words(500, 1000) == ""
        now[0] = 102.0
        assert pace.words(540, 1000) == "20 pairs/s, 23 s left"
        now[0] = 300.0
        assert pace.words(600, 1000) == "0.5 pairs/s, 13 min 20 s left"
        assert pace.words(1000, 1000) == "2.5 pairs/s"

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0.2, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (7325, "2 h 2 min"),
            (90000, "1 d 1 h"),
            (86400, "1 d"),
        ],
    )
    def test_durations(self, seconds: float, words: str) -> None:
        assert display.duration(seconds) == words

    def test_plain_lines_are_rare(self) -> None:
        from rich.console import Console

        now, text = [0.0], io.StringIO()
        show = display._lines(Console(file=text), lambda: now[0])
        for second in range(0, 95, 5):
            now[0] = float(second)
            show("train", 10 * second, 1000)
        assert text.getvalue().splitlines() == [
            "train: 300 of 1,000 pairs (30.0%), 10 pairs/s, 1 min 10 s left",
            "train: 600 of 1,000 pairs (60.0%), 10 pairs/s, 40 s left",
            "train: 900 of 1,000 pairs (90.0%), 10 pairs/s, 10 s left",
        ]

    def test_a_bar_on_a_terminal(self) -> None:
        from rich.console import Console

        text = io.StringIO()
        screen = Console(file=text, force_terminal=True, width=120, color_system=None)
        with display.pair_progress(screen) as show:
            show("train", 40, 100)
            sleep(0.01)
            show("train", 70, 100)
            show("test", 1, 2)
        assert "train" in text.getvalue()
        assert "70/100" in text.getvalue()
        assert "pairs/s" in text.getvalue()
        assert "1/2" in text.getvalue()
