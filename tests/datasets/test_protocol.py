"""The protocol's numbers make sense by themselves, and on real data they bring the paper's sizes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prune4sed.datasets.catalogue import DATASETS
from prune4sed.datasets.protocol import PROTOCOLS, Recipe, protocol
from prune4sed.datasets.raw import read_raw
from prune4sed.datasets.sampling import sample
from prune4sed.errors import OptionError

MIRROR = os.environ.get("PRUNE4SED_MIRROR")
NETWORKS = ("citeseer", "cora_ml", "pubmed", "dblp", "amazon")


def _recipes(name: str) -> list[Recipe]:
    rules = PROTOCOLS[name]
    return [rules.standard, *rules.sizes.values(), *([rules.large_queries] if rules.large_queries else [])]


def test_every_dataset_has_a_protocol() -> None:
    assert set(PROTOCOLS) == set(DATASETS)
    assert protocol("cora-ML") is PROTOCOLS["cora_ml"]
    with pytest.raises(OptionError, match="aids"):
        protocol("cora")


@pytest.mark.parametrize("name", PROTOCOLS)
def test_mixes_are_percentages_of_at_most_five_steps(name: str) -> None:
    for recipe in _recipes(name):
        for mix in (recipe.hops, recipe.depths):
            assert not mix or sum(mix.values()) == 100
            assert all(1 <= step <= 5 and share > 0 for step, share in mix.items())
        assert bool(recipe.hops) == (name in NETWORKS) == DATASETS[name].single_network
        assert bool(recipe.depths) == (name != "aids")


@pytest.mark.parametrize("name", PROTOCOLS)
def test_sizes_are_the_papers(name: str) -> None:
    rules = PROTOCOLS[name]
    assert (rules.standard.smallest_query, rules.standard.largest_query) == (5, 25)
    assert (rules.large_queries is not None) == (name in NETWORKS)
    if rules.large_queries:
        assert (rules.large_queries.smallest_query, rules.large_queries.largest_query) == (26, 50)
    assert list(rules.sizes) == (["small", "medium", "large"] if name in ("citeseer", "cora_ml") else [])


@pytest.mark.skipif(not MIRROR, reason="PRUNE4SED_MIRROR names no folder of raw data")
@pytest.mark.parametrize("name", PROTOCOLS)
def test_mean_sizes_on_real_data(name: str) -> None:
    sets = sample(name, read_raw(name, Path(MIRROR or "")), (3000, 300, 300))
    train, paper = sets["train"], DATASETS[name].paper
    targets = train.targets.num_nodes[train.index[:, 1]]
    assert train.queries.num_nodes.mean() == pytest.approx(paper.query_nodes, rel=0.1)
    if name == "amazon":  # its subset has no such ego-nets
        assert 20 < targets.mean() < 25
    else:
        assert targets.mean() == pytest.approx(paper.target_nodes, rel=0.1)


@pytest.mark.skipif(not MIRROR, reason="PRUNE4SED_MIRROR names no folder of raw data")
@pytest.mark.parametrize(("name", "means"), [("citeseer", (16, 62, 122)), ("cora_ml", (17, 64, 118))])
def test_mean_sizes_of_the_size_sets(name: str, means: tuple[int, int, int]) -> None:
    sets = sample(name, read_raw(name, Path(MIRROR or "")), (100, 10, 5000))
    for size, mean in zip(("small", "medium", "large"), means, strict=True):
        train = sets[f"{size}_train"]
        assert len(train) == 800
        assert train.targets.num_nodes[train.index[:, 1]].mean() == pytest.approx(mean, rel=0.08)
        assert train.queries.num_nodes.mean() == pytest.approx(12, rel=0.1)
