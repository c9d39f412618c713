"""The card in the sidebar: the experiment's settings, the same on every page."""

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.study import METHOD_KEYS
from bnengine.scores.correction import correction_refused
from bnengine.scores.scores import TableScore
from pages._shared import session, sharing
from pages._shared.format import escaped
from pages._shared.session import Key, kept
from pages._shared.widgets import search_controls
from pages._shared.widgets.score_controls import prior_control, score_control


def sidebar() -> None:
    """Draw the card and leave the Experiment in the session."""
    session.settings.set_defaults()
    data, _ = session.data.dataset()
    recipe = session.data.recipe()
    with st.sidebar:
        shape = f"{data.n_rows:,} rows × {data.n_variables} variables" if data else "not ready to learn from"
        st.markdown(f"**{escaped(recipe.title)}**  \n{shape}")
        score = score_control(data)
        edge_penalty, fair = prior_control()
        search = search_controls.search_control(recipe, data)
        constraints = search_controls.constraints_control(data)
        n, d = resampling_control(data)
        seed = st.number_input(
            "seed",
            min_value=0,
            max_value=2**31 - 1,
            **kept(Key.SEED),
            help="The same seed gives the same resamples, and breaks ties in the same order.",
        )
        keep_order = st.checkbox(
            "break ties in column order",
            **kept(Key.KEEP_ORDER),
            help="Of moves that gain alike, such as the two directions of a reversible edge, a search takes the first "
            "in the order of the columns. Each learning draws an order of its own, so that the place of a column in "
            "the table does not matter. Tick this to keep the table's order, as many other programs do: every resample "
            "then settles such ties alike, and confidences change when columns are moved.",
        )
    session.settings.set_experiment(
        bn.Experiment(
            recipe,
            score,
            edge_penalty=edge_penalty,
            uniform_parent_sizes=fair,
            search=search,
            constraints=constraints,
            methods=chosen_methods(score),
            n=int(n),
            d=d,
            strength=float(session.values.get(Key.STRENGTH)),
            seed=int(seed),
            ties="columns" if keep_order else "drawn",
        )
    )
    with st.sidebar:
        sharing.share_control(session.settings.experiment())


def resampling_control(data: bn.Dataset | None) -> tuple[int, int | None]:
    """Number of resamples, and how many rows delete-d leaves out."""
    with st.expander("Resampling", icon=":material/repeat:"):
        n = st.slider(
            "resamples of each method",
            20,
            1000,
            step=20,
            **kept(Key.REPLICATES),
            help="The delete-1 jackknife has one for each row instead.",
        )
        most = max((data.n_rows if data else 2) - 1, 1)
        if (session.values.get(Key.DELETE_D) or 0) > most:
            session.values.put(Key.DELETE_D, None)
        d = st.number_input(
            "rows left out by delete-d", min_value=1, max_value=most, placeholder="a tenth", **kept(Key.DELETE_D)
        )
        advice = bn.DeleteD(d).advice(data) if data else None
        if advice:
            st.caption(f":material/info: {advice}")
    return n, d


def chosen_methods(score: TableScore) -> tuple[str, ...]:
    """The resampling methods to compare; both bootstraps always, others as far as they exist for the score."""
    picked = session.values.get(Key.METHODS)
    keys = {"boot", "boot_bc", *(("jack_1", "jack_d") if picked is None else picked)}
    if correction_refused(score, "exact") is not None:
        keys.discard("boot_exact")
    return tuple(key for key in METHOD_KEYS if key in keys)
