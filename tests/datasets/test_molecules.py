"""The dataset of molecules: pieces, changed labels, the split, and labels that a model knows by name."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import prune4sed as ps
from prune4sed.datasets.catalogue import ALL, OTHERS, Counts, Entry, names
from prune4sed.datasets.dataset import KNOWN_LABELS
from prune4sed.datasets.draws import Stream, shapes, strict
from prune4sed.datasets.fragments import fragments
from prune4sed.datasets.functional_groups import functional_groups
from prune4sed.datasets.molecules import PROTOCOL, known_labels, sample_molecules
from prune4sed.datasets.raw import read_raw
from prune4sed.datasets.relabelling import relabelled
from prune4sed.datasets.sampled import SampledSet, fingerprint
from prune4sed.errors import FormatError, OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

pytest.importorskip("rdkit")


def some_smiles(count: int) -> list[str]:
    """Chains of substituted rings, all different, the elements of some rarer than those of others."""
    ends = ["O", "N", "F", "Cl", "C(=O)O", "S(=O)(=O)N", "C(F)(F)C", "[Se]C"]
    starts = ["O", "N", "C", "Cl", "C(=O)O", "S(=O)(=O)N", "CS", "C[Se]"]
    links = ["C", "CC", "N", "OC", "C(=O)N", "SC", "CN(C)C"]
    found = []
    for i in range(count):
        tail = f"[{['Au', 'Hg', 'Pt'][i % 3]}]" if i % 29 == 0 else ends[(i // 7) % 8]
        found.append(f"{starts[i % 8]}c1ccc({links[i % 7]}{'C' * (i // 56)}C2CCC({tail})CC2)cc1")
    return found


@pytest.fixture(scope="module")
def molecules() -> GraphSet:
    return GraphSet(ps.parse_smiles(text, id=f"m{i}") for i, text in enumerate(some_smiles(600)))


@pytest.fixture(scope="module")
def sets(molecules: GraphSet) -> dict[str, SampledSet]:
    return sample_molecules(molecules, functional_groups(smallest=4)[0], (1200, 100, 200), seed=3)


def matcher(target: Graph, query: Graph) -> nx.isomorphism.GraphMatcher:
    same = nx.isomorphism.categorical_node_match("label", None)
    return nx.isomorphism.GraphMatcher(target.to_networkx(), query.to_networkx(), node_match=same)


def test_pieces_are_connected_induced_and_of_all_sizes(molecules: GraphSet) -> None:
    pieces, sources = fragments(molecules, (4, 12), 10, False, Stream(1, 0), 300)
    assert len(pieces) == len(sources) == 300
    assert set(pieces.num_nodes.tolist()) == set(range(4, 13))
    assert not strict(pieces, 10).any()
    for piece, source in zip(list(pieces)[:60], sources.tolist(), strict=False):
        assert nx.is_connected(piece.to_networkx())
        assert matcher(molecules[source], piece).subgraph_is_isomorphic()  # induced, labels included


def test_a_longer_draw_of_pieces_begins_with_the_shorter(molecules: GraphSet) -> None:
    few, many = (fragments(molecules, (4, 9), 3, True, Stream(1, 0), count) for count in (20, 90))
    assert list(few[0]) == list(many[0][:20])
    assert few[1].tolist() == many[1][:20].tolist()
    assert strict(many[0], 3).all()


def test_molecules_too_small_for_a_piece() -> None:
    with pytest.raises(OptionError, match="too few pieces of 4 to 9 atoms"):
        fragments(GraphSet([Graph(["C", "O"], [(0, 1)])]), (4, 9), 10, False, Stream(0, 0), 5)


def test_a_piece_of_a_salt_stays_in_one_part() -> None:
    salt = Graph.from_smiles("CCCCC(=O)[O-].[Na+]")
    pieces, _ = fragments(GraphSet([salt]), (4, 25), 10**9, False, Stream(0, 0), 50)
    assert pieces.num_nodes.max() == 7
    assert "Na" not in {label for piece in pieces for label in piece.labels}


def test_changed_labels_are_few_and_leave_the_bonds(molecules: GraphSet) -> None:
    usual = np.array([molecules.node_vocabulary.index("N")], dtype=np.int32)
    changed = relabelled(molecules, usual, 50, 3, Stream(0, 0))
    assert np.array_equal(changed.edges, molecules.edges)
    assert list(changed.ids) == list(molecules.ids)
    counts = np.add.reduceat(changed.node_labels != molecules.node_labels, molecules.node_offsets[:-1])
    assert counts.max() == 3
    assert 0.35 < np.mean(counts > 0) < 0.5  # half were chosen; a new label may be the old one
    moved = changed.node_labels[changed.node_labels != molecules.node_labels]
    assert np.mean(moved == usual[0]) > 0.4
    assert len(np.unique(moved)) > 5


def test_no_target_and_no_piece_is_trained_on_and_tested_on(sets: dict[str, SampledSet]) -> None:
    assert list(sets) == ["train", "validation", "test", "strict_test"]
    assert [len(one) for one in sets.values()] == [1200, 100, 200, 200]
    targets = {name: set(shapes(one.targets).tolist()) for name, one in sets.items()}
    assert sum(map(len, targets.values())) == len(set().union(*targets.values()))
    groups = {graph for graph in functional_groups(smallest=4)[0].ids if graph}

    def pieces(one: SampledSet) -> set[int]:
        drawn = one.queries.take([not name or name not in groups for name in one.queries.ids])
        return set(shapes(drawn).tolist())

    # A piece whose labels were changed afterwards may have any shape; most have not.
    shared = pieces(sets["train"]) & pieces(sets["strict_test"])
    assert len(shared) < 0.1 * len(pieces(sets["strict_test"]))


def test_half_are_functional_groups_and_a_fifth_is_near(sets: dict[str, SampledSet]) -> None:
    train = sets["train"]
    groups = set(functional_groups(smallest=4)[0].ids)
    of_groups = [name in groups for name in train.queries.ids]
    assert 0.46 < np.mean(of_groups) < 0.54
    assert set(train.queries.num_nodes.tolist()) <= set(range(4, 26))
    contained = [
        matcher(train.targets[t], train.queries[q]).subgraph_is_monomorphic()
        for q, t in train.index[:400].tolist()
        if not of_groups[q]
    ]
    assert np.mean(contained) > 0.15  # own pieces are a fifth of those, and four in five keep their labels


def test_the_seed_decides(molecules: GraphSet, sets: dict[str, SampledSet]) -> None:
    groups = functional_groups(smallest=4)[0]
    again = sample_molecules(molecules, groups, (1200, 100, 200), seed=3)
    assert all(fingerprint(again[name]) == fingerprint(sets[name]) for name in sets)
    other = sample_molecules(molecules, groups, (1200, 100, 200), seed=4, extras=False)
    assert list(other) == ["train", "validation", "test"]
    assert fingerprint(other["train"]) != fingerprint(sets["train"])


def test_rare_elements_have_no_name(molecules: GraphSet) -> None:
    known = known_labels(molecules)
    counts = {label: sum(label in graph.labels for graph in molecules) for label in molecules.node_vocabulary}
    assert known == tuple(sorted(label for label, count in counts.items() if count >= PROTOCOL.rare))
    assert "C" in known
    assert "Au" not in known


def test_it_is_none_of_the_seven() -> None:
    assert "molecules" not in names()
    assert ALL["molecules"].paper is None
    assert str(ALL["molecules"].counts[0]) == "41,127 graphs"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = ["Smiles,Label", *(f"{text},0" for text in some_smiles(600)), "C(((,1"]
    with gzip.open(tmp_path / "nci_aids_screen.csv.gz", "wt") as file:
        file.write("\n".join(lines))
    monkeypatch.setitem(OTHERS, "molecules", _with_rows(601))
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    return tmp_path


def _with_rows(count: int) -> Entry:
    return replace(ALL["molecules"], counts=(Counts(0, 0, 0, graphs=count),))


def test_build_and_load(mirror: Path) -> None:
    made = ps.datasets.build("molecules", (60, 10, 10), seed=1, mirror=mirror, threads=1)
    assert list(made) == ["train", "validation", "test", "strict_test"]
    assert made.info["source"]["graphs"] == 600
    assert "Hg" not in made.info[KNOWN_LABELS]
    loaded = ps.datasets.load("molecules")
    assert loaded.info[KNOWN_LABELS] == made.info[KNOWN_LABELS]
    for one in loaded.sets.values():
        assert one.pairs.certified.all()
    assert ps.datasets.verify(loaded, sample=40, threads=1).ok


def test_a_file_that_is_not_whole(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OTHERS, "molecules", _with_rows(700))
    with pytest.raises(FormatError, match="found 601 graphs; whole Molecules data has 700 graphs"):
        read_raw("molecules", mirror)
