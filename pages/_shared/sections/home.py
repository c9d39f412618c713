"""Parts of the Home page: the paper's finding as a picture, and two guided paths."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages._shared import session, show
from pages._shared.figures.edge_counts import home_figure
from pages._shared.format import short

# The paper's finding as a picture, drawn from numbers that are shipped with the pages.

_FILE = Path(__file__).parents[1] / "home_figure.json"


@lru_cache(maxsize=1)
def numbers() -> dict[str, Any]:
    """Return the numbers written by ``benchmarks/home_figure.py``."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def sentence(found: dict[str, Any]) -> str:
    """Say the finding: mean number of edges of the naive and corrected bootstrap beside the given data's."""
    edges = found["mean_edges"]
    return (
        f"The graph learned from {found['rows']} rows of ALARM has **{short(edges['data'])} edges**. Graphs learned "
        f"from naive bootstrap replicates have **{short(edges['bootstrap'])}** on average, corrected ones "
        f"**{short(edges['bootstrap_corrected'])}**."
    )


def picture() -> None:
    """Draw the picture with its finding below it."""
    found = numbers()
    alt = "Corrected confidence against naive confidence of each edge on ALARM; most marks lie below the diagonal"
    show.chart(home_figure(found, session.dark()), "home", alt)
    show.note(f"{sentence(found)} One mark per edge; {found['replicates']} replicates, BDeu, K2.", "home")


# Two guided paths through the pages, two minutes each.


@dataclass(frozen=True)
class Step:
    """A page to open, and what to do there."""

    page: str
    todo: str


_TITLES = {
    "data": "Data",
    "learn": "Learn",
    "confidence": "Confidence",
    "predict": "Predict",
    "table1": "Table 1",
    "calibrate": "Calibrate",
    "mdl": "MDL",
    "bayesian": "Bayesian score",
    "bias_lab": "Bias lab",
}
TEACHING = (
    Step("mdl", "Worked example: why four rows need the edge and eight rows more so."),
    Step("mdl", "Search by hand: apply the best change until none shortens the description."),
    Step("bayesian", "Equivalence: graphs that data cannot tell apart."),
    Step("bias_lab", "Entropy: replicates contain dependence that the data do not."),
    Step("table1", "The same bias in numbers of edges, with the paper's values beside ours."),
)
OWN_DATA = (
    Step("data", "Upload a table; look through its variables and how each one is treated."),
    Step("learn", "See the network; require or forbid an edge by a click on it."),
    Step("confidence", "Which edges would be found again, and which are real."),
    Step("calibrate", "The evidence: which method to trust, and how far."),
    Step("predict", "How well a variable is predicted, and what evidence changes."),
)


def paths() -> None:
    """Draw both lists side by side."""
    for column, title, steps in zip(
        st.columns(2, gap="large"),
        ("Two minutes of teaching", "Two minutes with your data"),
        (TEACHING, OWN_DATA),
        strict=True,
    ):
        column.markdown(f"### {title}")
        with column.container(gap=None):
            for number, step in enumerate(steps, 1):
                st.page_link(f"pages/{step.page}.py", label=f"{number}. **{_TITLES[step.page]}.** {step.todo}")
