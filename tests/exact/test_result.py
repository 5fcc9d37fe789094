"""SedResult: how it reads, and that it cannot be changed."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest

from prune4sed.exact.costs import EditCosts
from prune4sed.exact.result import SedResult
from prune4sed.graph import Graph

Q = Graph(labels=["C", "N"], edges=[(0, 1)])
T = Graph(labels=["C", "C"], edges=[(0, 1)])


def result(lower: float, upper: float) -> SedResult:
    return SedResult(
        lower=lower, upper=upper, mapping=(0, 1), nodes=3, seconds=0.1, query=Q, target=T, costs=EditCosts()
    )


def test_repr_says_whether_it_is_proven() -> None:
    assert repr(result(1.0, 1.0)) == "SED = 1 (certified)"
    assert repr(result(0.5, 1.0)) == "0.5 <= SED <= 1"


def test_certified_and_edits() -> None:
    assert result(1.0, 1.0).certified
    assert not result(0.0, 1.0).certified
    r = result(1.0, 1.0)
    assert [str(edit) for edit in r.edits] == ["relabel node 1 from N to C"]
    assert r.edits is r.edits


def test_cannot_be_changed_but_travels() -> None:
    r = result(1.0, 1.0)
    with pytest.raises(FrozenInstanceError):
        r.lower = 0.0  # type: ignore[misc]
    for twin in (copy.copy(r), pickle.loads(pickle.dumps(r))):  # noqa: S301 - our own bytes
        assert (twin.lower, twin.mapping, twin.edits) == (r.lower, r.mapping, r.edits)
