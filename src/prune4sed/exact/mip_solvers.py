"""Handing an F2 program to HiGHS or Gurobi; both stay unimported until they are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from prune4sed.errors import OptionError, Prune4SEDError, require

if TYPE_CHECKING:
    from prune4sed.exact.f2_model import F2Model
    from prune4sed.exact.maps import Mapping

#: Columns Gurobi allows without a full licence.
GUROBI_FREE_COLUMNS = 2000


@dataclass(frozen=True)
class MipAnswer:
    """What a solver proved: a lower bound (-inf if none), its best mapping, and whether it finished."""

    lower: float
    mapping: Mapping | None
    nodes: int
    finished: bool


def solve_highs(model: F2Model, seconds: float, threads: int) -> MipAnswer | None:
    """Solve with HiGHS, in the ``mip`` extra; None if it could not be stopped in time and is left behind."""
    highspy = require("highspy", "mip")
    highs = highspy.Highs()
    highs.silent()
    for name, value in {
        "threads": threads,
        "parallel": "on" if threads > 1 else "off",
        "time_limit": seconds * 0.97,  # what is left is for coming to a stop
        "mip_rel_gap": 0.0,
    }.items():
        highs.setOptionValue(name, value)
    size, rows = model.cost.size, model.right.size
    start, index = model.start.astype(np.int32), model.index.astype(np.int32)
    row_format, minimise = 2, 1
    status = highs.passModel(
        size, rows, model.value.size, row_format, minimise, model.offset,
        model.cost, np.zeros(size), np.ones(size), np.full(rows, -math.inf), model.right,
        start, index, model.value, np.ones(size, dtype=np.int32),
    )  # fmt: skip
    if status != highspy.HighsStatus.kError:
        status = _run_highs(highs, seconds)
    if status is None:
        return None
    if status == highspy.HighsStatus.kError:
        raise Prune4SEDError(
            f"HiGHS could not solve the program: {highs.modelStatusToString(highs.getModelStatus())}"
        )
    info = highs.getInfo()
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return MipAnswer(
        lower=float(info.mip_dual_bound),
        mapping=model.mapping(np.asarray(highs.getSolution().col_value)) if feasible else None,
        nodes=max(0, int(info.mip_node_count)),
        finished=highs.getModelStatus() == highspy.HighsModelStatus.kOptimal,
    )


def _run_highs(highs: Any, seconds: float) -> Any:
    """Run HiGHS in a thread of its own; its status, or None if it has not come back in time.

    The thread keeps the time limit, because HiGHS looks at the clock only between steps that may take
    seconds; it lets Ctrl-C through; and it brings its own pool, whose size HiGHS would otherwise fix with the
    first call. One that is left behind ends at its next look at the clock.
    """
    status: list[Any] = []
    worker = Thread(target=lambda: status.append(highs.run()), name="highs")
    worker.start()
    try:
        worker.join(seconds * 1.03 + 0.01 if math.isfinite(seconds) else None)
    except KeyboardInterrupt:
        highs.setOptionValue("time_limit", 0.0)
        raise
    return status[0] if status else None


def solve_gurobi(model: F2Model, seconds: float, threads: int) -> MipAnswer:
    """Solve with Gurobi, which the user brings along with a licence."""
    from scipy.sparse import csr_matrix

    gurobi = _gurobi()
    try:
        with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.Model(env=env) as program:
            z = program.addMVar(model.cost.size, vtype="B", obj=model.cost)
            program.ObjCon = model.offset
            matrix = csr_matrix((model.value, model.index, model.start), (model.right.size, model.cost.size))
            program.addMConstr(matrix, z, "<", model.right)
            program.Params.Threads, program.Params.MIPGap = threads, 0.0
            if math.isfinite(seconds):
                program.Params.TimeLimit = seconds
            program.optimize()
            return MipAnswer(
                lower=float(program.ObjBound),
                mapping=model.mapping(z.X) if program.SolCount else None,
                nodes=int(program.NodeCount),
                finished=program.Status == gurobi.GRB.OPTIMAL,
            )
    except gurobi.GurobiError as error:
        raise OptionError(f'Gurobi refused: {error}; use solver="highs"') from None


@cache
def _gurobi_starts() -> bool:
    """Whether gurobipy is installed and its licence check passes; asked once per process."""
    try:
        gurobi = import_module("gurobipy")
        gurobi.Env(params={"OutputFlag": 0}).close()
    except Exception:  # a missing package, library or licence all mean the same here: not at hand
        return False
    return True


@cache
def _gurobi_licensed() -> bool:
    """Whether the licence goes beyond the small trial one that ships with the package."""
    gurobi = import_module("gurobipy")
    try:
        with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.Model(env=env) as program:
            program.addMVar(GUROBI_FREE_COLUMNS + 1)
            program.optimize()
    except gurobi.GurobiError:
        return False
    return True


def gurobi_at_hand(columns: int) -> bool:
    """Whether Gurobi can take a program of this size here."""
    return _gurobi_starts() and (columns <= GUROBI_FREE_COLUMNS or _gurobi_licensed())


def _gurobi() -> Any:
    """The gurobipy module, or one line that says how to get it."""
    try:
        return import_module("gurobipy")
    except ImportError:
        raise OptionError(
            'solver="gurobi" needs the gurobipy package and a licence; use solver="highs" instead'
        ) from None
