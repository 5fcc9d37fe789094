"""The report in a real browser: it renders, sorts, filters, switches heads; the console stays empty."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import prune4sed as ps
from exhaustive import Hit, Hits
from prune4sed.report.search_page import write_report

webdriver = pytest.importorskip("selenium.webdriver")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium with its driver here")

EVIL = '<img src=x onerror="window.broken=1">'
# id, lower, upper, predicted, nodes of the target
FOUND = [
    ("b10", 0, 0, 0.2, 5),
    ("b9", 1, 1, None, 9),
    ("a", 1, 3, 2.5, 7),
    (EVIL, 2, float("inf"), 0.1, 3),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("page") / "report.html"
    library = ps.GraphSet(
        ps.Graph([1] * size, [(i, i + 1) for i in range(size - 1)], id=name) for name, *_, size in FOUND
    )
    hits = Hits(
        Hit(name, at, low, high, low == high, guess, (0, 1) if np.isfinite(high) else ())
        for at, (name, low, high, guess, _) in enumerate(FOUND)
    )
    keep = [np.array([np.linspace(0, 1, size), np.ones(size)]) for *_, size in FOUND]
    write_report(path, ps.Graph([1, 1], [(0, 1)]), hits, library, prunings=keep)
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, service=webdriver.ChromeService(DRIVER))
    try:
        driver.get(path.as_uri())
        yield driver
        assert driver.get_log("browser") == []
    finally:
        driver.quit()


@pytest.fixture(autouse=True)
def fresh(page: Any) -> None:
    page.refresh()
    page.execute_script("document.querySelector('.tools').reset()")
    act(page, "sort", "rank", "change")
    act(page, "find", "", "input")


def act(page: Any, name: str, value: str, event: str) -> None:
    """Set a field as a user would, and say so."""
    script = "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
    page.execute_script(script + "e.dispatchEvent(new Event(arguments[2]));", name, value, event)


def shown(page: Any) -> list[str]:
    """The ids of the cards that can be seen, in the order on the screen."""
    return page.execute_script(
        """const cards = [...document.querySelectorAll('.card')].filter((c) => c.checkVisibility());
        const at = (c) => { const box = c.getBoundingClientRect(); return [box.top, box.left]; };
        cards.sort((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1]);
        return cards.map((c) => c.querySelector('h3').textContent);"""
    )


@pytest.mark.parametrize(
    ("key", "wanted", "turned"),
    [
        ("rank", ["b10", "b9", "a", EVIL], [EVIL, "a", "b9", "b10"]),
        ("distance", ["b10", "b9", "a", EVIL], ["a", "b9", "b10", EVIL]),
        ("id", [EVIL, "a", "b9", "b10"], ["b10", "b9", "a", EVIL]),
        ("size", [EVIL, "b10", "a", "b9"], ["b9", "a", "b10", EVIL]),
        ("predicted", [EVIL, "b10", "a", "b9"], ["a", "b10", EVIL, "b9"]),
    ],
)
def test_sorting(page: Any, key: str, wanted: list[str], turned: list[str]) -> None:
    act(page, "sort", key, "change")
    assert shown(page) == wanted
    page.find_element("id", "turn").click()
    assert shown(page) == turned


def test_filters(page: Any) -> None:
    act(page, "most", "1", "input")
    assert shown(page) == ["b10", "b9"]
    assert page.find_element("id", "count").text == "2 of 4 hits"
    act(page, "find", "CONTAINED b1", "input")
    assert shown(page) == ["b10"]
    act(page, "find", "nowhere", "input")
    assert shown(page) == []
    assert page.find_element("css selector", ".none").is_displayed()
    act(page, "find", "", "input")
    act(page, "most", "", "input")
    page.find_element("id", "proven").click()
    assert shown(page) == ["b10", "b9"]


def test_heads_change_the_size_of_nodes(page: Any) -> None:
    sizes = """return [...document.querySelectorAll('.card circle.keep')].slice(0, 5)
        .map((circle) => Number(circle.getAttribute('r')))"""
    rest = page.execute_script(sizes)
    assert len(set(rest)) == 1
    off, first, second = page.find_elements("name", "head")
    first.click()
    grown = page.execute_script(sizes)
    assert grown == sorted(grown)
    assert grown[0] < rest[0] < grown[-1]
    second.click()
    assert set(page.execute_script(sizes)) == {grown[-1]}
    off.click()
    assert page.execute_script(sizes) == rest


def test_names_are_text_and_no_script_runs(page: Any) -> None:
    assert EVIL in shown(page)
    assert page.execute_script("return window.broken === undefined && !document.querySelector('img')")


def test_everything_is_reached_by_keyboard_and_named(page: Any) -> None:
    unnamed = page.execute_script(
        """return [...document.querySelectorAll('input, select, button')]
        .filter((e) => e.tabIndex < 0 || !(e.labels?.length || e.textContent.trim()))
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    pictures = page.execute_script("return [...document.querySelectorAll('svg')].map((s) => s.ariaLabel)")
    assert len(pictures) == 5
    assert all(pictures)


@pytest.mark.parametrize("width", [320, 390, 1400])
def test_nothing_is_wider_than_the_screen(page: Any, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
