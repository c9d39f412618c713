"""Items that share their answers: which make a scale, how it is averaged, and that it is made only where asked for."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.repairs.item_scales import mean_of_items, scales_in
from bnengine.data.repairs.making import repaired
from bnengine.experiment.intake import Prepared
from bnengine.report.report_sentences import repairs_in_words
from tests.commands import answer

LIKERT = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]
CODES = [1, 2, 3, 4, 5]
N = 300


def survey(answers=LIKERT, n_items=4, seed=0, n=N):
    """Workload → stress → wellbeing as batteries of items, every second one reversed, with workload → hours."""
    rng = np.random.default_rng(seed)
    workload = rng.normal(size=n)
    stress = 0.6 * workload + rng.normal(size=n)
    wellbeing = -0.6 * stress + rng.normal(size=n)
    columns = {}
    for name, factor in (("work", workload), ("calm", -stress), ("well", wellbeing)):
        for k in range(n_items):
            sign = -1 if k == 1 else 1
            steps = np.digitize(sign * factor + rng.normal(scale=0.8, size=n), [-1.6, -0.5, 0.5, 1.6])
            cells = np.array(answers, dtype=object)[steps]
            columns[f"{name}_{k + 1}"] = np.where(rng.random(n) < 0.02, None, cells)
    hours = np.digitize(workload + rng.normal(scale=0.8, size=n), [-0.6, 0.6])
    columns |= {"hours": np.array(["low", "medium", "high"])[hours], "site": rng.choice([*"abc"], n)}
    return pd.DataFrame(columns).infer_objects()


def groups(scales):
    return sorted((name, *sorted(signed)) for name, signed, *_ in scales)


@pytest.mark.parametrize("answers", [LIKERT, CODES], ids=["words", "codes"])
def test_batteries_are_found_whatever_the_order_of_their_columns(answers):
    frame = survey(answers)
    found = scales_in(frame)
    assert [name for name, *_ in found] == ["work", "calm", "well"]
    assert found[0][1] == ("+work_1", "-work_2", "+work_3", "+work_4")
    assert all("".join(signed).count("-") == 1 for _, signed, *_ in found)
    assert all(alpha > 0.75 > 0.5 > as_they_are for *_, alpha, as_they_are in found)
    mixed = frame.sample(frac=1, axis=1, random_state=3).sample(frac=1, random_state=4)
    assert groups(scales_in(mixed)) == groups(found)


def test_independent_items_make_no_scale_and_levels_are_no_answers():
    """Chance makes α ≥ 0.6 of three of 12 independent items in less than one table in a million."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        assert scales_in(pd.DataFrame(rng.integers(1, 6, (N, 12)), columns=[*"abcdefghijkl"])) == []
    assert scales_in(survey(["very low", "low", "medium", "high", "very high"])) == []
    assert scales_in(survey(["no", "no", "no", "yes", "yes"])) == []


def test_reliability_is_that_of_standardized_items():
    frame = survey(CODES).dropna()
    _, signed, alpha, as_they_are = scales_in(frame)[0]
    answers = frame[[one[1:] for one in signed]]
    items = ((answers - answers.mean()) / answers.std()).astype(float)
    k, before = len(signed), items.sum(axis=1).var()
    turned = (items * [1 if one[0] == "+" else -1 for one in signed]).sum(axis=1).var()
    assert alpha == pytest.approx(k / (k - 1) * (1 - k / turned))
    assert as_they_are == pytest.approx(max(k / (k - 1) * (1 - k / before), 0.0))


def test_a_scale_is_the_mean_of_the_items_answered_with_some_reversed():
    items = [pd.Series([1, 5, None, None, 2]), pd.Series([5, 1, 5, None, None]), pd.Series([2, 5, 1, 4, None])]
    assert mean_of_items(items, [1, -1, 1]).tolist()[:3] == [4 / 3, 5.0, 1.0]
    assert np.isnan(mean_of_items(items, [1, -1, 1])[3:]).all()  # a single answer of three is no half
    words = [pd.Series(["Agree", "Disagree"]), pd.Series(["Strongly disagree", "Strongly agree"])]
    assert mean_of_items(words, [1, -1]).tolist() == [3.5, 1.5]  # places among the four answers there are


def test_a_scale_is_asked_about_made_once_and_taken_back(tmp_path, capsys):
    frame, path, out = survey(), tmp_path / "staff.csv", tmp_path / "out.json"
    frame.to_csv(path, index=False)
    plain = bn.prepare(path)
    assert plain.data.names == tuple(frame.columns)
    [asked] = [remark for remark in plain.remarks if "scale" in remark]
    assert "12 columns that share their answers, averaged to 3 scales: 'work' (4 items, 1 reversed; Cron" in asked
    assert "Cronbach's α 0.8" in asked
    assert "(repair scale:work_1, " in asked
    found = bn.prepare(path, repairs=["all", "scale"])
    assert found.data.names == ("work", "calm", "well", "hours", "site")
    assert any("3 scales" in remark and "not done" not in remark for remark in found.remarks)
    once = found.recipe.repaired(found.frame)
    pd.testing.assert_frame_equal(found.recipe.repaired(once), once)
    pd.testing.assert_frame_equal(repaired(repaired(frame, found.recipe.repairs), found.recipe.repairs), once)
    assert found.recipe.absent(once) == []
    back = found.recipe.accepting(found.frame, [one for one in found.recipe.repairs if one[0] != "scale"])
    assert back.prepare(found.frame).names == plain.data.names
    with pytest.raises(bn.DataError, match="no column 'work_3'"):
        found.recipe.repaired(frame.drop(columns="work_3"))
    code, _, err = answer(capsys, "learn", path, "--repair", "scale:work_1", "--out", out)
    assert code == 0, err
    written = json.loads(out.read_text(encoding="utf-8"))["data"]["variables"]
    assert written == ["work", *(name for name in frame.columns if not name.startswith("work"))]


@pytest.mark.parametrize(
    ("other", "gone", "columns"),
    [
        (("date", "b", "", "year"), "'b'", ["a", "b (year)", "c", "d"]),
        (("set", "b", ";", "1", "2"), "'b'", ["a", "b: 1", "b: 2", "c", "d"]),
        (("scale", "b", "first", "+b", "-c"), "'b' and 'c'", ["a", "first", "d"]),
        (("leave_out", "a"), "'a'", ["b", "c", "d"]),
        (("leave_out", "c"), "'c'", ["a", "b", "d"]),
    ],
)
def test_a_scale_without_its_items_is_not_made_and_the_remark_names_them(other, gone, columns):
    frame = pd.DataFrame({name: np.arange(40) % 5 + 1 for name in "abcd"})
    if other[0] == "date":
        frame["b"] = pd.date_range("2021-01-01", periods=40, freq="90D")
    steps = [other, ("scale", "a", "all", "+a", "+b", "+c")]
    once = repaired(frame, steps)
    assert list(once) == columns
    pd.testing.assert_frame_equal(repaired(once, steps), once)
    recipe = bn.Recipe("file", "t.csv", repairs=steps)
    assert dataclasses.replace(recipe, columns=("b (year)" if other[0] == "date" else "d",)).absent(frame) == []
    found = Prepared(frame, recipe, tuple(bn.proposals(frame)), frame)
    assert f"scale:a was not made, since other repairs take away {gone}" in found.remarks
    assert "in 'a'" not in repairs_in_words(steps)


def test_as_scales_a_survey_shows_what_no_item_does():
    """The edges between scales are those that made the answers, in three surveys of 500 persons."""
    true = {frozenset(pair) for pair in (("work", "calm"), ("calm", "well"), ("work", "hours"))}
    for seed in range(3):
        frame = survey(seed=seed, n=500)
        as_scales = bn.prepare(frame, repairs=["all", "scale"], discretization="quantile").data
        real = bn.edge_posterior(as_scales, bn.BDeu(1)).table()
        assert {frozenset(pair) for pair in real[real["probability"] > 0.5][["parent", "child"]].to_numpy()} == true


def test_answers_without_an_order_are_not_averaged():
    with pytest.raises(bn.DataError, match="'q' and 'r' cannot be averaged"):
        mean_of_items([pd.Series(["1", "k.A.", "2"], name="q"), pd.Series(["1", "2", "x"], name="r")], [1, 1])


def test_a_scale_stands_in_the_place_of_an_item():
    for details in (("s", "+x", "+y", ""), ("s", "+x", "+x", "+y"), ("", "+x", "+y", "+z")):
        with pytest.raises(ValueError, match="repairs"):
            bn.Recipe("file", "t.csv", repairs=(("scale", "x", *details),))
    frame = pd.DataFrame({name: np.arange(1.0, 41) % 5 for name in "xyzw"})
    assert list(repaired(frame, [("scale", "w", "s", "+x", "+y", "+z")])) == list("xyzw")  # w is none of the items
