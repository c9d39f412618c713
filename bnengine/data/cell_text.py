"""What the text of a cell means: a missing value, one spelling of a state, a number, a date.

Their words in each language are in ``words/``. All patterns take time linear in a cell's length.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

from bnengine.data.words import alternatives, in_each_language, words

_LONGEST = 40  # characters of a number or a date

#: Text that stands for a missing value, folded (see ``folded``), and marks that do.
MISSING_WORDS = words("missing")
#: Labels of codes that are no answer, and words among numbers: a refusal is an answer elsewhere.
SILENT_WORDS = MISSING_WORDS | words("refused")
MISSING_MARKS = frozenset(["?", "??", "???", "-", "--", "---", "–", "—", ".", "..", "...", "*", "#", "/"])
#: Names of a row that adds up the others, and words in a box that is ticked, folded.
TOTAL_WORDS, TICKS = words("total"), words("ticked")
#: Of the marks the ones that may also say that there is none of something, and those that may be a state of words.
NONE_MARKS = frozenset(["-", "--", "---", "–", "—", "/"])
_STATE_MARKS = NONE_MARKS | {"*", "#"}
_LONGEST_WORD = 20
#: A code of two letters, by its shape: among such codes, NA may be Namibia, sodium or North America.
_CODES = {"NA": re.compile("[A-Z]{2}"), "Na": re.compile("[A-Z][a-z]?"), "na": re.compile("[a-z]{2}")}
_REGIONS = frozenset(["EMEA", "APAC", "LATAM", "EU", "AMER", "CALA"])
#: A hyphen or low line between letters or digits.
_BETWEEN_WORDS = re.compile(r"(?<=[^\W_])[-_](?=[^\W_])")


def folded(label: str) -> str:
    """Return a text without case, accents, repeated blanks, and hyphens or low lines between letters or digits.

    >>> folded(" Früh-Schicht ")
    'fruh schicht'
    """
    letters = unicodedata.normalize("NFKD", label.strip().casefold())
    plain = "".join(one for one in letters if not unicodedata.combining(one))
    return _without_marks(plain)


def _without_marks(text: str) -> str:
    """Return words without repeated blanks, hyphens or low lines between them, and marks at the end."""
    if not any(one.isalpha() for one in text):
        return text.strip()
    return " ".join(_BETWEEN_WORDS.sub(" ", text).split()).rstrip(" .:;")


def missing_words(labels: Iterable[str]) -> list[str]:
    """Return the labels that stand for a missing value among these, or may do so (see ``may_be_a_state``)."""
    labels = list(labels)
    signs = "+" in labels
    return [
        label
        for label in labels
        if (label.strip() in MISSING_MARKS and not (signs and label.strip() in "-–—"))
        or (len(label) <= _LONGEST_WORD and folded(label) in MISSING_WORDS and not _is_code(label, labels))
    ]


def may_be_a_state(label: str) -> bool:
    """Return whether a label for a missing value may be a state in a column of words.

    A dash among names of drugs may say that there is none, and an asterisk is a level of significance.
    """
    return label.strip() in _STATE_MARKS


def _is_code(label: str, labels: Sequence[str]) -> bool:
    """Return whether "NA" stands among codes of its shape, such as those of countries; genotypes are none."""
    shape = _CODES.get(label)
    if shape is None:
        return False
    others = [one for one in labels if folded(one) not in MISSING_WORDS and one.strip() not in MISSING_MARKS]
    if label.isupper() and _REGIONS.intersection(others):
        return True
    codes = [one for one in others if shape.fullmatch(one) and folded(one) not in _ANSWERS]
    letters = {letter for one in codes for letter in one}
    genotypes = letters <= set("ACGT") or len(letters) < 3
    return len(codes) >= 2 and 2 * len(codes) > len(others) and not genotypes


# Spellings of one state.

#: Answers, and words for sexes, that mean the same: single letters and digits only beside such a word.
_MEANINGS = (
    {word: meaning for meaning in ("yes", "no") for word in words(f"meaning.{meaning}")},
    {word: word for word in words("meaning.other")}
    | {word: meaning for meaning in ("male", "female") for word in words(f"meaning.{meaning}")},
)
_ANSWERS = frozenset(word for word in _MEANINGS[0] if len(word) > 1)
_M_IS_FEMALE = {word for word in words("meaning.female") if word.startswith("m")}
_WORD, _SHORT_WORD = re.compile(r"[^\W\d_]{3,}"), re.compile(r"[^\W\d_]{2,}")
_GENOTYPE = re.compile(r"(?:(.)\1)+")  # AABB


def spelling_groups(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each label that is another spelling of a more common one the common one.

    Labels are one value if only blanks, hyphens, marks at the end, or the case of words of three letters and more tell
    them apart, beside which that of shorter words may differ too; if single letters are the first of the other values;
    or if all of them say yes or no, or name a sex. Words go before letters where every value has a word.

    >>> spelling_groups({"ja": 5, "Ja": 2, "j": 1, "1": 1, "nein": 7, "n": 2})
    {'1': 'ja', 'Ja': 'ja', 'j': 'ja', 'n': 'nein'}
    >>> spelling_groups({"A": 5, "a": 2, "West": 3, "west": 1})
    {'west': 'West'}
    >>> spelling_groups({"M": 9, "F": 8, "man": 2})
    {'man': 'M'}
    """
    words = {label: folded(label) for label in sorted(counts)}
    meanings = _meanings(set(words.values()))
    in_words: dict[str, set[str]] = {}
    for label in words:
        in_words.setdefault(_without_marks(label).lower(), set()).add(" ".join(_WORD.findall(label)))
    groups: dict[str, list[str]] = {}
    for label, word in words.items():
        vary = len(in_words[_without_marks(label).lower()]) > 1
        groups.setdefault(meanings.get(word) or _spelled_alike(label, _SHORT_WORD if vary else _WORD), []).append(label)
    _join_initials(groups)
    if len(groups) < 2:
        return {}
    found: dict[str, str] = {}
    spelled_out = all(any(len(label) > 1 for label in labels) for labels in groups.values())
    for labels in groups.values():
        best = min(labels, key=lambda one: (one in "01", spelled_out and len(one) == 1, -counts[one], -len(one), one))
        found |= {label: best for label in labels if label != best}
    return dict(sorted(found.items()))


def _meanings(present: set[str]) -> dict[str, str]:
    """Return what answers or words for sexes mean if there are no others; among others they are themselves."""
    for family in _MEANINGS:
        family = family | {"m": "female"} if present & _M_IS_FEMALE else family
        known = present & family.keys()
        spoken, alone = any(len(word) > 1 for word in known), known == present
        if (spoken or alone) and len({family[word] for word in known}) > 1:
            return {word: family[word] if spoken and alone else word for word in known}
    return {}


def _join_initials(groups: dict[str, list[str]]) -> None:
    """Join single letters to the words that they are the first of, if each word of three letters and more has one."""
    initials = {key[0].lower(): key for key in groups if len(key) > 2}
    letters = {key.lower(): key for key in groups if len(key) == 1}
    if initials.keys() == letters.keys() and 2 * len(letters) == len(groups):
        for letter, key in letters.items():
            groups[initials[letter]] += groups.pop(key)


def _spelled_alike(label: str, words: re.Pattern[str]) -> str:
    """Return a text that the spellings of a label share: alleles A and a, genotypes AABB and aabb are not the same."""

    def without_case(word: re.Match[str]) -> str:
        lower = word[0].lower()
        regular = word[0] in (lower, lower.upper(), lower.capitalize()) and not _GENOTYPE.fullmatch(lower)
        return lower if regular else word[0]

    return words.sub(without_case, _without_marks(label))


# Numbers: their decimal marks, the unit that follows all of a column, and codes that are none.

#: Numbers that stand for a missing value where they stand apart from the others.
NUMBER_CODES = (-9999, -999, -99, -98, -97, -88, -77, -9, -8, -7, 7, 8, 9, 77, 88, 97, 98, 99, 888, 999, 9999)
#: Digits and marks among them, but for a power of ten that follows.
_DIGITS = r"[0-9](?:(?![ \u00a0\u202f]10[eE^*⁰¹²³⁴-⁹])[0-9.,' \u00a0\u202f]){0,25}"
#: A limit, a sign, a currency, digits, and a unit: kg/m2, cm H2O, years old, mL/min/1.73m² or 10^9/l. Digits belong to
#: a unit where they are exponents, indices or amounts that are divided by; ranges, dates and fractions are none.
_CELL = re.compile(
    r"([<>≤≥]?=?) ?([-+−]?) ?([$€£¥₹]|USD|EUR|GBP|CHF|R\$|kr|zł)? ?([-+−]?)"
    rf"({_DIGITS})([eE][-+]?[0-9]{{1,3}})?"
    r"[ \u00a0\u202f]?"
    r"((?:(?:[x×·*] ?|(?<=[ \u00a0\u202f]))10(?:(?:\^|\*\*?|[eE])[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})/?"
    r"|[°%‰$€£¥₹]|/?(?![²³¹⁰⁴-⁹½¼¾]|x ?[0-9])[^\W\d_])"
    r"(?:[^\W\d_]|[.·*^°%⁰-⁹⁻()/]|(?<=[^\W\d_]|\^)[0-9]{1,2}(?![0-9])|(?<=\^)-[0-9]"
    r"|(?<=/)(?:10{2,6}|[0-9](?:[.,][0-9]{1,2})?)|[ \u00a0](?=[^\W\d_])){0,24})?"
)
#: A power of ten at the start of a unit, and a word for one, which is no unit.
_POWER = re.compile(r"\A(?:[x×·*] ?)?10(?:\^|\*\*?|[eE]|(?=[⁰¹²³⁴-⁹]))")
_MULTIPLES = {word: power for own in in_each_language("multiple") for word, power in own.items()}
#: A lower-case k alone stands for a thousand: K is kelvin.
_MULTIPLE_WORDS = "|".join(sorted(_MULTIPLES.keys() - {"k"}))
_MULTIPLE = re.compile(rf"(k|(?i:{_MULTIPLE_WORDS}))(?![^\W\d_])\.? ?(.*)")
#: The spellings of common units; single letters are taken as they are written.
UNITS = {
    spelling: name for own in in_each_language("unit") for name, spellings in own.items() for spelling in spellings
}
#: Units of which two different values are enough to see that they are numbers: 2D and 3D are none.
_OTHER_UNITS = "t mg ng oz km m dm cm mm in ft l dl cl ml μl ms mmhg bpm kcal kj % ‰ ° °c °f ¥ ₹ r$ chf kr zł"
KNOWN_UNITS = frozenset(["", *UNITS.values(), *_OTHER_UNITS.split()])
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:[es]|es|en)\Z")
_WITH_POINT = re.compile(r"(?!0[0-9])(?:[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:\.[0-9]{1,18})?")
_WITH_COMMA = re.compile(r"(?!0[0-9])(?:[0-9]{1,3}(?:[.' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:,[0-9]{1,18})?")
#: By the decimal mark, the one between thousands, the mark, and the digits with them.
_MARKS = {"point": (",", ".", _WITH_POINT), "comma": (".", ",", _WITH_COMMA)}
_BODY = re.compile(_DIGITS)
_GROUPS_ONLY = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3}){1,6}")


#: An infinite number, one marked as approximate, and one that stands for itself or more: 89+.
_INFINITE = re.compile(r"([-+−]?)(?:inf|infinity|∞)", re.IGNORECASE)
_ABOUT = re.compile(rf"\A(?:~|≈|{alternatives('number.about')}) ?([-+−]?[0-9])", re.IGNORECASE)
_OR_MORE = re.compile(r"[0-9][0-9.,]{0,20} ?\+")


#: A time of day or a duration: 7:05, 07:05:30, 7:05 pm, and 1 h 20 min.
_TIME = re.compile(r"([0-9]{1,4}):([0-5][0-9])(?::([0-5][0-9])(?:[.,][0-9]{1,6})?)?(?: ?([ap])\.?m\.?)?", re.IGNORECASE)
_HOURS = re.compile(
    rf"([0-9]{{1,4}}) ?(?:{alternatives('unit.hour')})\.? ?(?:(?:{alternatives('number.and')}) )?"
    rf"([0-9]{{1,2}}) ?(?:m|{alternatives('unit.minute')})?\.?",
    re.IGNORECASE,
)


class Number(NamedTuple):
    """A cell's number: its value, its unit and its decimals, and whether it is a limit such as <0.6."""

    value: float
    limit: str
    unit: str
    decimals: int


def number_in(text: str, mark: str) -> Number | None:
    """Return the number in a cell's text whose decimal mark is "point" or "comma"; None if there is none.

    >>> number_in("<0,6 Mg/l", "comma")
    Number(value=0.6, limit='<', unit='mg/l', decimals=1)
    """
    text = _ABOUT.sub(r"\1", text.strip()) if len(text) <= 2 * _LONGEST else ""
    if spent := _TIME.fullmatch(text) or _HOURS.fullmatch(text):
        hours, minutes, seconds, noon = (*spent.groups(""), "", "")[:4]
        late = 12 * (noon.lower() == "p") - 12 * (bool(noon) and hours == "12")
        unit = "hour" if spent.re is _HOURS else "h:m:s" if seconds else "h:m"
        return Number(int(hours) + late + int(minutes) / 60 + int(seconds or 0) / 3600, "", unit, 2)
    if infinite := _INFINITE.fullmatch(text):
        return Number(-math.inf if infinite[1] in {*"-−"} else math.inf, "", "", 0)
    text = f"≥{text[:-1]}" if _OR_MORE.fullmatch(text) else text
    parts = _CELL.fullmatch(text) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    limit, sign, before, inner, digits, power, after = parts.groups("")
    multiple = _MULTIPLE.fullmatch(after)
    times, after = multiple.groups() if multiple else ("", after)
    digits, (groups, point, pattern) = digits.strip(), _MARKS[mark]
    twice = (sign and inner) or (power and times) or (bool(before) + bool(power) + bool(after) > 1)
    if twice or not pattern.fullmatch(digits):
        return None
    bare = "".join(digits.replace(groups, "").replace("'", "").split()).replace(point, ".")
    value = float(bare + (power or (f"e{_MULTIPLES[times.lower()]}" if times else ""))) * (
        -1 if sign + inner in ("-", "−") else 1
    )
    limit = limit.replace("<=", "≤").replace(">=", "≥").strip("=")
    number = Number(value, limit, _unit(before or after), len(bare.partition(".")[2]))
    return number if math.isfinite(value) else None


def _unit(text: str) -> str:
    """Return a text that the spellings of a unit share.

    >>> _unit("Tage") == _unit("d"), _unit("D"), _unit("×10⁹ / L") == _unit("10^9/l"), _unit("Portionen")
    (True, 'd', True, 'portion')
    """
    written = "".join(unicodedata.normalize("NFKC", _POWER.sub("10^", text)).split()).rstrip(".").replace(",", ".")
    alike = written.casefold()
    known = UNITS.get(written if len(written) == 1 else alike)
    return known or (_ENDING.sub("", alike) if alike.isalpha() else alike)


class Numbers(NamedTuple):
    """The numbers of a column: of each label the value, and what is in doubt about them.

    Attributes
    ----------
    values : dict of str to float
    unit : str
        What the spellings of their unit share; "" if they have none.
    limits, odd : list of str
        The labels of limits, and those without a number, or with another unit than most.
    distinct : bool
        Whether labels that are written differently have different values; 1.1 and 1.10 may be versions.
    """

    values: dict[str, float]
    unit: str
    limits: list[str]
    odd: list[str]
    distinct: bool


def numbers_in(counts: Mapping[str, int], mark: str) -> Numbers:
    """Read labels as numbers of one unit, the most common one; infinite numbers need none.

    A limit is not its number: it counts as a value half a unit of the finest decimal beyond it.

    >>> numbers_in({"5 kg": 3, "7 kg": 1, "<2 kg": 1, "20 g": 1}, "point").values
    {'5 kg': 5.0, '7 kg': 7.0, '<2 kg': 1.5}
    """
    read = {label: one for label in counts if (one := number_in(label, mark)) is not None}
    rows = Counter[str]()
    for label, one in read.items():
        rows[one.unit] += counts[label] * math.isfinite(one.value)
    unit = max(rows, key=lambda one: (rows[one], one), default="")
    read = {label: one for label, one in read.items() if one.unit == unit or math.isinf(one.value)}
    half = 0.5 * 10.0 ** -max((one.decimals for one in read.values()), default=0)
    beyond = {"<": -half, "≤": -half, ">": half, "≥": half}
    values = {label: float(f"{one.value + beyond.get(one.limit, 0.0):.15g}") for label, one in read.items()}
    written = {(values[label], one.limit, one.decimals) for label, one in read.items()}
    return Numbers(
        values,
        unit,
        [label for label, one in read.items() if one.limit],
        [label for label in counts if label not in values],
        len(written) == len(set(values.values())),
    )


def decimal_marks(counts: Mapping[str, int], share: float) -> tuple[str, ...]:
    """Return the decimal marks, "point" or "comma", with which at least a share of the cells are numbers.

    There are two where every mark may separate thousands as well, the more plausible one first. Prices have no three
    decimals.

    >>> decimal_marks({"500 kg": 3, "1.000 kg": 2}, 0.95), decimal_marks({"1.000 €": 3}, 0.95)
    (('comma',), ('comma',))
    >>> decimal_marks({"1,250": 3, "2,5": 1}, 0.95), decimal_marks({"1,250": 3, "2,500": 1}, 0.95)
    (('comma',), ('comma', 'point'))
    """
    n_rows = sum(counts.values())
    read = {mark: numbers_in(counts, mark) for mark in _MARKS}
    fits = []
    for mark, numbers in read.items():
        n, n_limits = (sum(counts[label] for label in labels) for labels in (numbers.values, numbers.limits))
        known = numbers.unit in KNOWN_UNITS or "/" in numbers.unit or len(set(numbers.values.values())) > 2
        if known and n >= share * n_rows and n - n_limits > 0.5 * n_rows:
            fits.append(mark)
    if len(fits) < 2:
        return tuple(fits)
    bodies = [body[0].strip(" '") for label in read["point"].values if (body := _BODY.search(label))]
    marked = [body for body in bodies if "," in body or "." in body]
    if not marked:
        return ("point",)
    own, other = ("comma", "point") if "," in marked[0] else ("point", "comma")
    if not all(map(_GROUPS_ONLY.fullmatch, marked)):  # not thousands, so it is the decimal mark
        return (own,)
    plain = (body.replace(",", ".") for body in bodies if body.replace(",", "").replace(".", "").isdigit())
    thousands = points_are_thousands(plain)
    if thousands or any(sign in label for label in counts for sign in "$£¥€"):
        return (other,)
    return (own,) if thousands is False and own == "point" else (own, other)


def points_are_thousands(numbers: Iterable[str]) -> bool | None:
    """Return whether the points in numbers separate thousands; None if that is unclear.

    Each number is whole or has three digits after each point. They do where one number has two points, or where the
    whole numbers end below 1,000 and zeros follow a point, which nobody writes there and leaves out elsewhere.

    >>> points_are_thousands(["500", "900", "1.000", "2.500"]), points_are_thousands(["1.025", "1.030"])
    (True, False)
    >>> points_are_thousands(["1", "1.333", "2"]) is None
    True
    """
    bare = [number.lstrip("+-") for number in numbers]
    marked, whole = [one for one in bare if "." in one], [int(one) for one in bare if "." not in one]
    if any(one.count(".") > 1 for one in marked):
        return True
    if not whole or max(whole) >= 1000:
        return False
    return True if any(one.endswith("0") for one in marked) else None


def stray_codes(tally: Mapping[float, int]) -> list[int]:
    """Return the numbers that stand for missing values: codes such as -9 or 99 that stand apart.

    The ``tally`` has the rows of each number of a column.
    """
    tally = {value: n for value, n in tally.items() if math.isfinite(value)}
    plain = [value for value in tally if value not in NUMBER_CODES]
    low, high = min(plain, default=0), max(plain, default=0)
    rest = {value: n for value, n in tally.items() if value not in NUMBER_CODES or low < value < high}
    if len(rest) < 2:
        return []
    span, usual = high - low, sum(rest.values()) / len(rest)
    whole = all(float(value).is_integer() for value in rest)
    found = []
    for value, n in sorted(tally.items()):
        gap = max(low - value, value - high)
        if value not in NUMBER_CODES or gap <= 0 or n < 2:
            continue
        far = gap > span if abs(value) > 9 or value < 0 else whole and gap >= span and high <= 5
        below = value <= -7 and low >= 0
        spike = abs(value) > 9 and gap >= 3 * span / (len(rest) - 1) and n >= max(5.0, 3 * usual)
        if far or below or spike:
            found.append(int(value))
    return found


# Several answers in one cell.

#: Marks between answers, but for those in brackets; most different answers, and the fewest cells with several of them.
_MOST_ANSWERS, _FEWEST_SEVERAL = 20, 3
MARKS_BETWEEN_ANSWERS = {
    ";": re.compile(r";(?![^()]{0,200}\))"),
    ",": re.compile(r",(?![^()]{0,200}\))"),
    "|": re.compile(r"\|(?![^()]{0,200}\))"),
}


def answers_in(label: str, mark: str) -> list[str]:
    """Return the answers in a cell.

    >>> answers_in("car (own, leased), bike", ",")
    ['car (own, leased)', 'bike']
    """
    return [part.strip() for part in MARKS_BETWEEN_ANSWERS[mark].split(label) if part.strip()]


def several_answers(labels: Iterable[str]) -> tuple[str, list[str]]:
    """Return the mark between several answers in a cell, and all answers; "" and none where that is not clear.

    An answer stands once in a cell and in several different cells, half of them also alone. Numbers with commas are
    answers, and no decimals, if all stand alone as well, and one is followed by different ones.

    >>> several_answers(["1", "2", "3", "4", "1,4", "2,3", "2,4"])
    (',', ['1', '2', '3', '4'])
    >>> several_answers(["1", "2", "3", "1,5", "2,5", "3,5"]), several_answers(["1,3", "1,7", "2", "2,3", "2,7", "3"])
    (('', []), ('', []))
    """
    labels = list(labels)
    for mark in MARKS_BETWEEN_ANSWERS:
        cells = [answers_in(label, mark) for label in labels if label]
        several = [cell for cell in cells if len(cell) > 1]
        if len(several) < _FEWEST_SEVERAL or any(len(set(cell)) < len(cell) for cell in cells):
            continue
        alone = {cell[0] for cell in cells if len(cell) == 1}
        times = Counter(answer for cell in cells for answer in cell)
        fits = 2 < len(times) <= _MOST_ANSWERS and min(times.values()) > 1 and 2 * len(alone) >= len(times)
        if all(answer.isdecimal() for answer in times):
            fits = fits and len(alone) == len(times) and len({cell[1] for cell in several}) > 1 and "0" not in times
        if fits:
            return mark, sorted(times, key=lambda answer: (len(answer) if answer.isdecimal() else 0, answer))
    return "", []


# Dates.

_DATE = re.compile(
    r"([0-9]{1,4})([-./])([0-9]{1,2})[-./]([0-9]{1,4})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def date_in(text: str, order: str) -> datetime | None:
    """Return the date, to the minute, in a cell's text whose parts are in the order "ymd", "dmy" or "mdy"."""
    parts = _DATE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if parts is None or not order:
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
        wrong = accumulate(n for label, n in counts.items() if not date_in(label, order))
        # a column of other texts is given up after a few
        if all(n <= allowed for n in wrong):
            fits.append(order)
    if fits == ["dmy", "mdy"]:
        return "dmy" if all("." in label for label in counts) else ""
    return fits[0] if fits else ""
