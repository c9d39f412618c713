"""Edges that stand in for each other: the claim that one of several is there, and that independent tables have none."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.one_of_several import several_frame
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.report.html_report import html_report
from bnengine.report.report_sentences import verdict_in_words

NAMES = ["a0", "a1", "a2"]


def copies(seed=0, n=150):
    """Three noisy readings of one cause, which y follows."""
    rng = np.random.default_rng(seed)
    cause = rng.random(n) < 0.5
    columns = {name: np.where(rng.random(n) < 0.03, ~cause, cause) for name in NAMES}
    columns |= {"y": np.where(rng.random(n) < 0.2, ~cause, cause), "z": rng.random(n) < 0.4}
    return bn.Dataset.from_frame(pd.DataFrame(columns).astype(str))


def found_in(data, seed=0):
    real = bn.edge_posterior(data, rng=seed)
    methods = bn.resampling_methods(20, keys=["predictive"])
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods, rng=seed)
    return bn.verdict(study, real, data=data), real, study.ensembles["predictive"]


@pytest.fixture(scope="module")
def case():
    return found_in(copies())


def test_a_variable_depends_on_one_of_the_readings_of_its_cause(case):
    found, real, ensemble = case
    [claim] = found.several
    assert claim.child == "y"
    assert set(claim.group) <= {*NAMES}
    assert claim.real == real.any_of("y", claim.group).probability > 0.95 > 0.75 > max(claim.alone)
    place = [real.names.index(name) for name in claim.group]
    graphs = list(ensemble.distinct_graphs())
    joined = sum(n for graph, n in graphs if (graph[place, 3] | graph[3, place]).any())
    assert claim.found_again == pytest.approx(joined / sum(n for _, n in graphs))
    others = f"{', '.join(claim.group[:-1])} and {claim.group[-1]}"
    assert claim.sentence.startswith(f"y depends on at least one of {others} (probability ")
    assert claim.sentence.endswith("); on which one is open.")
    assert claim.has("a0", "y") == claim.has("y", "a0") == ("a0" in claim.group)
    assert not claim.has("z", "y")


def test_sentence_table_headline_and_report_have_the_claim(case):
    found, real, _ = case
    [claim] = found.several
    first = claim.group[0]
    assert claim.sentence in found.sentence(first, "y")
    table = found.table()
    has = [claim.has(*pair) for pair in table[["parent", "child"]].to_numpy()]
    assert any(has)
    assert (table["one_of_several"] == np.where(has, claim.sentence, "")).all()
    assert verdict_in_words(found).endswith(" 1 variable depends on one of several others; on which one is open.")
    experiment = bn.Experiment(bn.Recipe("file", "copies.csv"), n=10, methods=("predictive",))
    study = bn.study(copies(), bn.BIC(), bn.HillClimbing(), bn.resampling_methods(10, keys=["predictive"]))
    report = html_report(experiment, copies(), study, real)
    assert f"<li>{bn.verdict(study, real).several[0].sentence}</li>" in report
    line = several_frame(found.several).iloc[0]
    assert (line["child"], line["group"], line["real"]) == ("y", "; ".join(claim.group), claim.real)
    many = np.full(30, 9)
    noise = NoiseCheck(many, many, many, (), 150, 60, "converged")
    assert dataclasses.replace(found, noise=noise).several == ()


def test_the_claim_does_not_depend_on_the_order_of_the_columns(case):
    turned, [claim] = found_in(copies().select(["z", "a2", "y", "a0", "a1"]))[0], case[0].several
    assert turned.several == (claim,)


def test_independent_columns_have_no_such_claim():
    """None in 60 tables of 100 to 1,000 rows; of three tables of such a kind less than one in 20 would have any."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        data = bn.Dataset.from_frame(pd.DataFrame(rng.integers(0, 3, (200, 6)), columns=[*"abcdef"]))
        assert found_in(data, seed)[0].several == ()
