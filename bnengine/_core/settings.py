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
import typing
from collections.abc import Mapping, Sequence
from typing import Any, dataclass_transform

from pydantic import ConfigDict, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from bnengine._core.setting_fields import REQUIRED as REQUIRED
from bnengine._core.setting_fields import TAG_KEY as TAG_KEY
from bnengine._core.setting_fields import OneOf as OneOf
from bnengine._core.setting_fields import Setting as Setting
from bnengine._core.setting_fields import T
from bnengine._core.setting_fields import by_tag as by_tag
from bnengine._core.setting_fields import field as field
from bnengine._core.setting_fields import label_of as label_of
from bnengine._core.setting_fields import setting_of as setting_of
from bnengine._core.setting_fields import settings_of as settings_of
from bnengine._core.setting_fields import tag_of as tag_of
from bnengine._core.setting_kinds import Edges as Edges
from bnengine._core.setting_kinds import Kind as Kind
from bnengine._core.setting_kinds import Name as Name
from bnengine._core.setting_kinds import Names as Names
from bnengine._core.setting_kinds import Number as Number
from bnengine._core.setting_kinds import Switch as Switch
from bnengine._core.setting_kinds import Text as Text
from bnengine._core.setting_kinds import Tiers as Tiers
from bnengine._core.setting_kinds import UnfitError, one_line, shown
from bnengine._core.setting_kinds import Whole as Whole

#: The reason of a ``SettingError`` for a setting that has no default and was not given.
MISSING = "must be given"
_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)


class SettingError(ValueError):
    """A value that a setting does not take.

    Parameters
    ----------
    path : tuple of str
        Names of the fields that lead to the setting, such as ``("score", "ess")``; empty for the whole.
    reason : str
        What follows the setting's name in the message, or a sentence of its own if ``whole``.
    whole : bool
    """

    def __init__(self, path: tuple[str, ...], reason: str, whole: bool = False) -> None:
        self.path, self.reason, self.whole = path, reason, whole
        places = path[:-1] if whole and path and reason.startswith(path[-1]) else path
        text = ": ".join([*places, reason]) if whole else f"{': '.join(path)} {reason}"
        super().__init__(one_line(text))


@dataclass_transform(frozen_default=True, field_specifiers=(field, dataclasses.field))
def setting(
    cls: type[T] | None = None,
    *,
    tag: str = "",
    label: str = "",
) -> Any:
    """Make a class a frozen dataclass of validated settings.

    Parameters
    ----------
    tag : str
        The word for this kind in files, links and on the command line, such as ``"tabu"``.
    label : str
        Its name in lists, in sentence case.
    """

    def decorate(plain: type[T]) -> type[T]:
        made: Any = pydantic_dataclass(plain, frozen=True, repr=False, config=_CONFIG)
        made.__init__ = _sentences(made.__init__, made)
        if "__repr__" not in vars(plain):
            made.__repr__ = _repr
        made.__setting__ = (tag, label or plain.__name__)
        made.__doc__ = _documented(plain.__doc__ or plain.__name__, made)
        return typing.cast("type[T]", made)

    return decorate if cls is None else decorate(cls)


def _documented(text: str, cls: type) -> str:
    """The docstring with a section on the parameters, from their declarations."""
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
            raise SettingError((), f"{label_of(cls)}: a text has halves of characters", whole=True) from None

    return __init__


def _repr(self: Any) -> str:
    """A call that makes the object; settings at their default are left out."""
    given = [
        f"{one.name}={getattr(self, one.name)!r}"
        for one in settings_of(self.__class__)
        if one.default is REQUIRED or getattr(self, one.name) != one.default
    ]
    return f"{type(self).__name__}({', '.join(given)})"


def to_plain(value: Any) -> dict[str, Any]:
    """Settings as dictionaries, lists, strings and numbers, which JSON holds and constructors take back."""
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
    """What pydantic found wrong, as one sentence made from the declarations."""
    first = error.errors(include_url=False)[0]
    path, owner, one = _located(cls, first["loc"])
    kind = first["type"]
    if kind in ("missing", "missing_argument"):
        return SettingError(path, MISSING)
    said = first.get("ctx", {}).get("error")
    if isinstance(said, ValueError) and not isinstance(said, UnfitError):
        return SettingError(path, str(said), whole=True)
    if kind in ("unexpected_keyword_argument", "unexpected_positional_argument") or one is None:
        named = f"'{path[-1]}'" if path else "more"
        known = ", ".join(setting.name for setting in settings_of(owner))
        return SettingError(
            path[:-1], f"{label_of(owner)} has no setting {named:.60}; it has {known or 'none'}", whole=True
        )
    value = first["input"]
    if one.kind == "one_of" and isinstance(value, Mapping):
        value = value.get(TAG_KEY)
    return SettingError(path, f"must be {one.expected}; got {shown(value)}")


def _located(cls: type, places: Sequence[Any]) -> tuple[tuple[str, ...], type, Setting | None]:
    """The names that lead to a setting, the class that has it, and the setting."""
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
