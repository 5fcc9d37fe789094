"""The catalogue: what the datasets are, where they come from, and how to know that a file is whole."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from prune4sed.errors import OptionError, did_you_mean

__all__ = ["ALL", "DATASETS", "OTHERS", "Counts", "Download", "Entry", "PaperFigures", "canonical", "names"]

Layout = Literal["npz", "edge list", "tudataset", "smiles"]


@dataclass(frozen=True)
class Counts:
    """How much raw data holds; edges are counted once, without self-loops."""

    nodes: int
    edges: int
    labels: int
    graphs: int = 1

    def __str__(self) -> str:
        kinds = f"{self.labels:,} label{'s' * (self.labels != 1)}"
        if not self.nodes:  # of molecules only they themselves are counted
            return f"{self.graphs:,} graphs"
        size = f"{self.nodes:,} nodes, {self.edges:,} edges, {kinds}"
        return size if self.graphs == 1 else f"{self.graphs:,} graphs, {size}"


@dataclass(frozen=True)
class Download:
    """One public address, and the name its file gets in the cache."""

    url: str
    file: str


@dataclass(frozen=True)
class PaperFigures:
    """A row of the paper's table of datasets: mean |V_q|, mean |V_t| and the number of labels."""

    query_nodes: int
    target_nodes: int
    labels: int


@dataclass(frozen=True)
class Entry:
    """One dataset.

    Attributes
    ----------
    name, title : str
        As the code calls it, and as the paper does.
    layout : {"npz", "edge list", "tudataset", "smiles"}
        How the raw file is laid out: one network as a graph2gauss npz or a SNAP edge list, or many graphs,
        of a TUDataset or of a table with a column of SMILES.
    files : tuple of str
        Names of raw files in a mirror or the cache; the first that is there is read.
    downloads : tuple of Download
        Public addresses, tried in order.
    counts : tuple of Counts
        What whole raw data holds; the first is what the shipped labels were made for. Of molecules only the
        graphs are counted, with those that rdkit cannot read: versions of it differ in a few.
    digest : str
        ``identity.digest`` of the very graphs, in the very order, that the shipped labels were made for.
    paper : PaperFigures, optional
        What the paper reports; None for a dataset that is not the paper's.
    differs : str
        What differs from the paper's data; empty if nothing does.
    licence : str
        Who made the data, and what is known of its terms.
    """

    name: str
    title: str
    layout: Layout
    files: tuple[str, ...]
    downloads: tuple[Download, ...]
    counts: tuple[Counts, ...]
    digest: str
    paper: PaperFigures | None
    differs: str
    licence: str

    @property
    def single_network(self) -> bool:
        """Whether the targets are cut from one network, and not graphs of their own."""
        return self.layout not in ("tudataset", "smiles")


_GAUSS = "https://github.com/abojchevski/graph2gauss/raw/master/data"
_PPNP = "https://github.com/gasteigerjo/ppnp/raw/3fe09b4582a96fc20bfcae6e9e0d7682deba2c92/ppnp/data"
_SNAP = "https://snap.stanford.edu/data/bigdata/communities"
_SEAL = "https://github.com/FDUDSDE/SEAL/raw/3e6e3568d5052b77741773c2ee257b4d83d68ad8/datasets"
_TU = "https://www.chrsmrrs.com/graphkerneldatasets"

_CITATION = (
    "Bojchevski and Günnemann (2018), graph2gauss; the repository is MIT, which may not cover the data"
)


def _citation(
    name: str, title: str, counts: Counts, digest: str, paper: PaperFigures, differs: str = ""
) -> Entry:
    file = f"{name}.npz"
    downloads = [Download(f"{_GAUSS}/{file}", file)]
    if name == "cora_ml":
        downloads.append(Download(f"{_PPNP}/{file}", file))
    return Entry(name, title, "npz", (file,), tuple(downloads), (counts,), digest, paper, differs, _CITATION)


def _collection(
    name: str,
    title: str,
    file: str,
    counts: Counts,
    digest: str,
    paper: PaperFigures,
    differs: str,
    licence: str,
) -> Entry:
    downloads = (Download(f"{_TU}/{file}.zip", f"{file}.zip"),)
    files = (f"{file}.zip", file)  # unpacked by hand, it is a folder
    return Entry(name, title, "tudataset", files, downloads, (counts,), digest, paper, differs, licence)


#: The paper's datasets by name.
DATASETS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        _collection(
            "aids",
            "AIDS",
            "AIDS",
            Counts(31_385, 32_390, 38, graphs=2_000),
            "ec9285fbd590075b",
            PaperFigures(9, 14, 38),
            "its few graphs of more than 54 nodes are left out; queries are functional groups and rings from "
            "the medchem package, for the paper's list is not public",
            "IAM graph database (Riesen and Bunke, 2008) in TUDataset; for non-commercial research",
        ),
        _collection(
            "protein",
            "Protein",
            "PROTEINS",
            Counts(43_471, 81_044, 3, graphs=1_113),
            "6b874ac7fc15dcf6",
            PaperFigures(9, 38, 3),
            "",
            "Borgwardt et al. (2005) in TUDataset; licence not known",
        ),
        _citation(
            "citeseer", "CiteSeer", Counts(4_230, 5_337, 6), "d737bbcaf7dfd9fe", PaperFigures(12, 73, 6)
        ),
        _citation("cora_ml", "Cora_ML", Counts(2_995, 8_158, 7), "104d0c826d8027eb", PaperFigures(11, 98, 7)),
        _citation("pubmed", "PubMed", Counts(19_717, 44_324, 3), "ab5f37aa1237b86f", PaperFigures(12, 60, 3)),
        _citation(
            "dblp",
            "DBLP",
            Counts(17_716, 52_867, 4),
            "e95c22ab118bc677",
            PaperFigures(14, 240, 8),
            "a citation network with 4 labels; the paper's co-author network with 8 labels is not public",
        ),
        Entry(
            "amazon",
            "Amazon",
            "edge list",
            # The subset first, for the shipped labels are of it; it was made for SEAL (KDD 2020).
            (
                "com-amazon.subset.ungraph.txt.gz",
                "com-amazon.subset.ungraph.txt",
                "amazon.tgz",
                "com-amazon.ungraph.txt.gz",
                "com-amazon.ungraph.txt",
            ),
            (
                Download(f"{_SEAL}/amazon.tgz", "amazon.tgz"),
                Download(
                    "https://github.com/yzhang1918/kdd2020seal/raw/master/datasets/amazon.tgz", "amazon.tgz"
                ),
                Download(f"{_SNAP}/com-amazon.ungraph.txt.gz", "com-amazon.ungraph.txt.gz"),
            ),
            (Counts(13_178, 33_767, 1), Counts(334_863, 925_872, 1)),
            "fed236fca2041f7f",
            PaperFigures(12, 43, 1),
            "a subset of SNAP com-Amazon chosen by communities, whose ego-nets stay small; the full network "
            "is read as well",
            "Yang and Leskovec (2012), SNAP; subset by Zhang et al. (2020), SEAL; licence not known",
        ),
    )
}

#: Datasets that are not the paper's: the one that the model for searching molecules is trained on.
OTHERS: dict[str, Entry] = {
    "molecules": Entry(
        "molecules",
        "Molecules",
        "smiles",
        ("nci_aids_screen.csv.gz", "nci_aids_screen.csv", "HIV.csv"),
        (Download("https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/HIV.csv", "HIV.csv"),),
        (Counts(0, 0, 0, graphs=41_127),),
        "92ee460f1d8bd905",
        None,
        "not of the paper: molecules of the NCI antiviral screen; queries are functional groups and pieces "
        "of molecules",
        "NCI Developmental Therapeutics Program, antiviral screen, as in MoleculeNet HIV; licence not known",
    ),
}

#: All datasets by name, the paper's first.
ALL: Mapping[str, Entry] = ChainMap(OTHERS, DATASETS)

_ALIASES = {"proteins": "protein", "coraml": "cora_ml", "com_amazon": "amazon"}


def names() -> tuple[str, ...]:
    """The names of the paper's datasets; `load` and `build` take ``molecules`` as well.

    Examples
    --------
    >>> names()[:2]
    ('aids', 'protein')
    """
    return tuple(DATASETS)


def canonical(name: str) -> str:
    """The one spelling of a dataset's name.

    Parameters
    ----------
    name : str
        In any case, with hyphens or underscores.

    Returns
    -------
    str
        A key of `ALL`.

    Raises
    ------
    OptionError
        If there is no such dataset; the text lists those there are.

    Examples
    --------
    >>> canonical("Cora-ML"), canonical("PROTEINS")
    ('cora_ml', 'protein')
    """
    spelt = re.sub(r"[-\s]+", "_", name.strip().lower()) if isinstance(name, str) else ""
    spelt = _ALIASES.get(spelt, spelt)
    if spelt not in ALL:
        near, there = did_you_mean(spelt, ALL), ", ".join(ALL)
        raise OptionError(f"there is no dataset {name!r}{near}; there are: {there}")
    return spelt
