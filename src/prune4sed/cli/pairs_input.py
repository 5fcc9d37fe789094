"""A file that lists pairs: two positions a line, or Parquet as ``prune4sed label`` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST_PAIRS", "read_pairs"]

#: What a command takes at a time: more would need gigabytes before the first is done.
MOST_PAIRS = 50_000_000


def read_pairs(path: Path) -> NDArray[np.int64]:
    """Positions of query and target, counted from 0, one row per pair.

    A text file has two whole numbers a line with a tab, comma or space between; its first line may be a
    heading.

    Raises
    ------
    FormatError
        If the file cannot be read; the text names the line.
    """
    return _parquet(path) if path.suffix == ".parquet" else _text(path)


def _text(path: Path) -> NDArray[np.int64]:
    import numpy as np

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise FormatError(f"{path} is not text; pairs are two numbers a line, or a .parquet file") from None
    rows: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if not words or (number == 1 and not any(word.lstrip("+-").isdigit() for word in words)):
            continue
        try:
            query, target = map(int, words)
        except ValueError:
            raise FormatError(f"{path}:{number}: two whole numbers are needed, not {line[:40]!r}") from None
        rows.append((query, target))
    if not rows:
        raise FormatError(f"{path} holds no pairs")
    try:
        return np.array(rows, dtype=np.int64)
    except OverflowError:
        raise FormatError(f"{path} holds a number that is far too large for a position") from None


def _parquet(path: Path) -> NDArray[np.int64]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path, columns=["query", "target"])
        columns = [np.asarray(table.column(name).to_numpy()) for name in ("query", "target")]
    except (pa.ArrowException, KeyError) as problem:
        raise FormatError(f"{path} cannot be read as pairs: {str(problem).splitlines()[0]}") from None
    if any(column.dtype.kind not in "iu" for column in columns) or not len(columns[0]):
        raise FormatError(f"{path} must hold pairs: whole numbers in the columns query and target")
    return np.column_stack(columns).astype(np.int64)
