"""The session's data set, or what is needed to have one: the file of a link, or a look at the Data page."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.format import counted, escaped
from pages._shared.jobs import reading
from pages._shared.sections.data.source import choose_file
from pages._shared.session import Key


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
    """Return the session's data for what takes every row as observed: rows in which something was set are left out."""
    data = own_data()
    if data is None or data.experiments is None:
        return data
    try:
        observed = data.observed
    except bn.DataError as error:
        st.error(f"{escaped(str(error))}.", icon=":material/error:")
        return None
    show.note(
        f"Here only the {counted(observed.n_rows, 'row')} count in which no experiment set a variable, of "
        f"{data.n_rows:,}.",
        "observed",
    )
    return observed


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
