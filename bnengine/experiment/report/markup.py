"""HTML and SVG in which every text is escaped, whoever wrote it."""

from __future__ import annotations

import html
from collections.abc import Iterable

from bnengine.graphs.labels import readable

_EMPTY = ("meta", "br", "hr", "line", "rect", "circle", "path")


class Markup(str):
    """Text that is markup already; any other text is escaped when it is put into an element."""

    __slots__ = ()


def text(plain: object) -> Markup:
    """Text as it is to be read."""
    return Markup(html.escape(readable(str(plain)), quote=True))


def joined(parts: Iterable[str]) -> Markup:
    """Several pieces one after the other; plain text is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """An element. Underscores in attributes' names are hyphens, and one at the end is dropped, as in ``class_``."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    if name in _EMPTY and not children:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def number(value: float, shown: str) -> Markup:
    """A number as it is shown, with its exact value for programs."""
    return tag("data", shown, value=repr(float(value)))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], **attributes: object) -> Markup:
    """A table; its head is repeated on each printed page."""
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
    return tag("table", head, body, **attributes)
