"""Dataset: its sets, and the way to disk and back, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from made import made_dataset, made_graphs

from prune4sed.datasets.dataset import Dataset, PairSet, figures
from prune4sed.datasets.dataset_files import FILES, is_dataset
from prune4sed.datasets.dataset_read import read
from prune4sed.datasets.dataset_write import write
from prune4sed.datasets.table import PairTable
from prune4sed.errors import FormatError, OptionError
from prune4sed.graphset import GraphSet
from strategies import same


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return made_dataset()


def _digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


class TestSets:
    def test_by_name_and_as_attributes(self, dataset: Dataset) -> None:
        assert list(dataset) == ["train", "test", "strict_test"]
        assert dataset.train is dataset["train"]
        queries, targets, pairs = dataset.strict_test
        assert (len(queries), len(targets), len(pairs)) == (6, 4, 6)
        assert "strict_test" in dir(dataset)

    def test_a_set_that_is_not_there(self, dataset: Dataset) -> None:
        with pytest.raises(KeyError, match="made has no set 'dev'; there are train, test, strict_test"):
            dataset["dev"]
        with pytest.raises(AttributeError, match="'dev'; the sets here are train"):
            _ = dataset.dev

    def test_figures_are_means_over_the_pairs(self, dataset: Dataset) -> None:
        one = dataset.train
        sizes = [len(one.targets[int(t)]) for t in one.pairs.target]
        assert figures(one)["target_nodes"] == pytest.approx(sum(sizes) / 12, abs=1e-6)
        assert figures(one)["pairs"] == 12
        assert "train" in str(dataset)
        assert "12 pairs" in str(dataset)


class TestRoundTrip:
    def test_everything_comes_back(self, dataset: Dataset, tmp_path: Path) -> None:
        write(dataset, tmp_path / "d")
        back = read(tmp_path / "d")
        assert (back.name, back.seed, list(back)) == ("made", 7, list(dataset))
        for name, one in dataset.items():
            other = back[name]
            assert all(same(a, b) for a, b in zip(one.queries, other.queries, strict=True))
            assert all(same(a, b) for a, b in zip(one.targets, other.targets, strict=True))
            for column in ("query", "target", "lower", "upper"):
                assert other.pairs[column].tolist() == one.pairs[column].tolist()
            assert other.pairs.mapping.tolist() == one.pairs.mapping.tolist()
            assert other.pairs.mapping.dtype == np.int32
            assert back.info["sets"][name]["fingerprint"] == f"print of {name}"
            assert back.info["sets"][name]["certified"] == figures(one)["certified"]
        assert back.info["source"] == {"file": "made.smi"}
        # Among them a query larger than its target: its deleted nodes are not taken for padding.
        one = dataset.strict_test
        assert (one.queries.num_nodes[one.pairs.query] > one.targets.num_nodes[one.pairs.target]).any()

    def test_shared_targets_are_stored_once(self, dataset: Dataset, tmp_path: Path) -> None:
        write(dataset, tmp_path / "d")
        assert len(GraphSet.load(tmp_path / "d" / "targets.arrow")) == 5 + 4
        back = read(tmp_path / "d")
        assert np.shares_memory(back.train.targets.edges, back.test.targets.edges)
        assert back.info["sets"]["train"]["targets"] == back.info["sets"]["test"]["targets"] == [0, 5]

    def test_equal_pools_of_other_arrays_are_stored_once_too(self, dataset: Dataset, tmp_path: Path) -> None:
        test = dataset.test
        copied = PairSet(test.queries, GraphSet(list(test.targets)), test.pairs)
        write(Dataset("made", 7, {**dataset, "test": copied}, dataset.info), tmp_path / "copied")
        write(dataset, tmp_path / "shared")
        assert _digests(tmp_path / "copied") == _digests(tmp_path / "shared")

    def test_the_parquet_file_speaks_for_itself(self, dataset: Dataset, tmp_path: Path) -> None:
        write(dataset, tmp_path / "d")
        table = pq.read_table(tmp_path / "d" / "pairs.parquet")
        queries = GraphSet.load(tmp_path / "d" / "queries.arrow")
        targets = GraphSet.load(tmp_path / "d" / "targets.arrow")
        row = table.slice(12 + 5 + 2, 1).to_pylist()[0]
        assert row["set"] == "strict_test"
        assert same(queries[row["query"]], dataset.strict_test.queries[2])
        assert same(
            targets[row["target"]], dataset.strict_test.targets[int(dataset.strict_test.pairs.target[2])]
        )
        assert len(row["mapping"]) == len(queries[row["query"]])

    def test_the_same_dataset_gives_the_same_bytes(self, dataset: Dataset, tmp_path: Path) -> None:
        write(dataset, tmp_path / "a")
        write(made_dataset(), tmp_path / "b")
        write(read(tmp_path / "a"), tmp_path / "c")
        assert _digests(tmp_path / "a") == _digests(tmp_path / "b") == _digests(tmp_path / "c")
        assert set(_digests(tmp_path / "a")) == FILES

    def test_a_full_sized_dataset_opens_within_a_second(self, tmp_path: Path) -> None:
        count = 100_000
        some = made_graphs(1, 100, (5, 25))
        queries = some.take(np.arange(count) % len(some))
        index = np.column_stack([np.arange(count), np.arange(count) % len(some)])
        mapping = np.zeros((count, 25), dtype=np.int32)
        pairs = PairTable(index, np.ones(count), np.ones(count), mapping)
        write(Dataset("big", 0, {"train": PairSet(queries, some, pairs)}), tmp_path / "d")
        times = []
        for _ in range(3):
            start = perf_counter()
            back = read(tmp_path / "d")
            times.append(perf_counter() - start)
        assert len(back.train.pairs) == count
        assert min(times) < 1


class TestRefusals:
    def test_the_old_data_stays_when_writing_fails(
        self, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(dataset, tmp_path / "d")
        before = _digests(tmp_path / "d")

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(pq, "write_table", full)
        with pytest.raises(FormatError, match=r"cannot write .*d: No space left on device$"):
            write(dataset, tmp_path / "d")
        assert _digests(tmp_path / "d") == before
        assert [path.name for path in tmp_path.iterdir()] == ["d"]

    @pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
    @pytest.mark.parametrize("room", [100, 3000])
    def test_a_disk_that_is_really_full(self, tmp_path: Path, room: int) -> None:
        code = f"""
import resource, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from made import made_dataset
from prune4sed.datasets.dataset_write import write
from prune4sed.errors import FormatError
dataset = made_dataset()
write(dataset, sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
try:
    write(dataset, sys.argv[1])
except FormatError as error:
    print(error)
"""
        run = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "d")], capture_output=True, text=True, check=True
        )
        assert run.stdout.startswith(f"cannot write {tmp_path / 'd'}")
        assert run.stdout.endswith(": File too large\n")
        assert run.stdout.count("\n") == 1
        assert len(read(tmp_path / "d").train.pairs) == 12
        assert [path.name for path in tmp_path.iterdir()] == ["d"]

    def test_ctrl_c_between_the_two_renames(
        self, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(dataset, tmp_path / "d")
        rename, calls = os.rename, []

        def interrupted(source: Path, target: Path) -> None:
            calls.append(target)
            if len(calls) == 2:
                raise KeyboardInterrupt
            rename(source, target)

        monkeypatch.setattr(os, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(dataset, tmp_path / "d")
        assert len(read(tmp_path / "d").train.pairs) == 12
        assert [path.name for path in tmp_path.iterdir()] == ["d"]

    def test_a_folder_with_other_things_is_never_replaced(self, dataset: Dataset, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(FormatError, match=r"it holds other things than a dataset \(thesis.tex\)"):
            write(dataset, tmp_path)
        assert (tmp_path / "thesis.tex").read_text() == "years of work"

    def test_a_file_in_the_way(self, dataset: Dataset, tmp_path: Path) -> None:
        (tmp_path / "d").write_text("")
        for path in (tmp_path / "d", tmp_path / "d" / "below"):
            with pytest.raises(FormatError, match=r"cannot write .*: .*d is not a folder"):
                write(dataset, path)

    def test_an_empty_set(self, dataset: Dataset, tmp_path: Path) -> None:
        empty = PairSet(dataset.train.queries, dataset.train.targets, dataset.train.pairs[:0])
        with pytest.raises(OptionError, match="at least one pair"):
            write(Dataset("made", 7, {"train": empty}), tmp_path / "d")
        assert not (tmp_path / "d").exists()

    def test_no_dataset_there(self, tmp_path: Path) -> None:
        assert not is_dataset(tmp_path)
        with pytest.raises(FormatError, match="no dataset there"):
            read(tmp_path)

    @pytest.mark.parametrize("name", sorted(FILES))
    @pytest.mark.parametrize("keep", [0.0, 0.5, 0.97])
    def test_a_truncated_file_is_one_clear_line(
        self, dataset: Dataset, tmp_path: Path, name: str, keep: float
    ) -> None:
        write(dataset, tmp_path / "d")
        file = tmp_path / "d" / name
        file.write_bytes(file.read_bytes()[: int(keep * file.stat().st_size)])
        with pytest.raises(FormatError, match=name) as caught:
            read(tmp_path / "d")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("name", sorted(FILES - {"dataset.json"}))
    def test_a_missing_file(self, dataset: Dataset, tmp_path: Path, name: str) -> None:
        write(dataset, tmp_path / "d")
        (tmp_path / "d" / name).unlink()
        with pytest.raises(FormatError, match=f"{name}: no such file"):
            read(tmp_path / "d")

    @pytest.mark.parametrize(
        ("change", "line"),
        [
            ({"format": "other"}, "not a file of a prune4sed dataset"),
            ({"version": 2}, "version 2 of the dataset format; this prune4sed reads version 1"),
            ({"sets": {}}, "23 pairs, but the sets have 0"),
            ({"sets": 3}, "not as prune4sed writes it"),
            ({"seed": None}, "not as prune4sed writes it"),
            ({"seed": float("inf")}, "not as prune4sed writes it"),
            ({"source": {"nodes": "many"}}, "not as prune4sed writes it"),
            ({"sets": {"train": {}}}, "not as prune4sed writes it"),
        ],
    )
    def test_an_info_file_that_does_not_fit(
        self, dataset: Dataset, tmp_path: Path, change: dict[str, object], line: str
    ) -> None:
        write(dataset, tmp_path / "d")
        file = tmp_path / "d" / "dataset.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
        with pytest.raises(FormatError, match=line):
            read(tmp_path / "d")

    @pytest.mark.parametrize(
        ("key", "value", "line"),
        [
            ("pairs", 11, "not where dataset.json says"),
            ("targets", [0, 3], "names a graph outside the set"),
            ("queries", [1, 13], "names a graph outside the set"),
        ],
    )
    def test_a_set_that_does_not_fit(
        self, dataset: Dataset, tmp_path: Path, key: str, value: object, line: str
    ) -> None:
        write(dataset, tmp_path / "d")
        file = tmp_path / "d" / "dataset.json"
        info = json.loads(file.read_text())
        info["sets"]["train"][key] = value
        file.write_text(json.dumps(info))
        with pytest.raises(FormatError, match=line):
            read(tmp_path / "d")

    def test_mappings_that_do_not_fit_their_graphs(self, dataset: Dataset, tmp_path: Path) -> None:
        write(dataset, tmp_path / "d")
        other = made_dataset()
        other.train.pairs.mapping[3, 0] = 100
        write(other, tmp_path / "e")
        (tmp_path / "d" / "pairs.parquet").write_bytes((tmp_path / "e" / "pairs.parquet").read_bytes())
        with pytest.raises(FormatError, match="a mapping of set 'train' does not fit its graphs"):
            read(tmp_path / "d")
