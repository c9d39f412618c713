"""Widgets for the score and the structure prior."""

import streamlit as st

import bnengine as bn
from bnengine.scores import TableScore
from pages._shared import state

#: Title, group and explanation of each score, in the order of the list.
SCORES = {
    "bic": ("BIC", "MDL", "Log-likelihood − ½ ln N a parameter; its negative in bits is the description length."),
    "fnml": (
        "fNML",
        "MDL",
        "Charges each family the regret of its multinomials: no prior and no sample-size term to choose.",
    ),
    "qnml": ("qNML", "MDL", "As fNML, but equal for Markov-equivalent graphs."),
    "aic": ("AIC", "information criterion", "Log-likelihood − 1 a parameter: a mild charge, made for prediction."),
    "loglik": ("log-likelihood", "information criterion", "Fit alone: always prefers more edges. Limit the parents."),
    "bdeu": ("BDeu", "Bayesian", "Posterior with imaginary rows spread evenly over all cells: the paper's posterior."),
    "bds": ("BDs", "Bayesian", "As BDeu, imaginary rows only where parents' configurations were observed."),
    "k2": ("K2", "Bayesian", "Posterior with one imaginary row in each cell; an edge's direction can change it."),
    "bde": ("BDe", "Bayesian", "Posterior whose imaginary rows follow a prior network over the same variables."),
}


def score_title(key: str) -> str:
    """A score with the group it belongs to."""
    title, group, _ = SCORES[key]
    return f"{title} · {group}"


def score_control(data: bn.Dataset | None) -> TableScore:
    """Score and its parameters."""
    networks = matching_networks(data)
    offered = [key for key in SCORES if key != "bde" or networks]
    if st.session_state[state.SCORE] not in offered:
        st.session_state[state.SCORE] = "bdeu"
    key = st.selectbox(
        "score",
        offered,
        format_func=score_title,
        key=state.SCORE,
        persist_state="session",
        help="\n\n".join(f"**{score_title(word)}**: {SCORES[word][2]}" for word in offered),
    )
    if key not in ("bdeu", "bds", "bde"):
        return bn.SCORES[key]()
    ess = st.number_input(
        "equivalent sample size",
        min_value=0.01,
        max_value=10_000.0,
        key=state.ESS,
        persist_state="session",
        help="Imaginary rows that the prior counts for.",
    )
    if key != "bde":
        return bn.BDs(float(ess)) if key == "bds" else bn.BDeu(float(ess))
    if st.session_state.get(state.PRIOR_NETWORK) not in networks:
        st.session_state[state.PRIOR_NETWORK] = networks[0]
    name = st.selectbox("prior network", networks, key=state.PRIOR_NETWORK, persist_state="session")
    return bn.BDe(name, float(ess))


@st.cache_data(max_entries=64, show_spinner=False)
def _networks_over(names: tuple[str, ...], states: tuple[frozenset[str], ...]) -> list[str]:
    found = []
    for title in bn.network_names():
        network = bn.load_network(title)
        declared = dict(zip(network.names, map(frozenset, network.states), strict=True))
        if set(names) == set(declared) and all(declared[n] == s for n, s in zip(names, states, strict=True)):
            found.append(title)
    return found


def matching_networks(data: bn.Dataset | None) -> list[str]:
    """The bundled networks over the data's variables and states."""
    return _networks_over(data.names, tuple(map(frozenset, data.states))) if data else []


def prior_control() -> tuple[float, bool]:
    """The structure prior: nats an edge, and whether sizes of parent sets are treated fairly."""
    with st.expander("Structure prior", icon=":material/tune:"):
        penalty = st.number_input(
            "nats charged for each edge",
            min_value=0.0,
            max_value=100.0,
            step=0.5,
            key=state.EDGE_PENALTY,
            persist_state="session",
            help="0: every graph is as probable as any other before the data are seen.",
        )
        fair = st.checkbox(
            "fair over sizes of parent sets",
            key=state.FAIR,
            persist_state="session",
            help="Each number of parents has the same prior mass, shared by the parent sets of that size.",
        )
    return float(penalty), bool(fair)
