"""Bubble plots show every place, larger where more pairs are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from prune4sed.report.bubble_plot import bubble_figure
from prune4sed.report.figures import save_figure


def test_places_sizes_and_gaps(tmp_path: Path) -> None:
    plots = {
        ("aids", "0.1"): ([0, 1, 2], [0, 1, 5], [40, 10, 1], "MAE 0.1"),
        ("aids", "0.3"): None,
    }
    figure = bubble_figure(plots, ["aids"], ["0.1", "0.3", "0.5"], "Pruned", ("true", "pruned"))
    shown, *others = figure.axes
    bubbles = next(c for c in shown.collections if c.get_gid() == "bubbles")
    np.testing.assert_array_equal(bubbles.get_offsets(), [[0, 0], [1, 1], [2, 5]])
    sizes = bubbles.get_sizes()
    assert sizes[0] == pytest.approx(4 * sizes[1])
    assert sizes[1] > sizes[2] > 0
    assert shown.get_xlim()[1] > 5
    for axes in others:
        assert not axes.collections
        assert [text.get_text() for text in axes.texts] == ["missing"]
    assert save_figure(figure, tmp_path / "plot.svg").stat().st_size > 1000
