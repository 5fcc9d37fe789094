"""The learning rate, against torch's own schedulers."""

from __future__ import annotations

import pytest
import torch

from prune4sed.training.recipe import Recipe
from prune4sed.training.schedule import cosine, cyclic


def _optimizer(rate: float) -> torch.optim.Optimizer:
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate)


def _rates(scheduler: torch.optim.lr_scheduler.LRScheduler, steps: int) -> list[float]:
    found = []
    for _ in range(steps):
        found.append(scheduler.get_last_lr()[0])
        scheduler.optimizer.step()
        scheduler.step()
    return found


@pytest.mark.parametrize(("rise", "fall"), [(5, 5), (3, 8), (1, 1)])
def test_cyclic_is_that_of_torch(rise: int, fall: int) -> None:
    theirs = torch.optim.lr_scheduler.CyclicLR(_optimizer(0.0), 0.0, 1e-3, rise, fall, cycle_momentum=False)
    steps = 3 * (rise + fall) + 1
    assert [cyclic(i, rise, fall, 1e-3) for i in range(steps)] == pytest.approx(
        _rates(theirs, steps), abs=1e-9
    )


def test_cosine_is_that_of_torch() -> None:
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(_optimizer(2e-3), T_max=20)
    assert [cosine(i, 0, 20, 2e-3) for i in range(20)] == pytest.approx(_rates(theirs, 20))
    assert [cosine(i, 4, 24, 2e-3) for i in range(4)] == pytest.approx([0, 5e-4, 1e-3, 1.5e-3])
    assert [cosine(i + 4, 4, 24, 2e-3) for i in range(20)] == pytest.approx(_rates_again())
    assert cosine(30, 4, 24, 1.0) == 0


def _rates_again() -> list[float]:
    return _rates(torch.optim.lr_scheduler.CosineAnnealingLR(_optimizer(2e-3), T_max=20), 20)


def test_the_papers_cycle() -> None:
    rates = [Recipe().rate(step) for step in (0, 1000, 2000, 3000, 4000, 6000)]
    assert rates == pytest.approx([0, 5e-4, 1e-3, 5e-4, 0, 1e-3])
