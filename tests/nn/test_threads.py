"""Batches side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch

from prune4sed.nn.threads import map_threads


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_answers_come_in_order_from_several_threads() -> None:
    both = threading.Barrier(2, timeout=20)  # passes only if two threads are at work

    def work(item: int) -> tuple[int, int, bool]:
        both.wait()
        return item, torch.get_num_threads(), torch.is_inference_mode_enabled()

    assert map_threads(work, range(6), 2) == [(i, 1, True) for i in range(6)]
    assert torch.get_num_threads() == 2
    assert not torch.is_inference_mode_enabled()


def test_one_item_keeps_all_torch_threads() -> None:
    assert map_threads(lambda _: torch.get_num_threads(), [0], 2) == [2]
    assert map_threads(lambda _: 0, [], 2) == []


def test_an_error_comes_through() -> None:
    def fail(item: int) -> int:
        raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item 0"):
        map_threads(fail, range(50), 2)
    assert torch.get_num_threads() == 2
