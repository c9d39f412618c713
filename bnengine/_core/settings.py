"""Declare a setting once: its type, bounds, default, label, unit and help.

A class of settings is a frozen dataclass under ``@setting``; each of its fields is declared with ``field``. Validation,
JSON, links, command-line options, widgets and generated Python read that declaration (``settings_of``). Construction
fails with a ``SettingError``, a ``ValueError`` of one sentence.

Examples
--------
>>> @setting(tag="walk", label="Random walk")
... class Walk:
...     steps: Whole = field(default=10, ge=1, le=1000, label="Steps", unit="moves", help="Moves of one walk.")
>>> Walk(20), settings_of(Walk)[0].label
(Walk(steps=20), 'Steps')
>>> Walk(steps=0)
Traceback (most recent call last):
    ...
bnengine._core.settings.SettingError: steps must be a whole number from 1 to 1,000 moves; got 0
"""

from __future__ import annotations

import dataclasses
import functools
import re
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, Union, dataclass_transform

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    Tag,
    ValidationError,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import CoreSchema, PydanticUndefined

from bnengine._core.setting_kinds import Edges as Edges
from bnengine._core.setting_kinds import Kind, UnfitError, bounds_among, bounds_text, one_line, shown
from bnengine._core.setting_kinds import Name as Name
from bnengine._core.setting_kinds import Names as Names
from bnengine._core.setting_kinds import Number as Number
from bnengine._core.setting_kinds import Switch as Switch
from bnengine._core.setting_kinds import Text as Text
from bnengine._core.setting_kinds import Tiers as Tiers
from bnengine._core.setting_kinds import Whole as Whole

# Declarations of settings: ``field`` makes one, ``settings_of`` reads those of a class.

T = TypeVar("T")
#: The default of a setting that must be given.
REQUIRED = dataclasses.MISSING
#: The key under which a plain dictionary holds the tag of a score, a search or a resampler.
TAG_KEY = "kind"


def field(
    *,
    choices: Mapping[str, str] | Sequence[str] = (),
    label: str = "",
    unit: str = "",
    help: str = "",
    none: str = "",
    **pydantic: Any,
) -> Any:
    """Declare a setting; the arguments are those of ``Setting``, and further ones of pydantic's ``Field``."""
    named = dict(choices) if isinstance(choices, Mapping) else {word: word for word in choices}
    extra: dict[str, Any] = {"choices": named, "unit": unit, "none": none}
    declared: Any = Field(**pydantic, title=label, description=help, json_schema_extra=extra)
    if named:
        declared.metadata.append(AfterValidator(functools.partial(_among, named)))
    return declared


def _among(choices: Mapping[str, str], value: Any) -> Any:
    if value is not None and any(word not in choices for word in ([value] if isinstance(value, str) else value)):
        raise UnfitError
    return value


@dataclass_transform(frozen_default=True, field_specifiers=(field, dataclasses.field))
def setting(cls: type[T] | None = None, **about: Any) -> Any:
    """Make a class a frozen dataclass of validated settings.

    Parameters
    ----------
    **about
        What stands about it in a registry, see ``Entry``; its label is the class's name by default.
    """

    def decorate(plain: type[T]) -> type[T]:
        made: Any = pydantic_dataclass(plain, frozen=True, repr=False, config=_CONFIG)
        made.__init__ = _sentences(made.__init__, made)
        if "__repr__" not in vars(plain):
            made.__repr__ = _repr
        made.__setting__ = Entry(**{"label": plain.__name__, **about})
        made.__doc__ = _documented(plain.__doc__ or plain.__name__, made)
        return typing.cast("type[T]", made)

    return decorate if cls is None else decorate(cls)


def _documented(text: str, cls: type) -> str:
    """Return the docstring with a section on the parameters, from their declarations."""
    lines = []
    for one in settings_of(cls):
        lines += [
            f"    {one.name} : {one.kind}{', optional' if one.optional else ''}",
            textwrap.fill(one.described, 120, initial_indent=" " * 8, subsequent_indent=" " * 8),
        ]
    if not lines:
        return text
    summary, rule, rest = re.split(r"(\n {4}\w+\n {4}-{5,}\n|$)", text.rstrip(), maxsplit=1)[:3]
    return "\n".join([f"{summary.rstrip()}\n", "    Parameters", "    ----------", *lines, rule + rest]) + "\n    "


def _sentences(construct: Any, cls: type) -> Any:
    @functools.wraps(construct)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 (it becomes the class's own)
        try:
            construct(self, *args, **kwargs)
        except ValidationError as error:
            raise refusal(cls, error) from None
        except UnicodeError:
            raise SettingError(f"{label_of(cls)}: a text has halves of characters") from None

    return __init__


def _repr(self: Any) -> str:
    """Write the call that makes the object; settings at their default are left out."""
    given = [
        f"{one.name}={getattr(self, one.name)!r}"
        for one in settings_of(self.__class__)
        if one.default is REQUIRED or getattr(self, one.name) != one.default
    ]
    return f"{type(self).__name__}({', '.join(given)})"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One declared setting.

    Attributes
    ----------
    name : str
        The field's name.
    kind : str
        ``"bool"``, ``"int"``, ``"float"``, ``"choice"`` (one of ``choices``), ``"choices"`` (a tuple of them),
        ``"text"``, ``"names"``, ``"edges"``, ``"tiers"``, ``"one_of"`` (a tagged class of settings, see ``registry``),
        ``"part"`` (a class of settings, see ``part``), or the word of a type of its own (``"network"``).
    default : object
        ``REQUIRED`` where the setting must be given.
    optional : bool
        Whether None is allowed; ``none`` says what it means.
    ge, gt, le, lt : float or None
        Bounds.
    choices : mapping from value to label
    label, unit, help : str
        A label in sentence case, the unit that stands beside the number, one sentence.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    optional: bool = False
    none: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    label: str = ""
    unit: str = ""
    help: str = ""
    registry: Mapping[str, type] = dataclasses.field(default_factory=dict)
    part: type | None = None
    holds: Kind | None = None

    @property
    def expected(self) -> str:
        """What the setting takes; completes "must be …"."""
        if self.kind == "one_of":
            return f"one of {', '.join(self.registry)}"
        if self.choices:
            return f"{'a list among' if self.kind == 'choices' else 'one of'} {', '.join(self.choices)}"
        text = self.holds.expected if self.holds else "an object with settings"
        bounds = bounds_text(self.ge, self.gt, self.le, self.lt)
        text += bounds + (f" {self.unit}" if self.unit and bounds else "")
        return text + ((f", or None ({self.none})" if self.none else ", or None") if self.optional else "")

    @property
    def described(self) -> str:
        """The help, the unit, the default and what None means, in one paragraph."""
        text = self.help
        if self.default not in (REQUIRED, None, ()) and not isinstance(self.default, bool):
            text += f" Default: {self.default}" + (f" {self.unit}." if self.unit else ".")
        return text + (f" None: {self.none}." if self.none else "")


class InR(NamedTuple):
    """The counterpart of a score or a search in the R package bnlearn, which ``r_script`` writes."""

    name: str  # of bnlearn's score or function
    arguments: Mapping[str, str] = types.MappingProxyType({})  # by bnlearn's name, the setting whose value it takes
    exact: bool = True  # whether it is the same; else it is the nearest that bnlearn has
    remark: str = ""  # what else a reader of the script should know


class Entry(NamedTuple):
    """What stands in a registry about a kind of score, search or resampler; pages, scripts and reports read it."""

    tag: str = ""  # the word for this kind in files, links and on the command line, such as "tabu"
    label: str = ""  # its name in lists, in sentence case
    group: str = ""  # what it is one of, beside its name in lists
    help: str = ""  # what it is for, in a sentence or two
    in_r: InR | None = None  # its counterpart in bnlearn


def entry_of(owner: Any) -> Entry:
    """Return what the declaration of a class of settings says about it; of one of its objects, that of its class."""
    return getattr(owner, "__setting__", Entry())


def tag_of(owner: Any) -> str:
    """Return the tag of a class of settings, or of one of its objects."""
    return entry_of(owner).tag


def label_of(owner: Any) -> str:
    """Return the label of a class of settings, or of one of its objects."""
    return entry_of(owner).label


def by_tag(*kinds: type[T]) -> dict[str, type[T]]:
    """Return a registry of classes of settings by their tags."""
    return {tag_of(kind): kind for kind in kinds}


@functools.cache
def settings_of(cls: Any) -> tuple[Setting, ...]:
    """Return the settings that a class declares, in the order of its fields."""
    return tuple(_described(name, info) for name, info in cls.__pydantic_fields__.items())


def setting_of(cls: type, name: str) -> Setting:
    """Return the setting of that name; a KeyError if the class has none.

    Parameters
    ----------
    cls : type
        A class of settings.
    name : str
        The field's name.

    Returns
    -------
    Setting

    Examples
    --------
    >>> import bnengine as bn
    >>> setting_of(bn.BDeu, "ess").label
    'Equivalent sample size'
    """
    return {one.name: one for one in settings_of(cls)}[name]


def _described(name: str, info: Any) -> Setting:
    marks = [*info.metadata, *_parts(info.annotation)]
    holds = next((mark for mark in marks if isinstance(mark, Kind)), None)
    registry = next((mark.registry for mark in marks if isinstance(mark, OneOf)), {})
    extra = info.json_schema_extra or {}
    kind = holds.word if holds else "one_of" if registry else "part"
    if extra.get("choices"):
        kind = "choices" if kind == "names" else "choice"
    default = info.get_default(call_default_factory=True)
    return Setting(
        name,
        kind,
        REQUIRED if default is PydanticUndefined else default,
        type(None) in marks,
        label=info.title or name,
        help=info.description or "",
        registry=registry,
        part=next((mark for mark in marks if hasattr(mark, "__setting__")), None) if kind == "part" else None,
        holds=holds,
        **extra,
        **bounds_among(marks),
    )


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield an annotation and everything in it, at any depth: types and what marks them."""
    yield annotation
    for inner in typing.get_args(annotation):
        yield from _parts(inner)


class OneOf:
    """Marks a field that holds one of several classes of settings, distinguished by their tags (a discriminated union).

    Parameters
    ----------
    registry : mapping from tag to class
    """

    def __init__(self, registry: Mapping[str, type]) -> None:
        self.registry = registry

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members = tuple(Annotated[kind, BeforeValidator(_without_tag), Tag(tag)] for tag, kind in self.registry.items())
        return handler.generate_schema(Annotated[Union[members], Discriminator(self._tag)])  # noqa: UP007

    def _tag(self, value: Any) -> str | None:
        if isinstance(value, Mapping):
            tag = value.get(TAG_KEY)
            return tag if isinstance(tag, str) else None
        return next((tag for tag, kind in self.registry.items() if type(value) is kind), None)


def _without_tag(value: Any) -> Any:
    return {name: each for name, each in value.items() if name != TAG_KEY} if isinstance(value, Mapping) else value


_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)


class SettingError(ValueError):
    """A value that a setting does not take; the message names the setting."""


def to_plain(value: Any) -> dict[str, Any]:
    """Return settings as dictionaries, lists, strings and numbers, which JSON holds and constructors take back."""
    plain: dict[str, Any] = _value_to_plain(value)
    return plain


def _value_to_plain(value: Any) -> Any:
    if hasattr(value, "__setting__"):
        tag = {TAG_KEY: tag_of(value)} if tag_of(value) else {}
        return tag | {one.name: _plain(getattr(value, one.name), one) for one in settings_of(value.__class__)}
    return [_value_to_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any, one: Setting) -> Any:
    return one.holds.plain(value) if one.holds and one.holds.plain else _value_to_plain(value)


def refusal(cls: type, error: ValidationError) -> SettingError:
    """Turn what pydantic found wrong into one sentence made from the declarations."""
    first = error.errors(include_url=False)[0]
    path, owner, one = _located(cls, first["loc"])
    kind, raised, value = first["type"], first.get("ctx", {}).get("error"), first["input"]
    if kind in ("missing", "missing_argument"):
        return SettingError(f"{': '.join(path)} must be given")
    if isinstance(raised, ValueError) and not isinstance(raised, UnfitError):
        around = path[:-1] if path and str(raised).startswith(path[-1]) else path
        return SettingError(one_line(": ".join([*around, str(raised)])))
    if kind in ("unexpected_keyword_argument", "unexpected_positional_argument") or one is None:
        named = f"'{path[-1]}'" if path else "more"
        known = ", ".join(setting.name for setting in settings_of(owner))
        has = f"{label_of(owner)} has no setting {named:.60}; it has {known or 'none'}"
        return SettingError(one_line(": ".join([*path[:-1], has])))
    if one.kind == "one_of" and isinstance(value, Mapping):
        value = value.get(TAG_KEY)
    return SettingError(one_line(f"{': '.join(path)} must be {one.expected}; got {shown(value)}"))


def _located(cls: type, places: Sequence[Any]) -> tuple[tuple[str, ...], type, Setting | None]:
    """Return the names that lead to a setting, the class that has it, and the setting."""
    path: list[str] = []
    owner, one = cls, None
    for place in places:
        if isinstance(place, int) and not path:  # an argument by its position
            place = [each.name for each in dataclasses.fields(cls) if not each.kw_only][place:][:1] or [place]
            place = place[0]
        if one is not None and one.kind == "one_of" and place in one.registry:
            owner, one = one.registry[place], None
            continue
        if one is not None and one.kind == "part" and one.part is not None:
            owner, one = one.part, None
        if one is not None:  # a place inside a value
            break
        path.append(str(place))
        one = next((each for each in settings_of(owner) if each.name == place), None)
        if one is None:
            break
    return tuple(path), owner, one
