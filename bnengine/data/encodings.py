"""In which encoding a text is written, where nobody says so."""

from __future__ import annotations

import codecs
import re

from bnengine.data.checked_frame import DataError
from bnengine.data.reading_options import ENCODINGS

_BYTE_ORDER_MARKS = (  # UTF-32 first: its mark starts with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 2**16  # bytes that are looked at
#: By encoding of one byte a letter, the letters beyond ASCII of some languages that are written in it. Of two encodings
#: that fit, the first is taken: German is the same in both.
_LETTERS = {
    "cp1252": "äöüß éèêëàâçîïôûùüœæ áéíóúñüç àèéìíòóù ãõáéíóúâêôàç æøåéäö åäöé éëïöüáó áéíóúýþæöð",
    "cp1250": "áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž ąćęłńóśźż áéíóöőúüű čćšžđ ăâîşţ",
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
}
#: Marks that stand between letters only where letters were read in the wrong encoding.
_WITHIN_WORDS = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’‘´·­-]+(?=[^\W\d_])")
#: Characters that no text holds: control characters, and halves of letters.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ufffe\uffff]")


def encoding_title(name: str) -> str:
    """Return what an encoding is called in a sentence.

    >>> encoding_title("utf-8-sig"), encoding_title("cp1250"), encoding_title("shift_jis")
    ('UTF-8', 'Windows-1250', 'Shift-JIS')
    """
    plain = name.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    title = next((title for title, of_python in ENCODINGS.items() if of_python == plain), plain)
    return "-".join(
        part.capitalize() if part in ("windows", "shift", "mac", "roman") else part.upper() for part in title.split("-")
    )


def encoding_of(raw: bytes, called: str) -> tuple[str, str]:
    """Return Python's name of a text's encoding, and what was doubtful about it, as a sentence; "" if nothing was.

    That is the one of its byte order mark; else UTF-16 where every other byte is zero; UTF-8 if that is valid, or but
    for few bytes; an encoding of one byte a letter in which all letters belong to one language that is written in it;
    else what charset-normalizer finds, which takes French for Czech but knows encodings of several bytes a letter.

    Raises
    ------
    DataError
        If it is no text.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return name, ""
    if b"\0" in raw[:4096]:
        return _wide(raw[:4096], called), ""
    try:
        raw.decode()
        return "utf-8-sig", ""
    except UnicodeDecodeError as error:
        return _nearly_utf8(raw, error.start) or _narrow(raw[error.start : error.start + _HEAD])


def decoded(raw: bytes, encoding: str) -> str:
    """Return the text; a byte that is not UTF-8 is read as Windows-1252, one without a meaning becomes �."""
    if not encoding.startswith("utf-8"):
        return raw.decode(encoding, "replace").removeprefix("\ufeff")
    text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda one: bytes([ord(one[0]) - 0xDC00]).decode("cp1252", "replace"), text)


def _wide(head: bytes, called: str) -> str:
    """Return the byte order of UTF-16 without a mark: blanks, digits and ends of lines have a zero byte on one side."""
    zeros = [head[side::2].count(0) for side in (0, 1)]
    name = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    text = head[: len(head) // 2 * 2].decode(name, "replace")
    if 10 * min(zeros) < max(zeros) and "\n" in text and not _NO_TEXT.search(text[:-1]):
        return name
    raise DataError(
        f"{called} is not a text table; upload CSV, TSV, a workbook (.xlsx, .xls, .ods), Parquet, or a file of "
        "SPSS, Stata or SAS"
    )


def _nearly_utf8(raw: bytes, first: int) -> tuple[str, str] | None:
    """Return UTF-8 if letters of several bytes are far more than bytes that are no part of one."""
    text = raw.decode("utf-8", "surrogateescape")
    odd = len(re.findall("[\udc80-\udcff]", text))
    letters = len(re.findall("[^\x00-\x7f\udc80-\udcff]", text))
    if letters < 3 * odd:
        return None
    line = raw.count(b"\n", 0, first) + 1
    letter = raw[first : first + 1].decode("cp1252", "replace")
    more = f" and {odd - 1} more" if odd > 1 else ""
    which = f"byte 0x{raw[first]:X} in line {line}{more}"
    return "utf-8", f"{which} is not UTF-8, as the rest is, and was read as Windows-1252 ('{letter}')"


def _narrow(some: bytes) -> tuple[str, str]:
    """Return an encoding of one byte a letter in which the letters are those of one language, or the likeliest one."""
    for name, languages in _LETTERS.items():
        text = some.decode(name, "replace").lower()
        letters = {letter for letter in text if letter > "\x7f" and letter.isalpha()}
        fits = any(letters <= set(alphabet) for alphabet in languages.split())
        if fits and "\ufffd" not in text and not _WITHIN_WORDS.search(text):
            return name, ""
    from charset_normalizer import from_bytes

    found = from_bytes(some, cp_isolation=[*dict.fromkeys(ENCODINGS.values())]).best()
    if found is not None and found.encoding not in _LETTERS:
        return found.encoding, ""
    return "cp1252", "the encoding is unclear and was taken as Windows-1252; if letters are wrong, choose it"
