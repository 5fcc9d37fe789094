"""The compiled engine; its typed front is prune4sed.exact.engine."""

from typing import Any

def __getattr__(name: str) -> Any: ...
