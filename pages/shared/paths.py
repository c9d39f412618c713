"""Two guided paths through the pages: their lists on Home, and on each page of a path its step and the next one."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import state
from pages.shared.keys import Key


@dataclass(frozen=True)
class Stop:
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
PATHS: dict[str, tuple[Stop, ...]] = {
    TEACHING: (
        Stop("mdl", "MDL", "Why four rows need the edge, and eight rows more so.", (Key.MDL_SECTION, "Worked example")),
        Stop(
            "mdl",
            "MDL",
            "Make the best change until none shortens the description.",
            (Key.MDL_SECTION, "Search by hand"),
        ),
        Stop("bayesian", "Bayesian score", "Graphs that data cannot tell apart.", (Key.BAYES_SECTION, "Equivalence")),
        Stop(
            "bias_lab", "Bias lab", "Replicates contain dependence that the data do not.", (Key.LAB_SECTION, "Entropy")
        ),
        Stop("table1", "Table 1", "The same bias in numbers of edges, with the paper's values beside ours."),
    ),
    OWN_DATA: (
        Stop("data", "Data", "Upload a table, and accept or decline the repairs that are proposed for it."),
        Stop("network", "Network", "Which edges would be found again, and which are real; click one for all about it."),
        Stop("calibrate", "Calibrate", "Which method to trust for which question, and how far."),
        Stop("predict", "Predict", "How well a variable is predicted, and what evidence changes."),
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
    path, number = state.get(Key.PATH) or ("", 0)
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
                state.put(Key.PATH, None)
                state.open_page("home")
            _open(path, number + 1)


def _open(path: str, number: int) -> None:
    """Open the page of a step, on its section."""
    step = PATHS[path][number]
    state.put(Key.PATH, (path, number))
    if step.section:
        state.put(*step.section)
    state.open_page(step.page)
