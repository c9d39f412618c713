"""Prediction from the Markov blanket, its measures, splits, and the procedure edge by edge."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

import bnengine as bn
from bnengine.experiment.evaluations import likely_target
from bnengine.graphs.dag import is_dag
from bnengine.prediction import detection
from bnengine.prediction.cross_validation import Predictions, errors_of
from tests import naive
from tests.strategies import dags, datasets, make_data, named


def accuracy_of(data, target, learner, splits, ess=1.0):
    """The predictions of one learner."""
    return bn.prediction.compare_predictions(data, target, {"": learner}, splits, ess).predictions[""]


@settings(max_examples=60)
@given(datasets(min_variables=4, max_variables=4, max_rows=12, max_arity=4), dags(4), st.integers(0, 3))
def test_the_blanket_against_exact_inference(data, dag, target):
    """The posterior given all other variables, by another algorithm."""
    network = bn.fit(data, named(data, dag), ess=1.0)
    made = bn.prediction.predict(network, data, data.names[target])
    for row, probabilities in zip(naive.rows_of(data), made, strict=True):
        evidence = {data.names[v]: data.states[v][k] for v, k in enumerate(row) if v != target}
        assert probabilities == pytest.approx(
            bn.prediction.posteriors(network, evidence)[data.names[target]], abs=1e-10
        )


def test_impossible_rows_and_foreign_data_are_named(asia):
    network = bn.load_network("asia")
    codes = np.zeros((2, 8), dtype=int)
    codes[:, network.names.index("either")] = 1  # lung cancer, yet neither of the two
    data = bn.Dataset(network.names, network.states, codes)
    with pytest.raises(ValueError, match="leave 'tub' no possible state in 2 rows"):
        bn.prediction.predict(network, data, "tub")
    with pytest.raises(ValueError, match="the network's variables and states"):
        bn.prediction.predict(network, asia.select(list(reversed(asia.names))), "dysp")
    with pytest.raises(ValueError, match="no variable is named 'rain'"):
        bn.prediction.predict(network, network.sample(2), "rain")


def test_measures_by_hand():
    errors = errors_of(np.array([[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]), np.array([0, 1]))
    assert errors["absolute_error"] == pytest.approx([0.3, 0.8])
    assert errors["accuracy"].tolist() == [1, 0]
    assert errors["brier"] == pytest.approx([0.3**2 + 0.2**2 + 0.1**2, 0.2**2 + 0.8**2 + 0.6**2])
    assert errors["log_loss"] == pytest.approx([-math.log(0.7), -math.log(0.2)])
    assert list(errors) == list(bn.prediction.MEASURES)


@given(st.integers(2, 60), st.integers(2, 20), st.integers(0, 1000))
def test_folds_test_each_row_once(n, k, seed):
    if k > n:
        with pytest.raises(ValueError, match="k must be from 2"):
            bn.prediction.k_folds(n, k)
        return
    splits = bn.prediction.k_folds(n, k, rng=seed)
    assert sorted(np.concatenate([test for _, test in splits]).tolist()) == list(range(n))
    for training, test in splits:
        assert sorted([*training, *test]) == list(range(n))
        assert n // k <= len(test) <= n // k + 1


@given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 1000))
def test_holdout_parts_the_rows(n, share, seed):
    ((training, test),) = bn.prediction.holdout(n, share, rng=seed)
    assert sorted([*training, *test]) == list(range(n))
    assert len(test) == min(max(round(n * share), 1), n - 1)
    assert (test == bn.prediction.holdout(n, share, rng=seed)[0][1]).all()


def test_learners_see_the_training_rows_only(asia):
    splits, seen = bn.prediction.k_folds(asia.n_rows, 4, rng=2), []

    def spy(rows):
        seen.append(rows)
        return []

    made = accuracy_of(asia, "dysp", spy, splits)
    place = asia.index("dysp")
    for number, ((training, test), rows) in enumerate(zip(splits, seen, strict=True)):
        assert (rows.codes == asia.codes[training]).all()
        shares = (np.bincount(rows.codes[:, place], minlength=2) + 0.5) / (rows.n_rows + 1)
        assert made.probabilities[made.splits == number] == pytest.approx(np.tile(shares, (len(test), 1)))
    assert (made.observed == asia.codes[made.rows, place]).all()


def test_naive_bayes_against_its_formula(mixed):
    ((training, test),) = splits = bn.prediction.holdout(mixed.n_rows, 0.2, rng=3)
    made = accuracy_of(mixed, "v1", bn.prediction.naive_bayes("v1"), splits, ess=2.0)
    rows = mixed.codes[training]
    for line, row in zip(made.probabilities, mixed.codes[test], strict=True):
        weights = []
        for k in range(3):
            own = rows[rows[:, 1] == k]
            weight = (len(own) + 2 / 3) / (len(rows) + 2)
            for v in (0, 2, 3):
                r = len(mixed.states[v])
                weight *= ((own[:, v] == row[v]).sum() + 2 / (3 * r)) / (len(own) + 2 / 3)
            weights.append(weight)
        assert line == pytest.approx(np.array(weights) / sum(weights))


def test_summary_of_one_split_and_of_folds(asia):
    one = accuracy_of(asia, "dysp", bn.prediction.base_rate, bn.prediction.holdout(asia.n_rows, 0.25, rng=1))
    gaps = one.by_row()["absolute_error"]
    line = one.summary().loc["absolute_error"]
    assert line["mean"] == pytest.approx(gaps.mean())
    assert line["standard_error"] == pytest.approx(gaps.std(ddof=1) / math.sqrt(50))
    folds = accuracy_of(asia, "dysp", bn.prediction.base_rate, bn.prediction.k_folds(asia.n_rows, 5, rng=1))
    means = [folds.by_row()["absolute_error"][folds.splits == k].mean() for k in range(5)]
    line = folds.summary().loc["absolute_error"]
    assert line["standard_error"] == pytest.approx(np.std(means, ddof=1) / math.sqrt(5))
    assert (line["lowest_fold"], line["highest_fold"]) == (min(means), max(means))
    table = folds.table()
    assert len(table) == asia.n_rows
    assert table[["P(yes)", "P(no)"]].sum(axis=1).tolist() == pytest.approx([1.0] * asia.n_rows)


def test_stopping_keeps_whole_splits(asia):
    learners = {"none": bn.prediction.base_rate, "naive": bn.prediction.naive_bayes("dysp")}
    told = []

    def tell(done, total):
        told.append((done, total))
        return done < 2

    made = bn.prediction.compare_predictions(
        asia, "dysp", learners, bn.prediction.k_folds(asia.n_rows, 5), progress=tell
    )
    assert told == [(1, 5), (2, 5)]
    assert made.status == "stopped"
    assert {len(p.rows) for p in made.predictions.values()} == {80}
    assert len(made.table()) == 2 * len(bn.prediction.MEASURES)


# edge by edge


@pytest.mark.parametrize("seed", range(4))
def test_the_tree_is_the_best_of_all_labelled_trees(seed):
    data = make_data([2, 3, 2, 4, 2], 80, seed=seed)
    information = bn.teaching.mutual_informations(data)
    plan = bn.prediction.edge_plan(data, root="v2")
    total = sum(information[data.index(a), data.index(b)] for a, b in plan.tree)
    best = max(sum(information[i, j] for i, j in tree) for tree in naive.labelled_trees(5))
    assert total == pytest.approx(best)
    assert plan.ordering[0] == "v2"
    assert {child for _, child in plan.tree} == set(data.names) - {"v2"}


@given(datasets(min_variables=2, max_variables=5, max_rows=60), st.integers(1, 4))
def test_edges_follow_the_ordering_and_the_dependence(data, max_parents):
    plan = bn.prediction.edge_plan(data, data.names[-1], max_parents)
    position = {name: k for k, name in enumerate(plan.ordering)}
    assert sorted(position) == sorted(data.names)
    assert all(position[parent] < position[child] for parent, child in [*plan.edges, *plan.tree])
    assert (np.diff(plan.information) <= 1e-9).all()
    n_parents = [sum(child == name for _, child in plan.edges) for name in data.names]
    assert max(n_parents) <= max_parents
    if max_parents == 4:
        assert len(plan.edges) == data.n_variables * (data.n_variables - 1) // 2
    place = {name: v for v, name in enumerate(data.names)}
    adjacency = np.zeros((data.n_variables, data.n_variables), dtype=bool)
    for parent, child in plan.edges:
        adjacency[place[parent], place[child]] = True
    assert is_dag(adjacency)


def halves_of_unlike_size(asia):
    """Folds of 150 and 50 rows: the mean over rows is not the mean of the folds' means."""
    rows = np.random.default_rng(1).permutation(asia.n_rows)
    large, small = np.sort(rows[:150]), np.sort(rows[150:])
    return [(small, large), (large, small)]


@pytest.mark.parametrize("splits", [lambda data: bn.prediction.k_folds(data.n_rows, 4, rng=1), halves_of_unlike_size])
def test_the_curve_against_each_number_of_edges_alone(asia, splits):
    splits = splits(asia)
    curve = bn.prediction.edge_curve(asia, "either", splits)
    for n in (0, 3, 6):
        alone = accuracy_of(
            asia, "either", lambda rows, n=n: bn.prediction.edge_plan(rows, "either").edges[:n], splits
        ).summary()
        for measure in bn.prediction.MEASURES:
            assert curve.means[measure][n] == pytest.approx(alone["mean"][measure])
            assert curve.errors[measure][n] == pytest.approx(alone["standard_error"][measure])
    table = curve.table()
    assert table["edges"].tolist() == list(range(len(curve.plan.edges) + 1))
    assert table["absolute_error"].tolist() == curve.means["absolute_error"].tolist()


def test_where_it_is_good_enough():
    plan = bn.prediction.EdgePlan(("a", "b"), [], ("a", "b"), [("a", "b")] * 4, np.zeros(4))
    means = {"absolute_error": np.array([0.5, 0.32, 0.31, 0.30, 0.35]), "accuracy": np.array([0.5, 0.6, 0.6, 0.8, 0.7])}
    errors = {"absolute_error": np.full(5, 0.01), "accuracy": np.full(5, 0.1)}
    curve = bn.prediction.EdgeCurve("a", plan, means, errors)
    assert [curve.good_enough("absolute_error", slack) for slack in (0.0, 1.0, 2.0, 100.0)] == [3, 2, 1, 0]
    assert [curve.good_enough("accuracy", slack) for slack in (0.0, 1.0, 2.0)] == [3, 3, 1]
    with pytest.raises(ValueError, match="measure must be one of"):
        curve.good_enough("luck")


# Precision, recall and AUC: against counts by hand and SciPy's rank test.


def predictions(likely, observed, splits=None):
    likely, observed = np.asarray(likely, float), np.asarray(observed)
    n = len(likely)
    splits = np.zeros(n, int) if splits is None else np.asarray(splits)
    return Predictions("t", ("no", "yes"), np.arange(n), splits, observed, np.column_stack([1 - likely, likely]))


def test_the_confusion_matrix_is_counted_by_hand():
    found = detection(predictions([0.9, 0.8, 0.3, 0.2, 0.1, 0.4], [1, 0, 1, 0, 0, 0]))
    assert found.state == "yes"
    assert found.counts.tolist() == [[3, 1], [1, 1]]  # flagged: 0.9 and 0.8
    assert (found.base_rate, found.precision, found.recall) == (1 / 3, 0.5, 0.5)
    assert found.auc == (4 + 2) / 8  # 0.9 beats four, 0.3 beats 0.2 and 0.1


@pytest.mark.parametrize("seed", range(5))
def test_the_auc_of_one_fold_is_that_of_the_rank_test(seed):
    rng = np.random.default_rng(seed)
    likely, has = np.round(rng.random(200), 1), rng.random(200) < 0.2  # with ties
    found = detection(predictions(likely, has.astype(int)))
    u = mannwhitneyu(likely[has], likely[~has]).statistic
    assert found.auc == pytest.approx(u / (has.sum() * (~has).sum()), abs=1e-12)


def test_a_constant_prediction_has_the_base_rates_precision_whatever_the_folds():
    data = bn.load_network("asia").sample(600, rng=2)
    splits = bn.prediction.k_folds(data.n_rows, 10)
    made = accuracy_of(data, "lung", bn.prediction.base_rate, splits)
    found = detection(made)
    assert found.auc == 0.5  # although the base rate differs from fold to fold
    assert (found.precision, found.recall) == (found.base_rate, 1.0)


def test_a_state_is_chosen_and_a_wrong_one_refused():
    made = predictions([0.9, 0.2, 0.4], [1, 0, 0])
    assert detection(made, "no").base_rate == 2 / 3
    with pytest.raises(ValueError, match="state must be one of no, yes"):
        detection(made, "maybe")
    with pytest.raises(ValueError, match="no tested row has the state 'yes'"):
        detection(predictions([0.9, 0.2], [0, 0]), "yes")


def test_two_learners_are_compared_row_by_row():
    data = bn.load_network("asia").sample(500, rng=1)
    learners = {"base": bn.prediction.base_rate, "bayes": bn.prediction.naive_bayes("either")}
    splits = bn.prediction.k_folds(data.n_rows, 5)
    made = bn.prediction.compare_predictions(data, "either", learners, splits)
    gain, error = made.difference("bayes", "base")
    rows = {name: one.by_row()["brier"] for name, one in made.predictions.items()}
    assert gain == pytest.approx((rows["bayes"] - rows["base"]).mean())
    folds = made.predictions["base"].splits
    means = [(rows["bayes"] - rows["base"])[folds == fold].mean() for fold in range(5)]
    assert error == pytest.approx(np.std(means, ddof=1) / np.sqrt(5))
    assert gain < -2 * error


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"churned": 2, "card": 2, "gender": 2}, "churned"),
        ({"Raucher": 2, "Diabetes": 2}, "Diabetes"),
        ({"a": 2, "notes": 60}, "a"),
        ({"x": 3, "y": 4}, "y"),
        ({"x": 40, "y": 50}, "y"),
        ({"Überlebt": 2, "Diagnose": 3, "z": 2}, "Diagnose"),
        ({"x": 2, "constant": 1}, "x"),
    ],
)
def test_the_likeliest_outcome(columns, target):
    import pandas as pd

    frame = pd.DataFrame({name: [f"s{k % n}" for k in range(120)] for name, n in columns.items()})
    assert likely_target(bn.Dataset.from_frame(frame)) == target
