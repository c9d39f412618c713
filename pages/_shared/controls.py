"""Widgets that return engine settings, and the card in the sidebar that holds them."""

import re

import streamlit as st

import bnengine as bn
from bnengine.scores import TableScore
from bnengine.search import Search
from pages._shared import state

SCORE_TITLES = {
    "bic": "BIC (MDL)",
    "aic": "AIC",
    "bdeu": "Bayesian, BDeu",
    "k2": "Bayesian, K2",
    "loglik": "log-likelihood",
}
SCORE_HELP = {
    "bic": "Log-likelihood − ½ ln N for each parameter; its negative in bits is the description length (MDL).",
    "aic": "Log-likelihood − 1 for each parameter: a mild charge, made for prediction.",
    "bdeu": "Posterior probability with imaginary rows spread evenly: the paper's posterior.",
    "k2": "Posterior probability with one imaginary row in each cell. Direction of an edge can change this score.",
    "loglik": "Fit alone, nothing charged: always prefers more edges. Set a limit on parents.",
}
SEARCH_TITLES = {"hill_climbing": "hill climbing", "k2": "K2, given an ordering", "chow_liu": "Chow–Liu tree"}
SEARCH_HELP = {
    "hill_climbing": "From no edges, makes the one change (add, delete, reverse) that gains most until none gains. "
    "It may stop at a local optimum; restarts shake the best graph and climb again.",
    "k2": "Goes through the variables in a given order and adds, greedily, the earlier variables that gain most. "
    "Fast and never cyclic, but only as good as the ordering.",
    "chow_liu": "Finds the best graph in which each variable has at most one parent: a tree or a forest. "
    "The optimum is exact, the restriction severe.",
}
TRUE_ORDER, COLUMN_ORDER, OWN_ORDER = "of the true network", "of the columns", "typed below"


def sidebar() -> None:
    """The experiment as a card, the same on every page; leaves the Experiment in the session."""
    state.set_defaults()
    data, _ = state.dataset()
    recipe = state.recipe()
    with st.sidebar:
        shape = f"{data.n_rows:,} rows × {data.n_variables} variables" if data else "not ready to learn from"
        st.markdown(f"**{escaped(recipe.title)}**  \n{shape}")
        score = score_control()
        search = search_control(recipe, data, st.session_state[state.SCORE])
        with st.expander("Resampling", icon=":material/repeat:"):
            n = st.slider(
                "resamples of each method",
                20,
                1000,
                step=20,
                key=state.REPLICATES,
                persist_state="session",
                help="The delete-1 jackknife has one for each row instead.",
            )
            d = st.number_input(
                "rows left out by delete-d",
                min_value=1,
                max_value=max((data.n_rows if data else 2) - 1, 1),
                value=None,
                placeholder="a tenth",
                key=state.DELETE_D,
                persist_state="session",
            )
            advice = bn.DeleteD(d).advice(data) if data else None
            if advice:
                st.caption(f":material/info: {advice}")
        seed = st.number_input(
            "seed",
            min_value=0,
            max_value=2**31 - 1,
            key=state.SEED,
            persist_state="session",
            help="The same seed gives the same resamples.",
        )
    strength = float(st.session_state[state.STRENGTH])
    state.set_experiment(
        bn.Experiment(recipe, score, search, methods=chosen_methods(), n=n, d=d, strength=strength, seed=seed)
    )


def chosen_methods() -> tuple[str, ...]:
    """The resampling methods to compare, in the table's order; both bootstraps always."""
    picked = st.session_state.get(state.METHODS)
    keys = [method.key for method in bn.methods()]
    return tuple(key for key in keys if picked is None or key in picked or key in ("boot", "boot_bc"))


def score_control() -> TableScore:
    """Score and its parameters."""
    key = st.selectbox(
        "score",
        list(SCORE_TITLES),
        format_func=SCORE_TITLES.__getitem__,
        key=state.SCORE,
        persist_state="session",
        help="\n\n".join(f"**{SCORE_TITLES[word]}**: {text}" for word, text in SCORE_HELP.items()),
    )
    if key == "bdeu":
        ess = st.number_input(
            "equivalent sample size",
            min_value=0.01,
            max_value=10_000.0,
            key=state.ESS,
            persist_state="session",
            help="Imaginary rows that the prior counts for.",
        )
        return bn.BDeu(float(ess))
    return bn.SCORES[key]()


def search_control(recipe: bn.DataRecipe, data: bn.Dataset | None, score_key: str) -> Search:
    """Search and its parameters."""
    key = st.selectbox(
        "search",
        list(SEARCH_TITLES),
        format_func=SEARCH_TITLES.__getitem__,
        key=state.SEARCH,
        persist_state="session",
        help="\n\n".join(f"**{SEARCH_TITLES[word]}**: {text}" for word, text in SEARCH_HELP.items()),
    )
    if key == "chow_liu":
        names = list(data.names) if data else []
        root = st.selectbox(
            "root", names, index=None, placeholder="the first column", key=state.ROOT, persist_state="session"
        )
        return bn.ChowLiu(root if root in names else None)
    if score_key == "loglik" and st.session_state[state.MAX_PARENTS] is None:
        st.session_state[state.MAX_PARENTS] = 3  # without a limit this score would join everything to everything
    limit = st.number_input(
        "most parents of a variable",
        min_value=1,
        max_value=50,
        value=None,
        placeholder="no limit",
        key=state.MAX_PARENTS,
        persist_state="session",
    )
    if key == "k2":
        return bn.K2(_ordering_control(recipe, data), max_parents=limit)
    restarts = st.number_input("restarts", min_value=0, max_value=1000, key=state.RESTARTS, persist_state="session")
    return bn.HillClimbing(restarts=int(restarts), max_parents=limit)


def _ordering_control(recipe: bn.DataRecipe, data: bn.Dataset | None) -> tuple[str, ...] | None:
    """The ordering K2 is given; None for the column order."""
    options = [COLUMN_ORDER, OWN_ORDER]
    if recipe.network is not None:
        options.insert(0, TRUE_ORDER)
    if st.session_state.get(state.ORDERING) not in (None, *options):
        st.session_state[state.ORDERING] = COLUMN_ORDER
    choice = st.selectbox("ordering", options, key=state.ORDERING, persist_state="session")
    if choice == TRUE_ORDER and recipe.network is not None:
        return tuple(bn.load_network(recipe.network).ordering)
    if choice == OWN_ORDER and data is not None:
        st.session_state.setdefault(state.ORDERING_TEXT, ", ".join(data.names))
        text = st.text_area(
            "variables, causes first",
            key=state.ORDERING_TEXT,
            persist_state="session",
            help="Separated by commas or lines; each variable once.",
        )
        typed = [name for name in re.split(r"\s*[,\n]\s*", text.strip()) if name]
        if sorted(typed) == sorted(data.names):
            return tuple(typed)
        missing = [name for name in data.names if name not in typed]
        unknown = [name for name in typed if name not in data.names]
        what = (
            f"lacks {', '.join(missing[:3])}"
            if missing
            else f"has {', '.join(unknown[:3])}, which is no variable"
            if unknown
            else "names a variable twice"
        )
        st.warning(f"The ordering {escaped(what)}; the column order is used.")
    return None


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", text)
