"""Predict: how well a variable is predicted from the others, edge by edge, and what evidence changes."""

from pages._shared.sections.predict import accuracy, what_if
from pages._shared.sections.section import section_page
from pages._shared.session import Key

section_page(
    {"Accuracy": accuracy.accuracy_section, "Edge by edge": accuracy.edges_section, "What if": what_if.section},
    Key.PREDICT_SECTION,
)
