"""Exact inference against the full joint distribution."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.networks.formats import import_pyagrum, pyagrum_network
from tests.naive import joint_of
from tests.strategies import dags


@st.composite
def networks(draw, n=5):
    """Random networks, some of whose probabilities are 0."""
    dag = draw(dags(n))
    arities = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = tuple(tuple(np.flatnonzero(dag[:, v]).tolist()) for v in range(n))
    tables = []
    for v in range(n):
        q = math.prod(arities[p] for p in parents[v])
        table = rng.dirichlet(np.ones(arities[v]), size=q)
        zero = (rng.random(table.shape) < 0.2) & (np.arange(arities[v]) != rng.integers(arities[v], size=(q, 1)))
        table[zero] = 0
        tables.append(table / table.sum(axis=1, keepdims=True))
    states = tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities)
    return bn.BayesianNetwork(tuple(f"v{v}" for v in range(n)), states, parents, tuple(tables))


@pytest.mark.slow
@settings(max_examples=150)
@given(networks(), st.data())
def test_posteriors_against_the_joint_distribution(network, data):
    observed = data.draw(st.sets(st.integers(0, 4), max_size=3))
    row = {v: data.draw(st.integers(0, len(network.states[v]) - 1)) for v in sorted(observed)}
    evidence = {network.names[v]: network.states[v][k] for v, k in row.items()}
    fitting = {full: p for full, p in joint_of(network).items() if all(full[v] == k for v, k in row.items())}
    total = math.fsum(fitting.values())
    if total == 0:
        with pytest.raises(bn.prediction.EvidenceError, match="probability 0"):
            bn.prediction.posteriors(network, evidence)
        return
    made = bn.prediction.posteriors(network, evidence)
    assert made.evidence_probability == pytest.approx(total, rel=1e-9)
    for v, name in enumerate(network.names):
        expected = [
            math.fsum(p for full, p in fitting.items() if full[v] == k) / total for k in range(len(network.states[v]))
        ]
        assert made[name] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", ["alarm", "insurance", "hepar2"])
def test_posteriors_against_pyagrum(name):
    network = bn.load_network(name)
    engine = import_pyagrum().LazyPropagation(pyagrum_network(network))
    rng, rows = np.random.default_rng(1), network.sample(5, rng=2).codes
    for row in rows:
        observed = {int(v): int(row[v]) for v in rng.choice(len(network.names), 4, replace=False)}
        engine.setEvidence(observed)
        engine.makeInference()
        made = bn.prediction.posteriors(network, {network.names[v]: network.states[v][k] for v, k in observed.items()})
        assert made.evidence_probability == pytest.approx(engine.evidenceProbability(), rel=1e-9)
        for v, table in enumerate(made.probabilities):
            assert table == pytest.approx(engine.posterior(v).toarray(), abs=1e-11)


def test_the_smallest_conflict_is_named():
    asia = bn.load_network("asia")
    with pytest.raises(bn.prediction.EvidenceError) as error:
        bn.prediction.posteriors(asia, {"smoke": "yes", "either": "no", "xray": "yes", "tub": "yes"})
    assert "either = no and tub = yes cannot occur together" in str(error.value)
    assert "smoke" not in str(error.value)
    certain = bn.BayesianNetwork(("a",), (("x", "y"),), ((),), (np.array([[1.0, 0.0]]),))
    with pytest.raises(bn.prediction.EvidenceError, match="a = y has probability 0"):
        bn.prediction.posteriors(certain, {"a": "y"})


def test_unknown_evidence_is_named():
    asia = bn.load_network("asia")
    with pytest.raises(ValueError, match=r"evidence must be one of asia.*got 'rain'"):
        bn.prediction.posteriors(asia, {"rain": "yes"})
    with pytest.raises(ValueError, match="evidence of 'smoke' must be one of yes, no; got 'maybe'"):
        bn.prediction.posteriors(asia, {"smoke": "maybe"})


def dense_network():
    """26 variables, all but one of which are joined through common children."""
    n = 26
    pairs = list(itertools.combinations(range(n - 1), 2))
    names = (*(f"v{v}" for v in range(n)), *(f"c{k}" for k in range(len(pairs))))
    parents = ((),) * n + tuple(pairs)
    tables = tuple(np.full((2 ** len(p), 2), 0.5) for p in parents)
    return bn.BayesianNetwork(names, (("x", "y"),) * len(names), parents, tables, "dense")


def test_a_network_too_dense_is_refused_before_work_starts():
    network = dense_network()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too densely connected"):
            bn.prediction.posteriors(network)
        assert tracemalloc.get_traced_memory()[1] < 50e6  # bytes; the tables allowed alone have 160 million
    finally:
        tracemalloc.stop()


def test_what_if_tells_before_and_after():
    asia = bn.load_network("asia")
    table = bn.prediction.what_if(asia, {"xray": "yes", "smoke": "no"})
    assert set(table["variable"]) == set(asia.names) - {"xray", "smoke"}
    assert (np.diff(table["shift"]) <= 1e-12).all()
    prior, after = bn.prediction.posteriors(asia), bn.prediction.posteriors(asia, {"xray": "yes", "smoke": "no"})
    for name, lines in table.groupby("variable"):
        assert lines["before"].tolist() == prior[name].tolist()
        assert lines["after"].tolist() == after[name].tolist()
        assert lines["shift"].iloc[0] == pytest.approx(np.abs(lines["after"] - lines["before"]).sum() / 2)
    everything = {name: states[0] for name, states in zip(asia.names, asia.states, strict=True)}
    everything["either"] = "yes"
    assert bn.prediction.what_if(asia, everything).empty
