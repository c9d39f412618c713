"""Strength and sign of edges with numbers, against worlds of known size."""

import re

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers import edge_effect


def world(n_rows=600, seed=1):
    """y: 0.6 of a standard deviation by x, beside z; height: 12 cm between the sexes, 5 more by half of a group."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_rows)
    x = 0.6 * z + 0.8 * rng.normal(size=n_rows)
    y = 0.6 * x + 0.6 * z + 0.4 * rng.normal(size=n_rows)
    sex, group = rng.choice(["f", "m"], n_rows), rng.choice(["p", "q", "r"], n_rows)
    height = 168 + 12 * (sex == "m") + 5 * (group == "r") + 6 * rng.normal(size=n_rows)
    bent = x**2 + 0.5 * rng.normal(size=n_rows)
    frame = pd.DataFrame({"x": x, "y": y, "z": z, "sex": sex, "group": group, "height": height, "bent": bent})
    return bn.Dataset.from_frame(frame, numbers=["x", "y", "z", "height", "bent"])


@pytest.fixture(scope="module")
def data():
    return world()


def test_a_slope_is_partial_and_in_standard_deviations(data):
    """Within 4 standard errors of the truth, 0.03 each: 1 in 16,000."""
    alone, beside = edge_effect(data, "x", "y"), edge_effect(data, "x", "y", ["z"])
    variance = 0.6**2 + 0.6**2 + 2 * 0.6**3 + 0.4**2
    assert (alone.measure, alone.sign) == ("slope", 1)
    assert alone.value == pytest.approx((0.6 + 0.36) / variance**0.5, abs=0.1)
    assert beside.value == pytest.approx(0.6 / variance**0.5, abs=0.1)
    assert beside.interval[0] < beside.value < beside.interval[1]
    assert re.match(r"Y is 0\.\d+ higher on average for each increase of 1 in x \(0\.", beside.sentence)
    assert beside.sentence.endswith("with z held fixed.")
    assert beside.value * beside.per_step == pytest.approx(0.6, abs=0.12)  # y for 1 of x


def test_a_slope_is_told_in_the_units_of_both_columns():
    """One standard deviation of 8 cm goes with 12 kg; 4 standard errors of the slope are 0.1."""
    rng = np.random.default_rng(1)
    height = 170 + 8 * rng.normal(size=800)
    frame = pd.DataFrame({"height (cm)": height, "body weight [kg]": 80 - 1.5 * (height - 170) + rng.normal(size=800)})
    effect = edge_effect(bn.Dataset.from_frame(frame, numbers=list(frame)), *frame)
    assert effect.step == 10
    assert effect.value * effect.per_step == pytest.approx(-15, abs=1)
    assert re.match(
        r"'body weight' is 1[\d.]+ kg lower on average for each increase of 10 cm in height \(1.*; slope −[\d.]+ SD, ",
        effect.sentence,
    )


@pytest.mark.parametrize("ends", [("x", "bent"), ("bent", "x")])
def test_a_curve_is_named_where_no_slope_is(data, ends):
    effect = edge_effect(data, *ends)
    assert (effect.measure, effect.sign) == ("curve", 0)
    assert effect.sentence.startswith("Bent is high at both ends of x (curve 0.")


@pytest.mark.parametrize("ends", [("sex", "height"), ("height", "sex")])
def test_means_are_compared_in_the_unit_of_the_number_whichever_way_the_edge_points(data, ends):
    effect = edge_effect(data, *ends, ["group"])
    assert effect.measure == "means"
    assert effect.value == pytest.approx(12, abs=2)  # 4 standard errors of 0.5
    assert effect.groups == ("m", "f")
    assert effect.sentence.startswith("Height is 1")
    assert "higher on average where sex is m than f (" in effect.sentence
    assert effect.sentence.endswith(f"; {effect.in_deviations:.2f} SD), with group held fixed.")
    assert (effect.in_brief, effect.unit) == (f"{effect.in_deviations:.2f} SD", "unit of height")


def test_intervals_cover_the_truth_as_often_as_they_promise():
    """100 tables: 95 of 100 expected; 86 or fewer in 1 of 4,000 runs (binomial)."""
    covered = 0
    for seed in range(100):
        low, high = edge_effect(world(150, seed), "sex", "height", n=100).interval
        covered += low < 12 < high
    assert covered > 86


def test_no_effect_is_weak_once_many_rows_say_so():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=8_000), "b": rng.normal(size=8_000), "s": rng.choice(["u", "v"], 8_000)})
    many = bn.Dataset.from_frame(frame, numbers=["a", "b"])
    for ends in (("a", "b"), ("s", "a")):
        effect = edge_effect(many, *ends, n=50)
        assert effect.is_weak
        assert effect.interval[0] < 0 < effect.interval[1]


def test_states_beside_numbers_have_the_contrast_they_always_had(data):
    effect = edge_effect(data, "sex", "group", ["height"])
    assert (effect.measure, effect.given) == ("contrast", ("height",))


def test_a_verdict_of_a_table_with_numbers_has_both_answers_and_effects(data):
    few = data.select(["x", "y", "z", "sex", "height"]).take(range(200))
    found = bn.study(few, bn.GaussianBIC(), methods=("data", "predictive"))
    answer = bn.verdict(found, bn.edge_posterior(few, effort=bn.posterior.Effort(n_bags=2)), data=few)
    kinds = dict(
        zip(zip(answer.table()["parent"], answer.table()["child"], strict=True), answer.table()["verdict"], strict=True)
    )
    assert any({"sex", "height"} == set(pair) for pair in kinds)
    assert answer.effect("sex", "height").value == pytest.approx(12, abs=4)
    assert "slope" in answer.effect("x", "y").sentence


def test_rows_with_holes_count_where_the_variables_in_question_are_seen():
    rng = np.random.default_rng(2)
    x = rng.normal(size=80)
    frame = pd.DataFrame(
        {"x": x, "y": x + rng.normal(size=80), "g": rng.choice([*"ab"], 80), "other": rng.normal(size=80)}
    )
    frame.loc[::8, "y"] = frame.loc[1::5, "other"] = np.nan
    data = bn.Dataset.from_frame(frame, numbers=["x", "y", "other"], missing="keep")
    seen = bn.Dataset.from_frame(frame[frame["y"].notna()].drop(columns="other"), numbers=["x", "y"])
    for child, given in (("x", ()), ("g", ("x",))):
        found, expected = (bn.answers.edge_effect(one, "y", child, given, rng=1) for one in (data, seen))
        assert (*found.interval, found.value) == pytest.approx((*expected.interval, expected.value))
        assert (found.measure, found.groups, found.n_rows) == (expected.measure, expected.groups, 70)
