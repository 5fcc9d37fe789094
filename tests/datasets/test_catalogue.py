"""The catalogue: names, and figures that must agree with the paper's table and the public counts."""

from __future__ import annotations

from urllib.parse import urlparse

import pytest

from prune4sed.datasets.catalogue import DATASETS, Counts, canonical, names
from prune4sed.errors import OptionError

# The paper's table of datasets: mean |V_q|, mean |V_t|, number of labels.
PAPER = {
    "aids": (9, 14, 38),
    "citeseer": (12, 73, 6),
    "cora_ml": (11, 98, 7),
    "amazon": (12, 43, 1),
    "dblp": (14, 240, 8),
    "pubmed": (12, 60, 3),
    "protein": (9, 38, 3),
}
# Directed edges as PyG's CitationFull documents them: twice ours.
CITATION_FULL = {
    "citeseer": (4_230, 10_674, 6),
    "cora_ml": (2_995, 16_316, 7),
    "dblp": (17_716, 105_734, 4),
    "pubmed": (19_717, 88_648, 3),
}


def test_names() -> None:
    assert names() == ("aids", "protein", "citeseer", "cora_ml", "pubmed", "dblp", "amazon")
    assert all(entry.name == name for name, entry in DATASETS.items())


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("cora_ML", "cora_ml"),
        ("Cora-ML", "cora_ml"),
        ("CoraML", "cora_ml"),
        ("proteins", "protein"),
        ("PROTEINS", "protein"),
        (" AIDS ", "aids"),
        ("com-amazon", "amazon"),
    ],
)
def test_spellings(said: str, meant: str) -> None:
    assert canonical(said) == meant


@pytest.mark.parametrize("said", ["cora", "", "all", None, 3])
def test_an_unknown_name_lists_the_known_ones(said: str) -> None:
    with pytest.raises(OptionError, match=r"there is no dataset .*; there are: aids, protein, citeseer"):
        canonical(said)


def test_figures_of_the_paper() -> None:
    found = {e.name: (e.paper.query_nodes, e.paper.target_nodes, e.paper.labels) for e in DATASETS.values()}
    assert found == PAPER


def test_public_counts() -> None:
    for name, (nodes, directed, labels) in CITATION_FULL.items():
        assert DATASETS[name].counts == (Counts(nodes, directed // 2, labels),)
    assert Counts(334_863, 925_872, 1) in DATASETS["amazon"].counts


def test_every_download_is_a_file_that_is_looked_for() -> None:
    for entry in DATASETS.values():
        assert entry.downloads
        for source in entry.downloads:
            assert source.file in entry.files
            assert urlparse(source.url).scheme == "https"
            assert urlparse(source.url).path.endswith(source.file)


def test_where_labels_differ_from_the_paper_it_is_said() -> None:
    for entry in DATASETS.values():
        assert entry.differs or entry.counts[0].labels == entry.paper.labels
    assert "4 labels" in DATASETS["dblp"].differs
    assert "subset" in DATASETS["amazon"].differs


def test_counts_in_words() -> None:
    assert str(Counts(1_234, 5, 1)) == "1,234 nodes, 5 edges, 1 label"
    assert str(Counts(10, 5, 2, graphs=3)) == "3 graphs, 10 nodes, 5 edges, 2 labels"
