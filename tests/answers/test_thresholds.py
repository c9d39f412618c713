"""What a threshold keeps, against counting pairs and graphs one by one; the rules that suggest one."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.thresholds import CONVENTION, REAL, by_rule, kept_at, kept_sentence
from bnengine.bootstrap.ensemble import l1_threshold

KEYS = ["bootstrap", "bootstrap_corrected"]


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(300, rng=2)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(40, keys=KEYS))


@pytest.fixture(scope="module", params=["exact", "order"])
def posterior(data, request):
    return bn.edge_posterior(data, method=request.param, n_steps=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.5, CONVENTION])
def test_every_cell_is_a_count_of_pairs_and_of_graphs(study, posterior, threshold):
    table = kept_at(study, posterior, threshold)
    names, probability = posterior.names, posterior.probability
    assert sorted(table["by"]) == sorted([*KEYS, REAL])
    for line in table.itertuples():
        kept = []
        for i, j in itertools.combinations(range(len(names)), 2):
            if line.by == REAL:
                strength = min(probability[i, j] + probability[j, i], 1.0)
            else:
                graphs = study.ensembles[line.by].adjacencies
                strength = np.mean(graphs[:, i, j] | graphs[:, j, i])
            if strength >= threshold:
                kept.append((i, j))
        assert line.kept == len(kept)
        expected = sum(1 - min(probability[i, j] + probability[j, i], 1.0) for i, j in kept)
        assert line.false == pytest.approx(expected)
        lacking = [sum(not (graph[i, j] or graph[j, i]) for i, j in kept) for graph in posterior.graphs()]
        assert (line.least, line.most) == tuple(np.quantile(lacking, (0.05, 0.95)))


def test_graphs_are_not_unpacked_which_takes_too_much_memory_with_many_variables(study, posterior, monkeypatch):
    monkeypatch.setattr(type(posterior), "graphs", None)
    assert kept_at(study, posterior, 0.5)["kept"].all()


@pytest.mark.slow
def test_rules_without_further_learning(study):
    assert by_rule("convention", study, "bootstrap", "directed") == CONVENTION
    assert by_rule("l1", study, "bootstrap", "directed") == l1_threshold(study.strength("bootstrap", "directed"))
    assert by_rule("mean", study, "bootstrap", "directed") == study.strength_threshold("bootstrap", "directed")


@pytest.mark.parametrize(
    ("false", "least", "most", "said"),
    [
        (0.065, 0, 0, "none of which is expected to be false"),
        (0.99, 1, 1, "about 1 of them false."),
        (1.4, 0, 3, "about 1 of them false (0 to 3)"),
        (0.3, 0, 1, "fewer than 1 of them false (0 to 1)"),
    ],
)
def test_expected_false_edges_are_said_with_a_sensible_interval(false, least, most, said):
    line = {"by": REAL, "kept": 9, "false": false, "least": least, "most": most}
    assert said in kept_sentence(pd.DataFrame([line]), 0.5)
