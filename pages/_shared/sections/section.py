"""Pages that show one section at a time, so that nothing is computed for the others, and what the sections share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.data.rows_and_states import MISSING_WAYS
from bnengine.search import learning
from pages._shared import frame, session, show
from pages._shared.format import counted, escaped
from pages._shared.jobs import compilation, reading
from pages._shared.sections.data.source import choose_file
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import tabs

# The session's data set, or what is needed to have one: the file of a link, or a look at the Data page.


def own_data() -> bn.Dataset | None:
    """Return the session's data.

    None, with the reason and what to do, if they cannot be learned from or are still missing.
    """
    if waits_for_file():
        return None
    data, problem = session.data.dataset()
    if data is None:
        st.error(f"{escaped(problem)}.", icon=":material/error:")
        st.page_link("pages/data.py", label="Go to Data", icon=":material/table:")
    return data


def observed_data() -> bn.Dataset | None:
    """Return the session's data for what takes every cell as observed.

    Rows in which something was set, or a cell is missing, are left out.
    """
    data = own_data()
    if data is None or not data.holds:
        return data
    try:
        observed = data.observed.with_missing("listwise")
    except bn.DataError as error:
        st.error(f"{escaped(str(error))}.", icon=":material/error:")
        return None
    without = {"interventions": "no experiment set a variable", "missing": "no cell is missing"}
    show.note(
        f"Only the {observed.n_rows:,} of {counted(data.n_rows, 'row')} in which "
        f"{' and '.join(without[kind] for kind in data.holds)} count here.",
        "observed",
    )
    return observed


def drawn_once(data: bn.Dataset, seed: int) -> bn.Dataset:
    """Return the data from which one graph is learned: with missing cells drawn, where they are to be; it is said."""
    completed = learning.drawn_once(data, seed)
    if completed is not data:
        show.note(
            f"Missing cells are filled by one draw here (seed {seed}), from which this graph is learned. Confidence "
            "draws them anew in every replicate.",
            "drawn",
        )
    return completed


_TREATED = {
    "drop_rows": "Rows with a missing cell are left out",
    "own_state": "A missing cell is a further state of its variable",
    "most_common": "Missing cells are filled in with the most common state",
}


def missing_said(data: bn.Dataset) -> None:
    """Say how missing cells were dealt with in the numbers of a page; nothing where none was missing."""
    found = session.data.missingness()
    if found is None:
        return
    way, recipe = data.missing_way, session.data.recipe()
    words = _TREATED[recipe.missing] if way is None else MISSING_WAYS[way].help.rstrip(".")
    words += ", in some columns otherwise" if recipe.missing_in else ""
    cells = counted(int(found.missing.sum()), "missing cell")
    show.note(f"{words} ({cells} in {found.n_rows - found.n_complete:,} of {found.n_rows:,} rows).", "missing way")


def waits_for_file() -> bool:
    """Return whether opened settings need a file that is not here, which is then asked for."""
    wanted = session.files.awaited()
    if wanted is None:
        return False
    content = session.data.uploaded_file(wanted)
    if content is None:
        _ask_for(wanted)
    elif reading.read(content, wanted) is not None:
        session.files.turn_to(wanted)
        st.rerun()
    elif not reading.goes_on():
        _ask_for(wanted)
    return True


def _ask_for(wanted: bn.Recipe) -> None:
    """Ask for the file that a link or saved settings need: they do not hold the data."""
    show.finding(f"These settings need your file {escaped(wanted.name)}.")
    st.markdown("A link holds settings, not data. Choose the file here, and everything is as it was.")
    choose_file()
    here = session.data.recipe()
    if here.source == "file" and here.fingerprint == wanted.fingerprint:
        st.warning(
            f"{escaped(here.name)} is here, but it was read differently from what the settings say: "
            "see “How to read it”."
        )
    elif here.source == "file":
        st.warning(
            f"{escaped(here.name)} is another file, or has changed since: its contents are not those that the settings "
            "were made for."
        )
    label = f"Use {escaped(here.name)} with these settings" if here.source == "file" else "Look at a sample instead"
    st.button(label, key=Key.WITHOUT_FILE, on_click=session.files.wait_no_longer)


T = TypeVar("T")
Picture = tuple[str, go.Figure, str]  # heading, figure, key


def section_page(sections: Mapping[str, Callable[[bn.Dataset], None]], key: str) -> None:
    """Show the chosen section of the session's data.

    Parameters
    ----------
    sections : mapping
        What draws each section, by title.
    key : str
        The key of the choice.
    """
    frame.through_app()
    data = observed_data()
    if data is None:
        return
    chosen = tabs("Section", list(sections), key)
    compilation.wait()
    sections[str(chosen)](data)


def computed(name: str, work: Callable[[], T], *inputs: object) -> T:
    """Return the result of quick work, cached.

    Parameters
    ----------
    name : str
        Identifies the kind of work.
    work : callable
        Computes the result.
    *inputs
        All that the result depends on: data, graphs, numbers.
    """
    result: T = _cached(session.results.key_of(name, *inputs), work)
    return result


@st.cache_data(max_entries=300, max_size="256MB", show_spinner="Computing …")
def _cached(key: str, _work: Callable[[], Any]) -> Any:
    return _work()


def side_by_side(*pictures: Picture) -> None:
    """Draw pictures in equal columns below their headings; headings and axes' titles make the alternative texts."""
    pictures = tuple(one for one in pictures if session.values.get(Key.PICTURE) in ("", None, one[2]))
    if not pictures:
        return
    for column, (heading, figure, key) in zip(st.columns(len(pictures), gap="medium"), pictures, strict=True):
        column.markdown(f"**{heading}**")
        axes = f"{figure.layout.yaxis.title.text} against {figure.layout.xaxis.title.text}"
        show.chart(figure, key, f"{heading}: {axes}", column)


# Lessons: pages whose sections run on a table and settings of their own, or on the visitor's where a switch is on.

#: What a section uses of the visitor's, where the switch says so.
NOTHING, DATA, SETTINGS = "nothing", "data", "settings"


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


@dataclass(frozen=True)
class Section:
    """A section of a lesson.

    Attributes
    ----------
    draw : callable
    uses : {"nothing", "data", "settings"} or callable
        Whether it can be drawn for the visitor's data, and whether then the settings in the sidebar count; a callable
        where that depends on a choice in the section.
    """

    draw: Callable[[Subject], None]
    uses: str | Callable[[], str] = NOTHING


Sections = Mapping[str, Section]


def own_subject() -> Subject | None:
    """Return the visitor's experiment with its data; None, with the reason, if these are missing."""
    data = observed_data()
    return None if data is None else Subject(session.settings.experiment(), data)


@st.cache_resource(max_entries=8, show_spinner=False)
def subject_of(table: str) -> Subject:
    """Return the subject of a lesson on a bundled table: the default settings."""
    experiment = bn.Experiment(bn.Recipe("sample", table))
    return Subject(experiment, experiment.load())


def lesson_page(parts: Mapping[str, Sections], key: str, table: str) -> None:
    """Show the chosen section.

    Parameters
    ----------
    parts : mapping
        The lesson's parts in the order in which they are taught, each with its sections; a single part has no name.
    key : str
        The key of the choice of a section.
    table : str
        The bundled table that the lesson runs on.
    """
    frame.through_app()
    with st.container(horizontal=True, vertical_alignment="center", key=Key.SECTIONS):
        section = _chosen(parts, key)
        uses = section.uses if isinstance(section.uses, str) else section.uses()
        own = uses != NOTHING and _switch(subject_of(table))
    if not (own and uses == SETTINGS):
        frame.without_settings()
    compilation.wait()
    subject = own_subject() if own else subject_of(table)
    if subject is not None:
        section.draw(subject)


def _chosen(parts: Mapping[str, Sections], key: str) -> Section:
    """Draw the choice of a part and of a section in it; a section may be chosen elsewhere, too, by its key."""
    part_of = {title: part for part, sections in parts.items() for title in sections}
    now = session.values.get(key)
    part = part_of.get(str(now), next(iter(parts)))
    if len(parts) > 1:
        session.values.put(Key.of(Key.PART, key), part)
        tabs("Part", list(parts), Key.of(Key.PART, key), on_change=_open_part, args=(parts, key))
    return parts[part][str(tabs("Section", list(parts[part]), key))]


def _open_part(parts: Mapping[str, Sections], key: str) -> None:
    part = session.values.get(Key.of(Key.PART, key))
    session.values.put(key, next(iter(parts[part])))


def _switch(of_lesson: Subject) -> bool:
    """Draw the switch to the visitor's data."""
    about = f"Instead of {of_lesson.title}, on which this lesson runs."
    session.values.put(Key.USE_OWN, bool(session.values.get(Key.USE_OWN)))  # as on the page of another lesson
    return bool(st.toggle(f"Use my data: {session.data.title()}", **kept(Key.USE_OWN), help=about))
