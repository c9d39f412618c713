"""What a table shows of rows that depend on each other: asked everywhere in the same words, answered everywhere."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.experiment.row_question import row_question
from bnengine.report.report_sentences import data_in_sentences, treatment_in_words
from tests.commands import answer
from tests.data import test_dependent_rows as dependent_rows

NAMES = list("abcdef")


def letters(codes):
    return pd.DataFrame(np.asarray(codes), columns=NAMES[: codes.shape[1]]).map(lambda code: "xyzuvw"[code])


def visits(seed=1, n=60, times=5):
    """Visits of persons; a cell is the person's own in 7 of 10."""
    rng, person = np.random.default_rng(seed), np.tile(np.arange(n), times)
    own, fresh = rng.integers(0, 3, (n, 6))[person], rng.integers(0, 3, (n * times, 6))
    frame = letters(np.where(rng.random(own.shape) < 0.7, own, fresh))
    return frame.assign(person=[f"P{number:03}" for number in person])


def series(seed=1):
    return letters(dependent_rows.series(seed=seed).codes)


def asked(frame):
    return bn.prepare(frame).question


def test_a_series_is_asked_about_with_a_length():
    """Neighbours agree 12 and more standard errors above chance; at z = 5 no independent table was asked about."""
    for seed in range(3):
        found = asked(series(seed))
        assert found.alike > 12.0
        assert 5 <= found.block <= 25  # 0.8 to the power 14 is 0.05
        assert found.sentence.startswith("Rows next to each other are alike.")
    (said,) = [one for one in bn.prepare(series()).remarks if "independent" in one or "copies" in one]
    assert "Rows are taken as independent of each other until you say so" in said
    assert f"blocks={asked(series()).block}" in said


def test_a_series_of_measurements_is_asked_about_and_refused_where_it_walks():
    """Numbers are compared by their states: of 20,000 distinct values each, which also takes no memory to speak of."""
    rng = np.random.default_rng(1)
    steps = pd.DataFrame(rng.normal(size=(20_000, 3)), columns=[*"abc"])
    assert asked(steps) is None
    found = asked(steps.ewm(alpha=0.3).mean())
    assert found.alike > 12.0
    assert 3 <= found.block <= 15
    with pytest.raises(bn.DataError, match="b, c drift like random walks"):
        bn.Dataset.from_frame(steps[:400].cumsum(), numbers=[*"abc"], blocks=10)


def test_a_sorted_table_is_asked_about_and_nothing_changes_when_it_says_so():
    frame = letters(np.random.default_rng(1).integers(0, 3, (200, 4))).sort_values("a", ignore_index=True)
    found = bn.prepare(frame)
    assert found.question.sentence == (
        "Rows next to each other are alike. Are they sorted, repeated measurements of one unit, a series, or copies?"
    )
    answered = dataclasses.replace(found.recipe, rows_are="sorted")
    assert row_question(answered, frame, found.data) is None
    assert answered.prepare(frame).digest == found.data.digest


def test_copies_are_asked_about_in_any_order_and_one_of_each_is_kept():
    once = letters(np.random.default_rng(1).integers(0, 3, (100, 6)))
    pasted = pd.concat([once] * 5).sample(frac=1.0, random_state=1)
    found = bn.prepare(pasted)
    assert 100 < found.question.copies <= 400
    assert "more rows are equal than chance explains" in found.question.sentence
    kept = dataclasses.replace(found.recipe, rows_are="copies").prepare(pasted)
    assert kept.n_rows == len(once.drop_duplicates())


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_copies_of_rows_with_numbers_are_asked_about_and_rows_that_rounding_makes_equal_are_not(holes):
    """Of 900 rounded tables without copies none was asked about: at most 1 in 300 is."""
    rng = np.random.default_rng(1)
    once = pd.DataFrame(rng.normal(size=(200, 3)).cumsum(axis=1), columns=[*"xyz"]).mask(rng.random((200, 3)) < holes)
    once["ward"] = rng.choice([*"ab"], 200)
    pasted = pd.concat([once, once[:40]]).sample(frac=1.0, random_state=1)
    assert asked(once) is None
    assert 35 < asked(pasted).copies <= 40
    kept = dataclasses.replace(bn.prepare(pasted).recipe, rows_are="copies")
    assert kept.prepare(pasted).n_rows == 200
    coarse = pd.DataFrame({"age": rng.integers(20, 40, 600)})
    coarse = coarse.assign(pay=coarse["age"] // 2 + rng.integers(9, size=600), months=12 * coarse["age"])
    assert coarse.duplicated().sum() > 400
    assert asked(coarse) is None


@pytest.mark.parametrize("name", ["asia", "sachs"])
def test_rows_that_are_equal_by_right_are_no_copies(name):
    """Of 1,500 independent tables none was asked about (python -m benchmarks.dependent_rows): at most 1 in 500 is."""
    data = bn.load_network(name).sample(1000, rng=1)
    assert data.multiplicities.size < 700
    assert asked(data.to_frame()) is None


def test_a_column_that_names_units_is_found():
    frame = visits().sample(frac=1.0, random_state=0)
    assert asked(frame).units == ("person",)
    assert asked(frame.rename(columns={"person": "w"})).units == ("w",)  # each value five times, as by no chance
    in_blocks = frame.iloc[:251].rename(columns={"person": "w"}).sort_values("w")
    assert asked(in_blocks).units == ("w",)
    assert asked(letters(np.random.default_rng(2).integers(0, 6, (300, 6)))) is None


def test_the_answer_stands_in_recipe_python_report_and_script():
    frame = visits()
    recipe = bn.prepare(frame, clusters="person").recipe
    assert recipe.clusters == "person"
    data = recipe.prepare(frame)
    assert data.names == tuple(NAMES)
    assert data.dependent.n_units == 60
    experiment = bn.Experiment(recipe)
    assert "clusters='person'" in recipe.python()
    said = " ".join(data_in_sentences(recipe, data))
    assert "'person' names the unit that each row is a measurement of." in said
    assert data.rows_taken in said
    assert ("Column of units", "person") in treatment_in_words(recipe)
    assert "neither resamples of whole units" in bn.settings.r_script(experiment)
    assert "whole units" not in bn.settings.r_script(bn.Experiment())


def test_the_command_line_names_the_options_and_takes_them(tmp_path, capsys):
    path = tmp_path / "visits.csv"
    visits().to_csv(path, index=False)
    assert (
        "--clusters person, --blocks LENGTH, --rows-are sorted, --rows-are copies" in answer(capsys, "learn", path)[2]
    )
    _, out, said = answer(capsys, "learn", path, "--clusters", "person")
    assert "300 rows of 60 units are worth" in said
    assert "until you say so" not in said
    assert "person" not in out
    series().to_csv(path, index=False)
    assert "300 rows of a series are worth" in answer(capsys, "learn", path, "--blocks", "14")[2]
    assert "until you say so" not in answer(capsys, "learn", path, "--rows-are", "sorted")[2]


def test_rows_of_one_unit_are_tested_together():
    data = bn.prepare(visits(), clusters="person").data
    for splits in (bn.prediction.k_folds(300, 4, units=data.units), bn.prediction.holdout(300, units=data.units)):
        for training, test in splits:
            assert not set(data.dependent.of_row[training]) & set(data.dependent.of_row[test])
            assert len(training) + len(test) == 300
    with pytest.raises(ValueError, match="units must be a number of 0 or more for each of the 300 rows"):
        bn.prediction.k_folds(300, 4, units=[1, 2])


def test_cuts_learned_anew_count_the_same_effective_rows():
    frame = pd.DataFrame(
        {name: np.repeat(np.random.default_rng(seed).normal(size=60), 5) for seed, name in enumerate("ab")}
    )
    data = bn.Dataset.from_frame(bn.discretize(frame, bins=2).assign(person=np.arange(300) // 5), clusters="person")
    assert data.design_effect == 5.0
    again = bn.CutAnew(bn.Bootstrap(2), frame).replicate(data, 0, np.random.default_rng(0))
    assert again.data.design_effect == 5.0
