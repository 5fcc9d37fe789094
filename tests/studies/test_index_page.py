"""The index of the studies lists all of them, and none that there is not."""

from __future__ import annotations

import re
from pathlib import Path

from prune4sed.studies.registry import study, study_names

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "README.md"


def test_every_study_is_listed_in_order() -> None:
    listed = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in listed] == [link for _, link in listed] == list(study_names())


def test_names_are_those_of_the_classes() -> None:
    assert [study(name).name for name in study_names()] == list(study_names())
