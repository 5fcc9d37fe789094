"""``prune4sed predict``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from prune4sed import Graph, GraphSet, read_graphs, sed_pairs, write_graphs
from prune4sed.cli import main
from random_graphs import random_graph

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three queries, one of them larger than some targets, and five targets."""
    rng = random.Random(0)
    made = []
    for name, count, nodes in (("queries", 3, (3, 7)), ("targets", 5, (4, 9))):
        graphs = [random_graph(rng, rng.randint(*nodes), 0.4, 3, id=f"{name[0]}{i}") for i in range(count)]
        write_graphs(GraphSet(graphs), tmp_path / f"{name}.tve")
        made.append(str(tmp_path / f"{name}.tve"))
    return made


@pytest.fixture
def checkpoint(tmp_path: Path, files: list[str]) -> str:
    return made_model(tmp_path / "m.safetensors", tuple(read_graphs(files[1]).node_vocabulary))


def made_model(path: Path, labels: tuple[str | int, ...], unknown: bool = False) -> str:
    from prune4sed.models.checkpoint import save_checkpoint
    from prune4sed.models.registry import create_model
    from prune4sed.nn.vocabulary import Vocabulary

    torch.manual_seed(0)
    save_checkpoint(create_model("prune4sed", Vocabulary(labels, unknown=unknown), width=16, heads=2), path)
    return str(path)


def records(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_query_with_every_target(
    files: list[str], checkpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import prune4sed as ps

    assert main(["predict", *files, "--model", checkpoint, "--format", "jsonl", "--batch-size", "4"]) == 0
    found = records(capsys)
    queries, targets = map(read_graphs, files)
    pairs = [(i, j) for i in range(3) for j in range(5)]
    expected = ps.load_model(checkpoint, device="cpu").predict(queries, targets, pairs)
    assert [(r["query"], r["target"]) for r in found] == pairs
    assert [(r["query_id"], r["target_id"]) for r in found] == [(f"q{i}", f"t{j}") for i, j in pairs]
    np.testing.assert_allclose([r["predicted"] for r in found], expected, atol=1e-4)


@pytest.mark.parametrize("model", ["exact", "branch"])
def test_bounds_hold(files: list[str], model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", *files, "--model", model, "--bounds", "--format", "tsv"]) == 0
    head, *lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert head == ["query", "target", "query_id", "target_id", "predicted", "lower", "upper"]
    queries, targets = map(read_graphs, files)
    pairs = [(int(line[0]), int(line[1])) for line in lines]
    true = sed_pairs(queries, targets, pairs, time_limit=None).upper
    predicted, lower, upper = np.array([line[4:] for line in lines], dtype=float).T
    assert ((lower <= true) & (true <= upper) & (lower <= predicted) & (predicted <= upper)).all()
    if model == "exact":
        assert np.array_equal(predicted, true)


def test_a_model_is_kept_within_bounds(
    files: list[str], checkpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", *files, "--model", checkpoint, "--bounds", "--format", "jsonl"]) == 0
    assert all(r["lower"] <= r["predicted"] <= r["upper"] for r in records(capsys))


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    assert main(["predict", "C[Na]", "CO", "--model", "exact", "--bounds"]) == 0
    head, row = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["query", "target", "predicted", "lower", "upper"]
    assert row == ["C[Na]", "CO", "1.00", "1", "1"]


def test_edge_labels_are_compared_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    for options, distance in (([], 0), (["--edge-labels"], 1)):
        assert main(["predict", "C=O", "CO", "--model", "exact", "--format", "jsonl", *options]) == 0
        assert records(capsys)[0]["predicted"] == distance


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"CCO a\nCCN b\n")))
    assert main(["predict", "CCO", "-", "--model", "exact", "--format", "jsonl"]) == 0
    assert [(r["target_id"], r["predicted"]) for r in records(capsys)] == [("a", 0), ("b", 1)]


@pytest.mark.parametrize("text", ["2\t4\n0\t1\n", "query,target\n2,4\n0,1\n", "2 4\n\n0 1"])
def test_listed_pairs(
    files: list[str], tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs").write_text(text)
    options = ["--pairs", str(tmp_path / "pairs"), "--format", "jsonl"]
    assert main(["predict", *files, "--model", "exact", *options]) == 0
    assert [(r["query"], r["target"]) for r in records(capsys)] == [(2, 4), (0, 1)]


def test_pairs_of_a_labelled_file(files: list[str], tmp_path: Path) -> None:
    labelled, out = tmp_path / "pairs.parquet", tmp_path / "out.jsonl"
    assert main(["label", *files, "--pairs", "6", "--out", str(labelled)]) == 0
    options = ["--pairs", str(labelled), "--out", str(out)]
    assert main(["predict", *files, "--model", "exact", *options]) == 0
    import pyarrow.parquet

    truth = pyarrow.parquet.read_table(labelled).to_pylist()
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["predicted"] for r in found] == [r["upper"] for r in truth]
    assert [r["target_id"] for r in found] == [r["target_id"] for r in truth]


def test_a_suffix_counts_in_capitals_too(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.JSONL"
    assert main(["predict", *files, "--model", "exact", "--out", str(out)]) == 0
    assert json.loads(out.read_text().splitlines()[0])["query"] == 0


def test_a_file_is_tab_separated_by_default(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.txt"
    assert main(["predict", *files, "--model", "exact", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert len(out.read_text().splitlines()) == 16
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


# -- refusals ---------------------------------------------------------------------


def refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error, exit code 2, nothing on standard output."""
    assert main(["predict", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("prune4sed: error: ")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Missing option '--model'"),
        (["--model", "gpt"], "there is no model 'gpt'; bundled: "),
        (["--model", "exact", "--format", "docx"], "--format must be one of table, tsv, jsonl"),
        (["--model", "exact", "--batch-size", "0"], "--batch-size"),
        (["--model", "exact", "--time-limit", "-1"], "time_limit must be"),
        (["--model", "exact", "--out", "no/such/folder/x.tsv"], "the folder no/such/folder does not exist"),
        (["--model", "exact", "--out", "x.parquet"], "cannot write x.parquet: predictions are tab-separated"),
        (["--model", "exact", "--pairs", "no-such-file"], "no-such-file: No such file"),
    ],
)
def test_one_line_and_exit_code_2(
    files: list[str], options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused([*files, *options], words, capsys)


def test_solver_options_are_not_for_models(
    files: list[str], checkpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused([*files, "--model", checkpoint, "--threads", "2"], "are for solvers", capsys)
    refused([*files, "--model", checkpoint, "--device", "abacus"], "device 'abacus' cannot be used", capsys)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 1\n0 x\n", "pairs:2: two whole numbers are needed"),
        ("0 1 2\n", "pairs:1: two whole numbers"),
        ("", "holds no pairs"),
        ("0 9\n", "pair 0 names target 9, but there are only 5"),
        ("0 99999999999999999999\n", "far too large"),
    ],
)
def test_bad_pairs(
    files: list[str], tmp_path: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs").write_text(text)
    refused([*files, "--model", "exact", "--pairs", str(tmp_path / "pairs")], words, capsys)


def test_bad_pair_files(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in (("x", b"\xff\xfe\x00"), ("x.parquet", b"PAR1 not really")):
        (tmp_path / name).write_bytes(data)
        refused([*files, "--model", "exact", "--pairs", str(tmp_path / name)], name, capsys)


def test_an_input_is_not_overwritten(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused([*files, "--model", "exact", "--out", files[0]], "would overwrite an input", capsys)
    refused(["-", "-", "--model", "exact"], "cannot both be -", capsys)


def test_an_unknown_label_is_named(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tuple(read_graphs(files[1]).node_vocabulary)
    kind = type(known[0])
    write_graphs(GraphSet([Graph([kind(77)], id="odd")]), tmp_path / "odd.tve")
    files = [str(tmp_path / "odd.tve"), files[1]]
    closed = made_model(tmp_path / "closed.safetensors", known)
    refused([*files, "--model", closed], "graph 'odd' has the node label", capsys)
    opened = made_model(tmp_path / "open.safetensors", known, unknown=True)
    assert main(["predict", *files, "--model", opened]) == 0


def test_a_large_target_and_an_empty_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    huge = Graph(["C"] * 5000, [(i, i + 1) for i in range(4999)], id="huge")
    write_graphs(GraphSet([huge, Graph([], id="empty")]), tmp_path / "t.jsonl")
    write_graphs(GraphSet([Graph(["C", "C"], [(0, 1)], id="q"), Graph([], id="none")]), tmp_path / "q.jsonl")
    model = made_model(tmp_path / "m.safetensors", ("C",))
    files = [str(tmp_path / "q.jsonl"), str(tmp_path / "t.jsonl")]
    assert main(["predict", *files, "--model", model, "--bounds", "--format", "jsonl"]) == 0
    found = {(r["query_id"], r["target_id"]): r for r in records(capsys)}
    assert (found["q", "huge"]["lower"], found["q", "huge"]["upper"]) == (0, 0)
    assert found["q", "empty"]["predicted"] == 3
    assert found["none", "huge"]["predicted"] == found["none", "empty"]["predicted"] == 0


def test_the_engine_first(files: list[str], checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["predict", *files, "--format", "jsonl", "--bounds"]
    assert main([*words, "--model", checkpoint, "--engine", "5"]) == 0
    found = records(capsys)
    assert main([*words, "--model", "exact"]) == 0
    assert found == records(capsys)
    assert main([*words, "--model", checkpoint, "--engine", "5", "--threads", "1"]) == 0
    assert found == records(capsys)
    assert main([*words, "--model", checkpoint, "--threads", "1"]) == 2
    assert "--threads are for solvers" in capsys.readouterr().err
    assert main([*words, "--model", "exact", "--engine", "5"]) == 2
    assert "--engine is for models, and exact is none" in capsys.readouterr().err
