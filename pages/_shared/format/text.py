"""Names that people gave, made safe for Markdown."""

import math
import re

import bnengine as bn


def counted(n: int, what: str) -> str:
    """A number of things: 1 edge, 2 edges, 2 adjacencies, 2 classes."""
    plural = what[:-1] + "ies" if what.endswith("y") else what + ("es" if what.endswith("s") else "s")
    return f"{n:,} {what if n == 1 else plural}"


#: Takes no room and may not be parted, so that it changes neither looks nor lines.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?i:(?<=www))(?=\.)|(?=@)|(?i:(?<=mailto)|(?<=xmpp))(?=:)")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is.

    Addresses become links whatever stands before their letters, so they are parted by a character without width.
    """
    parted = _ADDRESS.sub(_JOINER, text)
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", parted)


def at_most(experiment: bn.Experiment) -> str:
    """The limit on parents that search and constraints set together, to go on a list of settings; empty without one."""
    limits = [
        limit for limit in (experiment.search.max_parents, experiment.constraints.max_parents) if limit is not None
    ]
    return f", at most {counted(min(limits), 'parent')} a variable" if limits else ""


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def short(value: float) -> str:
    """A number with three significant digits, without an exponent where it can be read without."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.3g}"
    rounded = float(f"{value:.2e}")
    digits = max(2 - math.floor(math.log10(abs(rounded))), 0)
    if digits > 7:
        factor, power = f"{rounded:.2e}".split("e")
        return f"{factor} × 10{str(int(power)).translate(_RAISED)}".replace("-", "\N{MINUS SIGN}")
    return f"{rounded:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def in_latex(value: float) -> str:
    """The same for a formula."""
    text = short(value).replace("\N{MINUS SIGN}", "-").replace(",", "{,}")
    return re.sub(r" × 10(.*)", lambda power: rf" \times 10^{{{power[1].translate(_LOWERED)}}}", text)


def gathered(*lines: str) -> str:
    """Formulas below one another, each short enough for a narrow screen."""
    return r"\begin{gathered}" + r"\\[6pt]".join(lines) + r"\end{gathered}"
