"""Predict: what evidence changes, how well a variable is predicted from the others, and that edge by edge."""

from pages.predict import accuracy, what_if
from pages.shared.keys import Key
from pages.shared.lessons import section_page

section_page(
    {"What if": what_if.section, "Accuracy": accuracy.accuracy_section, "Edge by edge": accuracy.edges_section},
    Key.PREDICT_SECTION,
    all_rows=("What if",),
)
