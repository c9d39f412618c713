"""Units of numbers that are written as text: which of them are of one kind, and how one is converted into another."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

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
    *first, last = [*sorted(units - {""}), *(["no unit"] if "" in units else [])]
    return f"{', '.join(first)} and {last}" if first else last
