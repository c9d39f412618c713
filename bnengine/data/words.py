"""The words of each language, from its file in ``words/``: what cells and the names of columns mean in it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("words")


@cache
def _languages() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml")))


def in_each_language(entry: str) -> list[Any]:
    """Return what each language's file has under a name such as "missing" or "column.counts"; all of it under ""."""
    found: list[Any] = [*_languages()]
    for key in filter(None, entry.split(".")):
        found = [one[key] for one in found]
    return found


def words(entry: str) -> frozenset[str]:
    """Return the words of all languages under a name.

    >>> sorted(words("number.and"))
    ['and', 'e', 'en', 'et', 'und', 'y']
    """
    return frozenset(word for own in in_each_language(entry) for word in own)


def alternatives(entry: str) -> str:
    """Return a pattern of all languages' words under a name."""
    return "|".join(map(re.escape, sorted(words(entry))))
