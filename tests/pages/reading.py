"""How the page tests read a page: for numbers and names, wherever in a sentence they stand."""

import re

from pages.shared.format import short


def unescaped(text: str) -> str:
    """A text without Markdown's backslashes."""
    return re.sub(r"\\(.)", r"\1", text)


def shows(text: str, *values: object) -> bool:
    """Whether a text has each value as a word of its own; numbers as the pages write them."""
    return all(word(value).search(unescaped(text)) for value in values)


def word(value: object) -> re.Pattern[str]:
    """What finds a value in a text."""
    if isinstance(value, bool):
        raise TypeError("a truth value is not shown in words")
    written = value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else short(float(value))  # type: ignore[arg-type]
    return re.compile(rf"(?<![\w.,]){re.escape(written)}(?![\w]|[.,]\d)")
