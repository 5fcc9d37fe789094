"""Run the Python snippets of a document, as a reader would."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def run_snippets(name: str) -> int:
    """Run all snippets one after the other; where a comment is a list or a tuple, it is what the line gives.

    Returns
    -------
    int
        How many such promises there were.
    """
    names: dict[str, Any] = {}
    promises = 0
    for snippet in re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL):
        exec(snippet, names)
        for line in snippet.splitlines():
            code, _, promised = line.partition("  # ")
            if promised[:1] in ("[", "("):
                assert eval(code, names) == ast.literal_eval(promised), line
                promises += 1
    return promises
