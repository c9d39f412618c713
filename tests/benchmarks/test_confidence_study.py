"""The study of confidences: its numbers are what they are called, and the manual quotes the shipped ones."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss
from sklearn.metrics import log_loss as peer_log_loss

from benchmarks.confidence_study import measures
from benchmarks.confidence_study.by_search import bias_by_score, paired, share_of_search
from benchmarks.confidence_study.comparison import chosen, compared, losses, regrets


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_their_definitions(seed):
    rng = np.random.default_rng(seed)
    n, p = 20, rng.integers(0, 21, 30) / 20
    pi, truth = rng.random(30), rng.random(30) < 0.3
    kept = (n * p + 0.5) / (n + 1)
    found = measures.against_truth(p, truth, n)
    assert found["log_loss"] == pytest.approx(30 * peer_log_loss(truth, kept))
    assert found["brier"] == pytest.approx(30 * brier_score_loss(truth, p))
    assert found["average_precision"] == pytest.approx(average_precision_score(truth, p))
    against = measures.against_pi(p, pi)
    assert against["pi_error"] == pytest.approx(sum(abs(a - b) for a, b in zip(p, pi, strict=True)))
    assert against["pi_rmse"] == pytest.approx(math.sqrt(sum((a - b) ** 2 for a, b in zip(p, pi, strict=True)) / 30))
    assert against["pi_bias"] == pytest.approx(sum(p - pi) / 30)
    lines = measures.reliability(p, pi, truth)
    np.testing.assert_allclose(lines.sum(axis=0), [30, p.sum(), pi.sum(), truth.sum()])
    assert lines[2, 0] == sum(0.2 <= value < 0.3 for value in p)


def invented(values):
    """A raw table: {(network, method): losses by table}, with networks of 2 edges."""
    return pd.DataFrame(
        {
            "network": network,
            "rows": 100,
            "score": "BIC",
            "rows_per_parameter": 1.0,
            "true_edges": 2,
            "method": method,
            "table": table,
            "log_loss": value,
        }
        for (network, method), losses_ in values.items()
        for table, value in enumerate(losses_)
    )


def test_differences_and_regrets_by_hand():
    frame = invented(
        {
            ("a", "leading"): [4.0, 6.0],
            ("a", "naive"): [6.0],  # the first table only: compared there
            ("a", "own"): [5.0, 7.2],
            ("b", "leading"): [2.0, 2.0],
            ("b", "naive"): [1.0, 1.0],
            ("b", "own"): [8.0, 8.0],
        }
    )
    found = losses(frame, "log_loss").set_index(["network", "method"])
    assert found.loc[("a", "naive"), ["difference", "loss"]].tolist() == pytest.approx([1.0, 3.5])
    assert found.loc[("a", "own"), "error"] == pytest.approx(0.05)  # of 0.5 and 0.6
    regret = regrets(found.reset_index()).set_index(["network", "method"])["regret"]
    assert regret.to_dict() == pytest.approx(
        {
            ("a", "leading"): 0.0,
            ("a", "naive"): 1.0,
            ("a", "own"): 0.55,
            ("b", "leading"): 0.5,
            ("b", "naive"): 0.0,
            ("b", "own"): 3.5,
        }
    )
    table = compared(found.reset_index()).set_index("method")
    assert table.index.tolist() == ["leading", "naive", "own"]
    assert table.loc["naive", "difference"] == pytest.approx((1.0 - 0.5) / 2)
    assert table.loc["naive", "error"] == pytest.approx(0.75)
    assert table.loc["own", "where"].startswith("b,")


def test_the_smallest_worst_regret_is_chosen_among_complete_methods():
    values = {
        (network, method): [loss] * 2
        for network in "abc"
        for method, loss in {"leading": 3.0, "naive": 3.2, "own": 9.0}.items()
    }
    values[("c", "leading")] = [8.0, 8.0]
    values |= {("a", "matched"): [0.1, 0.1]}  # best, but not everywhere
    found = losses(invented(values), "log_loss")
    choice = chosen([found])
    assert (choice.method, choice.runner_up) == ("naive", "leading")
    assert 0.5 < choice.share < 1.0  # network c decides


def test_the_manual_quotes_the_shipped_results():
    """Every figure that it gives on which method is better for which question, computed anew."""
    root = Path(__file__).parents[2]
    frame = pd.read_parquet(root / "benchmarks/which_confidence.parquet").query("not held_out")
    frame["off"], frame["loss"] = frame["pi_error"] / frame["true_edges"], frame["log_loss"] / frame["true_edges"]
    mean = frame.groupby(["method", "network", "rows", "score"])[["off", "loss"]].mean().groupby("method").mean()
    bootstraps = ["naive", "leading", "parametric", "predictive", "predictive_post", "delete_d"]
    quoted = [
        f"({mean['loss']['post_fnml']:.2f} nats",
        f"against {mean['loss'][bootstraps].min():.2f} or more",
        f"off by {mean['off']['post_fnml']:.2f}",
        f"one by {mean['off']['naive']:.2f}",
        f"bootstrap by {mean['off']['predictive']:.2f}",
    ]
    manual = " ".join((root / "docs/which-number.md").read_text(encoding="utf-8").split())
    assert [words for words in quoted if words not in manual] == []
    assert mean["off"][bootstraps[1:]].max() < mean["off"]["post_fnml"] < mean["off"]["naive"]
    known = json.loads((root / "pages/shared/evidence.json").read_text(encoding="utf-8"))["parts"]["chosen by"]
    by_search = paired(pd.read_parquet(root / "benchmarks/which_confidence_searches.parquet"))
    assert [f"{share:.0%}" in manual for share in share_of_search(by_search).values()] == [True, True]
    for score, larger in (("BIC", False), ("BDeu(1)", True)):
        climb, best = bias_by_score(by_search)[score].values()
        assert (best > 1.5 * climb) == larger
    regrets = known["questions"]["found again"]["by_measure"]["pi_error"]
    for key in ("predictive", "predictive_post"):
        assert str(regrets[key]["worst"]) in manual
        assert str(regrets[key]["regret"]) in manual
