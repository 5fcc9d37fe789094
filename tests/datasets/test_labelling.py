"""Labels are the engine's answers, and a run that was cut off loses and repeats nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles import brute_force
from prune4sed.datasets.journal import Journal
from prune4sed.datasets.labelling import Labels, label_set, mapping_width
from prune4sed.datasets.sampled import SampledSet
from prune4sed.errors import OptionError
from prune4sed.exact import engine
from prune4sed.exact.costs import EditCosts
from prune4sed.graphset import GraphSet
from random_graphs import random_graph


def made_pairs(seed: int, count: int, query: tuple[int, int] = (2, 5), labels: int = 2) -> SampledSet:
    rng = random.Random(seed)
    queries = GraphSet(random_graph(rng, rng.randint(*query), 0.5, labels) for _ in range(count))
    targets = GraphSet(random_graph(rng, rng.randint(3, 8), 0.4, labels) for _ in range(7))
    return SampledSet("made", queries, targets, np.array([(i, rng.randrange(7)) for i in range(count)]))


def same(a: Labels, b: Labels) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("lower", "upper", "mapping"))


def test_bounds_and_mappings_against_brute_force() -> None:
    pairs = made_pairs(1, 40)
    labels = label_set(pairs, node_limit=10_000)
    assert labels.mapping.shape == (40, mapping_width(pairs))
    assert labels.certified.all()
    for row, (i, j) in enumerate(pairs.index.tolist()):
        q, t = pairs.queries[i], pairs.targets[j]
        images = [None if v < 0 else v for v in labels.mapping[row, : len(q)].tolist()]
        assert labels.upper[row] == brute_force(q, t, EditCosts()) == EditCosts().map_cost(q, t, images)
        assert (labels.mapping[row, len(q) :] == -1).all()


def test_threads_do_not_matter() -> None:
    pairs = made_pairs(2, 60)
    assert same(label_set(pairs, 5, threads=1), label_set(pairs, 5, threads=3))


def test_a_limit_leaves_bounds() -> None:
    pairs = made_pairs(3, 30, query=(9, 12), labels=1)
    rough, exact = label_set(pairs, 0), label_set(pairs, 100_000)
    assert not rough.certified.all()
    assert ((rough.lower <= exact.lower) & (exact.upper <= rough.upper)).all()


def stopping(after: int) -> Callable[[int, int], None]:
    """A progress function that ends the run as Ctrl-C would, once so many rows are done."""

    def progress(done: int, total: int) -> None:
        if done >= after:
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, journal = made_pairs(4, 200), tmp_path / "a.journal"
    whole = label_set(pairs, 50)
    asked: list[int] = []
    solve = engine.sed_pairs

    def in_chunks(
        queries: GraphSet,
        targets: GraphSet,
        index: np.ndarray,
        finished: Any = None,
        progress: Any = None,
        **rest: Any,
    ) -> None:
        """The engine, handing over seven rows at a time, last ones first."""
        for start in reversed(range(0, len(index), 7)):
            chosen = np.arange(start, min(start + 7, len(index)))
            asked.extend(map(int, index[chosen, 0]))
            finished(chosen, solve(queries, targets, index[chosen], **rest))
            progress(start, len(index))

    monkeypatch.setattr(engine, "sed_pairs", in_chunks)
    for after in (50, 51, 120):
        with pytest.raises(KeyboardInterrupt):
            label_set(pairs, 50, journal, resume=True, progress=stopping(after))
    seen: list[tuple[int, int]] = []
    resumed = label_set(
        pairs, 50, journal, resume=True, progress=lambda done, total: seen.append((done, total))
    )
    assert same(resumed, whole)
    assert sorted(asked) == list(range(200))  # nothing done twice
    assert seen[0] == (123, 200)  # what the journal held: 4 + 7 * 7, nothing, 10 * 7
    assert seen[-1] == (200, 200)
    assert same(label_set(pairs, 50, journal, resume=True), whole)  # all there: nothing is asked again
    assert len(asked) == 200


def test_the_journal_holds_every_row_once(tmp_path: Path) -> None:
    pairs, journal = made_pairs(5, 100), tmp_path / "a.journal"
    labels = label_set(pairs, 50, journal)
    from prune4sed.datasets import labelling

    key = labelling._key(pairs, 50, None)
    with Journal(journal, key, mapping_width(pairs), resume=True) as log:
        rows = np.sort(log.rows, order="row")
    assert rows["row"].tolist() == list(range(100))
    assert np.array_equal(rows["mapping"], labels.mapping)


def test_other_pairs_or_limits_are_refused(tmp_path: Path) -> None:
    pairs, journal = made_pairs(6, 10), tmp_path / "a.journal"
    label_set(pairs, 50, journal)
    before = journal.read_bytes()
    with pytest.raises(OptionError, match="not finished; go on with --resume"):
        label_set(pairs, 50, journal)
    for other, limits in ((pairs, (51, None)), (pairs, (50, 1.0)), (made_pairs(7, 10), (50, None))):
        with pytest.raises(OptionError, match="belongs to another run"):
            label_set(other, limits[0], journal, resume=True, time_limit=limits[1])
    assert journal.read_bytes() == before


def test_a_bad_limit_leaves_no_journal(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="node_limit"):
        label_set(made_pairs(8, 3), -1, tmp_path / "a.journal")
    assert list(tmp_path.iterdir()) == []


def test_no_pairs() -> None:
    none = made_pairs(9, 3)
    labels = label_set(SampledSet("none", none.queries, none.targets, np.zeros((0, 2), dtype=np.int64)), 10)
    assert len(labels) == 0
    assert labels.mapping.shape == (0, 0)
    assert repr(labels) == "Labels(0 pairs, none certified)"
