"""The colours of methods in all pictures, the report's and the pages' (Okabe & Ito: safe for colour-blind readers)."""

from __future__ import annotations

NAIVE = "#D55E00"
CORRECTED = "#0072B2"
EXACT = "#56B4E9"
MATCHED = "#6A4FB3"
PARAMETRIC = "#E69F00"
PARAMETRIC_CORRECTED = "#9A7B00"
JACKKNIFE = "#009E73"
DELETE_D = "#CC79A7"
POSTERIOR = "#882E72"
PREDICTIVE = "#A05A2C"

#: The given data, text and axes; borders and what is less important.
INK, FAINT = "#1B1F24", "#C9D0D8"

#: By the method's key.
COLORS = {
    "boot": NAIVE,
    "boot_bc": CORRECTED,
    "boot_exact": EXACT,
    "boot_matched": MATCHED,
    "para": PARAMETRIC,
    "para_bc": PARAMETRIC_CORRECTED,
    "jack_1": JACKKNIFE,
    "jack_d": DELETE_D,
    "posterior": POSTERIOR,
    "predictive": PREDICTIVE,
}


def color(key: str) -> str:
    """The colour of a method; ink for the given data."""
    return COLORS.get(key, INK)
