"""Numbers, units and names as text, for all pages."""

from bnengine._core.number_text import both_units, counted, noun, percent, plus_minus, short, signed, whole
from bnengine.experiment.report.settings_in_words import at_most
from pages._shared.format.formulas import gathered, tex, tex_name
from pages._shared.format.text import duration, escaped, listed, sentence

__all__ = [
    "at_most",
    "both_units",
    "counted",
    "duration",
    "escaped",
    "gathered",
    "listed",
    "noun",
    "percent",
    "plus_minus",
    "sentence",
    "short",
    "signed",
    "tex",
    "tex_name",
    "whole",
]
