"""Share the settings in a link or in a file."""

from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from bnengine.experiment.archives import is_session
from bnengine.experiment.experiment import from_link, replaced_in
from bnengine.settings import settings_of, tag_of
from pages.shared import downloads, frame, session
from pages.shared.downloads import json_button
from pages.shared.format import sentence
from pages.shared.session import Key
from pages.shared.widgets import constraints_control, score_controls
from pages.shared.widgets.score_controls import FROM_FILE

#: The parameter of the address that holds the settings.
PARAMETER = Key.ADDRESS
#: Where the Data page offers data, by their source.
SOURCES = {"sample": "Sample", "network": "Simulate", "file": "Upload"}
_LONGEST = 6_000  # characters that browsers and mail programs accept in a link
_PLAIN = ("int", "float", "bool", "choice")  # settings that a widget holds unchanged


def apply(experiment: bn.Experiment) -> None:
    """Put every setting into its widget; call it before the widgets are drawn, or from a callback."""
    session.settings.reset()
    for key, value in widget_values(experiment).items():
        session.values.put(key, value)
    constraints_control.put(experiment.constraints)
    session.typed.put_names(Key.ORDERING_TEXT, tuple(getattr(experiment.search, "ordering", None) or ()))
    prior = getattr(experiment.score, "prior_network", None)
    if isinstance(prior, bn.BayesianNetwork):
        session.settings.keep_network(Key.PRIOR_FILE, prior)
    session.files.turn_to(experiment.data)
    session.settings.expect(experiment)


def widget_values(experiment: bn.Experiment) -> dict[str, Any]:
    """Return the values of the widgets that describe an experiment, but for lists of edges and names."""
    score, search = experiment.score, experiment.search
    owners: list[tuple[str, Any]] = [(tag_of(owner), owner) for owner in (experiment, score, search)]
    owners += [(part, getattr(experiment, part)) for part in Key.PARTS]
    values: dict[str, Any] = {
        Key.setting(one.name, tag): getattr(owner, one.name)
        for tag, owner in owners
        for one in settings_of(owner.__class__)
        if one.kind in _PLAIN
    }
    values |= {Key.CALIBRATED: list(experiment.calibration.methods), Key.TRUTH: experiment.calibration.truth}
    values |= {Key.TARGET: experiment.prediction.target, Key.SOURCE: SOURCES[experiment.data.source]}
    values |= {Key.SCORE: tag_of(score), Key.SEARCH: tag_of(search)}
    values[Key.METHODS] = [key for key in experiment.methods if key not in ("data", NAIVE, CORRECTED)]
    if isinstance(score, bn.BDe):
        values[Key.PRIOR_NETWORK] = score.prior_network if isinstance(score.prior_network, str) else FROM_FILE
    if isinstance(search, bn.ChowLiu):
        values[Key.ROOT] = search.root
        values.pop(Key.MAX_PARENTS, None)  # a tree's single parent is no setting
    return values | _ordering_values(getattr(search, "ordering", None), experiment.data)


def _ordering_values(ordering: tuple[str, ...] | None, recipe: bn.Recipe) -> dict[str, Any]:
    if ordering is None:
        return {Key.ORDERING: score_controls.COLUMN_ORDER}
    known = bn.load_network(recipe.network).ordering if recipe.network is not None else []
    if [name for name in known if name in ordering] == list(ordering):
        return {Key.ORDERING: score_controls.TRUE_ORDER}
    return {Key.ORDERING: score_controls.OWN_ORDER}


def from_address() -> None:
    """Take the settings in the address, on the first run of a session and when the visitor went back or forward.

    The table that the app was started on comes first, since settings in the address may be for it.
    """
    _take_given()
    text = st.query_params.get(PARAMETER, "")
    if session.settings.drawn():
        changed = text != session.values.get(PARAMETER, "")
        if not (changed and session.history.went_back()) or (not text and session.settings.was_too_long()):
            return
    elif not text:
        return
    try:
        apply(bn.Experiment.from_link(text) if text else bn.Experiment())
        session.settings.set_remark(replaced_in(from_link(text)) if text else "")
    except ValueError as error:
        session.settings.set_remark(
            f"The link could not be opened: {sentence(error)} The first sample is shown instead."
        )


def _take_given() -> None:
    try:
        session.files.take_given()
    except (ValueError, OSError) as error:
        text = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
        session.settings.set_remark(f"The table could not be opened: {sentence(text)} A sample is shown instead.")


def to_address(experiment: bn.Experiment) -> None:
    """Keep the settings in the address, so that they survive loading the page again and can be gone back to.

    The first settings need no address, and those too long for a link have none. While opened settings wait for their
    file, the address still names it.
    """
    if session.files.awaited() is not None:
        hold_address()
        return
    plain = experiment == bn.Experiment()
    text = "" if plain else session.settings.link(experiment)
    if len(text) > _LONGEST or not (plain or text):
        session.settings.set_too_long()
        text = ""
    _address(text)


def hold_address() -> None:
    """Leave the address as it is."""
    _address(session.values.get(PARAMETER) or st.query_params.get(PARAMETER, ""))


def _address(text: str) -> None:
    """Bind the address to a hidden widget: Streamlit carries the parameter along to every page, in one step."""
    session.values.put(PARAMETER, text)
    with st.container(key=frame.UNSEEN):
        st.text_input("Settings in the address", key=PARAMETER, bind="query-params", label_visibility="collapsed")


def share_control(experiment: bn.Experiment) -> None:
    """Draw the last part of the sidebar: a link, a file to save, a file to open."""
    to_address(experiment)
    remark = session.settings.remark(experiment)
    if remark:
        st.warning(remark)
    with st.popover("Share or save", icon=":material/share:", width="stretch"):  # drawn once it is opened
        text = session.settings.link(experiment)
        if experiment.data.source == "file":
            st.caption("The link holds the settings, not the data. To open it, upload the same file on the Data page.")
        if 0 < len(text) <= _LONGEST:
            st.code(f"{st.context.url or ''}?{PARAMETER}={text}", language=None, wrap_lines=False)
        else:
            st.caption("These settings are too long for a link. Save them as a file.")
        downloads.save_control(experiment)
        json_button("Save the settings", experiment.to_json(), "experiment.json")
        st.file_uploader(
            "Open a session (ZIP) or settings (JSON)", type=["zip", "json"], key=Key.SAVED, on_change=_open
        )


def _open() -> None:
    upload = session.values.get(Key.SAVED)
    if upload is not None:
        downloads.open_file(upload.name, upload.getvalue(), apply)


def open_uploaded() -> None:
    """Open what was uploaded as data if it is a session; call it from the callback of that widget."""
    upload = session.values.get(Key.UPLOAD)
    if upload is not None and is_session(upload.getvalue()):
        downloads.open_file(upload.name, upload.getvalue(), apply)
