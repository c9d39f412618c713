"""Section 4 of the paper: training and test log-likelihood, and the bootstrap's view of their gap."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.likelihood import gap_figure, training_and_test_figure
from pages._shared.format import gathered, short, tex
from pages._shared.jobs import experiments, running
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_SIZES = (50, 100, 200, 500, 1000, 2000, 5000)
_NETWORKS = ("asia", "survey", "cancer", "earthquake", "sachs", "child", "alarm")
OWN = "learned from your data"


def section() -> None:
    """Training and test fit of a network to rows drawn from it."""
    top, pictures = st.container(), st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    data, _problem = session.data.dataset()
    with left:
        name = network_control(data)
    ess = middle.number_input(
        "Dirichlet prior, imaginary rows",
        0.01,
        100.0,
        **kept(Key.LAB_ESS),
        help="With pure maximum likelihood a fresh row with an unseen state would have probability 0. A few imaginary "
        "rows, spread evenly over each table, prevent that; with more rows their effect is soon gone.",
    )
    with pictures:
        truth = the_network(name, data)
        if truth is None:
            return
        gap = measured(name, truth, float(ess))
        if gap is None:
            return
        draw(gap)
    table = gap.table()
    last = table.iloc[-1]
    show.finding(
        f"Fitted to {int(last['n_rows']):,} rows of {network_title(name)} ({gap.n_parameters} parameters), a "
        f"network gains **{short(last['training'] * last['n_rows'])} nats** on these rows and loses "
        f"**{short(-last['test'] * last['n_rows'])}** on fresh ones; theory: half of {gap.n_varying} each.",
        top,
    )
    explanation()
    formulas(gap)
    take_away(("Every size", table, "training_and_test.csv"), code=code(name, float(ess), truth))


def network_control(data: bn.Dataset | None) -> str:
    """Which network rows are drawn from: a bundled one, or one learned from the session's data."""
    options = [*_NETWORKS, *([OWN] if data else [])]
    return choice("true network", options, Key.LAB_TRUTH)


def network_title(name: str) -> str:
    """How the network is called in a sentence."""
    return "a network learned from your data" if name == OWN else name.upper()


def network_key(name: str) -> str:
    """What the network is known by in keys of results."""
    return session.settings.experiment().graph_key if name == OWN else name


def network_code(name: str) -> str:
    """The lines that make the network."""
    if name == OWN:
        return session.settings.experiment().python_learn() + "truth = bn.fit(data, graph.edges, ess=1.0)\n"
    return f"import bnengine as bn\n\ntruth = bn.load_network({name!r})\n"


def code(name: str, ess: float, truth: bn.BayesianNetwork) -> str:
    """The lines that repeat the experiment."""
    repeats, resamples = effort(truth)
    return network_code(name) + (
        f"table = bn.teaching.likelihood_gap(truth, {list(_SIZES)}, {repeats}, {resamples}, ess={ess}, rng=0).table()\n"
        "print(table)\n"
    )


def effort(truth: bn.BayesianNetwork) -> tuple[int, int]:
    """Data sets of each size, and resamples of each: fewer where a network is large."""
    return (100, 10) if len(truth.names) <= 12 else (15, 10)


def the_network(name: str, data: bn.Dataset | None) -> bn.BayesianNetwork | None:
    """The network to draw rows from."""
    if name != OWN or data is None:
        return bn.load_network(name)
    graph = experiments.graph_of(session.settings.experiment(), data)
    return bn.fit(data, graph.edges, ess=1.0) if graph is not None else None


def measured(name: str, truth: bn.BayesianNetwork, ess: float) -> bn.teaching.LikelihoodGap | None:
    """The engine's answer, by a job: large networks take some seconds."""
    repeats, resamples = effort(truth)
    return running.at_once(
        "gap",
        f"{network_key(name)} {ess!r}",
        lambda tell: bn.teaching.likelihood_gap(truth, _SIZES, repeats, resamples, ess, rng=0, progress=tell),
        "data sets fitted",
    )


def draw(gap: bn.teaching.LikelihoodGap) -> None:
    """Both pictures."""
    left, right = st.columns(2, gap="medium")
    show.chart(
        training_and_test_figure(gap, session.dark()),
        "lab_training_and_test",
        "Training and test log-likelihood a row against the number of rows",
        left,
    )
    show.chart(
        gap_figure(gap, session.dark()),
        "lab_gap",
        "The gap in nats against the number of rows, and the bootstrap's estimate",
        right,
    )


def explanation() -> None:
    """What the pictures show."""
    st.caption(
        "Left: the fitted network's log-likelihood a row less the true network's, on the rows it was fitted to and on "
        "all rows that the true network can give (exactly); dashed: theory. Right: their gap times N, and what the "
        "bootstrap makes of it from one data set: the same gap between a resample and the data, and DIC's effective "
        "number of parameters with resamples in place of the posterior. All tend to the number of parameters, what AIC "
        "charges; the bootstrap's correction charges half of it."
    )


def formulas(gap: bn.teaching.LikelihoodGap) -> None:
    """The gap with this network's numbers."""
    last = gap.table().iloc[-1]
    st.latex(
        gathered(
            rf"\tfrac1N\ell_{{\text{{train}}}}-\ell_{{\text{{test}}}} = {tex(last['gap'])}\ \text{{nats a row}}",
            rf"\approx \frac{{|\theta|}}{{N}} = \frac{{{gap.n_parameters}}}{{{int(last['n_rows'])}}} "
            rf"= {tex(last['parameters_over_rows'])}",
            rf"\tfrac1N\langle\ell(D_b;\theta_b)-\ell(D;\theta_b)\rangle_b = {tex(last['bootstrap_gap'])}",
        )
    )
    varying = (
        f" Of the {gap.n_parameters} parameters {gap.n_varying} can vary; the others belong to what cannot occur."
        if gap.n_varying != gap.n_parameters
        else ""
    )
    st.caption(
        "AIC aims at fresh rows and so charges both halves of the gap, |θ|. The bootstrap's correction aims at the "
        f"given data, which lie half-way: ½|θ|.{varying} Theory is for many rows: where "
        "configurations of parents are seen once or never, the gap may lie on either side of it."
    )
