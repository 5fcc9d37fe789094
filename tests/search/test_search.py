"""Certified search against exhaustive exact search, and containment against RDKit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rdkit")

from molecules import FRAGMENTS, fragments, library, smiles

import prune4sed as ps
from prune4sed.errors import GraphError, GraphTypeError, OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.index import Index

COUNT = 300


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(library(COUNT))


@pytest.fixture(scope="module")
def truth() -> dict[str, np.ndarray]:
    queries = GraphSet(fragments())
    pairs = [(q, t) for q in range(len(queries)) for t in range(COUNT)]
    table = ps.sed_pairs(queries, library(COUNT), pairs, time_limit=None)
    assert table.certified.all()
    return dict(zip(FRAGMENTS, table.upper.reshape(len(queries), COUNT), strict=True))


@pytest.mark.parametrize("name", FRAGMENTS)
def test_the_ten_nearest_are_those_of_exhaustive_search(
    index: Index, truth: dict[str, np.ndarray], name: str
) -> None:
    query = Graph.from_smiles(name)
    hits = index.search(query, k=10, time_limit=None)
    exact = np.sort(truth[name])
    assert hits.proven
    assert [hit.upper for hit in hits] == exact[:10].tolist()
    assert len({hit.position for hit in hits}) == 10
    for hit in hits:
        assert (hit.lower, hit.certified) == (truth[name][hit.position], True)
        assert ps.EditCosts().map_cost(query, index.library[hit.position], hit.mapping) == hit.upper
        assert sum(edit.cost for edit in hits.edits(hit)) == hit.upper
        assert hit.id == f"m{hit.position}"
    further = int((truth[name] == exact[9]).sum()) - int((exact[:10] == exact[9]).sum())
    assert hits.ties <= further <= hits.ties + hits.possible_ties


@pytest.mark.parametrize("radius", [0, 1, 2.5])
@pytest.mark.parametrize("name", FRAGMENTS[:6])
def test_all_within_a_radius(index: Index, truth: dict[str, np.ndarray], name: str, radius: float) -> None:
    hits = index.range_search(Graph.from_smiles(name), radius, time_limit=None)
    assert hits.proven
    assert not hits.undecided
    assert sorted(hit.position for hit in hits) == np.flatnonzero(truth[name] <= radius).tolist()
    assert [hit.upper for hit in hits] == sorted(truth[name][truth[name] <= radius].tolist())


def test_containment_is_that_of_rdkit(index: Index) -> None:
    from rdkit import Chem

    parameters = Chem.AdjustQueryParameters.NoAdjustments()
    parameters.makeBondsGeneric = True
    molecules = [Chem.MolFromSmiles(text) for text in smiles(COUNT)]
    for text in FRAGMENTS:
        # Elements alone, any bond: what the graphs know of molecules.
        pattern = Chem.RWMol(Chem.MolFromSmiles(text))
        for atom in list(pattern.GetAtoms()):
            pattern.ReplaceAtom(atom.GetIdx(), Chem.AtomFromSmarts(f"[#{atom.GetAtomicNum()}]"))
        pattern = Chem.AdjustQueryProperties(pattern, parameters)
        contained = [i for i, molecule in enumerate(molecules) if molecule.HasSubstructMatch(pattern)]
        hits = index.range_search(Graph.from_smiles(text), 0, time_limit=None)
        assert sorted(hit.position for hit in hits) == contained


def test_with_bonds() -> None:
    bonded = Index.build(library(120, edge_labels=True))
    for query in fragments(edge_labels=True)[:5]:
        exact = ps.sed_pairs(query, library(120, edge_labels=True), time_limit=None).upper
        hits = bonded.search(query, k=7, time_limit=None)
        assert [hit.upper for hit in hits] == np.sort(exact)[:7].tolist()
    with pytest.raises(GraphError, match="the target has edge labels and the query has none"):
        bonded.search(Graph.from_smiles("CCO"))


def test_the_same_on_any_number_of_threads() -> None:
    one, two = (Index.build(library(COUNT), threads=threads) for threads in (1, 2))
    for query in fragments():
        left, right = one.search(query, time_limit=None), two.search(query, time_limit=None)
        assert left.hits == right.hits
        assert left.counts == right.counts


def test_segments_make_no_difference(index: Index, truth: dict[str, np.ndarray]) -> None:
    grown = Index.build(library(COUNT)[:100])
    grown.add(library(COUNT)[100:101])
    grown.add([])
    grown.add(library(COUNT)[101:])
    for query in fragments()[:6]:
        whole, parts = index.search(query, time_limit=None), grown.search(query, time_limit=None)
        assert parts.hits == whole.hits


def test_a_list_of_queries(index: Index) -> None:
    queries = fragments()[:3]
    answers = index.search(queries, k=2)
    assert [hits.query for hits in answers] == queries
    assert [len(hits) for hits in index.range_search(queries, 0)] == [
        len(index.range_search(query, 0)) for query in queries
    ]


class TestTheEdges:
    def test_an_empty_library(self) -> None:
        empty = Index.build([])
        for hits in (
            empty.search(Graph(["C"])),
            empty.range_search(Graph(["C"])),
            empty.search(Graph([]), certify=False),
        ):
            assert (len(hits), hits.proven or hits.counts.targets == 0) == (0, True)

    def test_a_query_of_one_atom(self, index: Index) -> None:
        hits = index.search(Graph(["C"]), k=3)
        assert hits.proven
        assert [hit.upper for hit in hits] == [0, 0, 0]
        assert index.search(Graph(["Xx"]), k=1)[0].upper == 1

    def test_an_empty_query(self, index: Index) -> None:
        hits = index.search(Graph([]), k=3)
        assert (hits.proven, [hit.upper for hit in hits]) == (True, [0, 0, 0])

    def test_a_query_larger_than_every_target(self) -> None:
        q = Graph(["C"] * 9, [(i, i + 1) for i in range(8)])
        small = [Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)], id=str(n)) for n in range(6)]
        hits = Index.build(small).search(q, k=2, time_limit=None)
        assert hits.proven
        assert [(hit.id, hit.upper) for hit in hits] == [("5", 8.0), ("4", 10.0)]
        assert hits[0].mapping.count(None) == 4

    def test_k_larger_than_the_library(self, index: Index, truth: dict[str, np.ndarray]) -> None:
        query = Graph.from_smiles("NS(=O)=O")
        hits = index.search(query, k=COUNT + 5, time_limit=None)
        assert (len(hits), hits.proven, hits.ties, hits.possible_ties) == (COUNT, True, 0, 0)
        assert [hit.upper for hit in hits] == np.sort(truth["NS(=O)=O"]).tolist()

    def test_repeated_ids_are_all_kept(self) -> None:
        hits = Index.build([Graph(["C"], id="a"), Graph(["C"], id="a")]).search(Graph(["C"]), k=5)
        assert [(hit.id, hit.position) for hit in hits] == [("a", 0), ("a", 1)]

    @pytest.mark.parametrize("certify", [True, False])
    def test_no_time_at_all(self, index: Index, truth: dict[str, np.ndarray], certify: bool) -> None:
        for name in FRAGMENTS:
            hits = index.search(Graph.from_smiles(name), k=5, certify=certify, time_limit=0)
            assert len(hits) == 5
            assert hits.elapsed < 1
            for hit in hits:
                assert hit.lower <= truth[name][hit.position] <= hit.upper
                assert hit.certified is (hit.lower == hit.upper)
            if hits.proven:
                assert [hit.upper for hit in hits] == np.sort(truth[name])[:5].tolist()

    def test_no_time_for_a_radius(self, index: Index, truth: dict[str, np.ndarray]) -> None:
        hits = index.range_search(Graph.from_smiles("c1ccccc1"), 1, time_limit=0)
        within = set(np.flatnonzero(truth["c1ccccc1"] <= 1).tolist())
        assert not hits.proven
        assert hits.counts.left >= len(within) - len(hits) > 0
        assert all(hit.lower <= 1 for hit in hits.undecided)

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [({"k": 0}, "k must be"), ({"k": 1.5}, "k must be"), ({"time_limit": -1}, "time_limit must be")],
    )
    def test_options_that_cannot_be(self, index: Index, arguments: dict[str, float], line: str) -> None:
        with pytest.raises(OptionError, match=line):
            index.search(Graph(["C"]), **arguments)  # type: ignore[call-overload]
        with pytest.raises(OptionError, match="radius must be a number, 0 or more"):
            index.range_search(Graph(["C"]), -1)

    def test_what_is_no_query(self, index: Index) -> None:
        with pytest.raises(GraphTypeError, match="a query is a Graph"):
            index.search("CCO")  # type: ignore[call-overload]
        with pytest.raises(GraphError, match="integers"):
            index.search(Graph([1]))

    def test_a_missing_model(self) -> None:
        with pytest.raises(OptionError, match="there is no model 'molecules-of-no-kind'"):
            Index.build([Graph(["C"])], model="molecules-of-no-kind")


def test_the_time_limit_is_kept() -> None:
    """Pairs that take minutes each: the search ends when told to, and says what it does not know."""
    from random_graphs import hard_pair

    q, t = hard_pair()
    hits = Index.build([t] * 40).search(q, k=2, time_limit=0.4)
    assert hits.elapsed < 0.4 * 1.05 + 0.2  # what a busy machine adds
    assert not hits.proven
    assert all(hit.lower < hit.upper for hit in hits)
