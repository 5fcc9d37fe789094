"""H2MN sees structure where all labels are the same, and sizes."""

from __future__ import annotations

import pytest

from prune4sed import Graph

torch = pytest.importorskip("torch")

from prune4sed.models.registry import create_model  # noqa: E402
from prune4sed.nn.vocabulary import Vocabulary  # noqa: E402


@pytest.mark.parametrize("hyperedges", ["hop", "walk"])
def test_graphs_of_one_label_are_told_apart(hyperedges: str) -> None:
    torch.manual_seed(3)
    model = create_model("h2mn", Vocabulary(("C",)), width=16, hyperedges=hyperedges).eval()
    path = Graph(["C"] * 6, [(i, i + 1) for i in range(5)])
    star = Graph(["C"] * 6, [(0, i) for i in range(1, 6)])
    ring = Graph(["C"] * 12, [(i, (i + 1) % 12) for i in range(12)])
    larger = Graph(["C"] * 24, [(i, (i + 1) % 24) for i in range(24)])
    found = model.predict([path] * 4, [path, star, ring, larger])
    assert len({round(float(x), 4) for x in found}) == 4  # rings differ in size alone
    alone = [float(model.predict(path, target)[0]) for target in (path, star, ring, larger)]
    assert found.tolist() == pytest.approx(alone, abs=1e-4)
