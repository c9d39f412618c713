"""Texts made from templates: the report, its paragraph on methods, the R script."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnengine._core.labels import readable

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(path: Path, **filters: Callable[[str], str]) -> Template:
    """Return the template in a file; one of HTML escapes every value, and shows control characters as such."""
    import jinja2

    html: dict[str, Any] = {"autoescape": True, "finalize": _shown} if path.suffix == ".html" else {}
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, **html)
    environment.filters |= filters
    return environment.from_string(path.read_text(encoding="utf-8"))


def _shown(value: Any) -> Any:
    return readable(value) if type(value) is str else value  # markup is a subclass of str
