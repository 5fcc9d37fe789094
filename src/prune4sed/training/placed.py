"""Labelled pairs on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.datasets.dataset import PairSet
from prune4sed.models.base import SedModel
from prune4sed.nn.device_set import DeviceSet
from prune4sed.training.metrics import interval_rmse
from prune4sed.training.node_costs import node_costs

__all__ = ["PlacedPairs"]


@dataclass(frozen=True, eq=False)
class PlacedPairs:
    """Graphs and bounds where the model is, put there once.

    Attributes
    ----------
    queries, targets : DeviceSet
        The graphs.
    index : array of int64, (pairs, 2)
        Positions of query and target, on the host.
    query_at, target_at : Tensor of int64, (pairs,)
        The same on the device.
    lower, upper : Tensor of float32, (pairs,)
        Proven bounds.
    mapping : Tensor of int64, (pairs, most query nodes)
        Target node of every query node in the best match known; -1 for none.
    node_costs : Tensor of float32, (pairs, most query nodes), or None
        What every query node costs in that match, for models that learn it.
    """

    queries: DeviceSet
    targets: DeviceSet
    index: NDArray[np.int64]
    query_at: Tensor
    target_at: Tensor
    lower: Tensor
    upper: Tensor
    mapping: Tensor
    node_costs: Tensor | None = None

    @classmethod
    def of(cls, pairs: PairSet, model: SedModel, costs: bool = False) -> PlacedPairs:
        """Put a set where the model is, with the costs of query nodes if asked for."""
        queries, targets, table = pairs

        def put(column: NDArray[Any], kind: torch.dtype) -> Tensor:
            return torch.tensor(column, dtype=kind, device=model.device)

        ours, theirs = model.place(queries), model.place(targets)
        known = node_costs(ours, theirs, table.index, table.mapping.astype(np.int64)) if costs else None
        return cls(
            queries=ours,
            targets=theirs,
            index=table.index,
            query_at=put(table.query, torch.int64),
            target_at=put(table.target, torch.int64),
            lower=put(table.lower, torch.float32),
            upper=put(table.upper, torch.float32),
            mapping=put(table.mapping, torch.int64),
            node_costs=None if known is None else put(known, torch.float32),
        )

    def __len__(self) -> int:
        return len(self.index)

    @property
    def query_nodes(self) -> NDArray[np.int64]:
        """Nodes of every pair's query."""
        return self.queries.num_nodes[self.index[:, 0]]

    @property
    def query_arcs(self) -> NDArray[np.int64]:
        """Arcs of every pair's query."""
        return self.queries.num_arcs[self.index[:, 0]]

    @property
    def target_nodes(self) -> NDArray[np.int64]:
        """Nodes of every pair's target."""
        return self.targets.num_nodes[self.index[:, 1]]

    @property
    def target_arcs(self) -> NDArray[np.int64]:
        """Arcs of every pair's target."""
        return self.targets.num_arcs[self.index[:, 1]]

    def predict(self, model: SedModel) -> NDArray[np.float32]:
        """What the model, in evaluation mode, says about all pairs."""
        with model.evaluating():
            found: NDArray[np.float32] = (
                model.predict_placed(self.queries, self.targets, self.index).cpu().numpy()
            )
        return found

    def errors(self, model: SedModel, trust: float = 0.0) -> Tensor:
        """By how much the model misses the bounds of each pair, with trust as in training, (pairs,)."""
        predicted = torch.from_numpy(self.predict(model)).to(self.upper.device)
        lower = torch.lerp(self.lower, self.upper, trust)
        return torch.relu(lower - predicted) + torch.relu(predicted - self.upper)

    def rmse(self, predicted: NDArray[np.float32]) -> float:
        """The paper's error of predictions for all pairs."""
        return interval_rmse(predicted, self.lower.cpu().numpy(), self.upper.cpu().numpy())
