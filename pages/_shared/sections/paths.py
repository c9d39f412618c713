"""Two guided paths through the pages: their lists on Home, and on each page of a path its step and the next one."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages._shared import session, show
from pages._shared.figures.edge_counts import home_picture
from pages._shared.format import short
from pages._shared.session import Key

# The picture on Home: the paper's finding, drawn from numbers that are shipped with the pages.

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
    alt = "Naive confidence against corrected confidence of each edge on ALARM; most marks lie above the diagonal"
    st.html(home_picture(found, session.dark(), alt))
    show.note(f"{sentence(found)} One mark per edge; {found['replicates']} replicates, BDeu, K2.", "home")


@dataclass(frozen=True)
class Step:
    """A page to open, what to do there, and the section of the page that it is about: its key and title."""

    page: str
    title: str
    todo: str
    section: tuple[str, str] | None = None

    @property
    def label(self) -> str:
        """The page, with its section if it has any."""
        return f"{self.title}, {self.section[1]}" if self.section else self.title


TEACHING, OWN_DATA = "Two minutes of teaching", "Two minutes with your data"
#: The steps of each path, by its title.
PATHS: dict[str, tuple[Step, ...]] = {
    TEACHING: (
        Step("mdl", "MDL", "Why four rows need the edge, and eight rows more so.", (Key.MDL_SECTION, "Worked example")),
        Step(
            "mdl",
            "MDL",
            "Make the best change until none shortens the description.",
            (Key.MDL_SECTION, "Search by hand"),
        ),
        Step("bayesian", "Bayesian score", "Graphs that data cannot tell apart.", (Key.BAYES_SECTION, "Equivalence")),
        Step(
            "bias_lab", "Bias lab", "Replicates contain dependence that the data do not.", (Key.LAB_SECTION, "Entropy")
        ),
        Step("table1", "Table 1", "The same bias in numbers of edges, with the paper's values beside ours."),
    ),
    OWN_DATA: (
        Step("data", "Data", "Upload a table, and accept or decline the repairs that are proposed for it."),
        Step("learn", "Learn", "See the network; click an edge to require or forbid it."),
        Step("confidence", "Confidence", "Which edges would be found again, and which are real."),
        Step("calibrate", "Calibrate", "Which method to trust for which question, and how far."),
        Step("predict", "Predict", "How well a variable is predicted, and what evidence changes."),
    ),
}


def paths() -> None:
    """Draw the list of each path's steps, side by side."""
    for column, (path, steps) in zip(st.columns(len(PATHS), gap="large"), PATHS.items(), strict=True):
        column.markdown(f"### {path}")
        with column.container(gap="xxsmall", key=Key.of(Key.STEP, path)):
            for number, step in enumerate(steps):
                label = f"{number + 1}. **{step.label}.** {step.todo}"
                if st.button(label, type="tertiary", key=Key.of(Key.STEP, path, number)):
                    _open(path, number)


def follow(title: str) -> None:
    """On a page of the path that the visitor is on, draw the step, what to do in it, and the way to the next one."""
    path, number = session.values.get(Key.PATH) or ("", 0)
    steps = PATHS.get(path, ())
    here = [n for n, step in enumerate(steps) if step.title == title]
    if not here:
        return
    number = number if number in here else here[0]
    with st.container(horizontal=True, vertical_alignment="center", key=Key.PATH_STEP, gap="small"):
        st.markdown(f"Step {number + 1} of {len(steps)}. {steps[number].todo}", width="content")
        last = number + 1 == len(steps)
        label = "Back to Home" if last else f"Next: {steps[number + 1].label}"
        if st.button(label, type="tertiary", icon=":material/arrow_forward:", icon_position="right", key=Key.PATH_NEXT):
            if last:
                session.values.put(Key.PATH, None)
                session.history.open_page("pages/home.py")
            _open(path, number + 1)


def _open(path: str, number: int) -> None:
    """Open the page of a step, on its section."""
    step = PATHS[path][number]
    session.values.put(Key.PATH, (path, number))
    if step.section:
        session.values.put(*step.section)
    session.history.open_page(f"pages/{step.page}.py")
