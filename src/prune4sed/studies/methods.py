"""What the studies compare: solvers with their limits, and models with their variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prune4sed.models.solvers import Branch, Exact, MipF2

if TYPE_CHECKING:
    from prune4sed.models.predictor import Predictor
    from prune4sed.studies.shelf import Checkpoint, Shelf

__all__ = ["GROUPS", "METHODS", "Method", "ModelMethod", "SolverMethod", "model_method"]


@dataclass(frozen=True)
class SolverMethod:
    """A solver that needs no training.

    Attributes
    ----------
    name, title : str
        In files and on the command line; in tables.
    make : callable
        The solver.
    limits : mapping
        What makes it what it is, for the record.
    paper : str, optional
        Its row in the paper's table.
    """

    name: str
    title: str
    make: Callable[[], Predictor]
    limits: Mapping[str, Any]
    paper: str | None = None


@dataclass(frozen=True)
class ModelMethod:
    """A trained model, or a use of one.

    Attributes
    ----------
    name, title, paper
        As for solvers.
    model : str
        Name in the registry.
    options : mapping
        What differs from the paper's default.
    bounds : bool
        Whether predictions are kept within certified bounds.
    beam : bool
        Whether a beam search over the model's own scores makes its predictions better.
    engine : float, optional
        Seconds per pair for the exact engine, which is asked before the model.
    own : bool
        Whether only a checkpoint from the folder of runs will do: what variants are compared with is to be
        trained as they were, and what ships was trained for far longer.
    """

    name: str
    title: str
    model: str
    paper: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    bounds: bool = False
    beam: bool = False
    engine: float | None = None
    own: bool = False

    def find(self, dataset: str, shelf: Shelf) -> Checkpoint | None:
        """The checkpoint to use; None if there is none."""
        return shelf.find(dataset, self.model, own=self.own, **self.options)

    def use(self) -> dict[str, Any]:
        """How the model is used, for the record."""
        engine = {} if self.engine is None else {"engine": self.engine}
        return {"bounds": self.bounds, "beam": self.beam, **engine}

    def lacking(self, shelf: Shelf) -> str:
        """In words: there is no such checkpoint, and what to do."""
        told = ", ".join(f"{name}={value}" for name, value in self.options.items())
        what = f"{self.model} with {told}" if told else self.model
        if shelf.runs is not None:
            return f"no trained {what} was found" + (" in the folder of runs" if self.own else "")
        what += " trained like its variants" if self.own and not told else ""
        return f"no {what} ships for this dataset: train one and name the folder of its run by --runs"


#: Either.
Method = SolverMethod | ModelMethod


def model_method(name: str) -> ModelMethod:
    """A method that is a model."""
    found = METHODS[name]
    assert isinstance(found, ModelMethod)
    return found


def _engine_first(milliseconds: int) -> ModelMethod:
    title = f"exact engine, {milliseconds} ms, then Prune4SED-plus"
    return ModelMethod(f"plus-{milliseconds}ms", title, "prune4sed-plus", engine=milliseconds / 1000)


def _engine(milliseconds: int, estimate: str) -> SolverMethod:
    seconds = milliseconds / 1000
    words = {"upper": "best match found", "middle": "midpoint"}[estimate]
    return SolverMethod(
        f"exact-{milliseconds}ms" + ("" if estimate == "upper" else "-middle"),
        f"exact engine, {milliseconds} ms, {words}",
        lambda: Exact(seconds, estimate="upper" if estimate == "upper" else "middle"),
        {"solver": "exact", "time_limit": seconds, "estimate": estimate},
    )


# Of the anytime engine, in milliseconds.
_LIMITS = (1, 10, 100)
_LIMIT = {"time_limit": 0.1, "estimate": "middle"}

_ALL: tuple[Method, ...] = (
    SolverMethod("branch", "BRANCH, 0.1 s", lambda: Branch(0.1), {"solver": "branch", **_LIMIT}, "BRANCH"),
    SolverMethod(
        "mip-f2",
        "MIP-F2, 0.1 s",
        lambda: MipF2(0.1, estimate="middle"),
        {"solver": "mip-f2", **_LIMIT},
        "MIP-F2",
    ),
    ModelMethod("h2mn-rw", "H2MN-RW", "h2mn", "H2MN-RW", {"hyperedges": "walk"}),
    ModelMethod("h2mn-ne", "H2MN-NE", "h2mn", "H2MN-NE"),
    ModelMethod("simgnn", "SimGNN", "simgnn", "SimGNN"),
    ModelMethod("neurosed", "NeuroSED", "neurosed", "NeuroSED"),
    ModelMethod("prune4sed", "Prune4SED", "prune4sed", "Prune4SED"),
    ModelMethod("no-qal", "Prune4SED, no QAL", "prune4sed", "Prune4SED, no QAL", options={"use_qal": False}),
    ModelMethod("1-head", "Prune4SED, 1 head", "prune4sed", "Prune4SED, 1 head", options={"heads": 1}),
    ModelMethod("10-heads", "Prune4SED, 10 heads", "prune4sed", "Prune4SED, 10 heads", options={"heads": 10}),
    ModelMethod("prune4sed-clipped", "Prune4SED in certified bounds", "prune4sed", bounds=True),
    ModelMethod("plus", "Prune4SED-plus", "prune4sed-plus"),
    ModelMethod("plus-clipped", "Prune4SED-plus in certified bounds", "prune4sed-plus", bounds=True),
    ModelMethod("plus-beam", "Prune4SED-plus with beam", "prune4sed-plus", beam=True),
    *(_engine(limit, estimate) for limit in _LIMITS for estimate in ("upper", "middle")),
    *(_engine_first(limit) for limit in _LIMITS),
)

#: All methods, in the order of the paper's table, then ours beyond it.
METHODS: dict[str, Method] = {one.name: one for one in _ALL}

#: Names for many methods at once.
GROUPS: dict[str, tuple[str, ...]] = {
    "models": tuple(one.name for one in _ALL if isinstance(one, ModelMethod)),
    "solvers": tuple(one.name for one in _ALL if isinstance(one, SolverMethod)),
}
