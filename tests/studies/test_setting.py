"""What is asked for is what is used, and what is not there is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_studies import Bench

from prune4sed.errors import OptionError
from prune4sed.studies.setting import Setting


def test_methods_come_in_the_order_of_the_study() -> None:
    known = ("branch", "simgnn", "neurosed", "exact-1ms")

    def chosen(*asked: str) -> tuple[str, ...]:
        return Setting(Path("out"), Path("out"), methods=asked).chosen_methods(known)

    assert chosen() == known
    assert chosen("neurosed", "branch") == ("branch", "neurosed")
    assert chosen("models") == ("simgnn", "neurosed")
    assert chosen("solvers", "simgnn") == ("branch", "simgnn", "exact-1ms")
    with pytest.raises(OptionError, match="no method 'prune4sed' here; there are branch, simgnn, neurosed"):
        chosen("prune4sed")


def test_a_dataset_that_is_damaged_is_a_reason_and_not_an_end(bench: Bench) -> None:
    (bench.folder / "made" / "pairs.parquet").write_bytes(b"nothing")
    (opened,) = bench.setting().opened()
    assert opened.data is None
    assert "pairs.parquet" in opened.why
    with pytest.raises(OptionError, match="no dataset 'imdb'"):
        list(bench.setting(datasets=("imdb",)).opened())


def test_only_the_last_dataset_stays_open(bench: Bench) -> None:
    setting = bench.setting()
    name = setting.datasets[0]
    assert setting.dataset(name) is setting.dataset(name)
    assert [x.name for x in setting.opened()] == ["made"]
