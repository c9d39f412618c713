"""Numbers in the text of cells: their marks, their units, and which of point and comma is the decimal one.

All patterns take time linear in a cell's length.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bnengine._core.display import listed

#: Numbers that stand for a missing value where they stand apart from the others.
NUMBER_CODES = (-9999, -999, -99, -98, -97, -88, -77, -9, -8, -7, 7, 8, 9, 77, 88, 97, 98, 99, 888, 999, 9999)

_LONGEST = 40
_PARTS = re.compile(
    r"([<>≤≥]?=?) ?([-+−]?) ?([$€£¥₹]|[A-Za-zł]{0,3}\$?) ?([-+−]?)([0-9][0-9.,' \u00a0\u202f]{0,25})"
    r"([eE][-+]?[0-9]{1,3})? ?([%‰$€£¥₹]|[A-Za-zäöüéíñł°µμ/]{0,8}\$?)"
)
_WITH_POINT = re.compile(r"(?:[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:\.[0-9]{1,18})?")
_WITH_COMMA = re.compile(r"(?:[0-9]{1,3}(?:[.' \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,18})(?:,[0-9]{1,18})?")
_BODY = re.compile(r"[0-9][0-9.,' \u00a0\u202f]{0,25}")
#: A number and what follows it: a word, a sign, a power of ten, several of them. Digits belong to it where they are
#: exponents, indices or amounts that are divided by, as in kg/m2, cm H2O and mL/min/1.73m²; ranges, dates and fractions
#: are none of these.
_WITH_UNIT = re.compile(
    r"\A([<>≤≥]?=? ?[-+−]? ?[0-9][0-9.,' \u00a0\u202f]{0,25}?)[ \u00a0\u202f]?((?![eE][-+]?[0-9])"
    r"(?:°|[°%‰/]? ?(?![²³¹⁰⁴-⁹½¼¾])[^\W\d_]|(?:[x×·*] ?)?10(?:(?:\^|\*\*?|[eE])[0-9]{1,2}|[²³⁴-⁹¹][⁰-⁹¹²³]?)/?)"
    r"(?:[^\W\d_]|[.·*^°%⁰-⁹⁻()/]|(?<=[^\W\d_])[0-9]{1,2}(?![0-9])|(?<=\^)-?[0-9]|(?<=/)(?:10{2,6}|[0-9](?:[.,][0-9]{1,2})?)"
    r"|[ \u00a0](?=[^\W\d_])){0,24})"
)
_BEGINS_WITH_NUMBER = re.compile(r"\A[<>≤≥]?=? ?[-+−]? ?[0-9]")
_NEARLY_ALL = 0.95  # of a column's numbers
_GROUPS_ONLY = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3}){1,6}")


@dataclass(frozen=True)
class Number:
    """A cell's number: its value, its unit and its decimals, and whether it is a limit such as <0.6."""

    value: float
    limit: str
    unit: str
    decimals: int


def own_unit(counts: Mapping[str, int]) -> str:
    """Return the unit that follows nearly every number of a column, whatever it means; "" if there is none.

    Units that can be converted are not looked for.

    >>> own_unit({"69 Stk.": 1, "71 Stk.": 2, "80 Stk.": 1}), own_unit({"3 rooms": 4, "2 doors": 4})
    ('stk', '')
    >>> own_unit({"24.3 kg/m²": 1, "31 kg/m²": 2, "19.9 kg/m2": 1}), own_unit({"10-12": 1, "3/4": 2, "1/5": 1})
    ('kg/m2', '')
    """
    rows: dict[str, int] = {}
    numbers: dict[str, set[str]] = {}
    n_numbers = 0
    for label, n in counts.items():
        n_numbers += n if _BEGINS_WITH_NUMBER.match(label.strip()[:_LONGEST]) else 0
        number, unit = _number_and_unit(label)
        if unit:
            rows[unit] = rows.get(unit, 0) + n
            numbers.setdefault(unit, set()).add(number)
    found = max(rows, key=rows.__getitem__, default="")
    often = bool(found) and rows[found] >= _NEARLY_ALL * n_numbers and len(numbers[found]) > 2
    return found if often else ""


def _number_and_unit(label: str) -> tuple[str, str]:
    """Return the number in a cell and the unit after it, spelled as ``own_unit`` does; "" if that can be converted."""
    label = label[: _LONGEST + 1].strip()
    parts = _WITH_UNIT.fullmatch(label) if len(label) <= _LONGEST else None
    if parts is None or unit_named("", parts[2].rstrip(".")) is not None:
        return label, ""
    return parts[1].strip(), spelled_alike(parts[2])


def number_in(text: str, mark: str, own: str = "") -> Number | None:
    """Return the number in a cell's text whose decimal mark is "point" or "comma"; None if there is none.

    ``own`` is a unit that cannot be converted and follows numbers of this column (see ``own_unit``); beside it none has
    another unit.

    >>> number_in("<0,6 mg", "comma")
    Number(value=0.6, limit='<', unit='mg', decimals=1)
    """
    text = _without_unit(text[: _LONGEST + 1].strip(), own)
    if text[-1:] == "." and text[-2:-1].isalpha():
        text = text[:-1]
    parts = _PARTS.fullmatch(text) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    limit, sign, before, inner, digits, power, after = parts.groups()
    digits, unit = digits.strip(), unit_named(before, after)
    if (digits[:1] == "0" and digits[1:2].isdigit()) or (sign and inner) or unit is None or (own and unit):
        return None
    if not (_WITH_COMMA if mark == "comma" else _WITH_POINT).fullmatch(digits):
        return None
    groups, point = ("." if mark == "comma" else ","), ("," if mark == "comma" else ".")
    bare = "".join(digits.replace(groups, "").replace("'", "").split()).replace(point, ".")
    value = float(bare + (power or "")) * (-1 if "-" in sign + inner or "−" in sign + inner else 1)
    if not math.isfinite(value):
        return None
    return Number(value, limit.replace("<=", "≤").replace(">=", "≥").strip("="), unit, len(bare.partition(".")[2]))


def _without_unit(label: str, own: str) -> str:
    """Return a cell without the column's own unit."""
    number, unit = _number_and_unit(label) if own else (label, "")
    return number if unit and unit == own else label


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column: of each label the value, in one unit, and what is in doubt about them.

    Attributes
    ----------
    values : dict of str to float
    unit : str or None
        The unit that they were converted into; "" if they had one in common, None if they cannot have.
    units : str
        The units that were found, for a sentence.
    limits, odd : list of str
        The labels of limits, and those without a number.
    distinct : bool
        Whether labels that mean different numbers have different values; 1.1 and 1.10 may be versions.
    """

    values: dict[str, float]
    unit: str | None
    units: str
    limits: list[str]
    odd: list[str]
    distinct: bool


def numbers_in(counts: Mapping[str, int], mark: str, unit: str = "") -> Numbers:
    """Read labels as numbers, in a unit or in the most common one.

    A limit is not its number: it counts as a value half a unit of the finest decimal beyond it.

    >>> numbers_in({"5 kg": 3, "20 g": 1, "<2 g": 1}, "point").values
    {'5 kg': 5.0, '20 g': 0.02, '<2 g': 0.0015}
    """
    own = own_unit(counts)
    read = {label: one for label in counts if (one := number_in(label, mark, own)) is not None}
    amounts = [(one.value, one.unit, counts[label]) for label, one in read.items()]
    to = common_unit(amounts)
    to = unit or to if to is not None else None
    half = 0.5 * 10.0 ** -max((one.decimals for one in read.values()), default=0)
    values = {}
    for label, one in read.items():
        beyond = one.value + half * ((one.limit in (">", "≥")) - (one.limit in ("<", "≤")))
        value = converted(float(f"{beyond:.15g}") if one.limit else one.value, one.unit, to or "")
        if value is not None:
            values[label] = value
    meanings = {(value, read[label].limit) for label, value in values.items()}
    bare = {(value, one.decimals) for label, value in values.items() if (one := read[label]).decimals and not one.unit}
    return Numbers(
        values,
        to,
        units_text(amounts) if amounts else "",
        [label for label in values if read[label].limit],
        [label for label in counts if label not in values],
        len(meanings) == len({value for value, _ in meanings}) and len(bare) == len({value for value, _ in bare}),
    )


def decimal_marks(counts: Mapping[str, int], share: float) -> tuple[str, ...]:
    """Return the decimal marks, "point" or "comma", with which at least a share of the cells are numbers.

    There are two where every mark may separate thousands as well, the more plausible one first.

    >>> decimal_marks({"500 kg": 3, "1.000 kg": 2}, 0.95), decimal_marks({"1.000 €": 3}, 0.95)
    (('comma',), ('comma',))
    >>> decimal_marks({"1,250": 3, "2,5": 1}, 0.95), decimal_marks({"1,250": 3, "2,500": 1}, 0.95)
    (('comma',), ('comma', 'point'))
    """
    least, n_rows, unit = share * sum(counts.values()), sum(counts.values()), own_unit(counts)
    read = {
        mark: {label: one for label in counts if (one := number_in(label, mark, unit))} for mark in ("point", "comma")
    }
    enough = [
        mark
        for mark, numbers in read.items()
        if sum(counts[label] for label in numbers) >= least
        and sum(counts[label] for label, number in numbers.items() if not number.limit) > 0.5 * n_rows
    ]
    if len(enough) < 2:
        return tuple(enough)
    bodies = [body[0].strip(" '") for label in read["point"] if (body := _BODY.search(_without_unit(label, unit)))]
    marked = [body for body in bodies if "," in body or "." in body]
    if not marked:
        return ("point",)
    own, other = ("comma", "point") if "," in marked[0] else ("point", "comma")
    if not all(map(_GROUPS_ONLY.fullmatch, marked)):  # not thousands, so it is the decimal mark
        return (own,)
    thousands = points_are_thousands(
        body.replace(",", ".") for body in bodies if body.replace(",", "").replace(".", "").isdigit()
    )
    money = any(sign in label for label in counts for sign in "$£¥€")
    if thousands == "yes" or (money and own == "comma") or any(label.rstrip().endswith("€") for label in counts):
        return (other,)
    return (own,) if thousands == "no" and own == "point" and not money else (own, other)


def points_are_thousands(numbers: Iterable[str]) -> str:
    """Return whether the points in numbers separate thousands: "yes", "no" or "maybe".

    Each number is whole or has three digits after each point. Beside whole numbers up to 999 points separate thousands
    if zeros follow them, which nobody writes after a decimal point there and leaves out elsewhere, or if the numbers
    would otherwise be far from the whole ones.

    >>> points_are_thousands(["500", "900", "1.000", "2.500"]), points_are_thousands(["1.025", "1.030"])
    ('yes', 'no')
    >>> points_are_thousands(["1", "1.333", "2"])
    'maybe'
    """
    bare = [number.lstrip("+-") for number in numbers]
    marked, whole = [one for one in bare if "." in one], [int(one) for one in bare if "." not in one]
    if any(one.count(".") > 1 for one in marked):
        return "yes"
    if not whole or max(whole) >= 1000:
        return "no"
    above = [one for one in whole if one]
    if not above:
        return "maybe"
    zeros = any(one.endswith("0") for one in marked)
    apart = not any(min(above) <= float(one) <= max(above) for one in marked)
    sure = (zeros or apart) if max(above) >= 100 else (zeros and apart)
    return "yes" if sure else "maybe"


def stray_codes(tally: Mapping[float, int], known: frozenset[int] = frozenset()) -> list[int]:
    """Return the numbers that stand for missing values: codes such as -9 or 99 that stand apart.

    The ``tally`` has the rows of each number of a column; ``known`` are codes for missing values in other columns,
    which need stand apart less.
    """
    plain = [value for value in tally if value not in NUMBER_CODES]
    low, high = min(plain, default=0), max(plain, default=0)
    rest = {value: n for value, n in tally.items() if value not in NUMBER_CODES or low < value < high}
    if len(rest) < 2:
        return []
    span, rows = high - low, sum(rest.values())
    step = span / (len(rest) - 1)
    whole = all(float(value).is_integer() for value in rest)
    found = []
    for value, n in sorted(tally.items()):
        gap = max(low - value, value - high)
        if value not in NUMBER_CODES or gap <= 0 or n < 2:
            continue
        far = gap > span if abs(value) > 9 or value < 0 else whole and gap >= span and high <= 5
        below = value <= -7 and low >= 0 and (whole or abs(value) > 9 or n * len(rest) > 3 * rows)
        spike = abs(value) > 9 and gap >= 3 * step and n >= max(5.0, 3 * rows / len(rest))
        if far or below or spike or (int(value) in known and gap >= 3 * step and abs(value) > 9):
            found.append(int(value))
    return found


# Units: which of them are of one kind, and how one is converted into another.

#: The unit of a number without one where others have a percent sign: a share of 1.
SHARE = "share"
#: Of each kind the units, with the spellings of each, and its size in a unit of that kind. Months have no fixed number
#: of days, degrees have no common zero, and rates of exchange change, so these stand alone.
_KINDS = """
    t 1e6, kg|kgs 1e3, g|gr 1, mg 1e-3, µg|μg|ug|mcg 1e-6, ng 1e-9, lb|lbs 453.59237, oz 28.349523125
    km 1e3, m 1, dm 0.1, cm 0.01, mm 1e-3, in 0.0254, ft 0.3048
    l|L 1, dl|dL 0.1, cl|cL 0.01, ml|mL 1e-3, µl|μl|ul 1e-6
    ms 1e-3, s|sec|secs 1, min|mins 60, h|hr|hrs|hour|hours|Stunde|Stunden 3600, d|day|days|Tag|Tage|dag|dagen|jour\
|jours|día|días 86400, week|weeks|wk|wks|Woche|Wochen|weken 604800
    month|months|mo|Monat|Monate|maand|maanden|mois|mes|meses 1, year|years|yr|yrs|Jahr|Jahre|J|jaar|an|ans|año|años 12
    share 1, % 0.01, ‰ 1e-3
    kcal 4.184, kJ 1
    mg/dl|mg/dL 1, g/dl|g/dL 1e3, g/l|g/L 100, mg/l|mg/L 0.1, µg/dl|μg/dl|µg/dL|μg/dL 1e-3, \
µg/l|μg/l|µg/L|μg/L|ug/l|ug/L|ng/ml|ng/mL 1e-4, ng/l|ng/L|pg/ml|pg/mL 1e-7
    mmol/l|mmol/L 1, µmol/l|μmol/l|µmol/L 1e-3
    mmHg 1
    bpm 1
    °C 1
    °F 1
    $|USD 1
    €|EUR 1
    £|GBP 1
    ¥ 1
    ₹ 1
    R$ 1
    CHF 1
    kr 1
    zł 1
"""
_UNITS: dict[str, tuple[str, int, Decimal]] = {
    spelling: (spellings.split("|")[0], kind, Decimal(size))
    for kind, line in enumerate(_KINDS.split("\n"))
    for spellings, size in (one.split() for one in line.split(",") if one.strip())
    for spelling in spellings.split("|")
}
#: Units that stand before the number.
_BEFORE = frozenset(["$", "USD", "€", "EUR", "£", "GBP", "¥", "₹", "R$", "CHF", "kr", "zł"])


def unit_named(before: str, after: str) -> str | None:
    """Return the unit that stands before or after a number, in its first spelling; "" for none, None for no unit.

    >>> unit_named("", "yrs"), unit_named("€", ""), unit_named("", "boxes")
    ('year', '€', None)
    """
    if (before and before not in _BEFORE) or (before and after):
        return None
    written = before or after
    return _UNITS[written][0] if written in _UNITS else None if written else ""


def spelled_alike(unit: str) -> str:
    """Return a unit without case, blanks and a point at its end, exponents as digits, and both signs for micro as one.

    >>> spelled_alike("Kg / m²"), spelled_alike("µg/L") == spelled_alike("μg/l")
    ('kg/m2', True)
    """
    return "".join(unicodedata.normalize("NFKC", unit).casefold().split()).rstrip(".")


def is_unit(text: str) -> bool:
    """Return whether a text is the first spelling of a unit."""
    return text in _UNITS and _UNITS[text][0] == text


def common_unit(amounts: Iterable[tuple[float, str, int]]) -> str | None:
    """Return the unit that amounts are to be converted into; "" if they have one in common, None if they cannot have.

    Each amount is a value, its unit and its number of rows. The most common unit is taken. A number without a unit has
    that of the others if they have one, but beside percentages it is a share of 1, if such numbers are.

    >>> common_unit([(5, "kg", 3), (5, "g", 1)]), common_unit([(5, "kg", 3), (5, "cm", 1)])
    ('kg', None)
    >>> common_unit([(5, "%", 3), (0.05, "", 1)]), common_unit([(70, "kg", 3), (82, "", 1)])
    ('share', '')
    """
    rows: dict[str, int] = {}
    bare = []
    for value, unit, n in amounts:
        if unit:
            rows[unit] = rows.get(unit, 0) + n
        else:
            bare.append(value)
    if len({_UNITS[unit][1] for unit in rows}) > 1:
        return None
    bare = [value for value in bare if value or SHARE not in _kin(rows)]  # no percent are none of 1, too
    if bare and (len(rows) > 1 or SHARE in _kin(rows)):
        shares = SHARE in _kin(rows) and all(0 <= value <= 1 for value in bare) and any(value < 1 for value in bare)
        return SHARE if shares else None
    return max(rows, key=lambda unit: (rows[unit], unit)) if len(rows) > 1 else ""


def _kin(units: Iterable[str]) -> set[str]:
    """Return the units of the kinds of these."""
    kinds = {_UNITS[unit][1] for unit in units}
    return {unit for unit, (_, kind, _) in _UNITS.items() if kind in kinds}


def converted(value: float, unit: str, to: str) -> float | None:
    """Return an amount in another unit, exact in decimals; None if that is of another kind.

    A number without a unit has the other one already.

    >>> converted(5.0, "g", "kg"), converted(5.0, "%", "share"), converted(5.0, "g", "cm")
    (0.005, 0.05, None)
    """
    if unit in ("", to) or not to:
        return value
    (_, kind, size), (_, other, of) = _UNITS[unit], _UNITS[to]
    return float(Decimal(repr(value)) * size / of) if kind == other else None


def units_text(amounts: Iterable[tuple[Any, str, Any]]) -> str:
    """Return the units of amounts for a sentence.

    >>> units_text([(5, "kg", 3), (5, "", 1), (5, "g", 1)])
    'g, kg and no unit'
    """
    units = {unit for _, unit, _ in amounts}
    return listed([*sorted(units - {""}), *(["no unit"] if "" in units else [])], len(units))
