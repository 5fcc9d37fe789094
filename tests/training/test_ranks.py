"""Two processes that train together take the same steps as one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from made_runs import quick, small_model, training_dataset
from safetensors.torch import load_file

from prune4sed.training.loop import train
from prune4sed.training.ranks import Ranks

HERE = Path(__file__).parent
# The process leaves without tearing down: gloo's threads now and then abort it when all is done.
SCRIPT = """
import os, sys, torch
sys.path[:0] = {path!r}
torch.set_num_threads(1)
from made_runs import *
from prune4sed.training.loop import train
data = training_dataset()
model = small_model(data, seed=int(sys.argv[1]))
recipe, told = quick(batch_size=6, **{changes!r}), {{"start": {{"digest": "0"}}}}
found = train(model, data, recipe, {folder!r}, device="cpu", told=told)
print(sum(float(x.double().sum()) for x in found.model.state_dict().values()), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("changes", [{}, {"thrift": 0.4, "focus": 0.5}], ids=["alike", "by error"])
def test_two_are_one(tmp_path: Path, changes: dict[str, float]) -> None:
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    paths = [str(HERE), str(HERE.parent / "datasets"), str(HERE.parent), *sys.path]
    script = SCRIPT.format(path=paths, folder=str(tmp_path / "two"), changes=changes)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    children = []
    for rank in range(2):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        # Other weights in the second process: it is to take those of the first.
        command = [sys.executable, "-c", script, str(rank)]
        env = {**os.environ, **place, **where}
        children.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True))
    sums = [child.communicate(timeout=100)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sums[0] == sums[1]
    data = training_dataset()
    recipe, told = quick(batch_size=6, **changes), {"start": {"digest": "0"}}
    train(small_model(data), data, recipe, tmp_path / "one", device="cpu", told=told)
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for name, x in one.items():
        torch.testing.assert_close(x, two[name], atol=1e-5, rtol=1e-4)


def test_alone_nothing_is_sent() -> None:
    x = torch.ones(3)
    ranks = Ranks()
    ranks.average_([x])
    ranks.copy_first_([x])
    assert (x == 1).all()
    assert ranks.of_first(7) == 7
    assert ranks.any(True)
    assert ranks.first
