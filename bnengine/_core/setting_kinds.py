"""What a setting or an argument can hold: types that accept numpy's numbers and lists, and refuse what looks alike.

Each is an annotated type, such as ``Whole`` for ``int``; mypy and the reader see the plain type.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, ValidationInfo

# Validation of lists of names. A bare string is refused, although Python would iterate over its letters.
#
# A letter with an accent may be one character or two; names and states are kept composed (Unicode's NFC), so that
# what is written alike is equal.

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


def checked_names(
    names: Iterable[Any], argument: str, example: str = '["a", "b"]', error: type[ValueError] = ValueError
) -> tuple[str, ...]:
    """Return the names, composed; an ``error`` with a valid ``example`` if they are a single string, or not strings."""
    try:
        found = items_of(names)
    except UnfitError:
        raise error(f"{argument} must be a list of names, such as {example}; got {shown(names)}") from None
    for name in found:
        if not isinstance(name, str):
            kind = f"{name!r:.80} of type {type(name).__name__}"
            raise error(f"{argument} must be names, that is strings, such as {example}; got {kind}")
    return found if "".join(found).isascii() else tuple(map(composed, found))


def checked_edges(edges: Iterable[Any], argument: str) -> tuple[tuple[str, str], ...]:
    """Return the edges, composed, as (parent, child) pairs; a ValueError names one that is not a pair of names."""
    of_graph = hasattr(type(edges), "edges") or dataclasses.is_dataclass(edges)  # not a table with such a column
    edges = getattr(edges, "edges", edges) if of_graph else edges
    pairs, wrong = [], edges
    try:
        for wrong in edges if isinstance(edges, Set) else items_of(edges):
            parent, child = items_of(wrong, 2)
            pairs.append((composed(whole_text(parent)), composed(whole_text(child))))
    except UnfitError:
        wanted = f'{argument} must be (parent, child) pairs of names, such as [("a", "b")]'
        raise ValueError(f"{wanted}; got {shown(wrong)}") from None
    return tuple(pairs)


#: More items than this were not written by hand, or never end.
MOST_ITEMS = 10_000_000


def items_of(value: Any, count: int | None = None) -> tuple[Any, ...]:
    """Return the items of a list; an UnfitError for a string, a mapping or a set, whose items are no list's."""
    wanted = UnfitError("a list" if count is None else f"a list of {count} items")
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        raise wanted
    try:
        items = tuple(itertools.islice(value, MOST_ITEMS + 1))
    except Exception:  # an array without a dimension, a class, an iterator that fails
        raise wanted from None
    if len(items) > MOST_ITEMS or count not in (None, len(items)):
        raise UnfitError(f"a list of at most {MOST_ITEMS:,} items") if count is None else wanted
    return items


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once; None if all differ."""
    occurs = Counter(names)
    return None if len(occurs) == occurs.total() else next(name for name, times in occurs.items() if times > 1)


_LONGEST_VALUE = 60  # characters of a refused value that a message repeats


@dataclasses.dataclass(frozen=True)
class Kind:
    """Marks an annotated type with what it holds.

    Attributes
    ----------
    word : str
        ``"bool"``, ``"int"``, ``"float"``, ``"text"``, ``"names"``, ``"edges"``, ``"tiers"`` or a word of its own.
    expected : str
        Completes "must be …".
    plain : callable, optional
        Turns a value into what JSON can hold; by default tuples become lists.
    """

    word: str
    expected: str
    plain: Callable[[Any], Any] | None = None


def whole(value: Any) -> int:
    """Return the whole number; an UnfitError for anything else, and beyond 64 bits, which no array holds."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not -(2**63) <= value < 2**63:
        raise UnfitError("a whole number")
    return int(value)


def number(value: Any) -> float:
    """Return the finite number; an UnfitError for anything else."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            if math.isfinite(value):
                return float(value) + 0.0  # -0.0 becomes 0.0: equal settings, equal text
    raise UnfitError("a number")


def switch(value: Any) -> bool:
    """Return true or false; an UnfitError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise UnfitError("true or false")
    return bool(value)


def text(value: Any) -> str:
    """Return a text that fits into a setting: a ValueError of its own for one that is too long; see ``whole_text``."""
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise ValueError(f"a text of {len(value):,} characters is too long; at most {LONGEST_NAME} are allowed")
    return whole_text(value)


def whole_text(value: Any) -> str:
    """Return the string; an UnfitError for anything else, and a ValueError for one that is not Unicode."""
    if not isinstance(value, str):
        raise UnfitError("a text")
    if not is_unicode(value):
        raise ValueError(f"{not_unicode(value)}; correct it, or rename the file if it is the name of one")
    return str(value)


def is_unicode(text: str) -> bool:
    """Return whether a text has no half of a character, as a file name has that is not UTF-8; no file can hold one."""
    return text.isascii() or not _HALF.search(text)


_HALF = re.compile("[\\ud800-\\udfff]")


def not_unicode(text: str) -> str:
    """Say that a text has a half of a character, which is written as its code."""
    return f"'{one_line(text, _SHOWN)}' is not valid Unicode"


def _name(value: Any) -> str:
    return composed(text(value))


def _names(value: Any, argument: ValidationInfo) -> tuple[str, ...]:
    return tuple(map(text, checked_names(value, _called(argument))))


def _edges(value: Any, argument: ValidationInfo) -> tuple[tuple[str, str], ...]:
    return tuple((text(parent), text(child)) for parent, child in checked_edges(value, _called(argument)))


def _tiers(value: Any) -> tuple[tuple[str, ...], ...]:
    tiers = enumerate(items_of(value), start=1)
    return tuple(tuple(map(text, checked_names(one, f"tier {n}", '["age", "sex"]'))) for n, one in tiers)


def _called(argument: ValidationInfo) -> str:
    """Return the name of a setting, or of an argument, which is the context of its validation."""
    return argument.field_name or str(argument.context)


class UnfitError(ValueError):
    """The value is not of the kind; the message is made from the declaration."""


Whole = Annotated[int, BeforeValidator(whole), Kind("int", "a whole number")]
Number = Annotated[float, BeforeValidator(number), Kind("float", "a number")]
Switch = Annotated[bool, BeforeValidator(switch), Kind("bool", "true or false")]
Text = Annotated[str, BeforeValidator(text), Kind("text", "a text")]
Name = Annotated[str, BeforeValidator(_name), Kind("text", "a name")]
Names = Annotated[Sequence[str], BeforeValidator(_names), Kind("names", 'a list of names, such as ["a", "b"]')]
Edges = Annotated[
    Sequence[tuple[str, str]], BeforeValidator(_edges), Kind("edges", 'a list of edges, such as [["a", "b"]]')
]
Tiers = Annotated[
    Sequence[Sequence[str]], BeforeValidator(_tiers), Kind("tiers", 'lists of names, such as [["a"], ["b", "c"]]')
]


def bounds_among(marks: Iterable[Any]) -> dict[str, Any]:
    """Return the bounds, by "ge", "gt", "le" and "lt", among the marks of an annotated type."""
    return {bound: getattr(mark, bound) for mark in marks for bound in ("ge", "gt", "le", "lt") if hasattr(mark, bound)}


def bounds_text(
    ge: float | None = None, gt: float | None = None, le: float | None = None, lt: float | None = None
) -> str:
    """Describe what bounds allow; follows "a number"."""
    if ge is not None and le is not None:
        return f" from {_figure(ge)} to {_figure(le)}"
    words = (("at least", ge), ("above", gt), ("at most", le), ("below", lt))
    text = " and ".join(f"{word} {_figure(bound)}" for word, bound in words if bound is not None)
    return f" {'of ' if text.startswith('at') else ''}{text}" if text else ""


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) and abs(value) < 10**10 else f"{value:g}"


def shown(value: Any) -> str:
    """Describe a value briefly, in one line: what it is, and for a table or an array of what shape."""
    if isinstance(value, type):
        text = f"the class {value.__name__}"
    elif isinstance(value, int) and abs(value) >= 10**30:
        text = "a number of many digits"
    elif isinstance(getattr(value, "shape", None), tuple) and value.shape:
        text = f"a {type(value).__name__} of shape {value.shape}"
    else:
        try:
            text = repr(value)
        except Exception:  # whatever an object does that has to show itself
            text = f"a {type(value).__name__}"
    return one_line(text, _LONGEST_VALUE)


def one_line(text: str, longest: int = 500) -> str:
    """Return a text without line breaks and lone surrogates, cut where it is longer."""
    text = " ".join(text[: 2 * longest].encode("utf-8", "backslashreplace").decode().split())
    return text if len(text) <= longest else f"{text[:longest]} …"
