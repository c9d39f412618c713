"""Digests of values: keys of results that depend on all of these values, and on nothing else."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np


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
    elif isinstance(value, tuple | list | range):
        _add_parts(made, "list", value)
    else:
        raise TypeError(f"a {kind} has no digest; hand over the values that it is made of")


def _add_bytes(made: Any, kind: str, content: Any) -> None:
    made.update(f"{kind}:{memoryview(content).nbytes}:".encode())
    made.update(content)


def _add_parts(made: Any, kind: str, parts: Any) -> None:
    made.update(f"{kind}:{len(parts)}:".encode())
    for part in parts:
        _add(made, part)
