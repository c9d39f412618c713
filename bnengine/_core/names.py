"""Validation of lists of names. A bare string is refused, although Python would iterate over its letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any


def checked_names(names: Iterable[Any], argument: str, example: str = '["a", "b"]') -> tuple[str, ...]:
    """Return the names as a tuple; raise a ValueError if they are a single string, or not strings.

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
    return names


def checked_edges(edges: Iterable[Any], argument: str) -> tuple[tuple[str, str], ...]:
    """Return the edges as (parent, child) pairs; raise a ValueError that names one that is not a pair of names."""
    wanted = f'{argument} must be (parent, child) pairs of names, such as [("a", "b")]; got'
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise ValueError(f"{wanted} {edges!r:.80}")
    pairs = []
    for edge in edges:
        pair = () if isinstance(edge, str | bytes) or not isinstance(edge, Iterable) else tuple(edge)
        if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ValueError(f"{wanted} {edge!r:.80}")
        pairs.append(pair)
    return tuple(pairs)


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once; None if all differ."""
    return next((name for name, times in Counter(names).items() if times > 1), None)
