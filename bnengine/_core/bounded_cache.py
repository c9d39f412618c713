"""A cache that is bounded in bytes: the values used last are kept."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Set
from typing import Any, Generic, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def bytes_of(value: Any) -> int:
    """Estimate the bytes that a value takes: its arrays and tables, in whatever containers and objects they are.

    Arrays that several values share, or that are views of others, are counted once for each value.
    """
    seen: set[int] = set()
    waiting, total = [value], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes
        elif hasattr(one, "memory_usage"):  # a table of pandas
            total += int(np.sum(one.memory_usage(index=True, deep=True)))
        else:
            total += sys.getsizeof(one, 64)
            if isinstance(one, Mapping):
                waiting += [*one.keys(), *one.values()]
            elif isinstance(one, list | tuple | Set):
                waiting += one
            elif hasattr(one, "__dict__"):
                waiting += vars(one).values()
    return total


class BoundedCache(Generic[K, V]):
    """The values used last, up to a number of bytes and of values; safe to use from several threads.

    Sizes are taken whenever a value is added, since objects grow: an ensemble remembers what was computed from it. What
    was added last stays even if it is larger than the bound. The caches of cachetools measure a value once, have one
    bound, and drop what exceeds it, so that a wrapper around one would be as long.

    Examples
    --------
    >>> cache = BoundedCache(most_bytes=1000, most_values=2)
    >>> for name in "abc":
    ...     cache.keep(name, name.upper())
    >>> cache.get("a"), cache.get("c")
    (None, 'C')
    """

    def __init__(self, most_bytes: int, most_values: int = 1_000_000) -> None:
        self.most_bytes = most_bytes
        self.most_values = most_values
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: K) -> V | None:
        """Return the value under a key, which becomes the one used last; None if there is none."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def __getitem__(self, key: K) -> V:
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def keep(self, key: K, value: V) -> None:
        """Add a value."""
        self.keep_all({key: value})

    def keep_all(self, values: Mapping[K, V]) -> None:
        """Add values that belong together: none of them makes room for another."""
        with self._lock:
            for key, value in values.items():
                self._values[key] = value
                self._values.move_to_end(key)
            used = self.n_bytes
            while len(self._values) > len(values) and (used > self.most_bytes or len(self) > self.most_values):
                used -= bytes_of(self._values.popitem(last=False)[1])

    def drop(self, key: K) -> None:
        """Remove a value, if it is there."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()

    @property
    def n_bytes(self) -> int:
        """About how much memory the values take now."""
        with self._lock:
            return sum(map(bytes_of, self._values.values()))

    def get_or_make(self, key: K, made: Callable[[], V]) -> V:
        """Return the value under a key, made if there is none; two threads at once may both make it."""
        known = self.get(key)
        if known is None:
            known = made()
            self.keep(key, known)
        return known
