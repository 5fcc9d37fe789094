"""Figures of a dataset: bars, dots and cells are the numbers in its tables."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.errors import FormatError, MissingExtraError, OptionError
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.report.certified_plot import certified_figure, certified_table, size_bands
from prune4sed.report.dataset_plots import dataset_plots
from prune4sed.report.graph_layout import LARGEST
from prune4sed.report.match_page import choose_pairs, match_page, pair_match
from prune4sed.report.sed_histogram import sed_counts, sed_histogram
from prune4sed.report.sizes_plot import sizes_figure

FILES = ["sed_histogram.png", "sizes.png", "certified.png", "matches.png"]


def tree(rng: np.random.Generator, size: int) -> Graph:
    return Graph(rng.integers(3, size=size).tolist(), [(int(rng.integers(i)), i) for i in range(1, size)])


def made(seed: int, pairs: int = 40) -> PairSet:
    """Trees in trees; every seventh lower bound is less than it could be, so that not all are certified."""
    rng = np.random.default_rng(seed)
    queries = [tree(rng, int(size)) for size in rng.integers(3, 9, size=pairs)]
    targets = [tree(rng, int(size)) for size in rng.integers(4, 25, size=8)]
    index = np.column_stack([np.arange(pairs), rng.integers(8, size=pairs)])
    found = sed_pairs(queries, targets, index, time_limit=None, threads=1)
    loose = (np.arange(pairs) % 7 == seed) & (found.upper > 0)
    table = PairTable(index, found.lower - loose, found.upper, found.mapping)
    return PairSet(GraphSet(queries), GraphSet(targets), table)


@pytest.fixture(scope="module")
def sets() -> dict[str, PairSet]:
    return {name: made(i) for i, name in enumerate(("train", "validation", "test", "strict_test", "large"))}


def test_the_made_sets_are_a_fair_test(sets: dict[str, PairSet]) -> None:
    shares = [one.pairs.certified.mean() for one in sets.values()]
    assert 0 < min(shares) < max(shares) < 1


def test_histogram_bars_are_the_counts(sets: dict[str, PairSet]) -> None:
    panels = [axes for axes in sed_histogram("made", sets).axes if axes.get_visible()]
    assert [axes.get_title(loc="left") for axes in panels] == [
        "train",
        "validation",
        "test",
        "strict test",
        "large",
    ]
    for axes, one in zip(panels, sets.values(), strict=True):
        heights = {
            kind: np.array([bar.get_height() for bar in axes.patches if bar.get_gid() == kind])
            for kind in ("certified", "open")
        }
        assert heights["certified"].sum() == pytest.approx(100 * one.pairs.certified.mean())
        assert heights["open"].sum() == pytest.approx(100 * (~one.pairs.certified).mean())
        proven = one.pairs.upper[one.pairs.certified]
        for distance in range(3):
            expected = 100 * (proven == distance).sum() / len(one.pairs)
            assert heights["certified"][distance] == pytest.approx(expected)
        assert f"mean {one.pairs.upper.mean():.1f}" in axes.texts[0].get_text()


def test_the_last_bar_holds_the_tail() -> None:
    pairs = PairTable(
        np.zeros((4, 2), dtype=np.int64),
        np.array([0.0, 1, 7, 2]),
        np.array([0.0, 1, 7, 9]),
        np.zeros((4, 1), dtype=np.int32),
    )
    graphs = GraphSet([Graph(["C"])])
    counts = sed_counts(PairSet(graphs, graphs, pairs), last=5)
    assert counts.certified.tolist() == [1, 1, 0, 0, 0, 1]
    assert counts.open.tolist() == [0, 0, 0, 0, 0, 1]


def test_sizes_show_the_means_over_the_pairs(sets: dict[str, PairSet]) -> None:
    queries, targets = sizes_figure("made", sets).axes
    for axes, column in ((queries, "queries"), (targets, "targets")):
        means = [float(line.get_xdata()[0]) for line in axes.lines if line.get_gid() == "mean"]
        for mean, one in zip(means, sets.values(), strict=True):
            graphs = getattr(one, column)
            rows = one.pairs.query if column == "queries" else one.pairs.target
            assert mean == pytest.approx(np.mean([len(graphs[int(i)]) for i in rows]))
    # The first row's histogram, put back from how high its steps are: the most common size is the highest.
    heights, edges, base = next(p for p in queries.patches if p.get_gid() == "sizes").get_data()
    sizes = [len(sets["train"].queries[int(i)]) for i in sets["train"].pairs.query]
    assert int(edges[np.argmin(heights)] + 0.5) == max(sorted(set(sizes)), key=sizes.count)
    assert base == 0


def test_certified_shares(sets: dict[str, PairSet]) -> None:
    left, right = certified_figure("made", sets).axes
    shares = next(line for line in left.lines if line.get_gid() == "shares").get_xdata()
    assert shares == pytest.approx([100 * one.pairs.certified.mean() for one in sets.values()])
    bands = size_bands(sets)
    table = certified_table(sets, bands)
    shown = right.images[0].get_array()
    assert np.allclose(shown.filled(np.nan), table, equal_nan=True)
    one = sets["test"]
    for column, (low, high) in enumerate(bands):
        kept = [
            bool(one.pairs.certified[row])
            for row, query in enumerate(one.pairs.query)
            if low <= len(one.queries[int(query)]) <= high
        ]
        assert table[2, column] == pytest.approx(100 * np.mean(kept))


def test_bands_cover_all_sizes_once() -> None:
    sizes = [5, 9, 10, 25, 26, 50]
    graphs = GraphSet([Graph([0] * size) for size in sizes])
    index = np.column_stack([np.arange(6), np.arange(6)])
    pairs = PairTable(index, np.zeros(6), np.zeros(6), np.zeros((6, 50), dtype=np.int32))
    bands = size_bands({"all": PairSet(graphs, graphs, pairs)})
    assert bands[0][0] == 5
    assert bands[-1][1] == 50
    assert all(sum(low <= size <= high for low, high in bands) == 1 for size in range(5, 51))


def test_drawn_pairs_are_certified_distinct_and_spread(sets: dict[str, PairSet]) -> None:
    one = sets["test"]
    rows = choose_pairs(one, 6)
    assert rows == choose_pairs(one, 6)
    assert len(set(rows)) == 6
    assert one.pairs.certified[rows].all()
    assert list(one.pairs.upper[rows]) == sorted(one.pairs.upper[rows])
    assert len(choose_pairs(PairSet(one.queries, one.targets, one.pairs[:2]), 6)) == 2


def test_a_page_rings_what_its_mappings_say(sets: dict[str, PairSet]) -> None:
    one = sets["test"]
    rows = choose_pairs(one, 4)
    figure = match_page("some pairs", one, rows)
    for place, row in enumerate(rows):
        result = pair_match(one, row)
        assert (result.lower, result.upper) == (one.pairs.lower[row], one.pairs.upper[row])
        target = figure.axes[2 * place + 1]
        names = ("matched-nodes", "edited-nodes")
        ringed = [len(c.get_offsets()) for c in target.collections if c.get_gid() in names]
        assert sum(ringed) == (one.pairs.mapping[row] >= 0).sum()
    titles = [text.get_text() for text in figure.texts if text.get_gid() == "pair"]
    assert [title.split(":")[0] for title in titles] == [
        f"SED = {one.pairs.upper[row]:g} (certified)" for row in rows
    ]


def test_files(sets: dict[str, PairSet], tmp_path: Path) -> None:
    dataset = Dataset("made", 0, sets)
    paths = dataset_plots(dataset, tmp_path / "new" / "plots")
    assert [path.name for path in paths] == FILES
    before = [path.read_bytes() for path in paths]
    assert all(content.startswith(b"\x89PNG") for content in before)
    assert [path.read_bytes() for path in dataset_plots(dataset, tmp_path / "again")] == before
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == sorted(FILES)


def test_one_small_set_is_enough(tmp_path: Path) -> None:
    graphs = GraphSet([Graph(["C"])])
    pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.zeros((1, 1), dtype=np.int32))
    paths = dataset_plots(Dataset("one", 0, {"own": PairSet(graphs, graphs, pairs)}), tmp_path)
    assert [path.name for path in paths] == FILES


def test_targets_too_large_to_draw_leave_the_page_out(tmp_path: Path) -> None:
    queries, targets = GraphSet([Graph([0])]), GraphSet([Graph([0] * (LARGEST + 1))])
    pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.zeros((1, 1), dtype=np.int32))
    paths = dataset_plots(Dataset("wide", 0, {"test": PairSet(queries, targets, pairs)}), tmp_path)
    assert [path.name for path in paths] == FILES[:3]


def test_bad_input(sets: dict[str, PairSet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = PairSet(sets["train"].queries, sets["train"].targets, sets["train"].pairs[:0])
    with pytest.raises(OptionError, match="no pairs to draw"):
        dataset_plots(Dataset("bare", 0, {"train": bare}), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="cannot make the folder"):
        dataset_plots(Dataset("made", 0, sets), tmp_path / "file")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"prune4sed\[plot\]"):
        dataset_plots(Dataset("made", 0, sets), tmp_path / "none")
    assert not (tmp_path / "none").exists()
