"""Compile every kernel for a GPU that need not be there: an interpreter takes what a compiler refuses.

Runs a training step and a prediction with kernels that are compiled instead of launched, and names them.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
import triton
from made_batches import some_graphs, words
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

from prune4sed.models.registry import create_model
from prune4sed.nn import arcs, kernels
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.on_cpu import torch_alone

TARGET = GPUTarget("cuda", 90, 32)
TYPES = {torch.float32: "*fp32", torch.int64: "*i64", torch.bool: "*i1"}
compiled: dict[Any, str] = {}


def compile_only(self: Any, *args: Any, grid: Any, warmup: bool, **named: Any) -> None:
    """In place of a launch."""
    options = {key: named.pop(key) for key in list(named) if key not in self.arg_names}
    values = dict(zip(self.arg_names, args, strict=False)) | named
    signature: dict[str, str] = {}
    constants: dict[tuple[int], Any] = {}
    for parameter in self.params:
        value = values[parameter.name]
        if parameter.is_constexpr:
            constants[parameter.num,] = value
        signature[parameter.name] = "constexpr" if parameter.is_constexpr else _type(value)
    key = (self.fn.__module__, self.fn.__name__, *signature.values(), *constants.values())
    if key not in compiled:
        triton.compile(ASTSource(self, signature, constants, {}), target=TARGET, options=options)
        compiled[key] = f"{self.fn.__module__.rpartition('.')[2]}.{self.fn.__name__}"


def _type(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return TYPES[value.dtype]
    return "i32" if isinstance(value, int) else "fp32"


def _compile_all(name: str) -> None:
    """All kernels that a model trains and predicts with."""
    model = create_model(name, words())
    queries, targets = (model.place(some_graphs(i, 6, high=25)) for i in range(2))
    at = torch.arange(6)
    model(pair_batch(queries, targets, at, at)).sum().backward()
    with torch.inference_mode():
        shared = torch.zeros(6, dtype=torch.int64)
        model.eval()(pair_batch(queries, targets, at[:1], at, query_of=shared))


def main() -> None:
    JITFunction.run = compile_only
    kernels.usable = arcs.usable = lambda device: True
    torch.set_float32_matmul_precision(sys.argv[1])
    for name in ("prune4sed", "prune4sed-plus"):
        with torch_alone():
            _compile_all(name)
    print(*sorted(set(compiled.values())))


if __name__ == "__main__":
    main()
