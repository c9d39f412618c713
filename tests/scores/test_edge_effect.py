"""The strength and the sign of an edge."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import bnengine as bn
from bnengine.data.rows_and_states import state_order
from bnengine.scores.edge_effect import _name_and_unit, edge_effect
from tests.strategies import in_two_orders


def likert(seed, n=400):
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=n)
    noisy = [np.clip(np.round(hidden * weight + generator.normal(size=n) + 3), 1, 5) for weight in (1, 1, -1)]
    return bn.Dataset.from_frame(pd.DataFrame(dict(zip("abc", np.array(noisy).astype(int), strict=True))))


def shares_by_hand(data, parent, child, given, state):
    """P(state | parent = x), averaged over the rows' configurations of ``given``, one row at a time."""
    frame = data.to_frame().astype(str)
    found = {}
    for x in data.states[data.index(parent)]:
        group = frame[frame[parent] == x]
        alone = (group[child] == state).mean()
        total = 0.0
        for z in frame[list(given)].itertuples(index=False):
            alike = group[(group[list(given)] == list(z)).all(axis=1)]
            total += ((alike[child] == state).sum() + alone) / (len(alike) + 1)
        found[x] = total / len(frame)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_trend_is_kendalls_tau_b(seed):
    data = likert(seed)
    for parent, child in itertools.permutations("abc", 2):
        effect = edge_effect(data, parent, child)
        x, y = (data.codes[:, data.index(name)] for name in (parent, child))
        assert effect.measure == "trend"
        tau = kendalltau(x, y).statistic
        assert 0.98 < effect.value / tau <= 1  # less its squared error
        assert effect.sign == (1 if {parent, child} == {"a", "b"} else -1)


def test_standardized_shares_are_those_of_brute_force():
    data = bn.load_network("asia").sample(300, rng=3)
    effect = edge_effect(data, "bronc", "dysp", ["smoke", "either"])
    by_hand = shares_by_hand(data, "bronc", "dysp", ["smoke", "either"], effect.state)
    assert effect.given == ("either", "smoke")
    frame = data.to_frame()
    mean = sum(by_hand[x] * (frame["bronc"] == x).mean() for x in by_hand)
    kept = [(share - mean) / (by_hand[x] - mean) for x, share in zip(effect.groups, effect.shares, strict=True)]
    assert 0.98 < min(kept) <= max(kept) < 1  # drawn a little toward their mean


def confounded(n_rows, seed):
    """X and Y that depend on Z only, with 0.8 against 0.2."""
    generator = np.random.default_rng(seed)
    z = generator.integers(0, 2, n_rows)
    x, y = ((generator.random(n_rows) < np.where(z, 0.8, 0.2)).astype(int) for _ in "xy")
    return bn.Dataset.from_frame(pd.DataFrame({"x": x, "y": y, "z": z}))


def test_a_common_cause_shifts_the_shares_until_rows_are_made_alike_in_it():
    data = confounded(20_000, 1)
    assert edge_effect(data, "x", "y").value == pytest.approx(0.6**2, abs=0.03)  # four standard errors: 6e-5
    assert edge_effect(data, "x", "y", ["z"]).value == pytest.approx(0, abs=0.04)


def test_intervals_hold_the_true_difference_as_often_as_they_say():
    # 300 tables of 60 rows: fewer than 273 hits of a true coverage of 0.95 come in 0.1 % of runs
    generator = np.random.default_rng(4)
    hits = 0
    for seed in range(300):
        x = generator.integers(0, 2, 60)
        y = (generator.random(60) < np.where(x, 0.7, 0.3)).astype(int)
        data = bn.Dataset.from_frame(pd.DataFrame({"x": x, "y": y}))
        effect = edge_effect(data, "x", "y", rng=seed)
        size = 0.4 if effect.groups[0] == "1" else -0.4
        hits += effect.interval[0] <= size <= effect.interval[1]
    assert hits >= 273


def test_three_equal_rows_do_not_make_a_difference_certain():
    frame = pd.DataFrame({"x": ["a"] * 3 + ["b"] * 97, "y": ["1"] * 3 + ["1", "0"] * 48 + ["1"]})
    effect = edge_effect(bn.Dataset.from_frame(frame), "x", "y")
    assert -0.2 < effect.value < 0  # a with 1, b with 0 or 1: the second state of y goes with the first of x
    assert effect.interval[0] < 0 < effect.interval[1]
    assert (effect.measure, effect.sign) == ("trend", 0)


@pytest.mark.parametrize(("n_states", "most"), [(2, 18), (3, 18), (5, 18)])
def test_intervals_of_independent_variables_hold_zero_whichever_contrast_is_taken(n_states, most):
    # 150 tables of 100 rows: more than 18 misses at a true rate of 5 % come in 2 of 10,000 runs
    generator, missed = np.random.default_rng(n_states), 0
    for seed in range(150):
        codes = generator.integers(0, n_states, (100, 2))
        data = bn.Dataset(["x", "y"], [[f"s{k}" for k in range(n_states)]] * 2, codes)
        low, high = edge_effect(data, "x", "y", n=50, rng=seed).interval
        missed += not low <= 0 <= high
    assert missed <= most


def test_the_largest_contrast_is_stated_nearer_to_the_truth_than_it_is_counted():
    # 250 tables of three by three states: as counted it is 5.6 points too large on average, as stated 1.5, each with a
    # standard error of 0.6; 3.5 or more comes in 1 of 2,000 runs, and so do 3.6 or fewer
    generator, stated, counted = np.random.default_rng(1), [], []
    for seed in range(250):
        true = generator.dirichlet([4 / 3] * 3, 3)
        x = generator.integers(0, 3, 100)
        y = (generator.random(100)[:, None] > true[x].cumsum(axis=1)[:, :2]).sum(axis=1)
        effect = edge_effect(
            bn.Dataset(["x", "y"], [["p", "q", "r"]] * 2, np.column_stack([x, y])), "x", "y", n=50, rng=seed
        )
        state, groups = "pqr".index(effect.state), ["pqr".index(group) for group in effect.groups]
        size = true[groups[0], state] - true[groups[1], state]
        stated.append(effect.value - size)
        counted.append((y[x == groups[0]] == state).mean() - (y[x == groups[1]] == state).mean() - size)
    assert np.mean(stated) < 0.035 < 0.036 < np.mean(counted)


@pytest.mark.filterwarnings("error")
def test_a_group_that_most_resamples_lack_raises_no_warning():
    columns = {"x": ["rare", *["a", "b"] * 20], "y": ["1", *["1", "1", "0", "0"] * 10], "z": [*"uv" * 20, "w"]}
    frame = pd.DataFrame(columns)
    for given in ([], ["z"]):
        low, high = edge_effect(bn.Dataset.from_frame(frame), "x", "y", given, n=20).interval
        assert -1 <= low < 0 < high <= 1


def test_no_number_is_written_as_minus_zero():
    effect = replace(edge_effect(confounded(200, 1), "x", "y"), interval=(-0.004, 0.8))
    assert ", 0.00 to 0.80)" in effect.sentence
    assert "points, 0 to 80)" in replace(effect, measure="contrast").sentence
    assert "0.00 to 0.90" in replace(effect, shares=(), interval=(-0.004, 0.9)).sentence


def test_weighted_rows_and_holes_count_as_the_rows_that_are_seen():
    data = bn.load_network("asia").sample(400, rng=5)
    frame = data.to_frame().astype(str)
    counted = frame.groupby(list(frame), observed=True).size().rename("n").reset_index()
    weighted = bn.Dataset.from_frame(counted, weights="n")
    assert edge_effect(weighted, "smoke", "bronc") == edge_effect(bn.Dataset.from_frame(frame), "smoke", "bronc")
    holed = frame.copy()
    holed.loc[:99, "smoke"] = None
    kept = bn.Dataset.from_frame(holed, missing="keep")
    assert edge_effect(kept, "smoke", "bronc") == edge_effect(
        bn.Dataset.from_frame(frame.loc[100:].reset_index(drop=True)), "smoke", "bronc"
    )


def test_rows_of_an_experiment_speak_of_an_intervention_and_those_where_the_child_was_set_are_silent():
    frame = confounded(4_000, 7).to_frame().astype(str)
    generator = np.random.default_rng(8)
    was_set = generator.random(len(frame)) < 0.5
    frame.loc[was_set, "x"] = generator.integers(0, 2, was_set.sum()).astype(str)
    data = bn.Dataset.from_frame(frame.assign(INT=np.where(was_set, "x", "")), interventions="INT")
    effect = edge_effect(data, "x", "y", ["z"])
    assert (effect.is_experimental, effect.n_rows, effect.given) == (True, was_set.sum(), ())
    assert effect.value == pytest.approx(0, abs=0.1)
    assert effect.sentence.startswith("Where an experiment set it, ")
    observed = edge_effect(data, "y", "x")
    assert (observed.is_experimental, observed.n_rows) == (False, (~was_set).sum())


def test_sentences_name_states_and_shares():
    columns = {"smoker": ["no", "yes"] * 50, "cough": ["no", "yes"] * 40 + ["no", "no"] * 10}
    columns |= {"q1": [1, 2, 3, 4] * 25, "q2": [4, 3, 2, 1] * 25}
    data = bn.Dataset.from_frame(pd.DataFrame(columns))
    assert edge_effect(data, "smoker", "cough").sentence == (
        "cough is yes in 80% where smoker is yes, against less than 1% where it is no (τ = 0.81, 0.67 to 0.90)."
    )
    three = bn.Dataset.from_frame(pd.DataFrame({"town": [*"ABC"] * 50, "cough": ["no", "yes", "yes"] * 50}))
    low, high = edge_effect(three, "town", "cough").interval
    assert edge_effect(three, "town", "cough").sentence == (
        "cough is yes in more than 99% where town is B, against less than 1% where it is A "
        f"(100 points, {100 * low:.0f} to {100 * high:.0f})."
    )
    assert edge_effect(data, "q1", "q2").sentence == "The higher q1, the lower q2 (τ = −1.00, −1.00 to −0.92)."
    data = bn.Dataset.from_frame(pd.DataFrame({"I would go": columns["q1"], "q2": columns["q2"]}))
    assert edge_effect(data, "I would go", "q2").sentence.startswith("The higher 'I would go', the lower q2 (τ")


def test_what_cannot_be_measured_is_said():
    data = bn.Dataset.from_frame(pd.DataFrame({"a": ["x", "x"], "b": ["u", "v"]}))
    with pytest.raises(bn.DataError, match="column 'a' has a single state in the 2 rows"):
        edge_effect(data, "a", "b")
    with pytest.raises(ValueError, match="different variables"):
        edge_effect(data, "a", "a")
    holes = bn.Dataset.from_frame(pd.DataFrame({"a": ["x", None, "y"], "b": [None, "u", None]}), missing="keep")
    with pytest.raises(bn.DataError, match="no row has a cell in each of a, b"):
        edge_effect(holes, "a", "b")


@pytest.mark.parametrize(
    ("states", "order"),
    [
        (["1", "10", "2"], (0, 2, 1)),
        (["10–19", "≤10", ">19"], (1, 0, 2)),
        (["(1, 2]", "(0, 1]"], (1, 0)),
        (["Agree", "disagree", "Strongly  Agree"], (1, 0, 2)),
        (["trifft zu", "Trifft nicht zu", "teils/teils"], (1, 2, 0)),
        (["D'accord", "Pas d'accord", "Pas du tout d'accord", "Tout à fait d'accord"], (2, 1, 0, 3)),
        (["De acuerdo", "En desacuerdo", "Muy de acuerdo", "Muy en desacuerdo"], (3, 1, 0, 2)),
        (["Completamente d'accordo", "D'accordo", "In disaccordo", "Neutrale"], (2, 3, 1, 0)),
        (["jamais", "parfois", "toujours"], (0, 1, 2)),
        (["mai", "qualche volta", "sempre", "spesso"], (0, 1, 3, 2)),
        (["groß", "klein"], (1, 0)),
        (["yes", "no"], (1, 0)),
        (["red", "green"], None),
        (["low", "disagree"], None),
        (["none", "zero"], None),
        (["A1", "A2"], None),
        (["neutral", "agree or strongly agree", "Disagree"], (2, 0, 1)),
        (["mild to severe", "moderate", "none"], None),
        (["high or low", "medium", "none"], None),
        (["good to go", "bad"], None),
    ],
)
def test_ordered_states_are_known_by_what_is_written_in_them(states, order):
    assert state_order(states) == order


def test_an_association_that_rises_and_falls_is_a_contrast():
    dose = np.arange(3_000) % 3
    answer = np.where(np.random.default_rng(1).random(3_000) < 0.8, np.array([0, 2, 0])[dose], 1)
    frame = pd.DataFrame({"dose": dose.astype(str), "answer": answer.astype(str)})
    effect = bn.answers.edge_effect(bn.Dataset.from_frame(frame), "dose", "answer")
    assert (effect.measure, effect.sign) == ("contrast", 0)
    assert effect.interval[0] > 0.7


@pytest.mark.parametrize("sign", [1, -1])
def test_strength_is_signed_and_hardly_changes_where_neighbouring_states_are_joined(sign):
    """Of two normal numbers of correlation 0.6; five states have a τ of about 0.38, two cut at the median of 0.41."""
    x = np.random.default_rng(3).multivariate_normal([0, 0], [[1, 0.6 * sign], [0.6 * sign, 1]], 4_000)
    cuts, found = {5: [-1.0, -0.3, 0.3, 1.0], 3: [-0.5, 0.5], 2: [0.0]}, {}
    for n, points in cuts.items():
        frame = pd.DataFrame(np.digitize(x, points), columns=[*"xy"])
        effect = edge_effect(bn.Dataset.from_frame(frame), "x", "y", n=50)
        assert (effect.measure, effect.sign) == ("trend", sign)
        found[n] = effect
    assert np.ptp([effect.value for effect in found.values()]) < 0.08
    two = found[2]
    assert (two.state, two.groups) == ("1", ("1", "0"))  # the highest, whichever sign
    assert (two.shares[0] > two.shares[1]) == (sign > 0)
    assert f"(τ = {'−' if sign < 0 else ''}0.4" in two.sentence


def test_without_a_known_order_two_states_have_that_in_which_they_are_declared():
    columns = {"sex": ["f"] * 60 + ["m"] * 60, "grade": [1, 2, 3] * 20 + [3] * 60}
    effect = edge_effect(bn.Dataset.from_frame(pd.DataFrame(columns)), "sex", "grade")
    assert (effect.measure, effect.sign, effect.state, effect.groups) == ("trend", 1, "3", ("m", "f"))
    back = edge_effect(bn.Dataset.from_frame(pd.DataFrame(columns)), "grade", "sex")
    assert back.value == pytest.approx(effect.value, abs=0.01)


def test_an_effect_that_rises_and_falls_is_no_small_trend():
    rng = np.random.default_rng(1)
    order, share = ["low", "medium", "high"], {"low": 0.5, "medium": 0.05, "high": 0.62}
    level = rng.choice(order, 3_000)
    said = np.where(rng.random(3_000) < np.vectorize(share.get)(level), "yes", "no")
    frame = pd.DataFrame({"level": pd.Categorical(level, order, ordered=True), "said": said})
    found = edge_effect(bn.Dataset.from_frame(frame), "level", "said")
    assert (found.measure, found.groups) == ("contrast", ("high", "medium"))


@pytest.mark.parametrize("words", ["post pre max mean left T0 before", "cm mmHg mmol/l years % °C kg m² mmol"])
def test_units_are_distinguished_from_other_words_in_brackets(words):
    for one in words.split():
        whole = (f"'level ({one})'", ""), ("level", f" {one}")
        assert _name_and_unit(f"level ({one})") == whole["cm" in words], one


@pytest.mark.parametrize("kind", ["numbers", "numbers of experiments"])
def test_an_effect_of_numbers_does_not_depend_on_the_order_of_the_rows(kind):
    one, other = (edge_effect(data, "x", data.names[0], rng=1) for data in in_two_orders(kind))
    assert (other.value, *other.interval) == pytest.approx((one.value, *one.interval))
