"""Precision, recall and AUC: against counts by hand and SciPy's rank test."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import bnengine as bn
from bnengine.experiment.prediction import likely_target
from bnengine.prediction import detection
from bnengine.prediction.cross_validation import Predictions


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
    made = bn.prediction.predictive_accuracy(data, "lung", bn.prediction.base_rate, splits)
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
