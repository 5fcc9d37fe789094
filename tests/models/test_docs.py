"""The snippets of docs/models.md run, and say what their comments say."""

from __future__ import annotations

from snippets import run_snippets


def test_snippets_run() -> None:
    assert run_snippets("models.md") >= 3
