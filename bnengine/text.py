"""Numbers, nouns and names as text, as messages, reports and pages write them."""

from bnengine._core.display import counted, fixed, integer, listed, noun, percent, plus_minus, probability, short
from bnengine._core.labels import short_label, short_labels, short_names
from bnengine._core.setting_kinds import LONGEST_NAME, bounded_name

__all__ = [
    "LONGEST_NAME",
    "bounded_name",
    "counted",
    "fixed",
    "integer",
    "listed",
    "noun",
    "percent",
    "plus_minus",
    "probability",
    "short",
    "short_label",
    "short_labels",
    "short_names",
]
