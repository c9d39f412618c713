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


def spelled_out(keys: Any) -> Any:
    """Return the later key of a resampling method, or of several; whatever else was written is left as it is."""
    if isinstance(keys, list | tuple):
        return [spelled_out(key) for key in keys]
    return _FORMER["keys"].get(keys, keys) if isinstance(keys, str) else keys


def present(keys: Any) -> Any:
    """Return the word that is read in the place of one in saved settings, or the words in the place of several.

    Examples
    --------
    >>> present(["boot_bc", "boot_exact", "boot"])
    ['bootstrap_corrected', 'bootstrap']
    """
    keys = spelled_out(keys)
    if isinstance(keys, list):
        read = [present(key) for key in keys]
        return [key for key, given in zip(read, keys, strict=True) if key == given or key not in keys]
    return REPLACED[keys][0] if isinstance(keys, str) and keys in REPLACED else keys


def up_to_date(values: Any) -> dict[str, Any]:
    """Convert plain settings of any version to those of the present one, without the version.

    Raises
    ------
    ValueError
        If they are not a dictionary, or of a version that is not known.
    """
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ValueError(f"an experiment must be an object with settings; got {shown(values)}")
    plain = dict(values)
    version = plain.pop("version", 1)
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
        raise ValueError(f"the experiment's version must be from 1 to {VERSION}; got {shown(version)}: update bnengine")
    if version == 1:
        plain = {_FORMER["settings"].get(name, name): value for name, value in plain.items()}
    plain |= {name: present(plain[name]) for name in ("methods", "averaged") if name in plain}
    if isinstance(calibration := plain.get("calibration"), Mapping) and "methods" in calibration:
        plain["calibration"] = {**calibration, "methods": present(calibration["methods"])}
    if (kind := _score_in(plain)) in REPLACED:
        plain["score"] = {"kind": present(kind)}
    if isinstance(plain.get("data"), Mapping):
        plain["data"], _ = up_to_date_recipe(plain["data"])
    return plain


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


def _score_in(plain: Mapping[str, Any]) -> str:
    """Return the word for the kind of score in plain settings; ``""`` where there is none."""
    score = plain.get("score")
    kind = score.get("kind") if isinstance(score, Mapping) else None
    return kind if isinstance(kind, str) else ""


def replaced_in(values: Any) -> str:
    """Return what stands in the place of what plain settings name and this version has not, in sentences; or ``""``.

    Examples
    --------
    >>> replaced_in({"methods": ["bootstrap", "bootstrap_exact"]}).split(";")[0]
    'The exact correction is gone'
    """
    plain: Mapping[str, Any] = values if isinstance(values, Mapping) else {}
    words: list[Any] = [_score_in(plain), plain.get("averaged")]
    inner = plain.get("calibration")
    compared = inner.get("methods") if isinstance(inner, Mapping) else None
    for keys in map(spelled_out, (plain.get("methods"), compared)):
        if isinstance(keys, list | tuple) and list(keys) != _FORMER["compared"]:
            words += keys
    notes = [REPLACED[word][1] for word in map(spelled_out, words) if isinstance(word, str) and word in REPLACED]
    notes += up_to_date_recipe(plain["data"])[1] if isinstance(plain.get("data"), Mapping) else []
    return " ".join(dict.fromkeys(notes))


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
