"""Predict: how well a variable is predicted from the others, edge by edge, and what evidence changes."""

from pages._shared.section import section_page
from pages._shared.sections.predict import accuracy, edges, what_if
from pages._shared.session import Key

section_page(
    {"Accuracy": accuracy.section, "Edge by edge": edges.section, "What if": what_if.section}, Key.PREDICT_SECTION
)
