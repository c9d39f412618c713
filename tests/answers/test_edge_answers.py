"""Two answers about each edge: what is joined, counted and expected is what the study and the posterior say."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import binomtest

import bnengine as bn
from bnengine.answers.edge_answers import RELATIONS, relation_table, two_answers
from bnengine.answers.views import NetworkView
from bnengine.experiment.learning import max_parents, python_real, real_posterior
from bnengine.typing import Study


@pytest.fixture(scope="module")
def experiment():
    return bn.Experiment(bn.Recipe("sample", "asia_1000"), n=20, methods=("bootstrap", "bootstrap_corrected"))


@pytest.fixture(scope="module")
def data(experiment):
    return experiment.load()


@pytest.fixture(scope="module")
def study(experiment, data):
    return experiment.run(data)


@pytest.fixture(scope="module")
def posterior(data):
    return bn.edge_posterior(data, n_steps=30_000)


@pytest.mark.slow
def test_both_answers_of_every_edge(study, posterior):
    answers = two_answers(study, "bootstrap_corrected", posterior)
    confidence, p = study.confidence("bootstrap_corrected", "adjacency"), posterior.probability
    table = answers.table()
    assert len(table)
    for line in table.itertuples():
        i, j = answers.names.index(line.parent), answers.names.index(line.child)
        assert line.found_again == confidence[i, j]
        assert line.real == pytest.approx(min(p[i, j] + p[j, i], 1.0))
        assert line.in_data_graph == study.presence("adjacency")[i, j]


def test_without_a_posterior_there_is_one_answer(study):
    answers = two_answers(study, "bootstrap")
    assert not answers.has_posterior
    assert "real" not in answers.table()


@pytest.mark.slow
def test_expected_false_edges_by_counting_graphs(study, posterior):
    """The sum of 1 - P is the mean number of shown edges that a drawn graph lacks, up to the error of the draws."""
    network = study.averaged("bootstrap_corrected", 0.2)
    false, error = NetworkView(None, "threshold", network.adjacency).expected_false(posterior)
    graphs = posterior.graphs()
    joined = graphs | graphs.transpose(0, 2, 1)
    counted = (network.adjacency & ~joined).sum(axis=(1, 2)).mean()
    # five standard errors of the draws, which are partly the same chains': one false alarm in millions
    assert false == pytest.approx(counted, abs=5 * error + 0.02)
    assert false == pytest.approx((1 - posterior.pair_probability[network.adjacency]).sum())


def walk(graph, start):
    """Variables that a directed path leads to, one step after the other."""
    reached, border = set(), [start]
    while border:
        new = set(np.flatnonzero(graph[border.pop()]).tolist()) - reached
        reached |= new
        border += sorted(new)
    return reached


@pytest.mark.parametrize("relation", sorted(RELATIONS))
def test_relations_against_looking_at_each_graph(posterior, relation):
    graphs = posterior.graphs()[::40]
    for variable in range(3):
        for graph in graphs:
            parents, children = set(np.flatnonzero(graph[:, variable])), set(np.flatnonzero(graph[variable]))
            expected = {
                "path": walk(graph, variable),
                "blanket": (parents | children | {p for c in children for p in np.flatnonzero(graph[:, c])})
                - {variable},
                "parent": {c for p in parents for c in np.flatnonzero(graph[p])} - {variable},
            }[relation]
            assert set(np.flatnonzero(RELATIONS[relation](graph, variable))) - {variable} == expected


def test_a_relation_s_answers_are_the_shares_of_graphs(study, posterior):
    table = relation_table(study, "bootstrap", posterior, "path", "smoke").set_index("variable")
    one = posterior.names.index("smoke")
    for other in ("lung", "xray"):
        j = posterior.names.index(other)
        estimate = posterior.feature(lambda graph, j=j: j in walk(graph, one))
        assert table.loc[other, "real"] == pytest.approx(estimate.probability)
        assert tuple(table.loc[other, ["real_low", "real_high"]]) == pytest.approx(estimate.interval)
        ensemble = study.ensembles["bootstrap"]
        shares = [j in walk(graph, one) for graph in ensemble.adjacencies]
        assert table.loc[other, "found_again"] == pytest.approx(np.average(shares, weights=ensemble.multiplicities))


@pytest.mark.slow
def test_the_constraints_of_an_experiment_bind_its_posterior(experiment, data):
    bound = bn.Constraints(forbidden=(("smoke", "lung"),), required=(("asia", "tub"),))
    restricted = real_posterior(dataclasses.replace(experiment, constraints=bound), data)
    assert restricted.probability[data.index("smoke"), data.index("lung")] == 0
    assert restricted.probability[data.index("asia"), data.index("tub")] == pytest.approx(1)


@pytest.mark.slow
def test_required_parents_raise_the_limit_and_the_code_repeats_the_posterior(experiment, data):
    many = bn.Constraints(required=tuple((name, "dysp") for name in data.names[:5] if name != "dysp"))
    assert max_parents(dataclasses.replace(experiment, constraints=many)) == len(many.required)
    names = {"bn": bn, "data": data, "print": lambda *_: None}
    exec(compile(python_real(experiment, data), "script", "exec"), names)
    assert np.array_equal(names["posterior"].probability, real_posterior(experiment, data).probability)


def test_a_constant_column_has_no_edges_but_required_ones(experiment, data):
    frame = data.to_frame().assign(land="DE")
    wider = bn.Dataset.from_frame(frame)
    real = real_posterior(experiment, wider).probability
    assert not real[-1].any()
    assert not real[:, -1].any()
    bound = dataclasses.replace(experiment, constraints=bn.Constraints(required=(("smoke", "land"),)))
    assert real_posterior(bound, wider).probability[wider.index("smoke"), -1] == pytest.approx(1)


def test_intervals_of_shares(study, posterior):
    """Those of a binomial share of the replicates; certain edges have one, too; a single graph has none."""
    n = int(study.ensembles["bootstrap"].multiplicities.sum())
    found = two_answers(study, "bootstrap", posterior)
    for i, j in zip(*np.nonzero(~np.eye(len(found.names), dtype=bool)), strict=True):
        oracle = binomtest(round(n * found.found_again[i, j]), n).proportion_ci(method="wilson")
        assert found.found_again_interval[:, i, j] == pytest.approx([oracle.low, oracle.high], abs=1e-6)
    table = found.table()
    for name in ("found_again", "real"):
        assert (table[f"{name}_low"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_high"]).all()
    assert not np.ptp(Study(study.reference, {}).interval("data", "adjacency"), axis=0).any()
