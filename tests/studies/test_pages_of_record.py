"""The pages that ship say what the figures of record say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prune4sed.studies.page import whole_page
from prune4sed.studies.record import Record
from prune4sed.studies.registry import study, study_names
from prune4sed.studies.setting import Setting

ROOT = Path(__file__).parents[2]
SETTING = Setting(ROOT / "results", ROOT / "docs" / "studies")


@pytest.mark.parametrize("name", study_names())
def test_a_page_is_made_of_its_figures(name: str) -> None:
    page = (SETTING.pages / f"{name}.md").read_text(encoding="utf-8")
    pictures = [SETTING.pages / link for link in re.findall(r"^!\[[^]]*\]\(([^)]+)\)", page, re.MULTILINE)]
    assert all(picture.is_file() for picture in pictures)
    record = Record(SETTING.out / f"{name}.json", name, SETTING.config())
    assert whole_page(study(name), record, SETTING, pictures) == page
