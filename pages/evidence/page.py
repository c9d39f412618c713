"""Evidence: which method is right, on known networks; and the experiments of the paper, repeated."""

from pages.evidence import methods, paper
from pages.shared.keys import Key
from pages.shared.widgets.choice import tabs

PARTS = {"methods": "Which method is right?", "paper": "The paper's Table 1 and Figure 1"}

{"methods": methods, "paper": paper}[tabs("Part", PARTS, Key.EVIDENCE)].draw()
