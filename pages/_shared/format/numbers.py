"""How numbers are written: four significant digits at most, thousands with commas, the same in formulas."""

import math


def short(value: float, digits: int = 4) -> str:
    """A number in words and pictures: 15.75, 1,234, 0.0156, 2.8 × 10⁻⁷."""
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "not a number"
    if abs(value) < 5e-12:
        return "0"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size >= 10 ** (digits - 1):
        return f"{sign}{size:,.0f}"
    if size >= 1e-4:
        return f"{sign}{float(f'{size:.{digits}g}'):g}"
    mantissa, exponent = f"{size:.{min(digits, 3) - 1}e}".split("e")
    return f"{sign}{mantissa} × 10{_raised(int(exponent))}"


def tex(value: float, digits: int = 4) -> str:
    """The same for a formula."""
    text = short(value, digits).replace(",", "{,}").replace("−∞", r"-\infty").replace("∞", r"\infty")
    mantissa, times, power = text.partition(" × 10")
    if times:
        text = rf"{mantissa}\cdot 10^{{{power.translate(_LOWERED)}}}"
    return text.replace("−", "-")


def whole(value: int) -> str:
    """A whole number of any size: exact with commas up to 15 digits, then as a power of ten."""
    if value < 10**15:
        return f"{value:,}"
    digits = str(value)
    return f"{digits[0]}.{digits[1:3]} × 10{_raised(len(digits) - 1)}"


def tex_name(name: str) -> str:
    """A variable's or a state's name for a formula."""
    shown = name if len(name) <= 24 else name[:23] + "…"
    return r"\text{" + "".join(_ESCAPED.get(letter, letter) for letter in shown) + "}"


def _raised(power: int) -> str:
    return str(power).replace("-", "⁻").translate(_RAISED)


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_ESCAPED = {
    **{letter: "\\" + letter for letter in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": "'",
    "\n": " ",
}
