"""Labels in the package are found by name, used only where they fit, and named when damaged."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from prune4sed.datasets import shipped
from prune4sed.datasets.catalogue import names
from prune4sed.datasets.label_codec import encode
from prune4sed.datasets.labelling import label_set
from prune4sed.datasets.protocol import protocol
from prune4sed.datasets.sampled import SampledSet
from prune4sed.datasets.set_groups import FULL, groups
from prune4sed.datasets.shipped import shipped_header, shipped_labels
from prune4sed.errors import FormatError
from prune4sed.graphset import GraphSet
from random_graphs import random_graph

SHIPPED = Path(shipped.__file__).parent / "labels"


def made_pairs(seed: int) -> SampledSet:
    rng = random.Random(seed)
    graphs = GraphSet(random_graph(rng, 6, 0.4, 2) for _ in range(5))
    return SampledSet("test", graphs, graphs, np.array([(i, (i + 1) % 5) for i in range(5)]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that ships labels of one made dataset."""
    pairs = made_pairs(1)
    data = encode({"test": pairs}, {"test": label_set(pairs, 100)}, {"test": 100}, {"seed": 0})
    (tmp_path / "made.labels").write_bytes(data)
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_only_what_fits_is_used() -> None:
    sets = {"test": made_pairs(1), "train": made_pairs(2), "validation": made_pairs(1)}
    found = shipped_labels("made", sets)
    assert list(found) == ["test"]
    assert np.array_equal(found["test"].upper, label_set(sets["test"], 100).upper)
    assert shipped_labels("made", {"test": made_pairs(2)}) == {}
    assert shipped_labels("other", sets) == {}


@pytest.mark.usefixtures("folder")
def test_the_header_tells_what_there_is() -> None:
    header = shipped_header("made")
    assert header is not None
    assert header["meta"] == {"seed": 0}
    assert header["sets"]["test"]["pairs"] == 5
    assert shipped_header("other") is None


def test_damage_names_the_dataset(folder: Path) -> None:
    data = (folder / "made.labels").read_bytes()
    for broken in (data[:-8], data[:5]):
        (folder / "made.labels").write_bytes(broken)
        with pytest.raises(FormatError, match="the shipped labels of made are damaged"):
            shipped_labels("made", {"test": made_pairs(1)})
    with pytest.raises(FormatError, match="made"):
        shipped_header("made")


def test_the_package_ships_all_sets_of_all_datasets_in_little_space() -> None:
    files = sorted(SHIPPED.glob("*.labels"))
    assert {file.stem for file in files} == {*names(), "molecules"}
    assert sum(file.stat().st_size for file in files) < 15e6
    for name in names():
        header = shipped_header(name)
        assert header is not None
        pairs = {one: known["pairs"] for one, known in header["sets"].items()}
        wanted = {
            one: n for group in groups(protocol(name), FULL, extras=True) for one, n in group.counts.items()
        }
        assert pairs == wanted
