"""Predict: how well a variable is predicted from the others, edge by edge, and what evidence changes."""

from pages.predict import accuracy, what_if
from pages.shared.keys import Key
from pages.shared.lessons import section_page

section_page(
    {"Accuracy": accuracy.accuracy_section, "Edge by edge": accuracy.edges_section, "What if": what_if.section},
    Key.PREDICT_SECTION,
)
