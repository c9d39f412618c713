"""Numbers and names in formulas."""

from bnengine._core.number_text import short

_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_LONGEST = 24
_ESCAPED = {
    **{letter: "\\" + letter for letter in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": "'",
    "\n": " ",
}


def tex(value: float, digits: int = 3) -> str:
    """A number in TeX, with the digits of ``short``."""
    text = short(value, digits).replace(",", "{,}").replace("−∞", r"-\infty").replace("∞", r"\infty")
    mantissa, times, power = text.partition(" × 10")
    if times:
        text = rf"{mantissa}\cdot 10^{{{power.translate(_LOWERED)}}}"
    return text.replace("−", "-")


def tex_name(name: str) -> str:
    """A variable's or state's name in TeX."""
    shown = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return r"\text{" + "".join(_ESCAPED.get(letter, letter) for letter in shown) + "}"


def gathered(*lines: str) -> str:
    """Formulas below one another."""
    return r"\begin{gathered}" + r"\\[6pt]".join(lines) + r"\end{gathered}"
