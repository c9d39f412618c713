"""Validation of lists of names. A bare string is refused, although Python would iterate over its letters.

A letter with an accent may be one character or two; names and states are kept composed (Unicode's NFC), so that what is
written alike is equal.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

#: The most characters of a name that comes from a file, a link or a setting: of a variable, a state, a file.
LONGEST_NAME = 500
_HEAD = 480  # characters that a shortened name keeps


def bounded_name(name: str) -> str:
    """Return the name; one that is too long as its beginning with a digest of the whole, so that names stay distinct.

    >>> len(bounded_name("x" * 10_000)), bounded_name("age")
    (497, 'age')
    """
    if len(name) <= LONGEST_NAME:
        return name
    whole = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{name[:_HEAD]}…{whole}"


def name_too_long(names: Iterable[str]) -> str:
    """Return what is wrong with the first name that is too long, as a sentence without its end; empty if none is."""
    name = next((name for name in names if len(name) > LONGEST_NAME), "")
    return f"the name '{name[:40]}…' has {len(name):,} characters; at most {LONGEST_NAME} are allowed" if name else ""


def some_of(names: Sequence[str], most: int = 20) -> str:
    """Return the first names for a message, and how many there are beyond them.

    >>> some_of(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…" for name in names[:most]) + more


_SHOWN = 80  # characters of a name in a list of some


def composed(name: str) -> str:
    """Return the name with its accents in the letters that have them."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def checked_names(names: Iterable[Any], argument: str, example: str = '["a", "b"]') -> tuple[str, ...]:
    """Return the names, composed, as a tuple; raise a ValueError if they are a single string, or not strings.

    Parameters
    ----------
    names : iterable
    argument : str
        The argument's name, for the message.
    example : str
        A valid list, for the message.
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise ValueError(f"{argument} must be a list of names, such as {example}; got {names!r:.80}")
    names = tuple(names)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(
                f"{argument} must be names, that is strings, such as {example}; got {name!r:.80} of type "
                f"{type(name).__name__}"
            )
    return tuple(map(composed, names))


def checked_edges(edges: Iterable[Any], argument: str) -> tuple[tuple[str, str], ...]:
    """Return the edges, composed, as (parent, child) pairs; a ValueError names one that is not a pair of names."""
    wanted = f'{argument} must be (parent, child) pairs of names, such as [("a", "b")]; got'
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise ValueError(f"{wanted} {edges!r:.80}")
    pairs = []
    for edge in edges:
        try:
            pair = () if isinstance(edge, str | bytes) else tuple(edge)
        except Exception:  # it is no pair, or an object that fails
            pair = ()
        if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ValueError(f"{wanted} {edge!r:.80}")
        pairs.append((composed(pair[0]), composed(pair[1])))
    return tuple(pairs)


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once; None if all differ."""
    return next((name for name, times in Counter(names).items() if times > 1), None)
