"""What surrounds a run: memory, versions and libraries; results that are kept, and the digests that are their keys."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Set
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
else:

    class LazyModule:
        """Stands for a module."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    pa, pc, pd = map(LazyModule, ("pyarrow", "pyarrow.compute", "pandas"))


_LIMIT = "BNENGINE_MAX_"  # the names of variables that set a limit begin so


def limit(name: str, default: int) -> int:
    """Return what ``BNENGINE_MAX_`` and the name set; the default if nothing does, or what no limit can be."""
    text = os.environ.get(_LIMIT + name, "")
    return int(text) if _is_limit(text) else default


def _is_limit(text: str) -> bool:
    return re.fullmatch("0{0,9}[1-9][0-9]{0,17}", text, flags=re.ASCII) is not None


def check_limits() -> None:
    """Raise a ValueError if a variable that sets a limit is no whole number above 0.

    It is asked where a command starts or a file is read, not when a module is imported, where nobody could answer.
    """
    for name, text in sorted(os.environ.items()):
        if name.startswith(_LIMIT) and not _is_limit(text):
            raise ValueError(f"{name} must be a whole number above 0; got {text[:40]!r}")


_GROUP = Path("/sys/fs/cgroup")  # of this process's container


def free_bytes() -> int | None:
    """Return the bytes free on the machine and within the container's limit; None where the system does not say."""
    found = []
    with suppress(OSError, ValueError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # "max" is no number: no limit
        most, held = (int((_GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        lines = (_GROUP / "memory.stat").read_text().splitlines()
        files = sum(int(line.split()[1]) for line in lines if line.split()[0] == "inactive_file")  # can be dropped
        found.append(max(0, most - held + files))
    return min(found, default=None)


# A cache that is bounded in bytes: the values used last are kept.

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


# Digests of values: keys of results that depend on all of these values, and on nothing else.


def digest(*values: Any) -> str:
    """Return the SHA-256 of values, in hexadecimal digits: the same of equal values, another one of others.

    A result that is kept under the digest of all that it depends on is never found by anybody who would get another.

    Parameters
    ----------
    *values
        None, truth values, numbers, text, bytes, arrays, and collections of values; settings, data, graphs, networks
        and results of bnengine, of which all fields count that are compared. 1, 1.0, True and "1" are different, and so
        are orders of a list or a mapping.

    Raises
    ------
    TypeError
        If a value is of another kind, such as a function, whose digest would not tell what it does.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(100, rng=1)
    >>> digest(data, bn.BIC()) == digest(data.take(range(100)), bn.BIC())
    True
    >>> digest(data, bn.BIC()) == digest(data.take(range(99)), bn.BIC())
    False
    """
    made = hashlib.sha256()
    _add(made, values)
    return made.hexdigest()


def _add(made: Any, value: Any) -> None:
    """Add a value: its kind and its length, then its content, so that no two values give the same bytes."""
    kind = type(value).__name__
    own = getattr(value, "digest", None)
    if isinstance(own, str):
        _add_bytes(made, kind, own.encode())
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        _add_bytes(made, f"array {value.dtype.str} {value.shape}", np.ascontiguousarray(value).data)
    elif value is None or isinstance(value, bool | int | float | complex | np.generic):
        plain = value.item() if isinstance(value, np.generic) else value
        _add_bytes(made, type(plain).__name__, repr(plain).encode())
    elif isinstance(value, str):
        _add_bytes(made, "str", value.encode("utf-8", "surrogatepass"))
    elif isinstance(value, bytes):
        _add_bytes(made, "bytes", value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        compared = [one for one in dataclasses.fields(value) if one.compare]
        _add_parts(made, kind, [(one.name, getattr(value, one.name)) for one in compared])
    elif isinstance(value, Mapping):
        _add_parts(made, "mapping", list(value.items()))
    elif isinstance(value, Set):
        _add_parts(made, "set", sorted(digest(one) for one in value))
    elif isinstance(value, tuple | list | range):
        _add_parts(made, "list", value)
    elif isinstance(value, partial) and "<" not in value.func.__qualname__:
        called = f"call of {value.func.__module__}.{value.func.__qualname__}"
        _add_parts(made, called, [*value.args, value.keywords])
    else:
        raise TypeError(f"a {kind} has no digest; hand over the values that it is made of")


def _add_bytes(made: Any, kind: str, content: Any) -> None:
    made.update(f"{kind}:{memoryview(content).nbytes}:".encode())
    made.update(content)


def _add_parts(made: Any, kind: str, parts: Any) -> None:
    made.update(f"{kind}:{len(parts)}:".encode())
    for part in parts:
        _add(made, part)


__version__ = "0.2.0"

PACKAGES = ("numpy", "numba", "pandas", "scipy")


def versions() -> dict[str, str]:
    """Return the versions of Python, of bnengine and of the packages that a result may depend on."""
    packages = {package: version(package) for package in PACKAGES}
    return {"python": platform.python_version(), "bnengine": __version__, **packages}


def need(library: str, extra: str) -> None:
    """Raise a ModuleNotFoundError, with the command that installs ``extra``, such as "app", if a library is missing."""
    if find_spec(library) is None:
        text = f'{library} is needed here and not installed; install it with: pip install "bnengine[{extra}]"'
        raise ModuleNotFoundError(text, name=library)


# Libraries of tables, imported when they are first used: they take a third of a second, and learning needs none.

__all__ = ["pa", "pc", "pd"]
