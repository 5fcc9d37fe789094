"""Labelled pairs as one Parquet file that any table library reads."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from prune4sed.atomic import replacing
from prune4sed.datasets.table import PairTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prune4sed.datasets.labelling import Labels
    from prune4sed.datasets.sampled import SampledSet
    from prune4sed.ids import Ids

__all__ = ["write_pairs"]


def write_pairs(sampled: SampledSet, labels: Labels, path: str | PathLike[str]) -> None:
    """Write pairs with their labels, whole or not at all; the same pairs give the same bytes.

    Columns: query and target (positions, int64), query_id and target_id, lower and upper (float64),
    certified, and mapping (list of int32: the target node of every query node, -1 where it is deleted).

    Examples
    --------
    >>> import tempfile, pyarrow.parquet
    >>> from prune4sed import Graph, GraphSet
    >>> from prune4sed.datasets.labelling import label_set
    >>> from prune4sed.datasets.sampled import SampledSet
    >>> g = GraphSet([Graph(["C", "O"], [(0, 1)], id="a")])
    >>> pairs = SampledSet("pairs", g, g, np.array([[0, 0]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(pairs, label_set(pairs, 10), f"{folder}/pairs.parquet")
    ...     pyarrow.parquet.read_table(f"{folder}/pairs.parquet").to_pylist()[0]["mapping"]
    [0, 1]
    """
    import pyarrow as pa
    import pyarrow.parquet

    lower, upper = labels.lower.astype(np.float64), labels.upper.astype(np.float64)
    pairs = PairTable(sampled.index, lower, upper, labels.mapping)
    table = pairs.to_arrow(sampled.queries.num_nodes[pairs.query])
    mapping = table.column("mapping").cast(pa.list_(pa.int32()))
    table = table.set_column(table.schema.get_field_index("mapping"), "mapping", mapping)
    table = table.add_column(2, "query_id", _names(sampled.queries.ids, pairs.query))
    table = table.add_column(3, "target_id", _names(sampled.targets.ids, pairs.target))
    with replacing(path) as temporary:
        pyarrow.parquet.write_table(table, temporary, compression="zstd")


def _names(ids: Ids, positions: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return pa.array(list(ids), type=pa.string()).take(pa.array(positions))
