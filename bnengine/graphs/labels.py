"""Labels of a drawing's nodes: how they are shortened, and how wide they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

FONT_SIZE = 12.0  # pixels, at a scale of one
_LONGEST = 22
_PADDING = 14.0  # pixels, left and right together
_NARROW, _WIDE = set("iljtfrI.,:;'|![]()/\\ "), set("mwMW@%—…")
#: Characters that neither XML nor HTML may hold.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PICTURES = 0x2400  # of the control characters, from NUL on


def readable(name: str) -> str:
    r"""Return text that XML may hold: control characters become their pictures, others it forbids a replacement mark.

    >>> readable("a\x00b")
    'a␀b'
    """
    return _FORBIDDEN.sub(_shown, name)


def _shown(letter: re.Match[str]) -> str:
    code = ord(letter[0])
    return chr(_PICTURES + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"


def short_label(name: str, longest: int = _LONGEST) -> str:
    """Shorten a name to fit its box; both ends are kept, since names often differ only at the end."""
    end = longest // 3
    return name if len(name) <= longest else f"{name[: longest - end - 2]}…{name[-end:]}"


def short_labels(names: Iterable[str], longest: int) -> dict[str, str]:
    """Shorten names alike; as they are if some of them would then be the same."""
    shortened = {name: short_label(name, longest) for name in names}
    return shortened if len(set(shortened.values())) == len(shortened) else {name: name for name in shortened}


def label_width(name: str, longest: int = _LONGEST) -> float:
    """Return the width in pixels of the box around a name, shortened to so many letters.

    The widths of letters are those of Helvetica and Arial, rounded up by kind; the pages' own font is narrower.
    """
    return round(_PADDING + FONT_SIZE * max(sum(map(_advance, short_label(name, longest))), 1.2), 1)


def _advance(letter: str) -> float:
    """Return the width of a letter in units of the font's size."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.92
    return 0.70 if letter.isupper() else 0.58
