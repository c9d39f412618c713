"""What a caller hands in is checked once, at the public door, against the annotations of the signature.

``@validated`` turns each argument into what its annotation says or refuses it with one sentence: the argument, what it
must be, what it is. Whole numbers of numpy become ``int``, an iterable a tuple, a table of pandas, Polars or Arrow a
``Dataset`` where one is asked for. Bounds stand in the annotation, ``Annotated[int, Ge(1)]``. What depends on other
arguments, a function checks itself.
"""

from __future__ import annotations

import collections.abc as abc
import functools
import inspect
import io
import itertools
import os
import sys
import types
import typing
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar, Union

import numpy as np
import numpy.typing as npt
from annotated_types import Ge as Ge
from annotated_types import Gt as Gt
from annotated_types import Le as Le
from annotated_types import Lt as Lt

from bnengine._core.arrays import as_frame
from bnengine._core.parallel import is_executor
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.setting_kinds import (
    UnfitError,
    bounds_among,
    bounds_text,
    checked_edges,
    checked_names,
    number,
    one_line,
    shown,
    switch,
    text,
    whole,
    whole_text,
)

P = ParamSpec("P")
T = TypeVar("T")

#: Turns a value into what an annotation says; an UnfitError if it does not fit, a ValueError with words of its own.
Check = Callable[[Any], Any]

#: States that a column of numbers is cut into.
MOST_BINS = 1_000
RowCount = Annotated[int, Ge(1), Le(10_000_000)]
VariableCount = Annotated[int, Ge(1), Le(10_000)]
StateCount = Annotated[int, Ge(1), Le(1_000_000)]
ParentLimit = Annotated[int, Ge(0), Le(10_000)]
Bins = Annotated[int, Ge(2), Le(MOST_BINS)]
WholeSeed = Annotated[int, Ge(0), Le(MAX_SEED)]
#: How often something is drawn or learned; ``Samples`` where a spread is estimated from it.
Repeats = Annotated[int, Ge(1), Le(1_000_000)]
#: Moves of a Markov chain; the most take minutes.
Moves = Annotated[int, Ge(1), Le(500_000_000)]
Samples = Annotated[int, Ge(2), Le(1_000_000)]
LEAST_ESS, MOST_ESS = 1e-6, 1e6
#: An equivalent sample size.
Ess = Annotated[float, Ge(LEAST_ESS), Le(MOST_ESS)]
Share = Annotated[float, Ge(0), Le(1)]
NotNegative = Annotated[float, Ge(0)]

#: More items than this were not written by hand, or never end.
MOST_ITEMS = 10_000_000
_SCALARS: dict[Any, tuple[Check, str]] = {
    int: (whole, "a whole number"),
    float: (number, "a number"),
    bool: (switch, "true or false"),
    str: (whole_text, "a text"),
}
_ARRAYS = {"b": "true or false", "i": "whole numbers", "u": "whole numbers", "f": "numbers"}
_FITS = {"b": "biu", "i": "iu", "u": "iu", "f": "biuf"}  # kinds of numpy arrays that hold such numbers
_LISTS = (abc.Sequence, abc.Iterable, list, tuple)
_MAPPINGS = (abc.Mapping, dict)
#: What is asked for, in words; by the name of the class, which may be defined on a higher floor.
_WORDS = {
    "BayesianNetwork": 'a network, such as bn.load_network("asia")',
    "Constraints": 'constraints, such as bn.Constraints(forbidden=[("a", "b")])',
    "Dataset": "a Dataset, or a table of pandas, Polars or Arrow",
    "Ensemble": "an Ensemble, as bn.resample gives",
    "Executor": "an executor of concurrent.futures, or the client of a Dask cluster",
    "Experiment": "an experiment, such as bn.Experiment(n=200)",
    "Generator": "a numpy Generator",
    "LearnedGraph": "a learned graph, as bn.learn gives",
    "Resampler": "a resampling method, such as bn.Bootstrap(n=200)",
    "Search": "a search, such as bn.IteratedLocalSearch()",
    "Study": "a Study, as bn.study gives",
    "TableScore": "a score, such as bn.BIC()",
}


#: What a data set may hold (``Dataset.holds``) that a function has to know of, and what one says that does not.
KINDS = {
    "experiments": "takes every row as observed, but in some of these an experiment set a variable; take the observed "
    "rows alone: data.observed",
    "missing": "needs every cell, but some of these are missing; drop their rows with data.with_missing('listwise'), "
    "or give missing cells a state of their own with data.with_missing('own_state')",
}


def honours(*kinds: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function that gives each family the rows that count for it; below ``validated``.

    Those of ``KINDS`` that are not named it refuses, rather than to take cells that were set for observed, or cells
    that are missing for a state.
    """

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        function.__honours__ = kinds  # type: ignore[attr-defined]
        return function

    return marked


def validated(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a public function, method or constructor, at each call."""
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.kind != inspect.Parameter.VAR_KEYWORD]

    @functools.cache  # at the first call, when all names that annotations use are defined
    def checks() -> tuple[list[Check], dict[str, Check]]:
        named = {one.name: _check_of(one.annotation, function, one.name) for one in parameters}
        return list(named.values()), named

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> T:
        ordered, named = checks()
        try:
            if len(args) <= len(ordered):
                args = tuple([check(value) for check, value in zip(ordered, args, strict=False)])
                for name, value in kwargs.items():
                    if name in named:
                        kwargs[name] = named[name](value)
            return typing.cast("Callable[..., T]", function)(*args, **kwargs)
        except ValueError as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (one_line(error.args[0]),)
            raise

    checked.__validated__ = True  # type: ignore[attr-defined]
    return typing.cast("Callable[P, T]", checked)


def one_of(value: str, argument: str, known: abc.Collection[str]) -> str:
    """Return the word if it is a known one; raise a ValueError that lists them otherwise."""
    if value not in known:
        raise ValueError(f"{argument} must be one of {', '.join(known)}; got {shown(value)}")
    return value


def _check_of(written: Any, function: Callable[..., Any], argument: str) -> Check:
    """Return the check of one argument, which names it."""
    if written is inspect.Parameter.empty:
        return _any
    if isinstance(written, str):
        written = eval(written, vars(sys.modules[function.__module__]))
    check, expected = _reader(written, argument)
    if "Dataset" in expected:
        check = _honouring(check, function.__name__, getattr(function, "__honours__", ()))

    def named(value: Any) -> Any:
        try:
            return check(value)
        except UnfitError as error:
            raise ValueError(f"{argument} must be {str(error) or expected}; got {shown(value)}") from None

    return named if check is not _any else _any


def _any(value: Any) -> Any:
    return value


def _honouring(check: Check, name: str, honoured: tuple[str, ...]) -> Check:
    """Return the check that also refuses a data set which holds what a function does not honour."""

    def honouring(value: Any) -> Any:
        found = check(value)
        for kind in getattr(found, "holds", ()):
            if kind not in honoured:
                raise ValueError(f"{name} {KINDS[kind]}")
        return found

    return honouring


def _reader(wanted: Any, argument: str) -> tuple[Check, str]:
    """Return the check of an annotation, and what it expects: completes "must be …"."""
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is Annotated:
        return _bounded(*_reader(inner[0], argument), inner[1:])
    if wanted == npt.ArrayLike:
        return _array("f")
    if isinstance(wanted, TypeVar):
        return _either(wanted.__constraints__, argument)
    if origin in (Union, types.UnionType):
        return _either(inner, argument)
    if origin is np.ndarray:
        kind = typing.get_args(inner[1])[0]
        return _array(np.dtype(kind).kind) if isinstance(kind, type) else (_any, "an array")
    if origin in _LISTS:
        return _list(origin, inner, argument)
    if origin in _MAPPINGS:
        return _mapping(inner, argument)
    if origin is abc.Callable:
        return _function(inner[0])
    if wanted in _SCALARS:
        return _SCALARS[wanted]
    return _kind(wanted) if isinstance(wanted, type) and wanted not in (object, Any) else (_any, "anything")


def _bounded(check: Check, expected: str, marks: tuple[Any, ...]) -> tuple[Check, str]:
    bounds = bounds_among(marks)
    if not bounds:
        return check, expected
    low, high = bounds.get("ge", bounds.get("gt", -np.inf)), bounds.get("le", bounds.get("lt", np.inf))
    above, below = "gt" in bounds, "lt" in bounds

    def within(value: Any) -> Any:
        found = check(value)
        if not low <= found <= high or (above and found == low) or (below and found == high):
            raise UnfitError
        return found

    return within, expected + bounds_text(**bounds)


def _either(options: tuple[Any, ...], argument: str) -> tuple[Check, str]:
    """Return the check that takes the first kind that fits."""
    if Path in options:
        return _file, "a path, or an open binary file"
    optional = type(None) in options
    numbers = typing.get_args(npt.ArrayLike)  # a union in a union is one; from Python 3.12 on it has a name, and stays
    if numbers and set(numbers) <= set(options):
        options = (npt.ArrayLike, *(option for option in options if option not in numbers))
    readers = [_reader(option, argument) for option in options if option is not type(None)]
    expected = " or ".join([words for _, words in readers])
    checks = [check for check, _ in readers]

    def either(value: Any) -> Any:
        if value is None and optional:
            return None
        for check in checks[:-1]:
            try:
                return check(value)
            except ValueError:
                pass
        try:
            return checks[-1](value)
        except UnfitError as error:
            wanted = str(error) or expected
            raise UnfitError(f"{wanted}, or None" if optional else wanted) from None

    return either, expected


def _file(value: Any) -> Any:
    if not isinstance(value, str | os.PathLike) and not hasattr(value, "read") and not hasattr(value, "write"):
        raise UnfitError
    if isinstance(value, io.TextIOBase):
        raise UnfitError
    return value


def _array(kind: str) -> tuple[Check, str]:
    expected = f"an array of {_ARRAYS.get(kind, 'numbers')}"

    def array(value: Any) -> Any:
        found = _as_array(value)
        if found.dtype.kind not in _FITS.get(kind, "biuf") and found.size:
            raise UnfitError
        if kind == "b" and found.dtype.kind in "iu":
            if not np.isin(found, (0, 1)).all():
                raise UnfitError
            return found.astype(np.bool_)
        return found if found.size else found.astype(kind if kind == "b" else found.dtype)

    return array, expected


def _as_array(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value
    if isinstance(value, str | bytes | Mapping | abc.Set | type):
        raise UnfitError
    try:
        if hasattr(value, "__len__") and len(value) > MOST_ITEMS:
            raise UnfitError(f"a list of at most {MOST_ITEMS:,} items")
        return np.asarray(value)
    except UnfitError:
        raise
    except Exception:  # whatever an object does that has to be an array
        raise UnfitError from None


def _items(value: Any) -> tuple[Any, ...]:
    """Return the items of a list; refuse a string, a mapping or a set, whose items are no list's."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, abc.Iterable):
        raise UnfitError
    try:
        items = tuple(itertools.islice(value, MOST_ITEMS + 1))
    except Exception:  # an array without a dimension, a class, an iterator that fails
        raise UnfitError from None
    if len(items) > MOST_ITEMS:
        raise UnfitError(f"a list of at most {MOST_ITEMS:,} items")
    return items


def _list(origin: Any, inner: tuple[Any, ...], argument: str) -> tuple[Check, str]:
    item, exact = inner[0], origin is tuple and Ellipsis not in inner
    if item is str and not exact:
        return functools.partial(_names, argument), 'a list of names, such as ["a", "b"]'
    if item == tuple[str, str]:
        return functools.partial(_edges, argument), '(parent, child) pairs of names, such as [("a", "b")]'
    if exact:
        readers = [_reader(one, argument) for one in inner]
        expected = f"({', '.join(words for _, words in readers)})"

        def exactly(value: Any) -> Any:
            items = _items(value)
            if len(items) != len(readers):
                raise UnfitError
            return tuple(check(one) for (check, _), one in zip(readers, items, strict=True))

        return exactly, expected
    check, words = _reader(item, argument)

    def listed(value: Any) -> Any:
        if origin is not abc.Iterable and isinstance(value, abc.Set):
            raise UnfitError
        return tuple([_part(check, one, f"each item of {argument} must be {words}") for one in _items(value)])

    return listed, f"a list, each item {words}"


def _part(check: Check, value: Any, wanted: str) -> Any:
    try:
        return check(value)
    except UnfitError:
        raise ValueError(f"{wanted}; got {shown(value)}") from None


def _names(argument: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, abc.Set):
        raise UnfitError
    return tuple(map(text, checked_names(_items(value), argument)))


def _edges(argument: str, value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((text(parent), text(child)) for parent, child in checked_edges(_items(value), argument))


def _mapping(inner: tuple[Any, ...], argument: str) -> tuple[Check, str]:
    (key, key_words), (item, item_words) = (_reader(one, argument) for one in inner)

    def mapping(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise UnfitError
        return {
            _part(key, name, f"each key of {argument} must be {key_words}"): _part(
                item, each, f"each value of {argument} must be {item_words}"
            )
            for name, each in value.items()
        }

    return mapping, f"a dictionary from {key_words} to {item_words}"


def _function(parameters: Any) -> tuple[Check, str]:
    count = len(parameters) if isinstance(parameters, list) else None
    expected = "a function" if count is None else f"a function of {count} argument{'s' if count != 1 else ''}"

    def function(value: Any) -> Any:
        if not callable(value):
            raise UnfitError
        if count is not None:
            try:
                inspect.signature(value).bind(*range(count))
            except TypeError:
                raise UnfitError from None
            except ValueError:  # written in C, and says nothing about its arguments
                pass
        return value

    return function, expected


def _kind(wanted: type) -> tuple[Check, str]:
    """Return the check for objects of a class; a class may say in ``__from_argument__`` what else it is made from."""
    expected = _WORDS.get(wanted.__name__, f"of type {wanted.__name__}")
    if wanted is Executor:
        return functools.partial(_fits, is_executor), expected
    if (wanted.__module__.partition(".")[0], wanted.__name__) == ("pandas", "DataFrame"):
        return _frame, "a table of pandas, Polars or Arrow"
    known: set[type] = set()  # isinstance takes microseconds for a protocol
    made: Check | None = getattr(wanted, "__from_argument__", None)

    def of_kind(value: Any) -> Any:
        if type(value) in known:
            return value
        if isinstance(value, type):
            if hasattr(value, "__setting__"):
                raise UnfitError(f"{expected}, not a class: write {value.__name__}()")
            raise UnfitError
        if isinstance(value, wanted):
            known.add(type(value))
            return value
        if made is None:
            raise UnfitError
        return made(value)

    return of_kind, expected


def _fits(test: Callable[[Any], bool], value: Any) -> Any:
    if not test(value):
        raise UnfitError
    return value


def _frame(value: Any) -> Any:
    frame = as_frame(value)
    if frame is None:
        raise UnfitError
    return frame
