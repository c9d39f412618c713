"""Names that people gave, made safe for Markdown."""

import re


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", text)
