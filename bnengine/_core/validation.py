"""Arguments are checked once, at the public door, against the annotations of the signature.

``@validated`` turns each argument into what its annotation says or refuses it with one sentence: the argument, what it
must be, what it is. Whole numbers of numpy become ``int``, an iterable a tuple, a table of pandas, Polars or Arrow a
``Dataset`` where one is wanted. Bounds stand in the annotation, ``Annotated[int, Ge(1)]``. pydantic reads the
annotations, with types of our own where it would take too much (a text for a number) or too little (numpy's numbers).
What depends on other arguments, a function checks itself.
"""

from __future__ import annotations

import collections.abc as abc
import functools
import inspect
import io
import os
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar, Union

import numpy as np
import numpy.typing as npt
from annotated_types import Ge as Ge
from annotated_types import Gt as Gt
from annotated_types import Le as Le
from annotated_types import Lt as Lt
from pydantic import BeforeValidator, PlainValidator, TypeAdapter, ValidationError, WrapValidator

from bnengine._core.arrays import as_frame
from bnengine._core.environment import pd
from bnengine._core.parallel import is_executor
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.setting_kinds import (
    MOST_ITEMS,
    Edges,
    Names,
    Number,
    Switch,
    UnfitError,
    Whole,
    bounds_among,
    bounds_text,
    items_of,
    one_line,
    shown,
    whole_text,
)

P = ParamSpec("P")
T = TypeVar("T")

#: States that a column of numbers is cut into.
MOST_BINS = 1_000
RowCount = Annotated[int, Ge(1), Le(10_000_000)]
VariableCount = Annotated[int, Ge(1), Le(10_000)]
StateCount = Annotated[int, Ge(1), Le(1_000_000)]
ParentLimit = Annotated[int, Ge(0), Le(10_000)]
Bins = Annotated[int, Ge(2), Le(MOST_BINS)]
WholeSeed = Annotated[int, Ge(0), Le(MAX_SEED)]
#: How often something is repeated; ``Samples`` where a spread is estimated from it.
Repeats = Annotated[int, Ge(1), Le(1_000_000)]
#: Moves of a Markov chain; the most take minutes.
Moves = Annotated[int, Ge(1), Le(500_000_000)]
Samples = Annotated[int, Ge(2), Le(1_000_000)]
LEAST_ESS, MOST_ESS = 1e-6, 1e6
#: An equivalent sample size.
Ess = Annotated[float, Ge(LEAST_ESS), Le(MOST_ESS)]
Share = Annotated[float, Ge(0), Le(1)]
NotNegative = Annotated[float, Ge(0)]

#: What a data set may hold (``Dataset.holds``) that a function has to allow for; what one says that does not.
DATA_FEATURES = {
    "interventions": "takes every row as observed, but in some of these an experiment set a variable; take the "
    "observed rows alone: data.observed",
    "missing": "needs every cell, but some of these are missing; drop their rows with data.with_missing('listwise'), "
    "or give missing cells a state of their own with data.with_missing('own_state')",
    "numbers": "needs states, but some columns are kept as numbers; cut them into states with data.cut(3), or those of "
    "a frame with bn.discretize(frame)",
}


def validated(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a public function, method or constructor, at each call."""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]

    @functools.cache  # at the first call, when all names that annotations use are defined
    def checks() -> tuple[list[Callable[[Any], Any]], dict[str, Callable[[Any], Any]]]:
        named = {each.name: _check_of(each.annotation, function, each.name) for each in parameters}
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
        except TypeError as error:
            hint = next((_MEANT[name] for name in kwargs if name in _MEANT and name not in named), None)
            raise error if hint is None else TypeError(f"{error}; {hint}") from None
        except ValueError as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (one_line(error.args[0]),)
            raise

    checked.__validated__ = True  # type: ignore[attr-defined]
    return typing.cast("Callable[P, T]", checked)


#: What other libraries call it.
_MEANT = {
    **dict.fromkeys(("random_state", "seed"), "here it is rng=0, or a numpy Generator"),
    **dict.fromkeys(("n_jobs", "num_workers"), "all cores are used; an executor=… of concurrent.futures says which"),
    **dict.fromkeys(("n_bootstrap", "n_resamples"), "here it is resampler=bn.Bootstrap(200)"),
}


def accepts(
    *, interventions: bool = False, missing: bool = False, numbers: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function, below ``validated``, that scores each family on the rows that count for it.

    Without the mark it refuses data with interventions or with missing cells, as it would take cells that were set for
    observed ones, or missing cells for a state; or data with numbers, as it would take each value for a state.
    """

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        features = {"interventions": interventions, "missing": missing, "numbers": numbers}
        function.__accepts__ = tuple(name for name in features if features[name])  # type: ignore[attr-defined]
        return function

    return marked


def one_of(value: str, argument: str, known: abc.Collection[str]) -> str:
    """Return the word if it is a known one; raise a ValueError that lists them otherwise."""
    if value not in known:
        raise ValueError(f"{argument} must be one of {', '.join(known)}; got {shown(value)}")
    return value


def place_of(name: str, argument: str, names: Sequence[str]) -> int:
    """Return the place of a variable among others; raise a ValueError that lists them if it is none of them."""
    return names.index(one_of(name, argument, names))


def _check_of(written: Any, function: Callable[..., Any], argument: str) -> Callable[[Any], Any]:
    """Return the check of one argument."""
    if isinstance(written, str):
        written = eval(written, vars(sys.modules[function.__module__]))
    if written in (inspect.Parameter.empty, object, Any):
        return lambda value: value
    validate, accepted = _adapter(written).validate_python, getattr(function, "__accepts__", ())
    or_none = ", or None" if type(None) in typing.get_args(written) else ""
    called = function.__qualname__.removesuffix(".check").rpartition(".")[2]  # a resampling method checks the data

    def check(value: Any) -> Any:
        try:
            found = validate(value, context=argument)
        except ValidationError as error:
            raise _refusal(argument, or_none, value, error) from None
        for feature in getattr(found, "holds", ()):
            if feature not in accepted:
                raise ValueError(f"{called} {DATA_FEATURES[feature]}")
        return found

    return check


def _refusal(argument: str, or_none: str, given: Any, error: ValidationError) -> Exception:
    """Return one sentence on what is wrong; where a value may be of several kinds, on those that it resembles most."""
    errors = error.errors(include_url=False)
    depth = max(len(each["loc"]) for each in errors)
    nearest = [each for each in errors if len(each["loc"]) == depth]
    expected = []
    for each in nearest:
        raised = each.get("ctx", {}).get("error")
        if isinstance(raised, ValueError) and not isinstance(raised, UnfitError):
            return raised
        expected.append(str(raised or _PYDANTIC_WORDS.get(each["type"], each["msg"])))
    place, inside = argument, given
    for step in nearest[0]["loc"]:
        try:
            inside = inside[step]
        except Exception:  # what pydantic calls one of several kinds, or a value without places
            continue
        place += f"[{step!r}]"
    wanted = " or ".join(dict.fromkeys(expected)) + (or_none if place == argument else "")
    return ValueError(f"{place} must be {wanted}; got {shown(nearest[0]['input'])}")


_PYDANTIC_WORDS = {"dict_type": "a dictionary"}


@functools.cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(_strict(annotation))


def _strict(annotation: Any) -> Any:
    """Return the annotation with our types in place of those by which pydantic would take too much, or too little."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation == npt.ArrayLike:
        return _array("f")
    if origin is Annotated:
        words = f"a {'whole ' if inner[0] is int else ''}number{bounds_text(**bounds_among(inner[1:]))}"
        return Annotated[(_strict(inner[0]), *inner[1:], WrapValidator(functools.partial(_in_words, words)))]
    if origin in (Union, types.UnionType):
        numbers = typing.get_args(npt.ArrayLike)  # a union inside a union is flat, except where it has a name
        if Path in inner and pd.DataFrame not in inner:
            return _FILE
        if numbers and set(numbers) <= set(inner):
            inner = (npt.ArrayLike, *(each for each in inner if each not in numbers))
        return Union[tuple(map(_strict, inner))]  # noqa: UP007
    if origin is np.ndarray:
        kind = typing.get_args(inner[1])[0]
        return _array(np.dtype(kind).kind) if isinstance(kind, type) else Any
    if origin in (abc.Sequence, abc.Iterable, list, tuple):
        if origin is not tuple and inner[0] in (str, tuple[str, str]):
            return Names if inner[0] is str else Edges
        count = len(inner) if origin is tuple and Ellipsis not in inner else None
        kinds: Any = tuple(map(_strict, inner)) if count else (_strict(inner[0]), ...)
        return Annotated[tuple[kinds], BeforeValidator(functools.partial(items_of, count=count))]
    if origin in (abc.Mapping, dict):
        return dict[_strict(inner[0]), _strict(inner[1])]  # type: ignore[misc]
    if origin is abc.Callable:
        return _passing(callable, "a function")
    return _TYPES[annotation] if annotation in _TYPES else _object(annotation)


def _in_words(words: str, value: Any, check: Callable[[Any], Any]) -> Any:
    """Return the number within its bounds; an UnfitError that names both."""
    try:
        return check(value)
    except ValidationError:
        raise UnfitError(words) from None


def _array(kind: str) -> Any:
    whole = ("whole numbers", "iu")
    words, kinds = {"b": ("true or false", "biu"), "i": whole, "u": whole}.get(kind, ("numbers", "biuf"))

    def array(value: Any) -> Any:
        try:
            endless = not isinstance(value, np.ndarray) and hasattr(value, "__len__") and len(value) > MOST_ITEMS
            refused = endless or isinstance(value, str | bytes | Mapping | abc.Set | type)
            found = np.asarray(None if refused else value)
            fits = found.dtype.kind in kinds or not found.size
            if fits and (kind != "b" or found.dtype.kind == "b" or np.isin(found, (0, 1)).all()):
                return found.astype(np.bool_) if kind == "b" else found
        except Exception:  # whatever an object does that has to be an array
            pass
        raise UnfitError(f"an array of {words}")

    return Annotated[Any, PlainValidator(array)]


#: What is wanted, in words; by the name of the class, which may be defined on a higher floor.
_WORDS = {
    "BayesianNetwork": 'a network, such as bn.load_network("asia")',
    "Constraints": 'constraints, such as bn.Constraints(forbidden=[("a", "b")])',
    "DataFrame": "a table of pandas, Polars or Arrow",
    "Path": "a path",
    "Dataset": "a Dataset, or a table of pandas, Polars or Arrow",
    "Graph": "a graph, as bn.learn gives, or a network",
    "Ensemble": "an Ensemble, as bn.resample gives",
    "Experiment": "an experiment, such as bn.Experiment(n=200)",
    "Generator": "a numpy Generator",
    "LearnedGraph": "a learned graph, as bn.learn gives",
    "Resampler": "a resampling method, such as bn.Bootstrap(n=200)",
    "Search": "a search, such as bn.IteratedLocalSearch()",
    "Study": "a Study, as bn.study gives",
    "Method": 'a resampling method, such as "predictive"',
    "TableScore": "a score, such as bn.BIC()",
}


def _object(wanted: type) -> Any:
    """Return the type for objects of a class; a class may say in ``__from_argument__`` what else it is made from."""
    words = _WORDS.get(wanted.__name__, f"of type {wanted.__name__}")
    made = as_frame if wanted.__name__ == "DataFrame" else getattr(wanted, "__from_argument__", lambda value: None)

    def instance(value: Any) -> Any:
        if isinstance(value, type):
            instead = f"{words}, not a class: write {value.__name__}()"
            raise UnfitError(instead if hasattr(value, "__setting__") else words)
        found = value if isinstance(value, wanted) else made(value)
        if found is None:
            raise UnfitError(words)
        return found

    return Annotated[Any, PlainValidator(instance)]


def _passing(test: Callable[[Any], bool], words: str) -> Any:
    """Return the type for values that pass a test."""

    def passing(value: Any) -> Any:
        if not test(value):
            raise UnfitError(words)
        return value

    return Annotated[Any, PlainValidator(passing)]


def _is_file(value: Any) -> bool:
    binary = isinstance(value, str | os.PathLike) or hasattr(value, "read") or hasattr(value, "write")
    return binary and not isinstance(value, io.TextIOBase)


_FILE = _passing(_is_file, "a path, or an open binary file")
_TYPES = {
    Any: Any,
    object: Any,
    type(None): None,
    int: Whole,
    float: Number,
    bool: Switch,
    str: Annotated[Any, PlainValidator(whole_text)],
    Executor: _passing(is_executor, "an executor of concurrent.futures, or the client of a Dask cluster"),
}
