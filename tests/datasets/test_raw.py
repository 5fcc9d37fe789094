"""Raw data: the real files where there is a mirror, made ones everywhere."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from local_server import LocalServer, body, serving, status
from prune4sed.datasets.catalogue import DATASETS, Counts, Download, names
from prune4sed.datasets.download import DownloadError
from prune4sed.datasets.network import Network
from prune4sed.datasets.raw import counts_of, digest, fetch_raw, raw_file, read_raw
from prune4sed.errors import FormatError, OptionError
from prune4sed.graphset import GraphSet

REAL = os.environ.get("PRUNE4SED_MIRROR")
real = pytest.mark.skipif(not REAL, reason="needs PRUNE4SED_MIRROR")

SMALL = Counts(3, 2, 2)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of its own, no mirror, and datasets that are tiny."""
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PRUNE4SED_MIRROR", raising=False)
    return tmp_path / "home" / "raw"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {
        "citeseer": {"counts": (SMALL,)},
        "amazon": {"counts": (Counts(3, 2, 1), Counts(4, 3, 1))},
        "aids": {"counts": (Counts(3, 2, 2, graphs=1),)},
    }
    for name, changes in changed.items():
        monkeypatch.setitem(DATASETS, name, replace(DATASETS[name], **changes))


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with serving() as running:
        yield running


def npz(path: Path, n: int = 3) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        adj_data=np.ones(2),
        adj_indices=np.array([1, 2]),
        adj_indptr=np.array([0, 1, 2] + [2] * (n - 2)),
        adj_shape=np.array([n, n]),
        labels=np.arange(n) % 2,
    )
    return path


def tu(path: Path, labels: str = "0\n37\n0\n") -> Path:
    parts = {"A": "1, 2\n2, 1\n2, 3\n3, 2\n", "graph_indicator": "1\n1\n1\n", "node_labels": labels}
    with zipfile.ZipFile(path, "w") as archive:
        for part, text in {**parts, "edge_labels": "0\n0\n1\n1\n"}.items():
            archive.writestr(f"AIDS/AIDS_{part}.txt", text)
    return path


@real
@pytest.mark.parametrize("name", names())
def test_the_real_files(name: str) -> None:
    data = read_raw(name, Path(REAL or ""))
    assert counts_of(data) == DATASETS[name].counts[0]
    assert digest(data) == DATASETS[name].digest
    assert isinstance(data, Network) is DATASETS[name].single_network


@real
def test_the_real_labels() -> None:
    aids = read_raw("aids", REAL or "")
    assert isinstance(aids, GraphSet)
    assert aids.edge_vocabulary is None
    atoms = Counter(label for graph in aids for label in graph.labels)
    assert [symbol for symbol, _ in atoms.most_common(3)] == ["C", "O", "N"]
    assert {"Cl", "Br", "Pt", "Tb"} < set(atoms)
    citeseer, amazon = (read_raw(name, REAL or "") for name in ("citeseer", "amazon"))
    assert isinstance(citeseer, Network)
    assert isinstance(amazon, Network)
    assert np.unique(citeseer.labels).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.unique(amazon.labels).tolist() == [0]


@real
def test_the_real_citeseer_as_networkx_sees_it() -> None:
    citeseer = read_raw("citeseer", REAL or "")
    assert isinstance(citeseer, Network)
    with np.load(Path(REAL or "") / "citeseer.npz", allow_pickle=False) as held:
        rows = np.repeat(np.arange(len(held["labels"])), np.diff(held["adj_indptr"]))
        other = nx.Graph(zip(rows.tolist(), held["adj_indices"].tolist(), strict=True))
    assert np.diff(citeseer.starts).tolist() == [other.degree(u) if u in other else 0 for u in range(4_230)]


@pytest.mark.usefixtures("small")
class TestReading:
    def test_a_file_or_its_folder(self, tmp_path: Path) -> None:
        path = npz(tmp_path / "citeseer.npz")
        for where in (path, tmp_path, str(path)):
            assert counts_of(read_raw("CiteSeer", where)) == SMALL

    def test_elements(self, tmp_path: Path) -> None:
        tu(tmp_path / "AIDS.zip")
        graphs = read_raw("aids", tmp_path)
        assert isinstance(graphs, GraphSet)
        assert graphs[0].labels == ("C", "Tb", "C")
        assert graphs[0].edge_labels is None

    def test_an_unpacked_collection(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tu(tmp_path / "x.zip")) as archive:
            archive.extractall(tmp_path)
        for where in (tmp_path, tmp_path / "AIDS"):
            assert len(read_raw("aids", where)) == 1

    def test_a_label_that_is_no_element(self, tmp_path: Path) -> None:
        tu(tmp_path / "AIDS.zip", labels="0\n38\n0\n")
        with pytest.raises(FormatError, match=r"AIDS.zip: node label 38 is no element; expected 0 to 37"):
            read_raw("aids", tmp_path)

    def test_amazon_is_told_apart_by_its_counts(self, tmp_path: Path) -> None:
        (tmp_path / "com-amazon.ungraph.txt").write_text("1 2\n2 5\n5 9\n")
        assert len(read_raw("amazon", tmp_path)) == 4
        (tmp_path / "com-amazon.subset.ungraph.txt").write_text("1 2\n2 5\n")
        assert len(read_raw("amazon", tmp_path)) == 3, "the labels that ship are for the subset"

    def test_wrong_counts(self, tmp_path: Path) -> None:
        npz(tmp_path / "citeseer.npz", n=4)
        words = (
            r"citeseer.npz: found 4 nodes, 2 edges, 2 labels; "
            r"whole CiteSeer data has 3 nodes, 2 edges, 2 labels$"
        )
        with pytest.raises(FormatError, match=words):
            read_raw("citeseer", tmp_path)
        (tmp_path / "com-amazon.ungraph.txt").write_text("1 2\n")
        with pytest.raises(FormatError, match=r"found 2 nodes.* has 3 nodes.* or 4 nodes"):
            read_raw("amazon", tmp_path)

    def test_missing_and_cut_short(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"the raw data of AIDS is not in it; expected AIDS.zip"):
            read_raw("aids", tmp_path)
        with pytest.raises(FormatError, match=r"gone.zip: no such file"):
            read_raw("aids", tmp_path / "gone.zip")
        path = tu(tmp_path / "AIDS.zip")
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(FormatError, match=r"AIDS.zip: not a readable zip") as caught:
            read_raw("aids", tmp_path)
        assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("small")
class TestFinding:
    def test_the_mirror_given_before_the_variable_before_the_cache(
        self, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given, named = npz(tmp_path / "a" / "citeseer.npz"), npz(tmp_path / "b" / "citeseer.npz")
        cached = npz(cache / "citeseer.npz")
        assert raw_file("citeseer") == cached
        monkeypatch.setenv("PRUNE4SED_MIRROR", str(tmp_path / "b"))
        assert raw_file("citeseer") == named
        assert raw_file("citeseer", mirror=str(tmp_path / "a")) == given

    def test_a_mirror_without_the_file(
        self, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        npz(cache / "citeseer.npz")
        with pytest.raises(FormatError, match=r"has no raw data of CiteSeer; expected citeseer.npz in it"):
            raw_file("citeseer", mirror=tmp_path)
        with pytest.raises(OptionError, match="gone is not a folder"):
            raw_file("citeseer", mirror=tmp_path / "gone")
        monkeypatch.setenv("PRUNE4SED_MIRROR", str(tmp_path))
        with pytest.raises(FormatError, match=r"\(PRUNE4SED_MIRROR\) has no raw data"):
            raw_file("citeseer")

    def test_nothing_is_fetched_if_not_wanted(self) -> None:
        with pytest.raises(FormatError, match="is not here yet; get it with: prune4sed data get citeseer"):
            raw_file("citeseer", fetch=False)


@pytest.mark.usefixtures("small")
class TestFetching:
    @pytest.fixture
    def content(self, server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
        urls = (f"{server.url}/one", f"{server.url}/two")
        entry = replace(DATASETS["citeseer"], downloads=tuple(Download(u, "citeseer.npz") for u in urls))
        monkeypatch.setitem(DATASETS, "citeseer", entry)
        content = npz(tmp_path / "made" / "citeseer.npz").read_bytes()
        server.answers["/two"] = [body(content)]
        return content

    def test_the_second_address_where_the_first_fails(
        self, server: LocalServer, content: bytes, cache: Path
    ) -> None:
        assert raw_file("citeseer") == cache / "citeseer.npz"
        assert (cache / "citeseer.npz").read_bytes() == content
        assert server.asked == ["/one", "/two"]
        raw_file("citeseer")
        assert len(server.asked) == 2  # what is there is not fetched again

    def test_a_page_instead_of_the_file(self, server: LocalServer, content: bytes, cache: Path) -> None:
        server.answers["/one"] = [body(b"<html>log in first</html>")]
        path, data = fetch_raw("citeseer")
        assert path.read_bytes() == content
        assert counts_of(data) == SMALL

    def test_all_addresses_fail(
        self, server: LocalServer, content: bytes, cache: Path, tmp_path: Path
    ) -> None:
        server.answers["/one"] = [body(npz(tmp_path / "more.npz", n=4).read_bytes())]
        server.answers["/two"] = [status(403)]
        with pytest.raises(DownloadError) as caught:
            raw_file("citeseer")
        said = str(caught.value)
        assert "/one is not the file it should be: found 4 nodes, 2 edges, 2 labels; whole CiteSeer" in said
        assert "/two: the server answered 403" in said
        told = "name its folder by PRUNE4SED_MIRROR, or by prune4sed data get citeseer --mirror FOLDER"
        assert f"get citeseer.npz in another way and {told}" in said
        assert "\n" not in said
        assert list(cache.iterdir()) == []

    def test_a_damaged_file_in_the_cache_is_replaced(self, content: bytes, cache: Path) -> None:
        cache.mkdir(parents=True)
        (cache / "citeseer.npz").write_bytes(content[:50])
        path, _ = fetch_raw("citeseer")
        assert path.read_bytes() == content

    def test_a_damaged_file_of_another_name_makes_room(
        self, server: LocalServer, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entry = replace(DATASETS["amazon"], downloads=(Download(f"{server.url}/s", "amazon.tgz"),))
        monkeypatch.setitem(DATASETS, "amazon", entry)
        server.answers["/s"] = [body(b"1 2\n2 3\n")]
        cache.mkdir(parents=True)
        (cache / "com-amazon.ungraph.txt").write_text("1 2\n")
        path, data = fetch_raw("amazon")
        assert len(data) == 3
        assert raw_file("amazon") == path == cache / "amazon.tgz"

    def test_from_a_mirror(self, server: LocalServer, content: bytes, cache: Path, tmp_path: Path) -> None:
        path, _ = fetch_raw("citeseer", mirror=tmp_path / "made")
        assert path == cache / "citeseer.npz"
        assert path.read_bytes() == content
        assert server.asked == []
        assert fetch_raw("citeseer", mirror=cache)[0] == path  # the cache as its own mirror

    def test_a_damaged_mirror_leaves_the_cache_alone(
        self, content: bytes, cache: Path, tmp_path: Path
    ) -> None:
        fetch_raw("citeseer", mirror=tmp_path / "made")
        npz(tmp_path / "made" / "citeseer.npz", n=5)
        with pytest.raises(FormatError, match="found 5 nodes"):
            fetch_raw("citeseer", mirror=tmp_path / "made")
        assert (cache / "citeseer.npz").read_bytes() == content


def test_a_digest_knows_numbering_and_labels() -> None:
    path = Network.from_edges([[0, 1], [1, 2]], [0, 1, 0])
    same = Network.from_edges([[2, 1], [1, 0], [0, 1]], [0, 1, 0])
    assert digest(path) == digest(same)
    assert digest(path) != digest(Network.from_edges([[0, 1], [0, 2]], [1, 0, 0]))
    assert digest(path) != digest(Network.from_edges([[0, 1], [1, 2]], [0, 1, 1]))
