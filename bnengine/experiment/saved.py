"""Plain settings as text: JSON with a version, and the letters of a link. Older formats are brought up to date."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from bnengine._core.setting_kinds import shown

#: The format's version. Version 1 has no version in it.
VERSION = 2
_LARGEST = 2_000_000  # bytes of settings in a file
#: Bytes of the settings in a link: far more than an address can hold, unless it was made to unpack to much.
LARGEST_LINK = 200_000
_RENAMED = {"fair": "uniform_parent_sizes"}  # in version 1


def up_to_date(values: Any) -> dict[str, Any]:
    """Plain settings of any version as those of the present one, without the version.

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
        plain = {_RENAMED.get(name, name): value for name, value in plain.items()}
    if plain.get("score") == {"kind": "corrected"}:  # half of what DIC subtracts, a score that is no more
        plain["score"] = {"kind": "dic"}
    return plain


def from_json(content: bytes | str) -> Any:
    """The plain settings in a file, or in a result that holds the settings that made it.

    Raises
    ------
    ValueError
        If the content is not JSON in UTF-8, or too large.
    """
    if len(content) > _LARGEST:
        raise ValueError(f"the settings have {len(content):,} bytes; at most {_LARGEST:,} are read")
    try:
        values = json.loads(content.decode("utf-8-sig") if isinstance(content, bytes) else content)
    except (ValueError, RecursionError):
        raise ValueError("the settings are not valid JSON; was the file changed or cut short?") from None
    inner = values.get("experiment") if isinstance(values, dict) else None
    return inner if isinstance(inner, dict) else values


def to_link(plain: Mapping[str, Any]) -> str:
    """Plain settings in the letters of a URL: JSON, compressed, in base 64; a ValueError if they are too long."""
    text = json.dumps(plain, separators=(",", ":")).encode()
    if len(text) > LARGEST_LINK:
        raise ValueError(
            f"the settings have {len(text):,} bytes; a link holds at most {LARGEST_LINK:,}: save them as a file"
        )
    return base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


def from_link(text: str) -> Any:
    """The inverse of ``to_link``.

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
