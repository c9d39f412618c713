"""The session's data set, or what is needed to have one: cut points, the file of a link, a look at the Data page."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.missing import TREATMENTS
from bnengine.experiment.intake import joinings, with_columns
from bnengine.search.many_columns import n_columns_worth, size_remark
from pages.shared import in_use, jobs, show, upload
from pages.shared.format import counted, escaped, listed, listed_apart
from pages.shared.job_queue import Progress
from pages.shared.keys import Key
from pages.shared.words import SHARED as WORDS


def own_data() -> bn.Dataset | None:
    """Return the session's data.

    None, with the reason and what to do, if they cannot be learned from or are still missing.
    """
    if waits_for_file():
        return None
    data, problem = in_use.dataset()
    if data is None:
        st.error(f"{escaped(problem)}.", icon=":material/error:")
        st.page_link("pages/data/page.py", label="Go to Data", icon=":material/table:")
    return data


def observed_data() -> bn.Dataset | None:
    """Return the session's data for what takes every cell as observed.

    Rows in which something was set, or a cell is missing, are left out.
    """
    data = own_data()
    if data is None or not (data := of_states(data)).holds:
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


def of_states(data: bn.Dataset) -> bn.Dataset:
    """Return the data for tables of probabilities, with numbers cut into states; say so where there are some."""
    if data.numbers:
        names = listed([escaped(name) for name in data.numbers], 6)
        are = "is" if len(data.numbers) == 1 else "are"
        show.note(
            f"Tables of probabilities need states: here {names} {are} cut into three of about equally many rows.", "cut"
        )
    return data.cut()


def missing_note(data: bn.Dataset) -> None:
    """Say how missing cells were dealt with in the numbers of a page; nothing where none was missing."""
    found = in_use.missingness()
    if found is None:
        return
    way, recipe = data.missing_way, in_use.recipe()
    words = TREATMENTS[way or recipe.missing].help.rstrip(".")
    words += "; some columns have a treatment of their own" if recipe.missing_in else ""
    cells = counted(int(found.missing.sum()), "missing cell")
    show.note(f"{words} ({cells} in {found.n_rows - found.n_complete:,} of {found.n_rows:,} rows).", "missing way")


def size_notes(data: bn.Dataset) -> None:
    """Where there are many states or many columns for these rows, say so, and offer to have fewer."""
    found = in_use.many_states()
    if found is not None:
        text = f":material/call_merge: {escaped(found.sentence)}"
        _offer("many states", text, "Join states", Key.JOIN_STATES, lambda: found.recipe)
    columns_note(data)


def joined_note(data: bn.Dataset) -> None:
    """Say which states were joined to which, and offer to take it back; nothing where none were."""
    now = in_use.recipe()
    if found := joinings(now, data):
        states = listed_apart([f"**{escaped(one.column)}** now has {escaped(one.after)}" for one in found], 4, ".")
        apart = tuple(step for step in now.repairs if step[0] != "joined")
        text, about = f":material/call_merge: States were joined. {states}.", "Takes all of it back."
        _offer("joined", text, "Undo", Key.SEPARATE, lambda: replace(now, repairs=apart), about)


def columns_note(data: bn.Dataset) -> None:
    """Where there are many columns for these rows, say so, and offer to keep those that vary most."""
    if remark := size_remark(data):
        n, text = n_columns_worth(data), f":material/view_column: {escaped(remark)}."
        fewer = partial(with_columns, in_use.raw(), in_use.recipe(), n)
        _offer("many columns", text, f"Keep {n:,} columns", Key.KEEP_COLUMNS, fewer)


_BACK = "The Data page says so, and takes it back."


def _offer(name: str, text: str, label: str, key: str, new: Callable[[], bn.Recipe], about: str = _BACK) -> None:
    with st.container(border=True, key=Key.note(name)):
        words, button = st.columns([6, 1], vertical_alignment="center")
        words.markdown(text)
        if button.button(label, key=key, help=about):
            in_use.set_recipe(new())
            st.rerun()


def waits_for_file() -> bool:
    """Return whether opened settings need a file that is not here, which is then asked for."""
    wanted = in_use.awaited()
    if wanted is None:
        return False
    content = in_use.uploaded_file(wanted)
    if content is None:
        _ask_for(wanted)
    elif upload.read(content, wanted) is not None:
        in_use.turn_to(wanted)
        st.rerun()
    elif not upload.goes_on():
        _ask_for(wanted)
    return True


def _ask_for(wanted: bn.Recipe) -> None:
    """Ask for the file that a link or saved settings need: they do not hold the data."""
    show.finding(f"These settings need your file {escaped(wanted.name)}.")
    st.markdown("A link holds settings, not data. Choose the file here, and everything is as it was.")
    upload.choose_file()
    here = in_use.recipe()
    if here.source == "file":
        is_same = here.fingerprint == wanted.fingerprint
        st.warning(f"{escaped(here.name)} {WORDS['read_otherwise' if is_same else 'other_file']}")
    label = f"Use {escaped(here.name)} with these settings" if here.source == "file" else "Look at a sample instead"
    st.button(label, key=Key.WITHOUT_FILE, on_click=in_use.wait_no_longer)


# What takes so long that its progress is shown: drawing many rows of a network, cut points that the score chooses.


def is_ready() -> bool:
    """Return whether the data are drawn and cut, which every page needs; while that takes long, show how far it is."""
    return _rows_drawn() and _cuts_decided()


def _rows_drawn() -> bool:
    if not in_use.to_be_drawn():
        return True
    now = in_use.recipe()
    job = jobs.start("rows", repr(now.for_table), lambda progress: bool(in_use.bundled(now)))
    what = f"Drawing {counted(now.n_rows, 'row')} from {escaped(now.name.upper())}"
    return job is not None and bool(jobs.finished("rows", job, lambda done: None, what, counted=False))


def _cuts_decided() -> bool:
    now = in_use.recipe()
    if not now.slow_cuts or in_use.cuts_final():
        return True
    frame, heading = in_use.raw(), st.empty()
    show.finding(f"Choosing the states of **{escaped(now.title)}** by the score", heading)
    decided = jobs.complete_result_of(
        "cuts", (now.for_cuts,), lambda progress: decide(now, frame, progress), "steps of the discretization"
    )
    if decided is None:
        return False
    heading.empty()
    before = in_use.decided()
    if before is not None and before.cuts != decided.cuts:  # of a choice that was stopped
        jobs.end_all()
    in_use.keep_cuts(decided)
    return True


def decide(recipe: bn.Recipe, frame: pd.DataFrame, progress: Progress) -> in_use.Decided:
    """Return the recipe's cut points; none for a table that cannot be learned from."""
    answers: list[bool | None] = []

    def recorded(done: int, total: int) -> bool | None:
        answers.append(progress(done, total))
        return answers[-1]

    try:
        cuts = recipe.cuts(frame, recorded)
    except bn.DataError as error:
        return in_use.Decided({}, "refused", str(error))
    return in_use.Decided(cuts, "stopped" if False in answers else "converged")
