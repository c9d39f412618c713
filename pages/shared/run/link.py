"""A run in the address, in a link and in files: what a page holds is written from ``RunState`` and opened again."""

from urllib.parse import urlencode

import streamlit as st

import bnengine as bn
from bnengine.experiment.archives import is_session
from bnengine.experiment.saved import from_link, up_to_date
from pages.shared import downloads, frame, in_use, state, streamlit_inside
from pages.shared.format import sentence
from pages.shared.keys import Key
from pages.shared.run import run_state

#: The parameter of the address that holds the settings.
PARAMETER = Key.ADDRESS
_TOO_LONG = "settings_too_long"  # whether this session had settings that no address could hold


def from_address(is_network: bool) -> None:
    """Take the settings in the address, on the first run of a session and when the visitor went back or forward.

    The table that the app was started on comes first, since settings in the address may be for it. The address of the
    Network page (``is_network``) also says which view it was turned to.
    """
    _take_given()
    text = st.query_params.get(PARAMETER, "")
    is_back = streamlit_inside.went_back()
    if is_back and is_network:
        state.put(Key.VIEW, st.query_params.get(Key.VIEW, run_state.FIRST_VIEW))
    if run_state.is_drawn():
        if not is_back or text == state.get(PARAMETER, "") or (not text and state.get(_TOO_LONG)):
            return
    elif not text:
        return
    try:
        opened = bn.Experiment.from_link(text) if text else bn.Experiment()
        run_state.open_experiment(opened, up_to_date(from_link(text))[1] if text else "")
        in_use.keep_data(bool(text))
    except ValueError as error:
        run_state.set_remark(
            f"The link could not be opened: {sentence(error, as_is=True)} The first sample is shown instead."
        )


def _take_given() -> None:
    try:
        in_use.take_given_file()
    except (ValueError, OSError) as error:
        text = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
        run_state.set_remark(f"The table could not be opened: {sentence(text, as_is=True)} A sample is shown instead.")


def to_address() -> None:
    """Keep the settings in the address, so that they survive loading the page again and can be gone back to.

    The first settings need no address, and those too long for a link have none. While opened settings wait for their
    file, the address still names it.
    """
    if in_use.awaited() is not None:
        hold_address()
        return
    plain, text = run_state.experiment() == bn.Experiment(), run_state.now().link
    if not (plain or text):
        state.put(_TOO_LONG, True)
    _address("" if plain else text)


def hold_address() -> None:
    """Leave the address as it is."""
    _address(state.get(PARAMETER) or st.query_params.get(PARAMETER, ""))


def _address(text: str) -> None:
    """Bind the address to a hidden widget: Streamlit carries the parameter along to every page, in one step."""
    state.put(PARAMETER, text)
    with st.container(key=frame.UNSEEN):
        st.text_input("Settings in the address", key=PARAMETER, bind="query-params", label_visibility="collapsed")


def share_control() -> None:
    """Draw a link and files to save."""
    now = run_state.now()
    if now.experiment.data.source == "file":
        st.caption("The link holds the settings, not the data. To open it, upload the same file on the Data page.")
    if now.link:
        st.code(f"{st.context.url or ''}?{urlencode(now.parameters, safe='~')}", language=None, wrap_lines=False)
    else:
        st.caption("These settings are too long for a link. Save them as a file.")
    downloads.save_control(now.experiment)
    downloads.download_button("Save the settings (JSON)", now.experiment.to_json(), "experiment.json")
    st.caption("To open a saved session or saved settings, drop the file where data are chosen.")


def is_saved(name: str, content: bytes) -> bool:
    """Return whether a file is a saved session, or saved settings, and no table."""
    return name.lower().endswith(".json") or is_session(content)


def open_uploaded() -> None:
    """Open what was uploaded as data if it is a session or settings; call it from the callback of that widget."""
    upload = state.get(Key.UPLOAD)
    if upload is not None and is_saved(upload.name, upload.getvalue()):
        downloads.open_file(upload.name, upload.getvalue())
