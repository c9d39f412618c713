"""A public function's arguments are of the kinds that its signature says; a ValueError names one that is not.

The signature is the one place where the kinds are declared; forty functions would otherwise repeat the same checks.
What an annotation leaves open (aliases of arrays, callables, what is inside a list of edges) a function checks itself.
"""

from __future__ import annotations

import ast
import functools
import inspect
import numbers
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any, ParamSpec, TypeVar

import numpy as np

from bnengine._core.cluster import is_executor

P = ParamSpec("P")
T = TypeVar("T")

#: Whether a value is of a kind; raises nothing.
Test = Callable[[Any], bool]

_LONGEST = 60  # characters of a refused value that a message repeats
_NUMBERS: dict[type, type] = {int: numbers.Integral, float: numbers.Real}
_ITERABLES = ("Sequence", "Iterable", "list", "tuple")


def door(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a public function against its annotations, at each call."""
    signature = inspect.signature(function)

    @functools.cache  # at the first call, when all names that annotations use are defined
    def tests() -> dict[str, tuple[Test, str]]:
        return {
            name: (test, written)
            for name, parameter in signature.parameters.items()
            if isinstance(written := parameter.annotation, str)
            and (test := _test_of(ast.parse(written, mode="eval").body, function.__globals__)) is not None
        }

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        given = dict(zip(signature.parameters, args, strict=False)) | kwargs
        for name, (test, written) in tests().items():
            if name in given and not test(given[name]):
                raise ValueError(f"{name} must be of type {written}; got {_shown(given[name])}")
        return function(*args, **kwargs)

    return checked


def _shown(value: Any) -> str:
    text = f"a {type(value).__name__}" if isinstance(value, np.ndarray | Mapping) else ascii(value)
    return f"{text[:_LONGEST]} of type {type(value).__name__}"


def _test_of(written: ast.expr, names: Mapping[str, Any]) -> Test | None:
    """The test of an annotation; None if it leaves the kind open."""
    match written:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            tests = [_test_of(part, names) for part in (left, right)]
            known = [test for test in tests if test is not None]
            return None if len(known) < len(tests) else lambda value: any(test(value) for test in known)
        case ast.Constant(value=None):
            return lambda value: value is None
        case ast.Attribute(value=ast.Name(id="pd"), attr="DataFrame"):
            return _is_frame
        case ast.Subscript(value=ast.Name(id=container), slice=inner) if container in _ITERABLES:
            if isinstance(inner, ast.Name) and inner.id == "str":
                return None  # lists of names have checks of their own, with examples
            return _elements(_test_of(inner, names))
        case ast.Name(id=name):
            kind = names.get(name, __builtins__.get(name))  # type: ignore[attr-defined]
            return _of_kind(kind) if isinstance(kind, type) and kind is not object else None
    return None


def _is_frame(value: Any) -> bool:
    import pandas as pd

    return isinstance(value, pd.DataFrame)


def _elements(test: Test | None) -> Test | None:
    """A list of what the test accepts; a string is no list of strings, and an iterator is not used up."""
    if test is None:
        return None
    return lambda value: (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes)
        and (iter(value) is value or all(map(test, value)))
    )


def _of_kind(kind: type) -> Test:
    if kind is bool:
        return lambda value: isinstance(value, bool | np.bool_)
    if kind is Executor:
        return is_executor
    if kind in _NUMBERS:
        return lambda value: (
            isinstance(value, _NUMBERS[kind])
            and not isinstance(value, bool | np.bool_)
            and (kind is int or not isinstance(value, int) or abs(value) <= sys.float_info.max)
        )
    return lambda value: isinstance(value, kind) and not isinstance(value, type)
