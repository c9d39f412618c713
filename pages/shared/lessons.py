"""Lessons, which show one section at a time, so that nothing is computed for the others, and what they share."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.typing import LearnedGraph
from pages.shared import compilation, frame, in_use, jobs, results, show, state
from pages.shared.format import escaped
from pages.shared.keys import Key
from pages.shared.own_data import observed_data
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets.choice import tabs

T = TypeVar("T")
P = ParamSpec("P")
Picture = tuple[str, go.Figure, str]  # heading, figure, key


def computed(work: Callable[P, T], *inputs: P.args, **named: P.kwargs) -> T:
    """Return what a function, which is quick, gives for these inputs: data, graphs, numbers; cached."""
    key = results.key_of(f"{work.__module__}.{work.__qualname__}", *inputs, named)
    result: T = _cached(key, lambda: work(*inputs, **named))
    return result


@st.cache_data(max_entries=300, max_size="256MB", show_spinner="Computing …")
def _cached(key: str, _work: Callable[[], Any]) -> Any:
    return _work()


def side_by_side(*pictures: Picture) -> None:
    """Draw pictures in equal columns below their headings; headings and axes' titles make the alternative texts."""
    pictures = tuple(one for one in pictures if state.get(Key.PICTURE) in ("", None, one[2]))
    if not pictures:
        return
    for column, (heading, figure, key) in zip(st.columns(len(pictures), gap="medium"), pictures, strict=True):
        column.markdown(f"**{heading}**")
        axes = f"{figure.layout.yaxis.title.text} against {figure.layout.xaxis.title.text}"
        show.chart(figure, key, f"{heading}: {axes}", column)


# Lessons: pages whose sections run on a table of their own, or on the visitor's where a switch is on.


@dataclass(frozen=True)
class Subject:
    """What a section is about.

    Attributes
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's.
    """

    experiment: bn.Experiment
    data: bn.Dataset

    @property
    def key(self) -> str:
        """Identifies the data, for keys of widgets that depend on them."""
        return self.data.digest

    @property
    def title(self) -> str:
        """The name of the data, safe for Markdown."""
        return escaped(self.experiment.data.title)


@st.cache_resource(max_entries=8, show_spinner=False)
def subject_of(table: str) -> Subject:
    """Return the subject of a lesson on a bundled table: the default settings."""
    experiment = bn.Experiment(bn.Recipe("sample", table))
    return Subject(experiment, experiment.load())


def learned_graph(data: bn.Dataset) -> LearnedGraph | None:
    """Return the best graph of the data under BIC; None while it is searched for."""
    found = jobs.complete_result_of(
        "graph of a lesson",
        (data,),
        lambda progress: bn.teaching.graphs_from_copies(data, (1,), progress=progress),
        "graphs learned",
    )
    return None if found is None else found.graphs.get(1)


def lesson_page(page: str, sections: Mapping[str, Callable[[Subject], None]], table: str, own: Collection[str]) -> None:
    """Show the chosen section.

    Parameters
    ----------
    page : str
        The name of its folder.
    sections : mapping
        What draws each section, by title, in the order in which they are taught.
    table : str
        The bundled table that the lesson runs on.
    own : collection of str
        The sections that can be drawn for the visitor's data.
    """
    frame.without_settings()
    with st.container(horizontal=True, vertical_alignment="center", key=Key.SECTIONS):
        chosen = str(tabs("Section", list(sections), Key.section(page)))
        on_own = chosen in own and _switch(subject_of(table))
    compilation.wait()
    if not on_own:
        sections[chosen](subject_of(table))
    elif (data := observed_data()) is not None:
        sections[chosen](Subject(run_state.experiment(), data))


def _switch(of_lesson: Subject) -> bool:
    """Draw the switch to the visitor's data."""
    about = f"Instead of {of_lesson.title}, on which this lesson runs."
    state.put(Key.USE_OWN, bool(state.get(Key.USE_OWN)))  # as on the page of another lesson
    return bool(st.toggle(f"Use my data: {in_use.title()}", **persistent(Key.USE_OWN), help=about))
