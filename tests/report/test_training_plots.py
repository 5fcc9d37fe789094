"""Curves of a training run show what its log says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
from prune4sed.errors import OptionError
from prune4sed.report.training_plots import training_curves, training_figure


def _entries(steps: int) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for i in range(1, steps + 1):
        lines.append({"step": 20 * i, "loss": 100 / i, "rate": 1e-3 * (i % 10)})
        if i % 10 == 0:
            lines.append({"step": 20 * i, "rmse": abs(i - 30) / 10 + 0.5, "best": 0.5})
    return lines


def _drawn(figure: Any, name: str) -> Any:
    return next(item for axes in figure.axes for item in axes.lines if item.get_gid() == name)


def test_lines_are_the_logs() -> None:
    figure = training_figure(_entries(60), "a run")
    loss, rmse = _drawn(figure, "loss"), _drawn(figure, "rmse")
    assert loss.get_xdata()[[0, -1]].tolist() == [20, 1200]
    assert loss.get_ydata()[[0, -1]].tolist() == pytest.approx([100, 100 / 60])
    assert rmse.get_xydata()[2].tolist() == [600, 0.5]
    assert _drawn(figure, "best").get_xydata().tolist() == [[600, 0.5]]
    assert "best 0.500, step 600" in [text.get_text() for axes in figure.axes for text in axes.texts]
    mean = _drawn(figure, "mean loss")
    assert mean.get_ydata()[0] == pytest.approx((100 + 50) / 2)
    assert mean.get_xdata()[0] == 40
    assert figure.axes[0].get_yscale() == "log"


def test_a_run_that_has_hardly_begun() -> None:
    figure = training_figure(_entries(1))
    assert "not validated yet" in [text.get_text() for axes in figure.axes for text in axes.texts]
    with pytest.raises(OptionError, match="no losses to draw"):
        training_figure([])


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_files(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in _entries(30)))
    path = training_curves(log, tmp_path / f"curves.{kind}", "neurosed on made")
    first = path.read_bytes()
    assert len(first) > 5000
    assert training_curves(log, path, "neurosed on made").read_bytes() == first
