"""Colours of labels: steady, and told apart by everyone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from prune4sed.graph import Graph
from prune4sed.report.label_colours import MATCHED, OTHER, PALETTE, label_colours, legend_names, text_colour

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
SIGHT = {
    "full colour": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    xyz = TO_XYZ @ np.clip(light, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_are_told_apart_with_any_sight(sight: str) -> None:
    seen = [lab(np.array(SIGHT[sight]) @ linear(colour)) for colour in (*PALETTE, MATCHED)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 20


@pytest.mark.parametrize("fill", [*PALETTE, OTHER])
def test_text_in_a_node_is_readable(fill: str) -> None:
    def luminance(colour: str) -> float:
        return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))

    ink = {"black": 0.0, "white": 1.0}[text_colour(fill)]
    low, high = sorted((ink, luminance(fill)))
    assert (high + 0.05) / (low + 0.05) > 3.5


def test_integers_and_elements_keep_their_colour() -> None:
    assert label_colours([Graph([3, 1])]) == {1: PALETTE[1], 3: PALETTE[3]}
    alone, mixed = label_colours([Graph(["N"])]), label_colours([Graph(["Zn", "N", "C", "Ag"])])
    assert alone["N"] == mixed["N"]
    assert len(set(mixed.values())) == 4


def test_rare_labels_share_a_grey() -> None:
    labels = [f"label {i:02}" for i in range(20) for _ in range(20 - i)]
    colours = label_colours([Graph(labels)])
    assert list(colours) == sorted(set(labels))
    assert [label for label, colour in colours.items() if colour != OTHER] == sorted(set(labels))[:8]
    assert len(set(colours.values())) == 9
    assert list(legend_names(colours))[-1] == "other"
