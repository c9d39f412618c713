"""Scores and networks against other people's programs, where they are installed."""

import itertools
import math

import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests.strategies import make_data

FAMILIES = [
    (child, list(parents))
    for child in range(4)
    for size in range(4)
    for parents in itertools.combinations([v for v in range(4) if v != child], size)
]


@pytest.fixture(scope="module")
def data():
    """Every declared configuration is seen: where some are not, the peers define marginal likelihoods differently."""
    made = make_data([2, 3, 4, 2], 1000, seed=8, dependence=0.3)
    assert made.multiplicities.size == 2 * 3 * 4 * 2
    return made


@pytest.fixture(scope="module")
def sparse():
    """Most configurations of the larger families are unseen, and so are some declared states."""
    made = make_data([2, 3, 4, 2], 12, seed=8, unseen=1.0)
    assert made.multiplicities.size <= 12
    return made


def learner_of(data):
    pyagrum = pytest.importorskip("pyagrum")
    template = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    return pyagrum.BNLearner(data.to_frame().astype(str), template)


def agrees_with_pyagrum(data, use, score, tolerance):
    """PyAgrum's scores are in bits (its AIC takes nats from bits, so it is not compared)."""
    learner = learner_of(data)
    use(learner)
    scores = LocalScores(data, score)
    for child, parents in FAMILIES:
        bits = learner.score(data.names[child], [data.names[p] for p in parents])
        assert scores(child, parents) == pytest.approx(bits * math.log(2), abs=tolerance), (child, parents)


@pytest.mark.parametrize("table", ["data", "sparse"])
@pytest.mark.parametrize(
    ("method", "score"), [("useScoreLog2Likelihood", bn.LogLikelihood()), ("useScoreBIC", bn.BIC())]
)
def test_likelihood_scores_against_pyagrum(table, method, score, request):
    def use(learner):
        getattr(learner, method)()
        learner.useNoPrior()

    agrees_with_pyagrum(request.getfixturevalue(table), use, score, 1e-8)


def test_k2_against_pyagrum(data):
    # its log-gamma function is an approximation: good to about 1e-7 here, too coarse for BDeu's fractions of a row
    agrees_with_pyagrum(data, lambda learner: learner.useScoreK2(), bn.K2Score(), 1e-5)


def peer_score(name, data, **settings):
    peer = pytest.importorskip("pgmpy.structure_score")
    states = {name: list(values) for name, values in zip(data.names, data.states, strict=True)}
    return getattr(peer, name)(data.to_frame(), state_names=states, **settings)


def agrees_with_pgmpy(data, peer, score):
    scores = LocalScores(data, score)
    for child, parents in FAMILIES:
        expected = peer.local_score(data.names[child], tuple(data.names[p] for p in parents))
        assert scores(child, parents) == pytest.approx(expected, abs=1e-8), (child, parents)


@pytest.mark.parametrize("table", ["data", "sparse"])
@pytest.mark.parametrize(
    ("name", "score"), [("LogLikelihood", bn.LogLikelihood()), ("BIC", bn.BIC()), ("AIC", bn.AIC())]
)
def test_likelihood_scores_against_pgmpy(table, name, score, request):
    made = request.getfixturevalue(table)
    agrees_with_pgmpy(made, peer_score(name, made), score)


@pytest.mark.parametrize(
    ("name", "score", "settings"),
    [
        ("K2", bn.K2Score(), {}),
        ("BDeu", bn.BDeu(10), {"equivalent_sample_size": 10}),
        ("BDs", bn.BDs(10), {"equivalent_sample_size": 10}),
    ],
)
def test_marginal_likelihoods_against_pgmpy(data, name, score, settings):
    agrees_with_pgmpy(data, peer_score(name, data, **settings), score)


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance"])
def test_reading_bif_against_pyagrum(name):
    pyagrum = pytest.importorskip("pyagrum")
    from bnengine.networks.bundled import SAMPLES

    ours, theirs = bn.load_network(name), pyagrum.loadBN(str(SAMPLES / "networks" / f"{name}.bif"))
    assert sorted(ours.names) == sorted(theirs.names())
    assert sorted(ours.edges) == sorted(
        (theirs.variable(i).name(), theirs.variable(j).name()) for i, j in theirs.arcs()
    )
    for v, child in enumerate(ours.names):
        table = theirs.cpt(child)
        assert ours.states[v] == theirs.variable(child).labels()
        for j, configuration in enumerate(itertools.product(*(ours.states[p] for p in ours.parents[v]))):
            given = {ours.names[p]: state for p, state in zip(ours.parents[v], configuration, strict=True)}
            theirs_row = [table[{**given, child: state}] for state in ours.states[v]]
            assert ours.tables[v][j] == pytest.approx(theirs_row, abs=1e-6)


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance", "hailfinder", "hepar2", "win95pts"])
def test_posteriors_against_pyagrum(name):
    """Evidence on every fifth variable, taken from a row of the network; its tables are in single precision."""
    pyagrum = pytest.importorskip("pyagrum")
    from bnengine.networks.bundled import SAMPLES

    network, theirs = bn.load_network(name), pyagrum.loadBN(str(SAMPLES / "networks" / f"{name}.bif"))
    row = network.sample(1, rng=3).codes[0]
    observed = {network.names[v]: network.states[v][row[v]] for v in range(0, len(network.names), 5)}
    for evidence in ({}, observed):
        inference = pyagrum.LazyPropagation(theirs)
        inference.setEvidence(evidence)
        inference.makeInference()
        made = bn.prediction.posteriors(network, evidence)
        assert made.evidence_probability == pytest.approx(inference.evidenceProbability(), rel=1e-4)
        for v, variable in enumerate(network.names):
            table = inference.posterior(variable)
            expected = [table[{variable: state}] for state in network.states[v]]
            assert made[variable] == pytest.approx(expected, abs=1e-6)
