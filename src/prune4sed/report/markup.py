"""Small HTML templates, filled so that nothing a user wrote can become markup."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

__all__ = ["Html", "fill", "part", "tag"]

# A page can hold none of these: control characters, and halves of surrogate pairs, which no encoding has.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Html(str):
    """Text that is markup already; any other text is escaped where it enters a page."""

    __slots__ = ()


@cache
def part(name: str) -> Html:
    """A file of the templates folder, as it is."""
    return Html((files("prune4sed.report") / "templates" / name).read_text(encoding="utf-8").strip())


def fill(name: str, /, **values: object) -> Html:
    """A template with its ``$places`` filled.

    Parameters
    ----------
    name : str
        A file of the templates folder.
    **values
        One for every place; what is not `Html` is escaped.

    Examples
    --------
    >>> fill("chip.html", kind="label", colour="#fff", name="<b>")
    '<li><i class="swatch label" style="--c:#fff"></i>&lt;b&gt;</li>'
    """
    return Html(Template(part(name)).substitute({key: _safe(value) for key, value in values.items()}))


def tag(name: str, text: object = "", /, **attributes: object) -> Html:
    """One element; ``_`` in an attribute stands for ``-``, a trailing one is dropped, and None is left out.

    Examples
    --------
    >>> tag("a", "R&D", class_="x", data_id='"')
    '<a class="x" data-id="&quot;">R&amp;D</a>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    inner = "".join(f' {key}="{_safe(value)}"' for key, value in given.items() if value is not None)
    return Html(f"<{name}{inner}>{_safe(text)}</{name}>")


def _safe(value: object) -> str:
    if isinstance(value, Html):
        return value
    return escape(UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(value)))
