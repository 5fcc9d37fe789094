"""The benchmark of rankings, on few molecules and with models that have learnt nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rdkit")
pytest.importorskip("torch")

import prune4sed as ps
from prune4sed.datasets.draws import strict
from prune4sed.models.checkpoint import save_checkpoint
from prune4sed.models.registry import create_model
from prune4sed.nn.vocabulary import Vocabulary

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def ranking(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import ranking

    yield ranking
    for name in ("ranking", "_ranking_cases", "_record"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def library() -> ps.GraphSet:
    ends, links = ["O", "N", "S", "Cl", "C(=O)O", "S(=O)(=O)N"], ["C", "CC", "N", "OC", "SC"]
    return ps.GraphSet(
        ps.Graph.from_smiles(f"{a}c1ccc({b}C2CCC({c})CC2)cc1") for a in ends for b in links for c in ends
    )


def test_queries_are_of_shapes_that_nobody_trains_on(ranking: Any, library: ps.GraphSet) -> None:
    queries = ranking.new_queries(library, 20, seed=0)
    assert len(queries) == 20
    assert strict(queries, 10).all()
    assert queries.num_nodes.min() >= 6


def test_precision_is_that_of_comparing_everything(ranking: Any, library: ps.GraphSet) -> None:
    queries, k = ranking.new_queries(library, 6, seed=0), 10
    best = ranking.proven(queries, ps.Index.build(library), k)
    rng = np.random.default_rng(0)
    orders = {query: rng.permutation(len(library)) for query in queries}
    found = ranking.judged("random", orders.__getitem__, queries, library, best)
    shares = []
    for query in queries:
        truth = ps.sed_pairs(query, library, time_limit=60.0).upper
        shares.append(np.mean(truth[orders[query][:k]] <= np.sort(truth)[k - 1]))
    assert found["precision_at_10"] == pytest.approx(np.mean(shares), abs=1e-4)
    ideal = {query: np.argsort(ps.sed_pairs(query, library, time_limit=60.0).upper) for query in queries}
    perfect = ranking.judged("ideal", ideal.__getitem__, queries, library, best)
    assert (perfect["precision_at_10"], perfect["mean_distance_above_best"]) == (1, 0)


def test_any_checkpoint_will_do(
    ranking: Any, library: ps.GraphSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = Vocabulary(("C", "N", "O", "S"), unknown=True)  # Cl is one of the unknown
    small = {"neurosed": {"width": 8, "layers": 2}, "prune4sed": {"width": 8, "stages": 2, "heads": 2}}
    for name, options in small.items():
        save_checkpoint(create_model(name, words, **options), tmp_path / f"{name}.safetensors")
    monkeypatch.setattr(ranking, "nci_held_out", lambda count: library[:count])
    flags = [text for name in small for text in (f"--{name}", str(tmp_path / f"{name}.safetensors"))]
    sizes = ["--fragments", "4", "--molecules", "60"]
    out = tmp_path / "ranking.json"
    monkeypatch.setattr(sys, "argv", ["ranking.py", *flags, *sizes, "--out", str(out)])
    ranking.main()
    told = json.loads(out.read_text())
    assert set(told["rankings"]) == {
        "bounds",
        "prune4sed alone",
        "neurosed alone",
        "search with prune4sed",
        "search with neurosed",
        "search with both",
    }
    assert all(0 <= one["precision_at_10"] <= 1 for one in told["rankings"].values())
    monkeypatch.setattr(sys, "argv", ["ranking.py", *sizes, "--out", str(tmp_path / "none.json")])
    ranking.main()
    assert not (tmp_path / "none.json").exists()  # without a model there is nothing to record
