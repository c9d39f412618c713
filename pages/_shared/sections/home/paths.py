"""Two guided paths through the pages, two minutes each."""

from dataclasses import dataclass

import streamlit as st


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
