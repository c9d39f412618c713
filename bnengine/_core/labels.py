"""Labels of a drawing's nodes: what they may hold, how they are shortened, and how wide they are."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

FONT_SIZE = 12.0  # pixels, at a scale of one
_LONGEST = 22
_PADDING = 14.0  # pixels, left and right together
_CODE = re.compile(r"([A-Za-z]{0,4} ?\d{1,4}[a-z]?)[.):] ?\S")  # of an item: Q10. I like …
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


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Propose short names for those that a picture would cut: their codes, or as many of their first words as fit.

    >>> short_names(["Q1. I like my work", "Q2. I would recommend this place", "age"])
    {'Q1. I like my work': 'Q1', 'Q2. I would recommend this place': 'Q2'}
    >>> short_names(["hours of work in a usual week", "age"])
    {'hours of work in a usual week': 'hours of work in a'}
    """
    if max(map(len, names), default=0) <= _LONGEST:
        return {}
    coded = {name: found[1] for name in names if (found := _CODE.match(name))}
    first = {name: textwrap.wrap(name, _LONGEST)[0] for name in names if len(name) > _LONGEST and name.strip()}
    for proposed in (first | coded, first) if len(coded) > 1 else (first,):
        if len({*proposed.values(), *(name for name in names if name not in proposed)}) == len(names):
            return {name: proposed[name] for name in names if name in proposed}
    return {name: f"{one[: _LONGEST - 4].rstrip()} {k}" for k, (name, one) in enumerate(first.items(), start=1)}


def label_width(name: str, longest: int = _LONGEST) -> float:
    """Return the width in pixels of the box around a name, shortened to so many letters.

    Letters are as wide as in Helvetica and Arial, rounded up by kind; the pages' own font is narrower.
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
