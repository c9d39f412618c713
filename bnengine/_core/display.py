"""How results are shown as text: a sentence and a table in a notebook, numbers, nouns, sizes."""

from __future__ import annotations

import dataclasses
import html
import math
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.labels import readable

_MOST_ROWS = 12  # of a table in a notebook
_SHORT = reprlib.Repr()
_SHORT.maxtuple, _SHORT.maxother = 4, 80


class Displayed:
    """Base of results, which a notebook shows as a sentence or two and the first rows of a table: ``_shown``.

    Their ``repr`` leaves out arrays and shortens everything else.
    """

    def __init_subclass__(cls) -> None:
        if "__repr__" not in vars(cls):
            cls.__repr__ = Displayed.__repr__  # type: ignore[method-assign]  # or a dataclass would write its own

    def __repr__(self) -> str:
        fields = [one.name for one in dataclasses.fields(self) if one.repr]  # type: ignore[arg-type]
        values = {name: getattr(self, name) for name in fields}
        kept = (f"{k}={_SHORT.repr(value)}" for k, value in values.items() if not isinstance(value, np.ndarray))
        return f"{type(self).__name__}({', '.join(kept)})"

    def _shown(self) -> tuple[str, pd.DataFrame]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return as_html(*self._shown())


def as_html(caption: str, table: pd.DataFrame) -> str:
    """Write sentences and the first rows of a table as HTML, with the caption escaped."""
    rows, rest = list(table.head(_MOST_ROWS).itertuples(index=False)), len(table) - _MOST_ROWS
    heads = "".join(f"<th>{_escaped(name)}</th>" for name in table)
    lines = "".join(f"<tr>{''.join(f'<td>{_escaped(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    more = f"<p>… and {counted(rest, 'more row')}.</p>" if rest > 0 else ""
    shown = f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>" if rows else ""
    return f"<div><p>{_escaped(caption)}</p>{shown}{more}</div>"


def _escaped(text: object) -> str:
    return html.escape(readable(str(text)))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else short(value)
    return str(value)


# Numbers as text: three significant digits at most, commas for thousands, ± for standard deviations, nouns, sizes.

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(value: float, digits: int = 3) -> str:
    """Write a number for people, integer parts not rounded: 15.8, 1,234, 0.0156, 2.83 × 10⁻⁷."""
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "not a number"
    sign, size = "−" if value < 0 else "", abs(value)
    if size >= 10 ** (digits - 1):
        return f"{sign}{size:,.0f}"
    if size >= 1e-4 or not size:
        return f"{sign}{float(f'{size:.{digits}g}'):,g}"
    mantissa, exponent = f"{size:.{min(digits, 3) - 1}e}".split("e")
    return f"{sign}{float(mantissa):g} × 10{_power(int(exponent))}"


def plus_minus(mean: float, error: float, digits: int = 3) -> str:
    """Write a mean with its standard deviation or error, in the same decimals; alone if the error is NaN."""
    if math.isnan(mean):
        return ""
    if math.isnan(error):
        return short(mean, digits)
    if error == 0 and float(mean).is_integer():
        return integer(int(mean))
    decimals = max(digits - _places(mean), 1 - _places(error), 0)
    return f"{fixed(mean, decimals)} ± {fixed(error, decimals)}"


def fixed(value: float, decimals: int = 0) -> str:
    """Write a number with so many decimals; one that rounds to zero has no sign.

    >>> fixed(-1234.5, 1), fixed(-0.004, 2), fixed(-0.4)
    ('−1,234.5', '0.00', '0')
    """
    return f"{value:z,.{decimals}f}".replace("-", "−")


def counted(number: float, what: str) -> str:
    """Write a number with its noun: 1 edge, 2 edges, 0.5 edges, 2 adjacencies, 2 classes."""
    return f"{short(number)} {noun(number, what)}"


def noun(number: float, what: str) -> str:
    """Return the singular or plural of a noun, as it reads after the number: edge, edges."""
    plural = what[:-1] + "ies" if what.endswith("y") else what + ("es" if what.endswith("s") else "s")
    return what if short(number) == "1" else plural


def listed(words: Sequence[str], most: int = 4) -> str:
    """Join words by commas and an "and"; of many the first, and how many more.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    shown = [*words[:most], *([f"{len(words) - most:,} more"] if len(words) > most else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def quoted(names: Sequence[str]) -> str:
    """Return names of columns in quotes; of many the first, and how many more.

    >>> quoted(["a", "b"]), quoted([*"abcde"])
    ("'a' and 'b'", "'a', 'b', 'c' and 2 more columns")
    """
    shown = [f"'{name}'" for name in names]
    return listed(shown if len(names) <= 4 else [*shown[:3], f"{len(names) - 3:,} more columns"])


def signed(value: float) -> str:
    """Write a difference with its sign: +1.2 or −1.2."""
    return short(value) if value < 0 else f"+{short(value)}"


def percent(share: float) -> str:
    """Write a share as a percentage; one that is neither none nor all is not written as 0% or 100%.

    >>> percent(0.12), percent(0.999), percent(1.0)
    ('12%', 'more than 99%', '100%')
    """
    if not math.isfinite(share):
        return short(share)
    if 0 < share < 1 and _hundredths(share) in (0, 100):
        return "less than 1%" if share < 0.5 else "more than 99%"
    return f"{_hundredths(share)}%"


def probability(value: float, interval: Iterable[float] = ()) -> str:
    """Write a probability, and the ends of its interval where they differ in hundredths.

    >>> probability(0.874, [0.8291, 0.913]), probability(0.001, [0.0, 0.004])
    ('0.87 (0.83 to 0.91)', 'below 0.01')
    """
    of_hundred, ends = _hundredths(value), [f"{_hundredths(end) / 100:.2f}" for end in interval]
    text = "below 0.01" if of_hundred == 0 else "above 0.99" if of_hundred >= 100 else f"{of_hundred / 100:.2f}"
    return f"{text} ({' to '.join(ends)})" if len(dict.fromkeys(ends)) > 1 else text


def _hundredths(value: float) -> int:
    """Round a share to hundredths as it is written in decimals, halves up: 0.955 to 96, as a percentage and as 0.96."""
    return math.floor(round(100 * value, 9) + 0.5)


def integer(value: int) -> str:
    """Write an integer of any size: exact up to 15 digits, then as a power of ten."""
    if abs(value) < 10**15:
        return f"{value:,}".replace("-", "−")
    digits = str(value)
    return f"{digits[0]}.{digits[1:3]} × 10{_power(len(digits) - 1)}"


def _places(value: float) -> int:
    """Return the number of digits before the decimal point; 0 or less if the first digit is after it."""
    if not value or not math.isfinite(value):
        return 1
    return math.floor(math.log10(abs(value))) + 1


def _power(exponent: int) -> str:
    return str(exponent).translate(_RAISED)


def gigabytes(n_bytes: int) -> str:
    """Format a number of bytes; from 2**60 bytes on as a power of two, since floats end long before such numbers do."""
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes < 2**60 else f"2^{n_bytes.bit_length() - 31} GB"
