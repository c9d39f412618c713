"""What an edge is worth, which arrows are compelled, pairs without an edge, and a hidden cause, by slow definitions."""

import math

import numpy as np
import pytest

import bnengine as bn


@pytest.fixture(scope="module")
def asia():
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    return data, bn.learn(data, bn.BIC(), bn.Exact()).edges


def test_an_edge_costs_what_the_description_without_it_is_longer(asia):
    data, edges = asia
    costs = bn.teaching.edge_costs(data, edges)
    own = bn.mdl(data, edges).mdl
    expected = {f"{i} → {j}": bn.mdl(data, [edge for edge in edges if edge != (i, j)]).mdl - own for i, j in edges}
    assert dict(zip(costs["edge"], costs["bits"], strict=True)) == pytest.approx(expected)
    assert costs["bits"].is_monotonic_decreasing
    assert costs["odds"].tolist() == pytest.approx([2.0**bits for bits in costs["bits"]])
    many = bn.teaching.replicate_rows(data, 5)
    assert bn.teaching.edge_costs(many, edges)["odds"][0] == math.inf  # beyond what a float holds
    assert bn.teaching.edge_costs(data, []).empty


def test_an_arrow_is_compelled_if_no_equivalent_graph_has_it_the_other_way_round(asia):
    data, edges = asia
    arrows = bn.teaching.reversals(data, edges).set_index("edge")
    for (i, j), compelled in zip(edges, arrows["compelled"].reindex([f"{i} → {j}" for i, j in edges]), strict=True):
        turned = bn.learn(data, bn.BIC(), bn.Exact(), constraints=bn.Constraints(required=[(j, i)]))
        assert (bn.score(data, turned.edges, bn.BIC()) < bn.score(data, edges, bn.BIC()) - 1e-6) == compelled
    best = bn.mdl(data, edges).mdl
    for edge, bits in arrows["bits"].dropna().items():
        i, j = edge.split(" → ")
        other = [(j, i) if pair == (i, j) else pair for pair in edges]
        assert bits == pytest.approx(bn.mdl(data, other).mdl - best)


def test_pairs_are_dependent_by_a_chi_square_test(asia):
    from scipy.stats import chi2_contingency

    data, edges = asia
    table = bn.teaching.pair_dependence(data, edges).set_index("pair")
    assert len(table) == 28
    assert table["edge"].sum() == len(edges)
    for pair, line in table.iterrows():
        counts = bn.teaching.contingency_table(data, *pair.split(" – "))
        tested = chi2_contingency(counts, correction=False, lambda_="log-likelihood")
        assert line["information"] == pytest.approx(tested.statistic / (2 * data.n_rows), abs=1e-12)
        assert line["dependent"] == (tested.pvalue < 0.05)


def test_a_hidden_cause_makes_its_effects_dependent_and_nothing_else():
    rows = bn.teaching.hidden_cause().sample(20_000, 1)
    table = bn.teaching.pair_dependence(rows, []).set_index("pair")["information"]
    assert table["X – Y"] > 0.005
    for pair in ("A – H", "A – Y", "X – B", "A – B", "H – B"):
        assert table[pair] < 0.0006  # chi-square of 24 on one degree of freedom: false alarm 1e-6


def test_new_samples_underestimate_a_variance_and_their_correction_less_so():
    drawn = bn.teaching.repeated_variance(5, 20_000, rng=1)
    error = drawn.std() / math.sqrt(20_000)
    for column, expected in (("plugin", 0.8), ("corrected", 0.96)):  # (1 - 1/N) and (1 - 1/N²): five standard errors
        assert abs(drawn[column].mean() - expected) < 5 * error[column]


def test_where_dependence_was_found_by_chance_it_is_mostly_found_again():
    made = bn.teaching.spurious_dependence((3, 3), 200, rng=1)
    found = made.where_found()
    assert (found.in_data > made.critical_value).all()
    both = [(d, r) for d, r in zip(made.in_data, made.in_resamples, strict=True) if d > made.critical_value]
    np.testing.assert_array_equal(found.in_resamples, [r for _, r in both])
    assert found.found_dependent()[1] > 0.7  # 0.85 ± 0.03 in a hundred data sets
