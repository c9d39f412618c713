"""What the text of a cell means: a missing value, a number with its marks, a date, one spelling of a state.

The words are English, German, Dutch, Spanish and French. All patterns take time linear in a cell's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bnengine._core.environment import pd

#: Text that stands for a missing value, folded (see ``folded``), and marks that do.
MISSING_WORDS = frozenset(
    """na|n/a|n.a|#n/a|<na>|nan|null|#null!|#div/0!|#value!|#ref!|missing|unknown|not available|not applicable|refused
    |not reported|not recorded|not known|no answer|no response|don't know|dont know|prefer not to say
    |k.a|k. a|keine angabe|keine angaben|fehlt|fehlend|unbekannt|weiss nicht|nicht bekannt|nicht erhoben
    |onbekend|niet bekend|n.v.t|geen antwoord|geen opgave|weet niet|niet ingevuld
    |desconocido|desconocida|no sabe|no contesta|ns/nc|no consta|sin dato|sin datos|sin respuesta
    |inconnu|inconnue|manquant|non renseigne|sans reponse|ne sait pas|nsp""".replace("\n    ", "").split("|")
)
MISSING_MARKS = frozenset(["?", "??", "???", "-", "--", "---", "–", "—", ".", "..", "...", "*", "#", "/"])
#: Numbers that stand for a missing value where they stand apart from the others.
NUMBER_CODES = (-9999, -999, -99, -98, -97, -88, -77, -9, -8, -7, 7, 8, 9, 77, 88, 97, 98, 99, 888, 999, 9999)
_LONGEST_WORD = 20
_YES = frozenset(["ja", "yes", "si", "oui", "true", "wahr", "vrai", "verdadero", "waar"])
_NO = frozenset(["nein", "no", "nee", "non", "false", "falsch", "faux", "falso", "onwaar"])
_SHORT_YES, _SHORT_NO = frozenset(["j", "y", "1"]), frozenset(["n", "0"])


def folded(label: str) -> str:
    """Return a text without case, accents, repeated blanks, and hyphens or low lines between letters or digits.

    >>> folded(" Früh-Schicht ")
    'fruh schicht'
    """
    letters = unicodedata.normalize("NFKD", label.strip().casefold())
    plain = "".join(one for one in letters if not unicodedata.combining(one))
    if not any(one.isalpha() for one in plain):
        return plain
    spaced = [
        " " if one in "-_" and 0 < k < len(plain) - 1 and plain[k - 1].isalnum() and plain[k + 1].isalnum() else one
        for k, one in enumerate(plain)
    ]
    return " ".join("".join(spaced).split()).rstrip(" .:;")


def missing_words(labels: Iterable[str]) -> list[str]:
    """Return the labels that stand for a missing value among these."""
    labels = list(labels)
    signs = "+" in labels
    codes = sum(len(label) == 2 and label.isupper() for label in labels) >= 6  # NA among countries is Namibia
    return [
        label
        for label in labels
        if (label.strip() in MISSING_MARKS and not (signs and label.strip() in "-–—"))
        or (len(label) <= _LONGEST_WORD and folded(label) in MISSING_WORDS and not (codes and label == "NA"))
    ]


def spelling_groups(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each label that is another spelling of a more common one the common one.

    Labels are one value if they are alike when folded, ä written as ae included; if single letters are each the first
    of exactly one longer label; or if all of them say yes or no, with 1 and 0 beside words.

    >>> spelling_groups({"ja": 5, "Ja": 2, "j": 1, "1": 1, "nein": 7, "n": 2})
    {'1': 'ja', 'Ja': 'ja', 'j': 'ja', 'n': 'nein'}
    """
    groups: dict[str, list[str]] = {}
    for label in sorted(counts):
        groups.setdefault(folded(label), []).append(label)
    if any(len(key) == 2 and key[0] == key[1] for key in groups) and len(groups) < len(counts):
        return {}  # genotypes: AA, Aa and aa are three
    _join_umlauts(groups)
    _join_initials(groups)
    _join_answers(groups)
    if len(groups) < 2:
        return {}
    found: dict[str, str] = {}
    for labels in groups.values():
        best = min(labels, key=lambda label: (label in "01", -counts[label], -len(label), label))
        found |= {label: best for label in labels if label != best}
    return dict(sorted(found.items()))


def _join(groups: dict[str, list[str]], key: str, to: str) -> None:
    if key != to and key in groups and to in groups:
        groups[to] += groups.pop(key)


def _join_umlauts(groups: dict[str, list[str]]) -> None:
    for key, labels in list(groups.items()):
        for label in labels:
            written = label.casefold().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
            if written != label.casefold():
                _join(groups, folded(written), key)


def _join_initials(groups: dict[str, list[str]]) -> None:
    long = [key for key in groups if len(key) > 1]
    firsts = [key[0] for key in long]
    short = [key for key in groups if len(key) == 1 and key.isalpha()]
    if all(firsts.count(key) == 1 for key in short) and len(long) <= 20:
        for key in short:
            _join(groups, key, long[firsts.index(key)])


def _join_answers(groups: dict[str, list[str]]) -> None:
    sides = [_YES | _SHORT_YES, _NO | _SHORT_NO]
    if not all(key in sides[0] | sides[1] for key in groups) or not any(key in _YES | _NO for key in groups):
        return
    for words, side in ((_YES, sides[0]), (_NO, sides[1])):
        keys = [key for key in groups if key in side]
        best = next((key for key in keys if key in words), keys[0] if keys else "")
        for key in keys:
            _join(groups, key, best)


# Numbers: their marks, and which of point and comma is the decimal one.

_LONGEST = 40
_PARTS = re.compile(
    r"([<>≤≥]?=?) ?([-+−]?) ?((?:[$€£¥₹]|EUR|USD|GBP|CHF|R\$|kr|zł)?) ?([-+−]?)([0-9][0-9.,' \u00a0\u202f]{0,25}) ?"
    r"((?:%|‰|[$€£¥₹]|EUR|USD|GBP|CHF|kr|zł|kg|g|mg|µg|cm|mm|m|km|ml|l|h|min|s|kcal|bpm|mmHg|°C|mg/dl|mmol/l"
    r"|years?|yrs?|Jahre?|jaar|años|ans)?)"
)
_WITH_POINT = re.compile(r"(?:[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:\.[0-9]{1,18})?")
_WITH_COMMA = re.compile(r"(?:[0-9]{1,3}(?:[.' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:,[0-9]{1,18})?")
_GROUPS_ONLY = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3}){1,6}")


@dataclass(frozen=True)
class Number:
    """A cell's number: its value, and whether it is a limit such as <0.6; and its unit."""

    value: float
    is_limit: bool
    unit: str


def number_in(text: str, mark: str) -> Number | None:
    """Return the number in a cell's text whose decimal mark is "point" or "comma"; None if there is none.

    >>> number_in("<0,6", "comma")
    Number(value=0.6, is_limit=True, unit='')
    """
    parts = _PARTS.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    limit, sign, before, inner, digits, after = parts.groups()
    digits = digits.strip()
    if (digits[:1] == "0" and digits[1:2].isdigit()) or (sign and inner) or (before and after):
        return None
    if not (_WITH_COMMA if mark == "comma" else _WITH_POINT).fullmatch(digits):
        return None
    groups, point = ("." if mark == "comma" else ","), ("," if mark == "comma" else ".")
    bare = "".join(digits.replace(groups, "").replace("'", "").split()).replace(point, ".")
    return Number(float(bare) * (-1 if "-" in sign + inner or "−" in sign + inner else 1), bool(limit), before or after)


def decimal_mark(counts: Mapping[str, int], share: float) -> str:
    """Return the decimal mark with which at least a share of the cells are numbers; "" if there is none, or two.

    Where every mark may also separate thousands, it does if there are numbers up to 999 without any beside it.
    """
    least = share * sum(counts.values())
    read: dict[str, list[str]] = {"point": [], "comma": []}
    enough = []
    for mark, labels in read.items():
        numbers = {label: number_in(label, mark) for label in counts}
        labels += [label for label, number in numbers.items() if number is not None]
        plain = sum(counts[label] for label, number in numbers.items() if number is not None and not number.is_limit)
        if sum(counts[label] for label in labels) >= least and plain > 0.5 * sum(counts.values()):
            enough.append(mark)
    if len(enough) < 2:
        return enough[0] if enough else ""
    bodies = {label: (_PARTS.fullmatch(label.strip()) or [""] * 6)[5].strip() for label in read["point"]}
    marked = [body for body in bodies.values() if "," in body or "." in body]
    if not marked:
        return "point"
    separator = "," if "," in marked[0] else "."
    if any(not _GROUPS_ONLY.fullmatch(body) for body in marked):  # not thousands, so it is the decimal mark
        return "comma" if separator == "," else "point"
    bare = [body for body in bodies.values() if body.isdigit()]
    money = any(sign in label for label in counts for sign in "$£¥")
    thousands = money or (bool(bare) and 100 <= max(map(int, bare)) < 1000)
    if separator == ",":
        return "point" if thousands else ""
    return "comma" if thousands and not money else "point"


def stray_codes(values: Sequence[float], counts: Sequence[int], known: frozenset[int] = frozenset()) -> list[int]:
    """Return the numbers that stand for missing values: codes such as -9 or 99 that stand apart.

    ``values`` are the distinct numbers of a column, increasing, ``counts`` their rows; ``known`` are codes for missing
    values in other columns, which need stand apart less.
    """
    codes = set(NUMBER_CODES)
    plain = [(value, n) for value, n in zip(values, counts, strict=True) if value not in codes]
    if not plain:
        return []
    low, high = plain[0][0], plain[-1][0]
    rest = [(v, n) for v, n in zip(values, counts, strict=True) if v not in codes or low < v < high]
    if len(rest) < 2:
        return []
    span, rows = high - low, sum(n for _, n in rest)
    step = span / (len(rest) - 1)
    whole = all(float(value).is_integer() for value, _ in rest)
    found = []
    for value, n in zip(values, counts, strict=True):
        gap = max(low - value, value - high)
        if value not in codes or gap <= 0 or n < 2:
            continue
        far = gap > span if abs(value) > 9 or value < 0 else whole and gap >= span and high <= 5
        below = value <= -7 and low >= 0 and (whole or abs(value) > 9 or n * len(rest) > 3 * rows)
        spike = abs(value) > 9 and gap >= 3 * step and n >= max(5.0, 3 * rows / len(rest))
        if far or below or spike or (int(value) in known and gap >= 3 * step and abs(value) > 9):
            found.append(int(value))
    return found


_DATE = re.compile(
    r"([0-9]{1,4})([-./])([0-9]{1,2})[-./]([0-9]{1,4})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def date_in(text: str, order: str) -> datetime | None:
    """Return the date, to the minute, in a cell's text whose parts are in the order "ymd", "dmy" or "mdy"."""
    parts = _DATE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    one, _, two, three, hour, minute = parts.groups()
    if len(one if order == "ymd" else three) != 4:
        return None
    year, month, day = {"ymd": (one, two, three), "dmy": (three, two, one), "mdy": (three, one, two)}[order]
    try:
        return datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
    except ValueError:
        return None


def date_order(counts: Mapping[str, int], share: float) -> str:
    """Return the order of parts in which at least a share of the cells are dates; "" if none, or it is not clear."""
    allowed = (1 - share) * sum(counts.values())
    fits = []
    for order in ("ymd", "dmy", "mdy"):
        wrong = 0
        for label, n in counts.items():
            wrong += 0 if date_in(label, order) else n
            if wrong > allowed:
                break
        else:
            fits.append(order)
    if fits == ["dmy", "mdy"]:
        return "dmy" if all("." in label for label in counts) else ""
    return fits[0] if fits else ""


# CSV export that is safe to open in a spreadsheet: no column name or state is executed as a formula.

#: Characters that start a formula in common spreadsheet programs, also in their wide forms.
_STARTS = frozenset("=+-@＝＋－＠")
#: Characters that end a cell where a semicolon or a tab separates cells; quotes do not help within such a line.
_SEPARATORS = re.compile("([;\t\r\n])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,5})?")


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index and with all digits of its numbers.

    A string that a spreadsheet would take for a formula gets an apostrophe, see ``without_formula``.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"=cmd()": ["-1.5", "+ growth", "+"], "n": [-1, 2, 3]})), end="")
    '=cmd(),n
    -1.5,-1
    '+ growth,2
    +,3
    """
    safe = frame.copy(deep=False)
    for c, kind in enumerate(frame.dtypes):
        if isinstance(kind, pd.CategoricalDtype) or not (
            pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)
        ):
            safe.isetitem(c, frame.iloc[:, c].astype(object).map(_cell, na_action="ignore"))
    safe.columns = [_cell(name) for name in frame.columns]
    return str(safe.to_csv(index=False, lineterminator="\n"))


def without_formula(text: str) -> str:
    """Return the text with an apostrophe wherever a spreadsheet would find the beginning of a formula.

    That is at its start and after a semicolon, tab or line break, at which programs of other countries split cells;
    blanks, quotes and invisible characters before the formula do not hide it. Strings that are numbers, and single
    characters such as ``+``, are unchanged.

    >>> without_formula("=1+1"), without_formula("x;=1+1"), without_formula("-1.5")
    ("'=1+1", "x;'=1+1", '-1.5')
    """
    ends = text.lstrip("'")[:1] in ("\t", "\r", "\n")
    if not ends and _STARTS.isdisjoint(text):
        return text
    parts = _SEPARATORS.split(text)
    return ("'" if ends else "") + "".join(f"'{part}" if _is_formula(part, len(parts) > 1) else part for part in parts)


def with_formula(text: str) -> str:
    """Return the text without the apostrophes of ``without_formula``: its inverse."""
    if text[:1] == "'" and text.lstrip("'")[:1] in ("\t", "\r", "\n"):
        text = text[1:]
    parts = _SEPARATORS.split(text)
    return "".join(part[1:] if part[:1] == "'" and _is_formula(part, len(parts) > 1) else part for part in parts)


def _is_formula(part: str, among_others: bool) -> bool:
    """Return whether a spreadsheet may run a part of a cell, also after an apostrophe, so that each has one inverse."""
    hidden = (a in "'\"" or a.isspace() or unicodedata.category(a) in ("Cc", "Cf") for a in part)
    start = next((k for k, is_hidden in enumerate(hidden) if not is_hidden), len(part))
    alone = len(part) - start == 1 and not among_others
    return part[start : start + 1] in _STARTS and not alone and not _NUMBER.fullmatch(part, start)


def _cell(cell: Any) -> Any:
    """Return the cell with formulas disarmed; carriage returns, which would start a new row, become line feeds."""
    return without_formula(cell.replace("\r\n", "\n").replace("\r", "\n")) if isinstance(cell, str) else cell
