"""Numbers, units and names as text, for all pages."""

from bnengine._core.number_text import both_units, percent, plus_minus, short, signed, whole
from pages._shared.format.formulas import gathered, tex, tex_name
from pages._shared.format.text import at_most, counted, duration, escaped, listed, sentence, wordy

__all__ = [
    "at_most",
    "both_units",
    "counted",
    "duration",
    "escaped",
    "gathered",
    "listed",
    "percent",
    "plus_minus",
    "sentence",
    "short",
    "signed",
    "tex",
    "tex_name",
    "whole",
    "wordy",
]
