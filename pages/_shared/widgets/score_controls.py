"""Widgets for the score and the structure prior."""

import io

import streamlit as st

import bnengine as bn
from bnengine.scores.scores import SCORES, TableScore
from pages._shared import session
from pages._shared.format import escaped
from pages._shared.session import Key, kept

#: Title, group and explanation of each score, in the order of the list.
SCORE_TEXTS = {
    "bic": ("BIC", "MDL", "Log-likelihood − ½ ln N a parameter; its negative in bits is the description length."),
    "fnml": (
        "fNML",
        "MDL",
        "Charges each family the regret of its multinomials: no prior and no sample-size term to choose.",
    ),
    "qnml": ("qNML", "MDL", "As fNML, but equal for Markov-equivalent graphs."),
    "aic": ("AIC", "information criterion", "Log-likelihood − 1 a parameter: a mild charge, made for prediction."),
    "dic": (
        "DIC",
        "information criterion",
        "As AIC, but the charge is twice what bootstrapping adds to the fit: nothing for empty cells.",
    ),
    "corrected": (
        "corrected likelihood",
        "information criterion",
        "Log-likelihood − what bootstrapping adds to it, about ½ a parameter: keeps many spurious edges.",
    ),
    "loglik": ("log-likelihood", "information criterion", "Fit alone: always prefers more edges. Limit the parents."),
    "bdeu": ("BDeu", "Bayesian", "Posterior with imaginary rows spread evenly over all cells: the paper's posterior."),
    "bds": ("BDs", "Bayesian", "As BDeu, imaginary rows only where parents' configurations were observed."),
    "k2": ("K2", "Bayesian", "Posterior with one imaginary row in each cell; an edge's direction can change it."),
    "bde": ("BDe", "Bayesian", "Posterior whose imaginary rows follow a prior network over the same variables."),
}

FROM_FILE = "a file (BIF)"


def score_title(key: str) -> str:
    """A score with the group it belongs to."""
    title, group, _ = SCORE_TEXTS[key]
    return f"{title} · {group}"


def score_control(data: bn.Dataset | None) -> TableScore:
    """Score and its parameters."""
    key = st.selectbox(
        "score",
        list(SCORE_TEXTS),
        format_func=score_title,
        **kept(Key.SCORE),
        help="\n\n".join(f"**{score_title(word)}**: {SCORE_TEXTS[word][2]}" for word in SCORE_TEXTS),
    )
    if key not in ("bdeu", "bds", "bde"):
        return SCORES[key]()
    ess = float(
        st.number_input(
            "equivalent sample size",
            min_value=0.01,
            max_value=10_000.0,
            **kept(Key.ESS),
            help="Imaginary rows that the prior counts for.",
        )
    )
    if key != "bde":
        return bn.BDs(ess) if key == "bds" else bn.BDeu(ess)
    network = prior_network_control(data)
    return bn.BDeu(ess) if network is None else bn.BDe(network, ess)


def prior_network_control(data: bn.Dataset | None) -> str | bn.BayesianNetwork | None:
    """The prior network, bundled or from a file; None, with the reason, while there is none that fits the data."""
    options = [*matching_networks(data), FROM_FILE]
    if session.values.get(Key.PRIOR_NETWORK) not in options:
        session.values.put(Key.PRIOR_NETWORK, options[0])
    name = str(st.selectbox("prior network", options, **kept(Key.PRIOR_NETWORK)))
    if name != FROM_FILE:
        return name
    upload = st.file_uploader("A network over these variables, in BIF", type=["bif", "gz"], key=Key.PRIOR_FILE)
    if upload is not None:
        title = upload.name.removesuffix(".gz").removesuffix(".bif")
        try:
            session.settings.keep_prior(bn.read_bif(io.BytesIO(upload.getvalue()), title=title))
        except ValueError as error:
            st.error(f"{escaped(str(error))}.")
    network = session.settings.prior()
    try:
        if network is not None and data is not None:
            network.check_states(data, "prior network")
    except ValueError as error:
        st.error(f"{escaped(str(error))}.")
        network = None
    if network is None:
        st.info("Until there is a prior network for these data, BDeu is used: a uniform one.")
    return network


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
            **kept(Key.EDGE_PENALTY),
            help="0: every graph is as probable as any other before the data are seen.",
        )
        fair = st.checkbox(
            "Uniform over parent-set sizes",
            **kept(Key.UNIFORM_SIZES),
            help="Each number of parents has the same prior mass, shared by the parent sets of that size.",
        )
    return float(penalty), bool(fair)
