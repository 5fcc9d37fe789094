"""Certified search: correct on NCI molecules, and its cost on up to 1.58 million MOSES molecules.

    python benchmarks/search.py --wheel molsets-0.3.1-py3-none-any.whl --work FOLDER

writes results/search.json. Without --wheel only the first part is run. The index of the MOSES molecules, with
the bundled models for molecules, stays in the folder with the figures of its build; a second run uses both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.progress import track

import prune4sed as ps
from _record import RESULTS, load, record, write
from _search_cases import fragments, moses_smiles, nci_library
from _search_rivals import elements_only, exhaustive, fmcs, substructures
from prune4sed import Graph, Index
from prune4sed.search.index_meta import META
from prune4sed.search.segments import Segment, Segments

BUILD = """
import json, resource, sys, time
from prune4sed.search.building import build_index
if __name__ == "__main__":
    start = time.perf_counter()
    meta = build_index(sys.argv[1], sys.argv[2], model="auto")
    peak = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"seconds": round(time.perf_counter() - start, 1), "peak_mb": round(peak / 1024),
                      "bytes": sum(file.bytes for file in meta.files), "graphs": meta.graphs}))
"""


def correctness(queries: list[Graph], molecules: list[Any], library: ps.GraphSet) -> dict[str, Any]:
    """The ten nearest against comparing everything, and distance 0 against RDKit, pair by pair."""
    index = Index.build(library)
    wrong, contained_wrong, unproven, seconds, brute = 0, 0, 0, [], 0.0
    for query in track(queries, "correctness"):
        start = perf_counter()
        table = ps.sed_pairs(query, library, time_limit=60.0)
        brute += perf_counter() - start
        assert table.certified.all()
        hits = index.search(query, k=10, time_limit=60.0)
        seconds.append(hits.elapsed)
        unproven += not hits.proven
        same = [hit.upper for hit in hits] == np.sort(table.upper)[:10].tolist()
        wrong += not (same and all(hit.upper == table.upper[hit.position] for hit in hits))
        pattern = elements_only(query)
        truth = {i for i, molecule in enumerate(molecules) if molecule.HasSubstructMatch(pattern)}
        found = {hit.position for hit in index.range_search(query, 0, time_limit=60.0)}
        contained_wrong += len(truth ^ found) + int(((table.upper == 0).sum()) != len(truth))
    return {
        "queries": len(queries),
        "molecules": len(library),
        "top_10_wrong": wrong,
        "not_proven": unproven,
        "containment_differs_from_rdkit": contained_wrong,
        "search": _times(seconds),
        "exhaustive_s_per_query": round(brute / len(queries), 3),
    }


def scale(folder: Path, queries: list[Graph], sizes: list[int]) -> dict[str, Any]:
    """Times of searches in the first graphs of the index, for growing numbers of them."""
    start = perf_counter()
    whole = Index.open(folder)
    opened = perf_counter() - start
    found: dict[str, Any] = {"open_s": round(opened, 3)}
    for size in sizes:
        index = _first(whole, size)
        index.search(queries[0])  # brings the files into memory
        certified = [index.search(query, k=10, time_limit=60.0) for query in track(queries, f"{size:,}")]
        quick = [index.search(query, k=10, certify=False).elapsed for query in queries]
        found[str(len(index))] = {
            "certified": _times([hits.elapsed for hits in certified]),
            "proven": sum(hits.proven for hits in certified),
            "queries": len(queries),
            "last_distance": np.bincount([int(hits[-1].upper) for hits in certified]).tolist(),
            "exact_per_query": round(float(np.mean([hits.counts.exact for hits in certified])), 1),
            "not_certified": _times(quick),
        }
    return found


def _first(whole: Index, size: int) -> Index:
    """An index of the first graphs, sharing all of it."""
    parts = [
        Segment(
            part.graphs[: size - start],
            part.bits[: size - start],
            None if part.vectors is None else part.vectors[: size - start],
        )
        for start, part in zip(whole.library.starts, whole.library.parts, strict=False)
        if start < size
    ]
    return Index(Segments(parts), whole.models, whole.threads)


def side_by_side(queries: list[Graph], index: Index, sample: int, threads: int) -> dict[str, Any]:
    """The same question to the index and to its rivals, on the same molecules."""
    from rdkit import Chem

    library = index.library.parts[0].graphs
    some, graphs = queries[:8], library[:5000]
    molecules = [_molecule(graph) for graph in graphs]
    small = Index.build(graphs, threads=threads)
    patterns = [elements_only(query) for query in some]
    rival, matches = substructures(patterns, molecules, threads)
    ours = [small.range_search(query, 0, time_limit=60.0) for query in some]
    differ = sum({hit.position for hit in hits} != found for hits, found in zip(ours, matches, strict=True))
    plain = [Chem.Mol(pattern) for pattern in patterns]
    return {
        "molecules": len(graphs),
        "queries": len(some),
        "certified_top_10": _times([small.search(query, time_limit=60.0).elapsed for query in some]),
        "exhaustive_engine": exhaustive(some, graphs, sample),
        "rdFMCS": fmcs(plain, molecules, sample),
        "containment_ours": _times([hits.elapsed for hits in ours]),
        "containment_SubstructLibrary": rival,
        "containment_differs": differ,
    }


def _molecule(graph: Graph) -> Any:
    """A molecule with the elements and bonds of a graph, all single: what the graphs know."""
    from rdkit import Chem

    editable: Any = Chem.RWMol()
    for label in graph.labels:
        atom = Chem.Atom(str(label))
        atom.SetNoImplicit(True)
        editable.AddAtom(atom)
    for a, b in graph.edges:
        editable.AddBond(int(a), int(b), Chem.BondType.SINGLE)
    molecule = editable.GetMol()
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def _times(seconds: list[float]) -> dict[str, float]:
    values = np.array(seconds)
    return {
        "median_s": round(float(np.median(values)), 4),
        "p95_s": round(float(np.quantile(values, 0.95)), 4),
        "max_s": round(float(values.max()), 4),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fragments", type=int, default=50)
    parser.add_argument("--molecules", type=int, default=5000, help="of NCI, for the test of correctness")
    parser.add_argument("--wheel", type=Path, help="of molsets, for the test of scale")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "prune4sed-search")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000, 10_000_000])
    parser.add_argument("--sample", type=int, default=200, help="molecules for the slow rivals")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "search.json")
    return parser.parse_args()


def main() -> None:
    wanted = _arguments()
    result = record("search.py", ("rdkit",))
    queries = fragments(wanted.fragments, wanted.seed)
    result["correct"] = correctness(queries, *nci_library(wanted.molecules))
    if wanted.wheel is not None:
        wanted.work.mkdir(parents=True, exist_ok=True)
        folder = wanted.work / "moses.index"
        if not (folder / META).exists():
            source = moses_smiles(wanted.wheel, wanted.work / "moses.smi")
            command = [sys.executable, "-c", BUILD, str(source), str(folder)]
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            (wanted.work / "build.json").write_text(run.stdout)
        if (wanted.work / "build.json").exists():
            result["build"] = json.loads((wanted.work / "build.json").read_text())
        result["scale"] = scale(folder, queries, wanted.sizes)
        index = Index.open(folder)
        result["side_by_side"] = side_by_side(queries, index, wanted.sample, index.threads)
    result["load_at_end"] = load()
    write(wanted.out, result)
    print(
        json.dumps(
            {key: result[key] for key in ("correct", "build", "scale", "side_by_side") if key in result},
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
