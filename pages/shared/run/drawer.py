"""A run's settings: one line in words on top of every page on which they act, and the drawer that it opens."""

from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.report.report_sentences import corrected_by
from bnengine.settings import setting_of
from pages.shared import in_use, state
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.run import link, run_state
from pages.shared.widgets.choice import declared
from pages.shared.widgets.constraints_control import constraints_control
from pages.shared.widgets.score_controls import score_control, search_control

#: Settings whose widgets stand elsewhere; whatever else an experiment has is drawn with the seed.
_ABOVE = ("n", "recut", "d")
_PRIOR = ("edge_penalty", "uniform_parent_sizes")
_ON_THE_PAGE = ("strength", "kind", "averaged", "rule", "threshold", "shuffles", "max_false")


def draw(title: str, share: bool) -> None:
    """Draw the page's title with the settings beside it, and put the experiment into the session.

    Parameters
    ----------
    title : str
        The page's; empty if the page shows it itself.
    share : bool
        Whether the menu with the link and the saved session stands beside them.
    """
    run_state.set_defaults()
    data, _ = in_use.dataset()
    with st.container(key=Key.HEAD, horizontal=True, vertical_alignment="center", gap="small"):
        if title:
            st.html(f'<h1 class="page">{title}</h1>', width="content")
        with st.container(key=Key.SETTINGS, horizontal=True, vertical_alignment="center", width="content"):
            words = st.empty()
            with st.popover("Change", icon=":material/tune:", type="tertiary"):
                problems = settings(data)
            words.caption(in_words(run_state.experiment(), data))
        if share:
            with st.popover("Share or save", icon=":material/share:", type="tertiary"):
                link.share_control()
    link.to_address()
    if problems:
        st.error(" ".join(problems))
    if remark := run_state.remark():
        st.warning(remark)


def settings(data: bn.Dataset | None) -> list[str]:
    """Draw the settings, and hold the experiment that they describe; return what is wrong with its constraints."""
    recipe = in_use.recipe()
    learning = (recipe, score_control(data), search_control(recipe, data))
    _declared("n", step=20)
    recut = in_use.cut_by_method() and _declared("recut")
    constraints, problems = constraints_control(data)
    with st.expander("Structure prior", icon=":material/tune:"):
        for name in _PRIOR:
            _declared(name)
    with st.expander("Seed, equal scores, rows left out", icon=":material/casino:"):
        for one in run_state.plain_settings():
            if one.name not in (*_ABOVE, *_PRIOR, *_ON_THE_PAGE):
                declared(one)
        rows_left_out(data)
    given = run_state.study_settings(data) | {"recut": recut}
    run_state.hold(bn.Experiment(*learning, constraints, **given))
    return problems


def _declared(name: str, **options: Any) -> Any:
    return declared(setting_of(bn.Experiment, name), **options)


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


def rows_left_out(data: bn.Dataset | None) -> None:
    """Draw how many rows delete-d leaves out."""
    most = max((data.n_rows if data else 2) - 1, 1)
    if (state.get(Key.DELETE_D) or 0) > most:
        state.put(Key.DELETE_D, None)
    d: int | None = _declared("d", max_value=most)
    if advice := bn.DeleteD(d).advice(data) if data else None:
        st.caption(f":material/info: {advice}")
