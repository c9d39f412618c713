"""Names, lists and durations in running text, safe for Markdown."""

import re
from collections.abc import Sequence

#: Has no width and prevents a line break.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?i:(?<=www))(?=\.)|(?=@)|(?i:(?<=mailto)|(?<=xmpp))(?=:)")


def listed(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first few items, and the number of the others."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more


def escaped(text: str) -> str:
    """Escape text so that Markdown shows it literally.

    Markdown makes addresses into links despite backslashes, so they are split by a character without width.
    """
    parted = _ADDRESS.sub(_JOINER, text)
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", parted)


def sentence(text: object) -> str:
    """A message as a sentence, escaped for Markdown."""
    return escaped(str(text)) + ("" if str(text).endswith((".", "?", "!")) else ".")


def duration(seconds: float) -> str:
    """A duration in seconds or minutes."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"
