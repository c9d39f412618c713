"""Saved settings as text: JSON with a version, and the letters of a link; older formats are brought up to date."""

from __future__ import annotations

import base64
import binascii
import json
import tomllib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic_core

from bnengine._core.setting_kinds import shown
from bnengine.data.repairs.making import present_steps

#: The format's version. Version 1 has no version in it.
VERSION = 3
_LARGEST = 2_000_000  # bytes of settings in a file
#: Bytes of the settings in a link: far more than an address can hold, unless it was made to unpack to much.
LARGEST_LINK = 200_000
_FORMER: dict[str, Any] = tomllib.loads(Path(__file__).with_name("former_words.toml").read_text("utf-8"))
#: By the word in saved settings: the word that is read in its place, and the message about it.
REPLACED: dict[str, tuple[str, str]] = _FORMER["replaced"]


def up_to_date(values: Any) -> tuple[dict[str, Any], str]:
    """Convert plain settings of any version to those of the present one, and say which words were replaced.

    Returns
    -------
    plain : dict
        The settings, without the version.
    remark : str
        What stands in the place of what they name and this version has not, in sentences; or ``""``.

    Raises
    ------
    ValueError
        If they are not a dictionary, or of a version that is not known.
    """
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ValueError(f"an experiment must be an object with settings; got {shown(values)}")
    plain = dict(values)
    notes: list[str] = []
    version = plain.pop("version", 1)
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
        raise ValueError(f"the experiment's version must be from 1 to {VERSION}; got {shown(version)}: update bnengine")
    if version == 1:
        plain = {_FORMER["settings"].get(name, name): value for name, value in plain.items()}
    if isinstance(score := plain.get("score"), Mapping) and score.get("kind") in [*REPLACED]:
        plain["score"] = {"kind": present(score["kind"], notes)}
    plain |= {name: present(plain[name], notes) for name in ("averaged", "methods") if name in plain}
    if isinstance(calibration := plain.get("calibration"), Mapping) and "methods" in calibration:
        plain["calibration"] = {**calibration, "methods": present(calibration["methods"], notes)}
    if isinstance(plain.get("data"), Mapping):
        plain["data"], of_data = up_to_date_recipe(plain["data"])
        notes += of_data
    return plain, " ".join(dict.fromkeys(notes))


def present(written: Any, notes: list[str]) -> Any:
    """Return the word that is read in the place of one in saved settings, or the words in the place of several.

    Messages about words that are gone are added to the notes.

    Examples
    --------
    >>> present(["boot_bc", "boot_exact", "boot"], [])
    ['bootstrap_corrected', 'bootstrap']
    """
    if isinstance(written, list | tuple):
        keys = [_FORMER["keys"].get(key, key) if isinstance(key, str) else key for key in written]
        read = [present(key, [] if keys == _FORMER["compared"] else notes) for key in keys]
        return [word for word, key in zip(read, keys, strict=True) if word == key or word not in keys]
    key = _FORMER["keys"].get(written, written) if isinstance(written, str) else written
    if not isinstance(key, str) or key not in REPLACED:
        return key
    word, note = REPLACED[key]
    notes.append(note)
    return word


def up_to_date_recipe(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a recipe's saved settings as this version reads them, with messages about settings that were dropped.

    >>> up_to_date_recipe({"name": "t.csv", "transposed": True, "repairs": [["number", "mass", "point", "kg"]]})[0]
    {'name': 't.csv', 'repairs': [['number', 'mass', 'point']], 'cases': 'columns'}
    """
    plain, notes = {name: value for name, value in values.items() if name != "transposed"}, []
    if values.get("transposed") is True:
        plain["cases"] = "columns"
    steps = plain.get("repairs")
    if isinstance(steps, list) and all(isinstance(one, list) and one for one in steps):
        plain["repairs"], replaced = present_steps(steps)
        notes += replaced
    return plain, notes


def from_json(content: bytes | str) -> Any:
    """Return the plain settings in a file, or in a result that holds the settings that made it.

    Raises
    ------
    ValueError
        If the content is not JSON in UTF-8, is too large, or is nested too deep.
    """
    if len(content) > _LARGEST:
        raise ValueError(f"the settings have {len(content):,} bytes; at most {_LARGEST:,} are read")
    try:
        values = pydantic_core.from_json(content.decode("utf-8-sig") if isinstance(content, bytes) else content)
    except ValueError as error:
        if "recursion" in str(error):
            raise ValueError("the settings are not an experiment: they are nested too deep") from None
        raise ValueError("the settings are not valid JSON; was the file changed or cut short?") from None
    inner = values.get("experiment") if isinstance(values, dict) else None
    return inner if isinstance(inner, dict) else values


def to_link(plain: Mapping[str, Any]) -> str:
    """Write plain settings in the letters of a URL: JSON, compressed, in base 64; a ValueError if they are too long."""
    text = json.dumps(plain, separators=(",", ":")).encode()
    if len(text) > LARGEST_LINK:
        raise ValueError(
            f"the settings have {len(text):,} bytes; a link holds at most {LARGEST_LINK:,}: save them as a file"
        )
    return base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


def from_link(text: str) -> Any:
    """Return the inverse of ``to_link``.

    Raises
    ------
    ValueError
        If the text was not made by ``to_link``, is incomplete, or unpacks to too much; no more than the limit is
        unpacked.
    """
    if len(text) > 2 * LARGEST_LINK:
        raise ValueError(f"the link is too long: it has {len(text):,} letters; open a file instead")
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), LARGEST_LINK + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise ValueError("the link's settings cannot be read; copy the whole link") from None
    if len(content) > LARGEST_LINK:
        raise ValueError(f"the link is too long: it unpacks to more than {LARGEST_LINK:,} bytes; open a file instead")
    if not unpacker.eof:
        raise ValueError("the link's settings are incomplete; copy the whole link")
    return from_json(content)
