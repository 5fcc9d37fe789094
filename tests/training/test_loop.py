"""Training, from random weights to files."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from made_runs import quick, small_model, training_dataset

from prune4sed.datasets.dataset import KNOWN_LABELS, Dataset, PairSet
from prune4sed.errors import GraphError, OptionError
from prune4sed.exact.engine import sed
from prune4sed.graph import Graph
from prune4sed.models.checkpoint import load_checkpoint, read_header
from prune4sed.models.matching import match_pairs
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.memory import memory_advice
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.training.log import read_log
from prune4sed.training.loop import _advice, new_model, train
from prune4sed.training.losses import interval_loss, mapping_loss, node_cost_loss
from prune4sed.training.metrics import interval_rmse
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.ranks import Ranks
from prune4sed.training.recipe import Recipe
from prune4sed.training.result import Report
from prune4sed.training.step import TrainingStep


def _ten_pairs() -> Dataset:
    one = training_dataset().train
    few = PairSet(one.queries, one.targets, one.pairs[:10])
    return Dataset("ten", 0, {"train": few, "validation": few})


FEW = {
    "neurosed": {},
    "prune4sed": {"stages": 2, "heads": 2},
    "prune4sed-plus": {"width": 16, "stages": 1, "pair_width": 16, "pair_layers": 2},
}


@pytest.mark.parametrize("name", FEW)
def test_ten_pairs_can_be_learned_by_heart(tmp_path: Path, name: str) -> None:
    data = _ten_pairs()
    model = new_model(name, data, **FEW[name])
    recipe = Recipe(
        schedule="cosine", peak_rate=3e-3, clip=1.0, batch_size=10, steps=300, patience=0, weight_decay=0.0
    )
    found = train(model, data, recipe, tmp_path, device="cpu")
    assert found.rmse < 0.1
    queries, targets, pairs = data.train
    answers = found.model.predict(queries, targets, pairs.index)
    assert interval_rmse(answers, pairs.lower, pairs.upper) == pytest.approx(found.rmse, abs=1e-4)


def test_keep_probabilities_can_be_taught(tmp_path: Path) -> None:
    """Nodes that the optimal matches use are kept, the others are not, unlike without the second loss."""
    data = _ten_pairs()
    gaps = []
    for weight in (0.0, 5.0):
        recipe = quick(
            schedule="cosine", peak_rate=1e-2, batch_size=10, steps=200, keep_weight=weight, clip=0.0
        )
        model = train(
            small_model(data, "prune4sed"), data, recipe, tmp_path / str(weight), device="cpu"
        ).model
        kept, left = [], []
        for (q, t), mapping in zip(data.train.pairs.index.tolist(), data.train.pairs.mapping, strict=True):
            keep = model.prune(data.train.queries[q], data.train.targets[t]).keep.mean(0)
            matched = np.isin(np.arange(len(keep)), mapping[mapping >= 0])
            kept += keep[matched].tolist()
            left += keep[~matched].tolist()
        gaps.append(np.mean(kept) - np.mean(left))
    assert gaps[1] > max(0.3, gaps[0] + 0.2)


def test_matches_can_be_taught(tmp_path: Path) -> None:
    """With losses on the match, a beam of one finds nearly what is best; without, it does not."""
    data, costs = _ten_pairs(), []
    queries, targets, pairs = data.train
    for weight in (0.0, 1.0):
        taught = dict.fromkeys(("sum_weight", "map_weight", "cost_weight", "keep_weight"), weight)
        recipe = quick(schedule="cosine", peak_rate=1e-2, batch_size=10, steps=200, clip=0.0, **taught)
        model = new_model("prune4sed-plus", data, **FEW["prune4sed-plus"])
        model = train(model, data, recipe, tmp_path / str(weight), device="cpu").model
        costs.append(float(match_pairs(model, queries, targets, pairs.index, beam=1).upper.sum()))
    assert pairs.upper.sum() <= costs[1] < 1.1 * pairs.upper.sum() < costs[0]


def test_the_sum_is_taught_where_it_is_not_the_distance() -> None:
    data = _ten_pairs()
    for whole in (True, False):
        torch.manual_seed(0)
        model = new_model("prune4sed-plus", data, **{**FEW["prune4sed-plus"], "whole": whole})
        pairs = PlacedPairs.of(data.train, model)
        rows = torch.arange(len(pairs))
        batch = pair_batch(pairs.queries, pairs.targets, pairs.query_at, pairs.target_at)
        loss, minimised = TrainingStep(model, pairs, quick(sum_weight=0.25))._taught_loss(batch, rows, None)
        sums = interval_loss(model.thoughts(batch).sums, pairs.lower, pairs.upper)
        expected = loss + 0.25 * sums if whole else loss
        torch.testing.assert_close(minimised, expected, rtol=1e-4, atol=1e-4)
        assert (sums == loss).item() is not whole


def test_weights_count_in_all_losses_of_prune4sed_plus() -> None:
    data = _ten_pairs()
    torch.manual_seed(0)
    model = new_model("prune4sed-plus", data, **FEW["prune4sed-plus"])
    pairs = PlacedPairs.of(data.train, model, costs=True)
    rows, weights = torch.arange(len(pairs)), 2.0 ** torch.arange(len(pairs)) / 100
    batch = pair_batch(pairs.queries, pairs.targets, pairs.query_at, pairs.target_at)
    recipe = quick(sum_weight=0.25, map_weight=0.5, cost_weight=2.0, trust=1.0)
    loss, minimised = TrainingStep(model, pairs, recipe)._taught_loss(batch, rows, weights)
    thoughts = model.thoughts(batch)
    expected = (weights * (thoughts.distances - pairs.upper).square()).mean()
    torch.testing.assert_close(loss, expected)
    expected = expected + 0.25 * (weights * (thoughts.sums - pairs.upper).square()).mean()
    expected = expected + 0.5 * mapping_loss(thoughts, pairs.mapping, weights)
    assert pairs.node_costs is not None
    expected = expected + 2.0 * node_cost_loss(thoughts, pairs.node_costs, weights)
    torch.testing.assert_close(minimised, expected)


def test_half_precision_is_near_to_the_whole(tmp_path: Path) -> None:
    data, found = _ten_pairs(), []
    for precision in ("float32", "bfloat16"):
        recipe = quick(batch_size=10, steps=5, precision=precision, map_weight=1.0, cost_weight=1.0)
        model = new_model("prune4sed-plus", data, **FEW["prune4sed-plus"])
        train(model, data, recipe, tmp_path / precision, device="cpu")
        found.append(read_log(tmp_path / precision / "log.jsonl")[0]["loss"])
    assert found[1] == pytest.approx(found[0], rel=0.02)
    assert found[1] != found[0]


def test_losses_need_a_model_that_has_what_they_are_about(tmp_path: Path) -> None:
    data = training_dataset()
    for name in ("sum_weight", "map_weight", "cost_weight"):
        with pytest.raises(OptionError, match=f"{name} is for prune4sed-plus; prune4sed matches no nodes"):
            train(small_model(data, "prune4sed"), data, quick(**{name: 1.0}), tmp_path, device="cpu")


def test_every_head_can_be_taught(tmp_path: Path) -> None:
    """With a loss of their own, heads agree with the distances, not only their mean."""
    data = _ten_pairs()
    wrong = []
    for weight in (0.0, 1.0):
        recipe = quick(
            schedule="cosine", peak_rate=1e-2, batch_size=10, steps=80, head_weight=weight, clip=0.0
        )
        model = train(
            small_model(data, "prune4sed"), data, recipe, tmp_path / str(weight), device="cpu"
        ).model
        assert isinstance(model, Prune4SED)
        table = data.train.pairs
        found = [
            model.predict_heads(data.train.queries[q], data.train.targets[t]) for q, t in table.index.tolist()
        ]
        wrong.append(np.abs(np.stack(found) - table.upper[:, None]).mean())
    assert wrong[1] < 0.8 * wrong[0]


def test_only_prune4sed_has_heads(tmp_path: Path) -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="head_weight is for prune4sed; neurosed has no heads"):
        train(small_model(data), data, quick(head_weight=1.0), tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()


def test_only_prune4sed_has_keep_probabilities(tmp_path: Path) -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="keep_weight is for prune4sed; neurosed has no keep probabilities"):
        train(small_model(data), data, quick(keep_weight=1.0), tmp_path, device="cpu")


def test_files_of_a_run(tmp_path: Path) -> None:
    data = training_dataset()
    reports: list[Report] = []
    found = train(small_model(data), data, quick(), tmp_path, device="cpu", progress=reports.append)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "log.jsonl",
        "model.safetensors",
        "state.safetensors",
    ]
    log = read_log(tmp_path / "log.jsonl")
    assert [line["step"] for line in log if "loss" in line] == [7, 14]
    assert [line["rate"] for line in log if "loss" in line] == pytest.approx([1e-3 / 4, 1e-3 / 4])
    rmse = [line["rmse"] for line in log if "rmse" in line]
    assert found.rmse == min(rmse)
    assert [r.step for r in reports] == [7, 14]
    assert (reports[1].rmse, reports[1].total, reports[1].seconds_left) == (rmse[0], 14, 0)
    told = read_header(tmp_path / "model.safetensors", verify=True)
    assert told.info["metrics"]["validation"]["rmse"] == pytest.approx(found.rmse)
    assert told.info["recipe"] == quick().to_dict()
    assert told.info["dataset"]["name"] == "made"
    assert len(told.info["dataset"]["fingerprints"]["train"]) == 64
    assert told.info["versions"]["torch"] == torch.__version__
    json.dumps(told.info, allow_nan=False)


def test_the_best_weights_are_the_result(tmp_path: Path) -> None:
    """A rate that wrecks the model in later rounds: the file and the result are of the best round."""
    data = training_dataset()
    found = train(small_model(data), data, quick(steps=70, peak_rate=0.3, clip=0.0), tmp_path, device="cpu")
    rmse = {line["step"]: line["rmse"] for line in read_log(tmp_path / "log.jsonl") if "rmse" in line}
    assert len(rmse) == 10
    assert found.best_step == min(rmse, key=lambda step: rmse[step]) != 70
    queries, targets, pairs = data.validation
    for model in (found.model, load_checkpoint(tmp_path / "model.safetensors", "cpu")):
        answers = model.predict(queries, targets, pairs.index)
        assert interval_rmse(answers, pairs.lower, pairs.upper) == pytest.approx(found.rmse, rel=1e-5)


def test_patience_ends_a_run(tmp_path: Path) -> None:
    data = training_dataset()
    recipe = quick(steps=0, patience=2, peak_rate=0.3, clip=0.0)
    found = train(small_model(data), data, recipe, tmp_path, device="cpu")
    rmse = [line["rmse"] for line in read_log(tmp_path / "log.jsonl") if "rmse" in line]
    best = int(np.argmin(rmse))
    assert len(rmse) == best + 3
    assert found.steps == 7 * len(rmse)


def test_a_round_draws_every_pair_and_the_first_loss_is_the_models(tmp_path: Path) -> None:
    """The rate starts at 0: one step from the start, the loss is that of the untouched weights."""
    data = _ten_pairs()
    model = small_model(data)
    queries, targets, pairs = data.train
    before = model.predict(queries, targets, pairs.index)
    train(model, data, quick(batch_size=10, steps=1), tmp_path, device="cpu")
    wanted = interval_rmse(before, pairs.lower, pairs.upper) ** 2
    assert read_log(tmp_path / "log.jsonl")[0]["loss"] == pytest.approx(wanted, rel=1e-4)


def test_minutes_decide_the_steps(tmp_path: Path) -> None:
    data = training_dataset()
    recipe = quick(schedule="cosine", steps=0, minutes=0.1)
    found = train(small_model(data), data, recipe, tmp_path, device="cpu")
    assert found.steps > 20
    assert found.seconds < 12
    last = [line for line in read_log(tmp_path / "log.jsonl") if "loss" in line][-1]
    assert last["step"] == found.steps
    assert last["rate"] < 0.01 * recipe.peak_rate


def test_steps_that_get_slower_get_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, plain = training_dataset(), TrainingStep._step

    def slower(step: TrainingStep) -> None:
        plain(step)
        if step.done > 100:
            time.sleep(0.01)

    monkeypatch.setattr(TrainingStep, "_step", slower)
    recipe = quick(schedule="cosine", steps=0, minutes=0.08)
    found = train(small_model(data), data, recipe, tmp_path, device="cpu")
    assert found.steps > 100
    assert found.seconds < 2 * 60 * recipe.minutes
    last = [line for line in read_log(tmp_path / "log.jsonl") if "loss" in line][-1]
    assert last["step"] == found.steps
    assert last["rate"] < 0.01 * recipe.peak_rate


def test_a_small_validation_set_is_used_as_it_is(tmp_path: Path) -> None:
    data = training_dataset()
    told = []
    for count, name in ((0, "all"), (500, "more"), (3, "few")):
        train(small_model(data), data, quick(validation_pairs=count), tmp_path / name, device="cpu")
        told.append(read_header(tmp_path / name / "model.safetensors").info["metrics"]["validation"])
    assert told[0] == told[1]
    assert (told[0]["pairs"], told[2]["pairs"]) == (8, 3)


def test_a_loss_that_explodes_is_said(tmp_path: Path) -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="the loss is no number any more at step"):
        train(small_model(data), data, quick(peak_rate=1e30, clip=0.0), tmp_path, device="cpu")


def test_a_validation_that_is_no_number_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = training_dataset()
    nothing = np.full(len(data.validation.pairs), np.nan, np.float32)
    monkeypatch.setattr("prune4sed.training.placed.PlacedPairs.predict", lambda *_: nothing)
    with pytest.raises(OptionError, match="the validation RMSE is no number any more at step 7"):
        train(small_model(data), data, quick(), tmp_path, device="cpu")


def test_processes_measure_equally_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one would wait for the others for ever: the first process decides, not each one's clock."""
    data = training_dataset()
    model = small_model(data)
    step = TrainingStep(model, PlacedPairs.of(data.train, model), quick())
    told = iter([1, 1, 1, 0])
    monkeypatch.setattr(Ranks, "of_first", lambda self, value: next(told))
    taken, take = [], step._step
    monkeypatch.setattr(step, "_step", lambda: taken.append(1) or take())
    assert step.seconds() > 0
    assert len(taken) == 1 + 3  # the first one warms up
    assert next(told, None) is None


def test_too_little_memory_is_advice() -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="there is too little memory for this model; choose smaller"):
        new_model("neurosed", data, width=10**7)
    said = "too little memory for 9 pairs at a time; try a batch size of 4"
    with pytest.raises(OptionError, match=said), memory_advice(_advice(quick(batch_size=9))):
        raise torch.OutOfMemoryError
    with pytest.raises(RuntimeError, match="something else"), memory_advice("x"):
        raise RuntimeError("something else")


def test_bad_input(tmp_path: Path) -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="40 pairs were asked for, but the set has 23"):
        train(small_model(data), data, quick(pairs=40), tmp_path / "a", device="cpu")
    alone = Dataset("alone", 0, {"train": data.train})
    with pytest.raises(OptionError, match="alone has no set 'validation'"):
        train(small_model(alone), alone, quick(), tmp_path / "b", device="cpu")
    with pytest.raises(OptionError, match="device 'abacus' cannot be used"):
        train(small_model(data), data, quick(), tmp_path / "c", device="abacus")


def test_labels_that_only_validation_has(tmp_path: Path) -> None:
    from made import made_graphs, made_set

    data = training_dataset()
    other = made_set(5, made_graphs(6, 3, (5, 9), labels=9), 5)
    mixed = Dataset("mixed", 0, {"train": data.train, "validation": other})
    with pytest.raises(GraphError, match="which the model has never seen"):
        train(small_model(data), mixed, quick(), tmp_path, device="cpu")
    model = new_model("neurosed", mixed, width=8, layers=2)
    assert len(model.vocabulary.nodes) > len(small_model(data).vocabulary.nodes)
    assert train(model, mixed, quick(), tmp_path / "b", device="cpu").rmse > 0


def test_labels_that_a_dataset_does_not_name_share_a_number_that_is_trained(tmp_path: Path) -> None:
    data = training_dataset()
    names = sorted({label for one in data.sets.values() for graph in one.targets for label in graph.labels})
    known, rest = names[:1], names[1:]
    said = Dataset("said", 0, data.sets, {KNOWN_LABELS: known})
    model = new_model("neurosed", said, width=8, layers=2)
    assert model.vocabulary == Vocabulary(tuple(known), None, unknown=True)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    train(model, said, quick(), tmp_path, device="cpu")
    moved = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    rows = [name for name in moved if before[name].dim() == 2 and before[name].shape[0] == 2]
    assert any(not torch.equal(model.state_dict()[name][1], before[name][1]) for name in rows)
    one, other = (Graph([label], []) for label in rest[:2])
    first, second = model.predict([one, one], [one, other])
    assert first == second  # the model cannot tell them apart, and the engine still does
    assert (sed(one, one).upper, sed(one, other).upper) == (0, 1)
