"""What a setting can hold: types that accept numpy's numbers and lists, and refuse everything that merely looks alike.

Each is an annotated type, such as ``Whole`` for ``int``; mypy and the reader see the plain type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from bnengine._core.names import LONGEST_NAME, checked_edges, checked_names, composed

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


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise UnfitError
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise UnfitError
    try:
        number = float(value)
    except OverflowError:
        raise UnfitError from None
    if not np.isfinite(number):
        raise UnfitError
    return number + 0.0  # -0.0 becomes 0.0: equal settings, equal text


def _switch(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise UnfitError
    return bool(value)


def text(value: Any) -> str:
    """The string; an UnfitError for anything else, and for halves of characters, which no file can hold.

    One that is too long raises a ValueError of its own.
    """
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise ValueError(f"a text of {len(value):,} characters is too long; at most {LONGEST_NAME} are allowed")
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise UnfitError
    return str(value)


def _name(value: Any) -> str:
    return composed(text(value))


def _names(value: Any, argument: Any) -> tuple[str, ...]:
    return tuple(map(text, checked_names(value, argument.field_name)))


def _edges(value: Any, argument: Any) -> tuple[tuple[str, str], ...]:
    return tuple((text(parent), text(child)) for parent, child in checked_edges(value, argument.field_name))


def _tiers(value: Any, argument: Any) -> tuple[tuple[str, ...], ...]:
    example = '[["age", "sex"], ["diagnosis"]]'
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError(f"{argument.field_name} must be lists of names, such as {example}; got {shown(value)}")
    tiers = enumerate(value, start=1)
    return tuple(tuple(map(text, checked_names(one, f"tier {n}", '["age", "sex"]'))) for n, one in tiers)


class UnfitError(ValueError):
    """The value is not of the kind; the message is made from the declaration."""


Whole = Annotated[int, BeforeValidator(_whole), Kind("int", "a whole number")]
Number = Annotated[float, BeforeValidator(_number), Kind("float", "a number")]
Switch = Annotated[bool, BeforeValidator(_switch), Kind("bool", "true or false")]
Text = Annotated[str, BeforeValidator(text), Kind("text", "a text")]
Name = Annotated[str, BeforeValidator(_name), Kind("text", "a name")]
Names = Annotated[Sequence[str], BeforeValidator(_names), Kind("names", 'a list of names, such as ["a", "b"]')]
Edges = Annotated[
    Sequence[tuple[str, str]], BeforeValidator(_edges), Kind("edges", 'a list of edges, such as [["a", "b"]]')
]
Tiers = Annotated[
    Sequence[Sequence[str]], BeforeValidator(_tiers), Kind("tiers", 'lists of names, such as [["a"], ["b", "c"]]')
]


def shown(value: Any) -> str:
    """A value in one line, short."""
    if isinstance(value, str | int | float | bool | None):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a number of many digits"
    else:
        try:
            text = " ".join(repr(value).split())
        except RecursionError:
            text = type(value).__name__
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} …"
