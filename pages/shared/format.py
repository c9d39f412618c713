"""Numbers, units and names as text, for all pages."""

import math
import re
from collections.abc import Sequence

from bnengine.report.report_sentences import at_most
from bnengine.text import counted, fixed, integer, listed, noun, percent, plus_minus, probability, short

# Numbers and names in formulas.

_ROUNDING = 1e-12
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def tex(value: float, digits: int = 3) -> str:
    """Write a number in TeX, with the digits of ``short``."""
    text = short(value, digits).replace(",", "{,}").replace("−∞", r"-\infty").replace("∞", r"\infty")
    mantissa, times, power = text.partition(" × 10")
    if times:
        text = rf"{mantissa}\cdot 10^{{{power.translate(_LOWERED)}}}"
    return text.replace("−", "-")


def expected_count(number: float, error: float = 0.0) -> str:
    """Write how many are expected, with the Monte Carlo standard error; where that is larger, only what they are below.

    Next to none is not written as none.
    """
    below = max(number + 2 * error, 0.01)
    if number < error or number < 0.01:
        return f"fewer than {short(below, 1)}"
    return plus_minus(number, error, 2) if error else short(number, 2)


def difference_in_tex(value: float, added: float) -> str:
    """Write in TeX by how much a value has grown; all three numbers have the decimals of the difference."""
    places = max(2 - math.floor(math.log10(abs(added))), 0) if abs(added) > _ROUNDING else 3
    before, by = round(value, places), round(added, places) + 0.0  # not -0
    return f"{before + by:.{places}f} - {before:.{places}f} = {by:.{places}f}"


# Names, lists and durations in running text, safe for Markdown.

#: Has no width and prevents a line break.
_JOINER = "\N{WORD JOINER}"
_PLAIN_WORD = re.compile(r"\A[a-z]+[ ,]")
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?i:(?<=www))(?=\.)|(?=@)|(?i:(?<=mailto)|(?<=xmpp))(?=:)")


def listed_apart(items: Sequence[str], most: int, mark: str = ";") -> str:
    """Return the first few items, which may contain commas, and the number of the others."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return f"{mark} ".join(items[:most]) + more


def escaped(text: str) -> str:
    """Escape text so that Markdown shows it literally.

    Markdown makes addresses into links despite backslashes, so they are split by a character without width.
    """
    parted = _ADDRESS.sub(_JOINER, text)
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", parted)


def sentence(text: object, as_is: bool = False) -> str:
    """Write a message as a sentence, escaped for Markdown; it begins with a capital letter.

    After a colon, or where it may begin with a name, such as a file's, it stays ``as_is``.
    """
    written = str(text)
    if not as_is and _PLAIN_WORD.match(written):
        written = written[0].upper() + written[1:]
    return escaped(written) + ("" if written.endswith((".", "?", "!")) else ".")


def duration(seconds: float) -> str:
    """Write a duration in seconds or minutes."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


__all__ = [
    "at_most", "counted", "difference_in_tex", "duration", "escaped", "expected_count", "fixed", "integer", "listed",
    "noun", "percent", "plus_minus", "probability", "sentence", "short", "tex",
]  # fmt: skip
