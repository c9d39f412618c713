"""The score with its settings, and the structure prior."""

import io

import streamlit as st

import bnengine as bn
from bnengine._core.settings import label_of, setting_of
from bnengine.scores.scores import SCORES, TableScore
from pages._shared import session
from pages._shared.format import escaped
from pages._shared.session import Key
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared, made

#: Group and explanation of each score, in the order of the list.
SCORE_TEXTS = {
    "bic": ("MDL", "Log-likelihood − ½ ln N a parameter; its negative in bits is the description length."),
    "fnml": (
        "MDL",
        "Charges each family the regret of its multinomials: no prior and no sample-size term to choose.",
    ),
    "qnml": ("MDL", "As fNML, but equal for Markov-equivalent graphs."),
    "aic": ("information criterion", "Log-likelihood − 1 a parameter: a mild charge, made for prediction."),
    "dic": (
        "information criterion",
        "As AIC, but the charge is twice what bootstrapping adds to the fit: nothing for empty cells.",
    ),
    "corrected": (
        "information criterion",
        "Log-likelihood − what bootstrapping adds to it, about ½ a parameter: keeps many spurious edges.",
    ),
    "loglik": ("information criterion", "Fit alone: always prefers more edges. Limit the parents."),
    "bdeu": ("Bayesian", "Posterior with imaginary rows spread evenly over all cells: the paper's posterior."),
    "bds": ("Bayesian", "As BDeu, imaginary rows only where parents' configurations were observed."),
    "k2": ("Bayesian", "Posterior with one imaginary row in each cell; an edge's direction can change it."),
    "bde": ("Bayesian", "Posterior whose imaginary rows follow a prior network over the same variables."),
}

FROM_FILE = "a file (BIF)"


def score_title(key: str) -> str:
    """A score with the group it belongs to."""
    return f"{label_of(SCORES[key])} · {SCORE_TEXTS[key][0]}"


def score_control(data: bn.Dataset | None) -> TableScore:
    """Score and its parameters."""
    about = "\n\n".join(f"**{score_title(key)}**: {SCORE_TEXTS[key][1]}" for key in SCORE_TEXTS)
    key = choice("score", {key: score_title(key) for key in SCORE_TEXTS}, Key.SCORE, help=about)
    if key != "bde":
        return made(SCORES[key])  # type: ignore[no-any-return]
    ess = declared(setting_of(bn.BDe, "ess"))
    network = prior_network_control(data)
    return bn.BDeu(ess) if network is None else bn.BDe(network, ess)


def prior_network_control(data: bn.Dataset | None) -> str | bn.BayesianNetwork | None:
    """The prior network, bundled or from a file; None, with the reason, while there is none that fits the data."""
    options = [*matching_networks(data), FROM_FILE]
    name = choice("prior network", options, Key.PRIOR_NETWORK)
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


def prior_control() -> dict[str, float | bool]:
    """The structure prior."""
    with st.expander("Structure prior", icon=":material/tune:"):
        names = ("edge_penalty", "uniform_parent_sizes")
        return {name: declared(setting_of(bn.Experiment, name)) for name in names}
