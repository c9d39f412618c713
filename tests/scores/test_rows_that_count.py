"""Rows of experiments and rows with holes: each family is counted on those that count for it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.local_score import LocalScores, refused_in_families
from bnengine.scores.scores import SCORES, LeadingCorrection
from tests.naive import all_dags, best_of, complete_family, count_multisets, rows_of
from tests.scores.test_counting import by_masks, by_rows, counted, with_masks
from tests.strategies import families, make_data, make_score, own_rows, seen_rows, with_experiments, with_holes


@st.composite
def tables(draw, kind, min_variables=2):
    arities = draw(st.lists(st.integers(2, 4), min_size=min_variables, max_size=5))
    data = make_data(arities, draw(st.integers(3, 200)), draw(st.integers(0, 2**32 - 1)))
    if kind == "experiments":
        return with_experiments(data, draw(st.integers(0, 2**32 - 1)))
    holed = with_holes(data, draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([0.02, 0.2, 0.6])))
    assume(holed.missing is not None)
    return holed.with_missing("complete_families")


#: By the kind of table, the rows that count for a family, as a table of their own; None if there are none.
ROWS = {
    "experiments": lambda data, child, parents: own_rows(data, child),
    "holes": lambda data, child, parents: seen_rows(data, [child, *parents]),
}


@pytest.mark.parametrize("tag", [tag for tag in SCORES if tag != "gaussian"])  # of which ``test_blocks`` has this
@settings(max_examples=25)  # of each score
@given(tables("experiments"), st.data())
def test_local_score_against_the_table_of_the_rows_that_count(tag, data, draws):
    child, parents = draws.draw(families(data))
    score = make_score(tag, data)
    assert LocalScores(data, score)(child, parents) == pytest.approx(
        LocalScores(own_rows(data, child), score)(child, parents), rel=1e-12, abs=1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROWS)
@given(st.data())
def test_both_ways_of_counting_against_the_rows_that_count(kind, draws):
    data = draws.draw(tables(kind))
    child, parents = draws.draw(families(data))
    rows = ROWS[kind](data, child, parents)
    assume(rows is not None)
    scores, expected = with_masks(data), count_multisets(rows_of(rows), child, parents)
    assert counted(by_masks, scores, child, parents) == counted(by_rows, scores, child, parents) == expected


def one_more_in_a_resample(data, score, draws):
    """Scores of a resample with the columns at other places, and of its families with one more parent of two."""
    n_distinct = data.multiplicities.size
    weights = draws.draw(st.lists(st.integers(0, 3), min_size=n_distinct, max_size=n_distinct))
    weights[0] = 1
    order = np.array(draws.draw(st.permutations(range(data.n_variables))))
    scores = with_masks(data, score)
    scores.reweigh(np.array(weights), order)
    long = data.take(np.repeat(data._distinct[0], weights))
    child, *others = draws.draw(st.permutations(range(data.n_variables)))
    parents, wanted = sorted(others[:-2]), np.zeros(data.n_variables, dtype=bool)
    wanted[others[-2:]] = True
    return scores, scores.with_one_more(child, parents, wanted), long, order, child, parents, others[-2:]


@pytest.mark.slow
@given(tables("experiments", 3), st.data())
def test_scores_with_one_more_parent_and_other_orders_of_columns(data, draws):
    """Families scored side by side, in resamples, with the columns at other places."""
    scores, found, long, order, child, parents, candidates = one_more_in_a_resample(data, bn.QNML(), draws)
    assume(any(long.names[order[child]] not in long.targets[number] for number in long.experiments.of_row))
    plain = LocalScores(own_rows(long, order[child]), bn.QNML())
    for candidate in candidates:
        expected = plain(order[child], [order[p] for p in (*parents, candidate)])
        assert found[candidate] == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert scores(child, [*parents, candidate]) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("kind", ROWS)
def test_probabilities_are_those_of_the_rows_that_count(kind):
    data = make_data([2, 3, 2, 2], 90, 4)
    data = with_experiments(data, 1) if kind == "experiments" else with_holes(data, 1)
    edges = [("v0", "v1"), ("v1", "v2"), ("v0", "v2")]
    network = bn.fit(data, edges)
    for v, parents in enumerate(network.parents):
        assert (network.tables[v] == bn.fit(ROWS[kind](data, v, parents), edges).tables[v]).all()


def test_equal_rows_of_different_experiments_are_told_apart():
    frame = pd.DataFrame({"a": ["x", "x", "x", "y"], "b": ["u", "u", "u", "v"], "set": ["", "a", "a;b", None]})
    data = bn.Dataset.from_frame(frame, interventions="set")
    assert data.names == ("a", "b")
    assert data.targets == ((), ("a",), ("a", "b"))
    assert data.multiplicities.tolist() == [1, 1, 1, 1]
    assert data.experiment_of_distinct.tolist() == [0, 1, 2, 0]
    assert data.select(["b"]).targets == ((), ("b",))
    assert data.select(["b"]).multiplicities.tolist() == [2, 1, 1]
    assert data.take([0, 3]).targets == data.targets


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["", "c"], r"'c' in row 2 is none of a, b\. An observed row has an empty cell"),
        (["a", "a;b"], "'a' was set in every row"),
        (["b", "none"], "'none' in row 2"),
    ],
)
def test_a_column_that_does_not_name_what_was_set_is_refused(cells, message):
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "set": cells})
    with pytest.raises(bn.DataError, match=message):
        bn.Dataset.from_frame(frame, interventions="set")


def test_what_takes_every_row_as_observed_refuses_experiments():
    data = with_experiments(make_data([2, 2], 30, 1), 2, n_experiments=2)
    for takes_all_alike in (bn.mdl, bn.prediction.log_probabilities):
        arguments = (data, []) if takes_all_alike is bn.mdl else (bn.fit(data, []), data)
        with pytest.raises(ValueError, match=r"takes every row as observed.*data\.observed"):
            takes_all_alike(*arguments)
    assert bn.mdl(data.observed, []).parameters == 2


#: Every score that families can be scaled by, and one of resamples.
ALLOWED = [score for tag in SCORES if refused_in_families(score := make_score(tag, make_data([2, 2], 9, 1))) is None]
ALLOWED.append(LeadingCorrection(bn.BIC(), 0.5))


@pytest.mark.parametrize("score", ALLOWED, ids=lambda score: score.name)
@settings(max_examples=25)  # of each score
@given(tables("holes"), st.data())
def test_local_score_against_the_definition(score, data, draws):
    child, parents = draws.draw(families(data))
    expected = pytest.approx(complete_family(score, data, child, parents), rel=1e-9, abs=1e-9)
    assert LocalScores(data, score)(child, parents) == expected
    assert with_masks(data, score)(child, parents) == expected


@pytest.mark.slow
@given(tables("holes", 3), st.data())
def test_scores_with_one_more_parent_in_resamples_with_columns_at_other_places(data, draws):
    _, found, long, order, child, parents, candidates = one_more_in_a_resample(data, bn.BIC(), draws)
    for candidate in candidates:
        expected = complete_family(bn.BIC(), long, order[child], [order[p] for p in (*parents, candidate)])
        assert found[candidate] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_best_graph_is_the_best_of_all(share):
    """No bound of the search leaves out a family that the missing cells make better."""
    for seed in range(8):
        data = with_holes(make_data([2, 3, 2, 2], 60, seed), seed, share, "complete_families")
        best = best_of(bn.BIC(), data, all_dags(4), complete_family)
        for search in (bn.Exact(), bn.IteratedLocalSearch()):
            found = bn.learn(data, bn.BIC(), search)
            assert found.score == pytest.approx(best, rel=1e-9)
        assert bn.answers.certify(data, bn.BIC(), found, max_parents=3).bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("tag", SCORES)
def test_every_score_can_be_computed_or_says_why_not(tag):
    data = with_holes(make_data([2, 3, 2], 80, 1), 1, way="complete_families")
    score = make_score(tag, data)
    if refused_in_families(score) is None:
        assert bn.score(data, [("v0", "v1")], score) < 0
    else:
        with pytest.raises(
            bn.DataError, match=r"does not exist where families are counted on different rows, since .*'drawn'"
        ):
            bn.score(data, [("v0", "v1")], score)
