"""Indexes with models: they change the order in which targets are looked at, never a certified answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rdkit")

import torch
from molecules import fragments, library

from prune4sed.errors import FormatError, GraphError, OptionError
from prune4sed.graph import Graph
from prune4sed.models.checkpoint import save_checkpoint
from prune4sed.models.neurosed import NeuroSED, NeuroSEDOptions
from prune4sed.models.registry import create_model
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.search import cascade, estimates
from prune4sed.search.features import QueryBounds
from prune4sed.search.index import Index
from prune4sed.search.knowledge import Knowledge

COUNT = 120


@pytest.fixture(scope="module")
def words() -> Vocabulary:
    known = Vocabulary.of(library(COUNT))
    return Vocabulary(known.nodes)


@pytest.fixture(scope="module")
def neurosed(words: Vocabulary) -> NeuroSED:
    torch.manual_seed(0)
    return NeuroSED(words, NeuroSEDOptions(width=16, layers=2)).eval()


@pytest.fixture(scope="module")
def plain() -> Index:
    return Index.build(library(COUNT))


def test_vectors_estimate_all_distances(neurosed: NeuroSED, plain: Index) -> None:
    index = Index.build(library(COUNT), neurosed)
    for query in fragments()[:4]:
        told = neurosed.predict(query, library(COUNT))
        ranked = index.search(query, k=COUNT, certify=False)
        raised = [max(hit.predicted or 0, hit.lower) for hit in ranked]
        assert raised == sorted(raised)
        for hit in ranked:
            assert hit.predicted == pytest.approx(told[hit.position], abs=1e-4)
        certified, expected = index.search(query, time_limit=None), plain.search(query, time_limit=None)
        assert certified.proven
        assert [hit.upper for hit in certified] == [hit.upper for hit in expected]


def test_another_model_ranks_the_most_promising(words: Vocabulary, plain: Index) -> None:
    torch.manual_seed(1)
    model = create_model("prune4sed", words).eval()
    index = Index.build(library(COUNT), model)
    query = fragments()[2]
    told = model.predict(query, library(COUNT))
    hits = index.search(query, k=5, certify=False)
    # Raised to what is proven: a guess below a lower bound is wrong for certain.
    raised = np.maximum(told, Knowledge(QueryBounds(query, 1), index.library).lower)
    chosen = sorted(raised[hit.position] for hit in hits)
    assert chosen == pytest.approx(np.sort(raised)[:5].tolist(), abs=1e-4)
    assert [hit.predicted for hit in hits] == pytest.approx([told[hit.position] for hit in hits], abs=1e-4)
    certified = index.search(query, time_limit=None)
    assert [hit.upper for hit in certified] == [hit.upper for hit in plain.search(query, time_limit=None)]


def test_the_models_are_in_the_folder(neurosed: NeuroSED, tmp_path: Path) -> None:
    save_checkpoint(neurosed, tmp_path / "m.safetensors")
    made = Index.build(library(COUNT), tmp_path / "m.safetensors")
    made.save(tmp_path / "index")
    (tmp_path / "m.safetensors").unlink()
    opened = Index.open(tmp_path / "index", verify=True)
    query = fragments()[0]
    assert opened.search(query, certify=False).hits == made.search(query, certify=False).hits
    opened.add(library(COUNT)[:3])
    assert opened.search(query, k=COUNT + 3, certify=False)[0].predicted is not None
    path = next((tmp_path / "index").glob("embedder-*.safetensors"))
    data = bytearray(path.read_bytes())
    data[-3] ^= 8
    path.write_bytes(data)
    with pytest.raises(FormatError, match=f"{path.name} is damaged"):
        Index.open(tmp_path / "index")


def test_labels_that_a_model_has_never_seen(neurosed: NeuroSED) -> None:
    with pytest.raises(GraphError, match="Xx"):
        Index.build([Graph(["Xx"])], neurosed)
    index = Index.build(library(COUNT), neurosed)
    query = Graph(["C", "Xx"], [(0, 1)])
    hits = index.search(query, k=2)
    assert hits.proven
    assert [hit.upper for hit in hits] == [1, 1]
    ranked = index.search(query, k=2, certify=False)
    assert [hit.upper for hit in ranked] == [1, 1]
    assert ranked.notes[0].startswith("ranked without the model: ")


class Counting(NeuroSED):
    """Counts how often vectors are compared."""

    compared = 0

    def compare(self, query: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        self.compared += len(target)
        return super().compare(query, target)


@pytest.fixture
def counting(words: Vocabulary) -> Counting:
    torch.manual_seed(2)
    return Counting(words, NeuroSEDOptions(width=8, layers=1)).eval()


def test_models_are_asked_only_in_long_searches(
    counting: Counting, plain: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index.build(library(COUNT), counting)
    query = fragments()[-1]
    expected = plain.search(query, time_limit=None)
    assert index.search(query, time_limit=None).hits == expected.hits
    assert counting.compared == 0
    monkeypatch.setattr(cascade, "PATIENCE", -1)
    asked = index.search(query, time_limit=None)
    assert counting.compared == COUNT
    assert asked.proven
    assert [hit.upper for hit in asked] == [hit.upper for hit in expected]


def test_only_the_targets_with_the_smallest_bounds_are_compared(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "COMPARED", 30)
    monkeypatch.setattr(estimates, "ROWS", 7)
    index = Index.build(library(COUNT)[:50], counting)
    index.add(library(COUNT)[50:])
    query = fragments()[1]
    hits = index.search(query, k=COUNT, certify=False)
    lower = Knowledge(QueryBounds(query, 1), index.library).lower
    told = counting.predict(query, library(COUNT))
    asked = [hit for hit in hits if hit.predicted is not None]
    assert sorted(hit.position for hit in hits) == list(range(COUNT))
    assert counting.compared == len(asked) + COUNT == 30 + COUNT
    assert max(lower[hit.position] for hit in asked) <= np.sort(lower)[29]
    for hit in asked:
        assert hit.predicted == pytest.approx(told[hit.position], abs=1e-4)


def test_a_search_leaves_the_threads_of_torch_alone(neurosed: NeuroSED) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        Index.build(library(COUNT), neurosed).search(fragments()[0], certify=False)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_a_model_that_is_none() -> None:
    with pytest.raises(OptionError, match="a model is a name, a path or a model, not int"):
        Index.build([Graph(["C"])], 3)


def test_an_embedder_makes_vectors() -> None:
    with pytest.raises(OptionError, match="an embedder is a NeuroSED model"):
        Index.build([Graph(["C"])], embedder="exact")
