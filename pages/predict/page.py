"""Predict: what evidence changes, how well a variable is predicted from the others, and that edge by edge."""

from pages.predict import accuracy, what_if
from pages.shared import compilation
from pages.shared.keys import Key
from pages.shared.own_data import observed_data, own_data
from pages.shared.widgets.choice import tabs

SECTIONS = {"What if": what_if.section, "Accuracy": accuracy.accuracy_section, "Edge by edge": accuracy.edges_section}

chosen = str(tabs("Section", list(SECTIONS), Key.PREDICT_SECTION))
data = own_data() if chosen == "What if" else observed_data()
if data is not None:
    compilation.wait()
    SECTIONS[chosen](data)
