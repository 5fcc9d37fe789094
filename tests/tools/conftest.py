"""What the tests of tools share with others: made graphs and datasets."""

from __future__ import annotations

import sys
from pathlib import Path

for _folder in ("datasets", "nn"):
    sys.path.insert(0, str(Path(__file__).parent.parent / _folder))
