"""Drawn studies on a tiny dataset: what is drawn is what the model and the engine say."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from made import made_graphs, made_set
from made_studies import Bench

from prune4sed.datasets.dataset import PairSet
from prune4sed.exact.engine import sed
from prune4sed.graphset import GraphSet
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.studies.drawn_pair import DrawnPair, draw_pair
from prune4sed.studies.heads import Heads
from prune4sed.studies.match_kept import area_under_curve
from prune4sed.studies.readable_pairs import LARGEST, SMALLEST, one_target_each, readable
from prune4sed.studies.running import reproduce
from prune4sed.studies.showcase import Showcase
from prune4sed.studies.study import Study

SPACE = "{http://www.w3.org/2000/svg}"


def circles(svg: str, kind: str) -> int:
    return sum(c.get("class") == kind for c in ET.fromstring(svg).iter(f"{SPACE}circle"))


def test_heads(bench: Bench) -> None:
    model = bench.model("prune4sed")
    assert isinstance(model, Prune4SED)
    found = reproduce(Heads(), bench.setting(quick=True))
    assert (found.computed, found.missing) == (1, [])
    told = found.record.figures(method="prune4sed", dataset="made")
    assert told is not None
    assert told["pairs"] == 20
    pair = DrawnPair.from_json(told["drawn"])
    assert pair.keep.shape == (5, len(pair.target))
    np.testing.assert_allclose(pair.keep, model.prune(pair.query, pair.target).keep, atol=2e-3)
    exact = sed(pair.query, pair.target)
    assert (pair.lower, pair.upper) == (exact.lower, exact.upper)
    assert exact.costs.map_cost(pair.query, pair.target, pair.mapping) == exact.upper
    sheet = (bench.folder / "out" / "heads.svg").read_text()
    assert circles(sheet, "ring") == 6 * len(pair.matched)  # in the target and with every head
    assert circles(sheet, "node") == len(pair.query) + len(pair.target) + pair.kept.sum()
    assert circles(sheet, "ghost") == (~pair.kept).sum()
    assert "| made | 20 | 0." in (bench.folder / "out" / "heads.md").read_text()


def test_showcase(bench: Bench) -> None:
    bench.model("prune4sed")
    found = reproduce(Showcase(), bench.setting(quick=True))
    told = found.record.figures(method="prune4sed", dataset="made")
    assert told is not None
    pairs = [DrawnPair.from_json(x) for x in told["drawn"]]
    assert len(pairs) == 4
    targets = [pair.target for pair in pairs]
    assert targets[0] == targets[1] != targets[2] == targets[3]
    assert 0 <= told["auc"] <= 1
    sheet = (bench.folder / "out" / "showcase-made.svg").read_text()
    assert circles(sheet, "ring") == 3 * sum(len(pair.matched) for pair in pairs)


@pytest.mark.parametrize("study", [Heads(), Showcase()], ids=lambda study: study.name)
def test_a_missing_model_is_a_dash(study: Study, bench: Bench) -> None:
    found = reproduce(study, bench.setting(quick=True))
    assert found.missing == [("prune4sed, made", "no trained prune4sed was found")]
    assert "| made | – | – |" in (bench.folder / "out" / f"{study.name}.md").read_text()
    assert not list((bench.folder / "out").glob("*.svg"))


def test_a_drawn_pair_survives_json(bench: Bench) -> None:
    query, target = bench.data.test.queries[0], bench.data.test.targets[0]
    pair = draw_pair(bench.model("prune4sed"), query, target)
    again = DrawnPair.from_json(pair.to_json())
    assert (again.query.labels, again.query.edges) == (query.labels, query.edges)
    assert (again.target.labels, again.target.edges) == (target.labels, target.edges)
    assert again.mapping == pair.mapping
    np.testing.assert_allclose(again.keep, pair.keep, atol=5e-4)
    np.testing.assert_array_equal(again.kept, pair.kept)


def test_pairs_are_chosen_by_rule_and_seed() -> None:
    one = made_set(4, made_graphs(2, 30, (5, 60)), 40, (4, 12))
    pairs = one_target_each(one, 3, 2, seed=5)
    assert len(pairs) == 6
    for query, target in pairs:
        assert SMALLEST <= len(target) <= LARGEST
        assert len(set(target.labels)) > 1
        assert len(query) <= 0.6 * len(target)
    assert [q.id for q, _ in pairs] == [q.id for q, _ in one_target_each(one, 3, 2, seed=5)]
    others = [t.id for _, t in one_target_each(one, 3, 2, seed=6)]
    assert others != [t.id for _, t in pairs]
    same = made_set(4, made_graphs(2, 30, (16, 30)), 1, (6, 6))
    again = PairSet(GraphSet([same.queries[0]] * 9), same.targets, same.pairs)
    assert len(one_target_each(again, 3, 2, seed=0)) == 3  # one query, whatever it is called
    assert readable(np.array([1, 2])).tolist() == [0, 1]


def test_area_under_curve_by_counting() -> None:
    rng = np.random.default_rng(0)
    scores, inside = rng.integers(0, 4, 12).astype(np.float32), rng.random(12) < 0.4
    wins = [(a > b) + (a == b) / 2 for a in scores[inside] for b in scores[~inside]]
    assert area_under_curve(scores, inside) == pytest.approx(sum(wins) / len(wins))
    assert area_under_curve(scores, np.ones(12, bool)) is None
