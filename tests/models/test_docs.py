"""The snippets of docs/models.md run, and say what their comments say."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs" / "models.md"


def test_snippets_run() -> None:
    names: dict[str, Any] = {}
    promises = 0
    for snippet in re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        exec(snippet, names)  # one after the other, as a reader would
        for line in snippet.splitlines():
            code, _, promised = line.partition("  # ")
            if promised[:1] in ("[", "("):
                assert eval(code, names) == ast.literal_eval(promised), line
                promises += 1
    assert promises >= 3
