"""Verification finds what is wrong, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from made import made_dataset

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.sampling import SampledSet, fingerprint
from prune4sed.datasets.table import PairTable
from prune4sed.datasets.verifying import verify
from prune4sed.errors import OptionError


@pytest.fixture
def dataset() -> Dataset:
    made = made_dataset()
    for name, one in made.items():
        sampled = SampledSet(name, one.queries, one.targets, one.pairs.index)
        made.info["sets"][name]["fingerprint"] = fingerprint(sampled)
    return made


def _with(dataset: Dataset, **columns: np.ndarray) -> Dataset:
    """The dataset with columns of its training pairs replaced."""
    queries, targets, pairs = dataset.train
    known = {"index": pairs.index, "lower": pairs.lower, "upper": pairs.upper, "mapping": pairs.mapping}
    changed = PairSet(queries, targets, PairTable(**{**known, **columns}))
    return Dataset(dataset.name, dataset.seed, {**dataset, "train": changed}, dataset.info)


def test_all_is_well(dataset: Dataset) -> None:
    found = verify(dataset, sample=1000)
    assert found.ok
    assert (found.pairs, found.certified, found.proven) == (23, 23, 23)
    assert str(found) == "23 pairs checked, 23 of 23 certified ones proven again: no problem"


def test_a_sample_is_spread_over_the_sets_and_follows_the_seed(dataset: Dataset) -> None:
    seen: dict[str, int] = {}
    assert verify(dataset, 7, progress=lambda name, done, total: seen.update({name: total})).pairs == 7
    assert seen == {"train": 3, "test": 2, "strict_test": 2}
    bad = _with(dataset, upper=dataset.train.pairs.upper + np.eye(12)[3])
    verdicts = [verify(bad, 9, seed).ok for seed in range(20)]
    assert True in verdicts
    assert False in verdicts
    assert verdicts == [verify(bad, 9, seed).ok for seed in range(20)]


def _raise_upper(pairs: PairTable) -> dict[str, np.ndarray]:
    return {"upper": pairs.upper + 1, "lower": pairs.lower + 1}


def _raise_lower(pairs: PairTable) -> dict[str, np.ndarray]:
    return {"lower": pairs.upper + 1}


def _use_twice(pairs: PairTable) -> dict[str, np.ndarray]:
    mapping = pairs.mapping.copy()
    mapping[:, 1] = mapping[:, 0]
    return {"mapping": mapping}


def _swap_pairs(pairs: PairTable) -> dict[str, np.ndarray]:
    return {"index": pairs.index[:, :] * [1, 0]}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (_raise_upper, "train, pair 0: the mapping costs .*, but the upper bound is"),
        (_raise_upper, "train, pair 0: stored as .*, but the engine proves"),
        (_raise_lower, "train, pair 0: the lower bound .* exceeds the upper bound"),
        (_use_twice, "train, pair 0: query nodes 0 and 1 both map to target node"),
        (_swap_pairs, r"train: the graphs are not those the labels were made for"),
    ],
)
def test_what_is_wrong_is_said(
    dataset: Dataset, change: Callable[[PairTable], dict[str, np.ndarray]], line: str
) -> None:
    found = verify(_with(dataset, **change(dataset.train.pairs)), sample=1000)
    assert not found.ok
    assert any(re.match(line, problem) for problem in found.problems), found.problems


def test_open_bounds_are_no_problem_and_short_limits_prove_less(dataset: Dataset) -> None:
    loose = _with(dataset, lower=np.zeros(12))
    claimed = int((loose.train.pairs.certified).sum())
    found = verify(loose, sample=1000)
    assert found.ok
    assert found.certified == 11 + claimed
    short = verify(dataset, sample=1000, node_limit=0)
    assert short.ok
    assert short.proven < 23


@pytest.mark.parametrize("sample", [0, -1, 2.5, True])
def test_samples_that_will_not_do(dataset: Dataset, sample: int) -> None:
    with pytest.raises(OptionError, match="sample must be a whole number, 1 or more"):
        verify(dataset, sample)
