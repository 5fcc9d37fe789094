"""Missing extras are named."""

from __future__ import annotations

import json

import pytest

from prune4sed.errors import MissingExtraError, Prune4SEDError, require


def test_require() -> None:
    assert require("json", "chem") is json
    with pytest.raises(MissingExtraError) as caught:
        require("no_such_package.part", "chem", "to read SMILES")
    assert str(caught.value) == (
        "no_such_package is needed to read SMILES; install it with: pip install 'prune4sed[chem]'"
    )
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, Prune4SEDError)
