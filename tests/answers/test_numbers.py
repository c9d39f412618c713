"""Everything that a verdict says of states it says of numbers: on a small mixed table whose network is known."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers import explain_edge, noise_check
from bnengine.answers.thresholds import kept_at
from bnengine.bootstrap.permutation_threshold import permutation_threshold, sorting_columns
from bnengine.bootstrap.resample import ResampleTask
from bnengine.plots.methods import rows_figure
from bnengine.plots.redraws import redraws
from bnengine.posterior import Effort
from bnengine.typing import Study

SCORE, CLIMB, FEW = bn.GaussianBIC(), bn.HillClimbing(), Effort(n_bags=2)
TRUE = {frozenset(pair) for pair in (("sex", "height"), ("height", "weight"), ("weight", "pulse"))}


def people(n_rows=200, seed=1):
    """Sex → height → weight → pulse, in a U; ward depends on nothing."""
    rng = np.random.default_rng(seed)
    sex, ward = rng.choice(["f", "m"], n_rows), rng.choice(["a", "b"], n_rows)
    height = 168 + 12 * (sex == "m") + 7 * rng.normal(size=n_rows)
    weight = 70 + 0.8 * (height - 174) + 6 * rng.normal(size=n_rows)
    pulse = 60 + 0.05 * (weight - 70) ** 2 + 6 * rng.normal(size=n_rows)
    return pd.DataFrame({"sex": sex, "height": height, "weight": weight, "pulse": pulse, "ward": ward})


def numbers_of(frame, **about):
    return bn.Dataset.from_frame(frame, numbers=["height", "weight", "pulse"], **about)


@pytest.fixture(scope="module")
def data():
    return numbers_of(people())


@pytest.fixture(scope="module")
def study(data):
    keys = ["bootstrap", "bootstrap_corrected", "predictive"]
    return bn.study(data, SCORE, CLIMB, bn.resampling_methods(40, keys=keys))


@pytest.fixture(scope="module")
def real(data):
    return bn.edge_posterior(data, effort=FEW)


@pytest.fixture(scope="module")
def found(data, study, real):
    return bn.verdict(study, real, data=data)


def test_the_verdict_has_the_true_edges(found):
    assert {frozenset(pair) for pair in found.table().query("real > 0.5")[["parent", "child"]].to_numpy()} == TRUE


# One edge.


def test_gains_and_the_likelihood_ratio_are_those_of_whole_graphs(data, study, real):
    told = explain_edge(data, "weight", "pulse", SCORE, study, real)
    for gain in told.gains:
        edge = (gain.parent, gain.child)
        assert gain.alone == pytest.approx(bn.score(data, [edge], SCORE) - bn.score(data, [], SCORE))
    penalty = 4 * math.log(data.n_rows) / 2  # two features of each of the two numbers
    assert told.freedom == (4, 4)
    assert told.g_squared[0] == pytest.approx(2 * (told.gains[0].alone + penalty))
    assert "degrees of freedom" in told.sentences["counts"]
    assert set(told.sentences) >= {"answer", "effect", "direction", "score", "counts", "rivals"}


def with_edges(data, *edges):
    """Return a study without replicates whose graph has these edges."""
    return Study(bn.learn(data, SCORE, constraints=bn.Constraints(required=edges)), {})


def test_the_fitted_curve_of_two_numbers_is_in_the_unit_of_the_child(data):
    """Pulse is 60 + 0.05 (weight − 70)², within 4 standard errors of about 1.5."""
    told, frame = explain_edge(data, "weight", "pulse", SCORE, with_edges(data, ("weight", "pulse"))), people()
    rows = told.rows
    assert (rows.x.tolist(), rows.y.tolist()) == (frame["weight"].tolist(), frame["pulse"].tolist())
    at_middle, at_end = (np.interp(weight, rows.at, rows.curves[0]) for weight in (70, 86))
    assert at_middle == pytest.approx(60, abs=6)
    assert at_end == pytest.approx(60 + 0.05 * 16**2, abs=6)
    assert told.observed.size == 0


def test_the_curve_is_drawn_for_each_state_of_another_parent():
    rng = np.random.default_rng(2)
    group, x = rng.choice(["u", "v"], 300), rng.normal(size=300)
    frame = pd.DataFrame({"group": group, "x": x, "y": x + 4 * (group == "v") + 0.5 * rng.normal(size=300)})
    data = bn.Dataset.from_frame(frame, numbers=["x", "y"])
    rows = explain_edge(data, "x", "y", SCORE, with_edges(data, ("group", "y"), ("x", "y"))).rows
    assert (rows.by, rows.states, rows.curves.shape[0]) == ("group", ("u", "v"), 2)
    apart = [np.interp(0.0, rows.at, curve) for curve in rows.curves]
    assert apart == pytest.approx([0, 4], abs=0.6)  # smooth in ranks, of which a gap has none


def test_a_number_and_states_have_their_rows_and_two_columns_of_states_their_counts(data, study):
    told, frame = explain_edge(data, "sex", "height", SCORE, study), people()
    place = {told.parent: told.rows.x, told.child: told.rows.y}
    assert place["height"].tolist() == frame["height"].tolist()
    assert [told.rows.states_of["sex"][int(code)] for code in place["sex"]] == frame["sex"].tolist()
    assert told.rows.curves.size == 0
    counts = explain_edge(data, "sex", "ward", SCORE, study)
    assert counts.rows is None
    assert counts.observed.sum() == data.n_rows


def test_rows_are_those_that_count_for_the_child_and_of_many_an_even_part():
    frame = people(4_000).assign(set=["weight"] * 1_000 + [""] * 3_000)
    data = numbers_of(frame, interventions="set")
    rows = explain_edge(data, "height", "weight", SCORE, with_edges(data, ("height", "weight"))).rows
    assert (len(rows.x), rows.n_rows) == (1_000, 3_000)
    assert set(rows.y) <= set(frame["weight"][1_000:])


def test_how_far_real_depends_on_the_representation_is_said(data, study, real):
    under = np.zeros_like(real.under_each_prior)
    under[0, 0, 4] = 1.0
    torn = dataclasses.replace(real, under_each_prior=under)
    told = explain_edge(data, "sex", "ward", SCORE, study, torn)
    words = "table: above 0.99 with numbers kept, below 0.01 and below 0.01 with numbers cut"
    assert words in told.sentences["measured"]


def test_the_rows_of_an_edge_are_drawn(data, study):
    edges = with_edges(data, ("sex", "weight"), ("height", "weight"))
    scatter = explain_edge(data, "height", "weight", SCORE, edges)
    figure = rows_figure(scatter, scatter.rows, dark=False)
    assert [(trace.mode, trace.name) for trace in figure.data] == [
        ("markers", None), ("lines", "sex f"), ("markers", None), ("lines", "sex m")
    ]  # fmt: skip
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "markers") == data.n_rows
    boxes = explain_edge(data, "sex", "height", SCORE, with_edges(data, ("sex", "height")))
    figure = rows_figure(boxes, boxes.rows, dark=True)
    assert [(trace.type, trace.name) for trace in figure.data] == [("box", "f"), ("box", "m")]
    assert sum(len(trace.y) for trace in figure.data) == data.n_rows


# Noise, thresholds, rows needed, description length.


def test_copies_without_dependence_show_nothing(data, monkeypatch):
    monkeypatch.setattr("bnengine.answers.noise.COPIES", 3)
    check = noise_check(data, SCORE, CLIMB)
    assert (len(check.shuffled), len(check.rotated)) == (3, 3)
    assert check.shuffled.sum() + check.rotated.sum() <= 1


def test_a_number_that_rows_are_sorted_by_is_found_and_its_tenths_are_exchanged(data):
    sorted_rows = numbers_of(people().sort_values("weight"))
    assert sorting_columns(sorted_rows) == ("weight",)
    assert sorting_columns(data) == ()


def test_shuffled_columns_keep_their_numbers_and_need_a_high_threshold(data):
    task = ResampleTask(data, SCORE, CLIMB, bn.Bootstrap(10), "leading")
    found = permutation_threshold(task, 2, max_false=0.5)
    assert found.status == "converged"
    assert found.false_edges.shape == (2, 10)
    assert 0 < found.threshold <= 1


def test_strong_edges_need_fewer_rows_than_there_are(data, real):
    found = bn.rows_needed(data, SCORE, CLIMB, posterior=real, sizes=[20, 200], n=8)
    table = found.table().set_index(["parent", "child"])
    assert table.loc[("sex", "height"), "rows"] <= 200
    assert found.curves()["found_again"].between(0, 1).all()


def test_a_description_length_is_that_beyond_the_graph_without_edges(data):
    edges = [("sex", "height"), ("height", "weight")]
    length, empty = bn.mdl(data, edges), bn.mdl(data, [])
    gain = bn.score(data, edges) - bn.score(data, [])
    assert length.mdl == pytest.approx(-gain / math.log(2))
    assert (empty.mdl, empty.parameters, empty.log2_likelihood) == (0, 0, 0)
    assert length.parameters == 1 * 2 + 2 * 2  # features of the parent times those of the child


def test_thresholds_expected_false_edges_and_the_paper_s_comparison(study, real, data):
    table = kept_at(study, real, 0.5)
    assert table["false"].between(0, table["kept"]).all()
    naive, corrected = (study.mean_edges(key) for key in ("bootstrap", "bootstrap_corrected"))
    assert naive > corrected  # the paper's bias: resamples carry dependence that the data do not
    assert study.table1()["mean"].notna().all()
    assert len(bn.plots.figure1(study).data) > 3
    assert (redraws(study, data, dark=False).rows.sum(axis=1) == data.n_rows).all()  # no row is repeated tenfold
