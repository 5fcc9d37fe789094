"""The number of threads is the one that is faster."""

from __future__ import annotations

import pytest
import torch

from prune4sed.nn.threads import kept_threads
from prune4sed.training.threads import quickest


@pytest.mark.parametrize(("times", "threads"), [({2: 4.0, 1: 1.0}, 1), ({2: 1.0, 1: 1.5}, 2)])
def test_the_faster_one_is_kept(times: dict[int, float], threads: int) -> None:
    with kept_threads():
        torch.set_num_threads(2)
        assert quickest(lambda: times[torch.get_num_threads()]) == 1.0
        assert torch.get_num_threads() == threads
    assert torch.get_num_threads() == 1  # as for all tests in this folder
