"""The score with its settings, and the structure prior."""

import streamlit as st

import bnengine as bn
from bnengine._core.settings import label_of, setting_of
from bnengine.scores.scores import SCORES, TableScore
from pages._shared.format import escaped
from pages._shared.session import Key
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared, made
from pages._shared.widgets.network_file import uploaded_network

_INFORMATION = "information criterion"
#: Group and description of each score, in the order of the list.
SCORE_TEXTS = {
    "bic": ("MDL", "Log-likelihood − ½ ln N per parameter; its negative in bits is the description length."),
    "fnml": ("MDL", "Penalizes each family by the regret of its multinomials. No prior or sample size to choose."),
    "qnml": ("MDL", "Like fNML, but equal for Markov-equivalent graphs."),
    "aic": (_INFORMATION, "Log-likelihood − 1 per parameter: a mild penalty, made for prediction."),
    "dic": (
        _INFORMATION,
        "Like AIC, but the penalty is the bootstrap's estimate of how much better a network fits its own rows than "
        "new ones. In sparse tables it keeps many spurious edges: empty cells are free.",
    ),
    "loglik": (_INFORMATION, "Fit alone: more edges are never worse. Limit the number of parents."),
    "bdeu": ("Bayesian", "Posterior with prior counts spread evenly over all cells: the paper's posterior."),
    "bds": ("Bayesian", "Like BDeu, with prior counts only for observed parent configurations."),
    "k2": ("Bayesian", "Posterior with a prior count of one per cell. Reversing an edge can change it."),
    "bde": ("Bayesian", "Posterior with prior counts from a prior network over the same variables."),
}

FROM_FILE = "From a BIF file"


def score_title(key: str) -> str:
    """A score with its group."""
    return f"{label_of(SCORES[key])} · {SCORE_TEXTS[key][0]}"


def score_of(key: str, experiment: bn.Experiment) -> TableScore:
    """A score by key, with the equivalent sample size of the experiment's score if it has one."""
    ess = getattr(experiment.score, "ess", None)
    return SCORES[key](ess=ess) if ess is not None and key in ("bdeu", "bds") else SCORES[key]()


def score_control(data: bn.Dataset | None) -> TableScore:
    """Score and its parameters."""
    about = "\n\n".join(f"**{score_title(key)}**: {SCORE_TEXTS[key][1]}" for key in SCORE_TEXTS)
    key = choice("Score", {key: score_title(key) for key in SCORE_TEXTS}, Key.SCORE, help=about)
    if key != "bde":
        return made(SCORES[key])  # type: ignore[no-any-return]
    ess = declared(setting_of(bn.BDe, "ess"))
    network = prior_network_control(data)
    return bn.BDeu(ess) if network is None else bn.BDe(network, ess)


def prior_network_control(data: bn.Dataset | None) -> str | bn.BayesianNetwork | None:
    """The prior network, bundled or from a file; None, with the reason, if none fits the data."""
    name = choice("Prior network", [*matching_networks(data), FROM_FILE], Key.PRIOR_NETWORK)
    if name != FROM_FILE:
        return str(name)
    network = uploaded_network("Network over these variables (BIF)", Key.PRIOR_FILE)
    try:
        if network is not None and data is not None:
            network.check_states(data, "prior network")
    except ValueError as error:
        st.error(f"{escaped(str(error))}.")
        network = None
    if network is None:
        st.info("Without a prior network for these data, BDeu is used: its prior network is uniform.")
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
