"""The study of confidences: its numbers are what they are called, and the manual quotes the shipped ones."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from benchmarks.confidence_study.cells import TENTHS, by_tenth, measures
from benchmarks.confidence_study.methods import Confidence
from benchmarks.scorer import compared, losses
from benchmarks.which_confidence_searches import bias_by_score, paired, share_of_search


def invented(values):
    """A raw table: {(network, method): losses by table}, with networks of 2 edges."""
    same = {"rows": 100, "score": "BIC", "rows_per_parameter": 1.0, "true_edges": 2}
    return pd.DataFrame(
        {"network": network, "method": method, "table": table, "log_loss": value, **same}
        for (network, method), losses_ in values.items()
        for table, value in enumerate(losses_)
    )


def test_differences_and_regrets_by_hand():
    own = {("a", "own"): [5.0, 7.2], ("b", "own"): [8.0, 8.0]}
    own |= {("a", "naive"): [6.0], ("b", "naive"): [1.0, 1.0]}  # in a the first table only: compared there
    frame = invented({("a", "leading"): [4.0, 6.0], ("b", "leading"): [2.0, 2.0], **own})
    found = losses(frame, "log_loss").set_index(["network", "method"])
    assert found.loc[("a", "naive"), ["difference", "loss"]].tolist() == pytest.approx([1.0, 3.5])
    assert found.loc[("a", "own"), "error"] == pytest.approx(0.05)  # of 0.5 and 0.6
    regret, error = found["regret"], found["regret_error"]
    assert regret["a"].to_dict() == pytest.approx({"leading": 0.0, "naive": 1.0, "own": 0.55})
    assert regret["b"].to_dict() == pytest.approx({"leading": 0.5, "naive": 0.0, "own": 3.5})
    assert error["a"].to_dict() == pytest.approx({"leading": 0.0, "naive": math.nan, "own": 0.05}, nan_ok=True)
    table = compared(found.reset_index()).set_index("method")
    assert table.index.tolist() == ["leading", "naive", "own"]
    assert table.loc["naive", "difference"] == pytest.approx((1.0 - 0.5) / 2)
    assert table.loc["naive", "error"] == pytest.approx(0.75)
    assert table.loc["own", "where"].startswith("b,")
    assert table.loc["own", "worst_error"] == 0.0


def test_a_share_counts_for_the_tenth_that_begins_with_it():
    """Shares of ten replicates of a network of five variables, so that each tenth has the share that it begins with."""
    truth, p = bn.load_network("cancer"), np.arange(1, 11) / 10
    line = measures(Confidence(p, np.zeros(20), 10), Confidence(1 - p, np.zeros(20), 10), truth, 10)
    about = {"network": "cancer", "variables": 5, "true_edges": 4, "rows": 9, "rows_per_parameter": 1.0}
    lines = pd.DataFrame(
        [line | about | {"score": "BIC", "method": "naive", "held_out": True, "table": k} for k in (0, 1)]
    )
    found = by_tenth(lines).set_index("bin")[list(TENTHS)]
    assert found["pairs"].tolist() == [2] * 8 + [4]  # of two tables; 1 is in the last tenth, with 0.9
    assert found.index.tolist() == list(range(1, 10))
    assert found["p"].tolist() == pytest.approx([2 * share for share in p[:8]] + [2 * 0.9 + 2 * 1.0])
    assert found["true"].sum() == 2 * 4
    assert found["pi"].sum() == pytest.approx(2 * (1 - p).sum())


def test_the_manual_quotes_the_shipped_results():
    """Every figure that it gives on which method is better for which question, computed anew."""
    root = Path(__file__).parents[2]
    frame = pd.read_parquet(root / "benchmarks/which_confidence.parquet").query("not held_out")
    frame["off"], frame["loss"] = frame["pi_error"] / frame["true_edges"], frame["log_loss"] / frame["true_edges"]
    mean = frame.groupby(["method", "network", "rows", "score"])[["off", "loss"]].mean().groupby("method").mean()
    bootstraps = ["naive", "leading", "parametric", "predictive", "predictive_post", "delete_d"]
    manual = " ".join((root / "docs/which-number.md").read_text(encoding="utf-8").split())
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
