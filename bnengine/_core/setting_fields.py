"""Declarations of settings: ``field`` makes one, ``settings_of`` reads those of a class."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, Union

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema, PydanticUndefined

from bnengine._core.setting_kinds import Kind, UnfitError, bounds_text

T = TypeVar("T")
#: The default of a setting that must be given.
REQUIRED = dataclasses.MISSING
#: The key under which a plain dictionary holds the tag of a score, a search or a resampler.
TAG_KEY = "kind"


class OneOf:
    """Marks a field that holds one of several classes of settings, told apart by their tags (a discriminated union).

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


def tag_of(owner: Any) -> str:
    """The tag of a class of settings, or of one of its objects."""
    return str(getattr(owner, "__setting__", ("", ""))[0])


def label_of(owner: Any) -> str:
    """The label of a class of settings, or of one of its objects."""
    return str(getattr(owner, "__setting__", ("", ""))[1])


def by_tag(*kinds: type[T]) -> dict[str, type[T]]:
    """A registry of classes of settings by their tags."""
    return {tag_of(kind): kind for kind in kinds}


@functools.cache
def settings_of(cls: Any) -> tuple[Setting, ...]:
    """The settings that a class declares, in the order of its fields."""
    return tuple(_described(name, info) for name, info in cls.__pydantic_fields__.items())


def setting_of(cls: type, name: str) -> Setting:
    """The setting of that name; a KeyError if the class has none."""
    return {one.name: one for one in settings_of(cls)}[name]


def _described(name: str, info: Any) -> Setting:
    marks, part, optional = list(info.metadata), info.annotation, False
    while typing.get_origin(part) in (Union, types.UnionType, Annotated):
        if typing.get_origin(part) is Annotated:
            part, *more = typing.get_args(part)
            marks += more
            continue
        options = [one for one in typing.get_args(part) if one is not type(None)]
        optional = optional or len(options) < len(typing.get_args(part))
        if len(options) > 1:
            break
        part = options[0]
    extra = info.json_schema_extra or {}
    holds = next((mark for mark in marks if isinstance(mark, Kind)), None)
    registry = next((mark.registry for mark in marks if isinstance(mark, OneOf)), {})
    kind = holds.word if holds else "one_of" if registry else "part"
    if extra.get("choices"):
        kind = "choices" if kind == "names" else "choice"
    bounds = {
        bound: getattr(mark, bound) for mark in marks for bound in ("ge", "gt", "le", "lt") if hasattr(mark, bound)
    }
    default = info.default_factory() if info.default_factory else info.default
    return Setting(
        name,
        kind,
        REQUIRED if default is PydanticUndefined else default,
        optional,
        label=info.title or name,
        help=info.description or "",
        registry=registry,
        part=part if kind == "part" else None,
        holds=holds,
        **extra,
        **bounds,
    )
