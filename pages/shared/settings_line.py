"""The experiment's settings: one line in words on top of every page on which they act, and the drawer that it opens."""

import dataclasses
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import ALL_KEYS, CORRECTED, NAIVE, default_method
from bnengine.experiment.experiment import FITTED
from bnengine.report.report_sentences import corrected_by
from bnengine.settings import setting_of, settings_of
from pages.shared import in_use, settings, sharing, state
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.widgets.choice import declared
from pages.shared.widgets.constraints_control import constraints_control
from pages.shared.widgets.score_controls import prior_control, score_control, search_control

_ALWAYS = (NAIVE, CORRECTED)  # methods of every study


def draw(title: str, share: bool) -> None:
    """Draw the page's title with the settings beside it, and put the experiment into the session.

    Parameters
    ----------
    title : str
        The page's; empty if the page shows it itself.
    share : bool
        Whether the menu with the link and the saved session stands beside them.
    """
    settings.set_defaults()
    data, _ = in_use.dataset()
    with st.container(key=Key.HEAD, horizontal=True, vertical_alignment="center", gap="small"):
        if title:
            st.html(f'<h1 class="page">{title}</h1>', width="content")
        with st.container(key=Key.SETTINGS, horizontal=True, vertical_alignment="center", width="content"):
            words = st.empty()
            with st.popover("Change", icon=":material/tune:", type="tertiary"):
                experiment, problems = drawer(data)
            words.caption(in_words(experiment, data))
        if share:
            with st.popover("Share or save", icon=":material/share:", type="tertiary"):
                sharing.share_control(experiment)
    settings.set_experiment(experiment)
    sharing.to_address(experiment)
    if problems:
        st.error(" ".join(problems))
    if remark := settings.remark(experiment):
        st.warning(remark)


def drawer(data: bn.Dataset | None) -> tuple[bn.Experiment, list[str]]:
    """Draw the settings; return the experiment and what is wrong with its constraints."""
    recipe = in_use.recipe()
    score = score_control(data)
    search = search_control(recipe, data)
    drawn: dict[str, Any] = {"n": declared(setting_of(bn.Experiment, "n"), step=20)}
    drawn["recut"] = in_use.cut_by_method() and declared(setting_of(bn.Experiment, "recut"))
    constraints, problems = constraints_control(data)
    drawn |= prior_control()
    with st.expander("Seed, equal scores, rows left out", icon=":material/casino:"):
        drawn |= {name: declared(setting_of(bn.Experiment, name)) for name in ("seed", "ties", "size")}
        drawn["d"] = rows_left_out(data)
    given = page_settings(data) | drawn
    return bn.Experiment(recipe, score, search, constraints, methods=chosen_methods(), **given), problems


def in_words(experiment: bn.Experiment, data: bn.Dataset | None) -> str:
    """Return the data's name and size, and what is done with them, in a line."""
    wanted, parts = in_use.awaited(), []
    if wanted is not None:
        return f"**{escaped(wanted.name)}** is not here yet"
    shape = "cannot be learned from yet" if data is None else counted(data.n_rows, "row")
    parts = [f"**{in_use.title()}**, {shape}", escaped(experiment.full_score.name), escaped(experiment.search.name)]
    parts += [counted(experiment.n, "replicate"), f"seed\N{NO-BREAK SPACE}{experiment.seed}"]
    parts += [f"correction{corrected_by(experiment)}"] if corrected_by(experiment) else []
    parts += [f"samples of {counted(experiment.size, 'row')}"] if experiment.size else []
    if experiment.recut:
        parts.append("cuts learned in every replicate")
    own = experiment.constraints
    if n_own := len(own.required) + len(own.forbidden) + len(own.tiers):
        parts.append(counted(n_own, "constraint"))
    return " · ".join(parts)


def page_settings(data: bn.Dataset | None) -> dict[str, Any]:
    """Return the experiment's settings as the session holds them, also those whose widgets are on certain pages."""
    found = {one.name: state.get(Key.setting(one.name)) for one in settings.plain(bn.Experiment)}
    averaged = state.get(Key.AVERAGED)
    run = bn.Experiment(methods=chosen_methods(), recut=bool(found["recut"])).methods_run
    found["averaged"] = averaged if averaged in run and averaged != default_method(run) else None
    for part in Key.PARTS:
        kind: Any = setting_of(bn.Experiment, part).part
        found[part] = kind(**{one.name: state.get(Key.setting(one.name, part)) for one in settings_of(kind)})
    target = found["prediction"].target
    if data is None or target not in data.names or target == data.names[-1]:
        found["prediction"] = dataclasses.replace(found["prediction"], target=None)
    if found["calibration"].truth == (in_use.recipe().network or FITTED):
        found["calibration"] = dataclasses.replace(found["calibration"], truth=None)
    return found


def rows_left_out(data: bn.Dataset | None) -> int | None:
    """Draw how many rows delete-d leaves out."""
    most = max((data.n_rows if data else 2) - 1, 1)
    if (state.get(Key.DELETE_D) or 0) > most:
        state.put(Key.DELETE_D, None)
    d: int | None = declared(setting_of(bn.Experiment, "d"), max_value=most)
    if advice := bn.DeleteD(d).advice(data) if data else None:
        st.caption(f":material/info: {advice}")
    return d


def chosen_methods() -> tuple[str, ...]:
    """Return the resampling methods to compare: both bootstraps, and those chosen."""
    keys = {*_ALWAYS, *state.get(Key.METHODS)}
    return tuple(key for key in ALL_KEYS if key in keys)
