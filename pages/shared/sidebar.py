"""The experiment's settings in the sidebar, the same on every page."""

import dataclasses
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import ALL_KEYS, CORRECTED, NAIVE, first_shown
from bnengine.experiment.experiment import FITTED
from bnengine.scores.scores import TableScore
from bnengine.settings import setting_of, settings_of
from pages.shared import compilation, in_use, settings, sharing, state
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.widgets.choice import declared
from pages.shared.widgets.constraints_control import constraints_control
from pages.shared.widgets.score_controls import prior_control, score_control, search_control

_ALWAYS = (NAIVE, CORRECTED)  # methods of every study


def draw() -> None:
    """Draw the settings and put the experiment into the session."""
    settings.set_defaults()
    data, _ = in_use.dataset()
    recipe = in_use.recipe()
    with st.sidebar:
        with st.container(key=Key.IN_USE):
            st.markdown(_in_use(data))
        score = score_control(data)
        prior = prior_control()
        search = search_control(recipe, data)
        constraints = constraints_control(data)
        resampling = resampling_control(data)
        drawn = {name: declared(setting_of(bn.Experiment, name)) for name in ("seed", "ties")}
        sidebar_settings = prior | resampling | drawn
        declared_there = page_settings(data, score)
        experiment = bn.Experiment(
            recipe, score, search, constraints, methods=chosen_methods(), **sidebar_settings, **declared_there
        )
        compilation.announce(experiment.score, search)
        settings.set_experiment(experiment)
        sharing.share_control(experiment)


def _in_use(data: bn.Dataset | None) -> str:
    """Return the data's name and size, or the file that opened settings wait for."""
    wanted = in_use.awaited()
    if wanted is not None:
        return f"**{escaped(wanted.name)}**  \nis not here yet"
    shape = "cannot be learned from yet"
    if data:
        shape = f"{counted(data.n_rows, 'row')} × {counted(data.n_variables, 'variable')}"
    return f"**{in_use.title()}**  \n{shape}"


def page_settings(data: bn.Dataset | None, score: TableScore) -> dict[str, Any]:
    """Draw the experiment's settings that have widgets on Confidence, Calibrate and Predict."""
    names = ("strength", "kind", "rule", "max_false")
    found = {name: state.get(Key.setting(name)) for name in names}
    averaged, run = state.get(Key.AVERAGED), chosen_methods()
    found["averaged"] = averaged if averaged in run and averaged != first_shown(run) else None
    for part in Key.PARTS:
        kind: Any = setting_of(bn.Experiment, part).part
        found[part] = kind(**{one.name: state.get(Key.setting(one.name, part)) for one in settings_of(kind)})
    target = found["prediction"].target
    if data is None or target not in data.names or target == data.names[-1]:
        found["prediction"] = dataclasses.replace(found["prediction"], target=None)
    if found["calibration"].truth == (in_use.recipe().network or FITTED):
        found["calibration"] = dataclasses.replace(found["calibration"], truth=None)
    return found


def resampling_control(data: bn.Dataset | None) -> dict[str, int | None]:
    """Draw the numbers of replicates and of rows that delete-d leaves out."""
    with st.expander("Resampling", icon=":material/repeat:"):
        n = declared(setting_of(bn.Experiment, "n"), step=20)
        most = max((data.n_rows if data else 2) - 1, 1)
        if (state.get(Key.DELETE_D) or 0) > most:
            state.put(Key.DELETE_D, None)
        d = declared(setting_of(bn.Experiment, "d"), max_value=most)
        advice = bn.DeleteD(d).advice(data) if data else None
        if advice:
            st.caption(f":material/info: {advice}")
    return {"n": n, "d": d}


def chosen_methods() -> tuple[str, ...]:
    """Return the resampling methods to compare: both bootstraps, and those chosen."""
    keys = {*_ALWAYS, *state.get(Key.METHODS)}
    return tuple(key for key in ALL_KEYS if key in keys)
