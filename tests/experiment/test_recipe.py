"""The treatment of a table: rows, names, states, missing cells."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.interventions import column_of_targets
from bnengine.experiment.intake import with_numbers

FULL = bn.Recipe(
    "file",
    "survey.csv",
    columns=("q1", "home", "town", "income"),
    per_column=(("income", "hand", "1000", "2000"),),
    where=(("q1", "at_least", "2"),),
    rare=(("town", "20"),),
    states=(("home", "own", "let"), ("town", "x")),
    missing_in=(("home", "most_common"), ("town", "own_state")),
    renamed=(("q1", "rating"),),
)


def survey(n=200):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"nr": np.arange(1, n + 1), "q1": rng.integers(1, 6, n), "home": rng.choice(["let", "own"], n)}
    )
    frame["town"] = rng.choice(["x", "y", "z1", "z2"], n, p=[0.46, 0.46, 0.04, 0.04])
    frame["income"] = rng.gamma(2, 900, n).round()
    frame.loc[::11, "home"], frame.loc[::17, "town"], frame.loc[::23, "income"] = None, None, np.nan
    return frame


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"discretization": "quantile"}, "cut into 3 bins of equally many rows: x"),
        ({"discretization": "width", "bins": 4}, "cut into 4 bins of equal width: x"),
        ({"discretization": "kmeans"}, "cut into 3 bins around means: x"),
        ({"discretization": "score"}, "bins chosen by description length: x"),
        ({}, "missing cells are kept: drawn in every replicate"),
        (
            {"discretization": "quantile", "missing": "complete_families"},
            "missing cells are kept: each variable and its parents counted where they are seen",
        ),
        ({"missing": "drop_rows"}, "left out 20 of 200 rows, with missing cells"),
    ],
)
def test_remarks_say_what_was_done(choices, said):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=200).round(2), "g": rng.choice([*"ab"], 200)})
    frame["y"] = np.where(np.arange(200) % 10 == 0, None, np.where(frame["x"] > 0, "high", "low"))
    found = bn.prepare(frame, **choices)
    assert any(said in remark for remark in found.remarks), found.remarks
    assert sum("cut into" in remark for remark in found.remarks) == ("discretization" in choices)
    assert ("kept as numbers: x" in found.remarks) != ("discretization" in choices)
    whole = bn.prepare(frame.drop(columns="y"), **choices)
    assert not any("missing cells" in remark for remark in whole.remarks)


def test_everything_said_about_single_columns_is_done_in_order():
    frame = survey()
    data = FULL.prepare(frame)
    kept = frame[frame["q1"] >= 2]
    assert data.names == ("rating", "home", "town", "income")
    assert data.states[0] == ("2", "3", "4", "5")
    assert data.states[1] == ("own", "let")
    assert data.states[2] == ("x", "y", "(other)", "(missing)")
    assert data.states[3] == ("≤1000", "1000–2000", ">2000")
    assert data.n_rows == kept["income"].notna().sum()  # only a missing income costs a row
    most = kept["home"].value_counts().idxmax()
    filled = kept[kept["income"].notna()]["home"].fillna(most)
    assert (data.to_frame()["home"].astype(str).to_numpy() == filled.to_numpy()).all()


def test_the_python_lines_give_the_same_data(tmp_path, monkeypatch):
    survey().to_csv(tmp_path / "survey.csv", index=False)
    survey_with_repairs().to_csv(tmp_path / "repairs.csv", index=False)
    measured().to_csv(tmp_path / "measured.csv", index=False)
    monkeypatch.chdir(tmp_path)
    for recipe in (
        FULL,
        bn.Recipe("file", "survey.csv", columns=("q1", "income"), per_column=(("income", "hand", "900"),)),
        bn.Recipe("file", "survey.csv", discretization="quantile", missing="complete_families"),
        bn.Recipe("file", "repairs.csv", repairs=REPAIRS, leave_out=("id",), missing="own_state"),
        *(bn.prepare(measured(), **how).recipe for how, *_ in CHOICES),
    ):
        recipe = dataclasses.replace(recipe, name="measured.csv" if recipe.name == "table" else recipe.name)
        said: dict[str, bn.Dataset] = {}
        exec(recipe.python(), said)
        assert said["data"].digest == recipe.prepare(recipe.load()).digest


def test_cut_points_do_not_depend_on_what_comes_after_them():
    assert FULL.for_cuts == bn.Recipe(
        "file", "survey.csv", columns=FULL.columns, per_column=FULL.per_column, where=FULL.where
    )
    assert FULL.for_cuts.cuts(survey()) == FULL.cuts(survey()) == {"income": (1000.0, 2000.0)}


REPAIRS = (("missing", "q1", "99"), ("spellings", "home", "OWN", "own"), ("date", "day", "ymd", "quarter"))


def survey_with_repairs():
    days = pd.date_range("2023-01-01", periods=40, freq="9D").strftime("%Y-%m-%d")
    return pd.DataFrame(
        {"q1": [1, 2, 3, 99] * 10, "home": ["own", "OWN", "rent", "rent"] * 10, "day": days, "id": range(1, 41)}
    )


def test_repairs_come_first_and_are_made_once():
    frame = survey_with_repairs()
    recipe = bn.Recipe("file", "survey.csv", repairs=REPAIRS, leave_out=("id",), missing="own_state")
    data = recipe.prepare(frame)
    assert dict(zip(data.names, data.states, strict=True)) == {
        "q1": ("1", "2", "3", "(missing)"),
        "home": ("own", "rent"),
        "day (quarter)": ("Q1", "Q2", "Q3", "Q4"),
    }
    pd.testing.assert_frame_equal(recipe.prepare(recipe.repaired(frame)).to_frame(), data.to_frame())


def test_accepting_repairs_keeps_what_was_chosen_and_suggests_the_rest_anew():
    frame = survey_with_repairs()
    first = bn.Recipe("file", "survey.csv").suggested(frame)
    assert first.leave_out == ("day", "id")  # another date in every row
    chosen = dataclasses.replace(first, states=(("home", "rent", "own"),))
    new = chosen.accepting(frame, REPAIRS)
    assert (new.repairs, new.leave_out, new.states) == (REPAIRS, ("id",), chosen.states)
    assert (first.missing, new.missing) == ("drop_rows", "drawn")  # ten of forty rows have a cell that is missing now
    assert new.accepting(frame, ()) == chosen
    by_hand = dataclasses.replace(new, leave_out=("id", "q1"))
    assert by_hand.accepting(frame, REPAIRS[:2]).leave_out == ("day", "id", "q1")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"renamed": [("age", "x")]}, "the table has no column 'age'"),
        ({"leave_out": ("town",)}, "no column 'town'"),
        ({"repairs": [("missing", "town", "?")]}, "no column 'town'"),
        ({"leave_out": ("q1", "home", "day", "id")}, "every column is left out"),
        ({"columns": ("q1", "home"), "renamed": [("q1", "home")]}, "the column name 'home' occurs 2 times"),
    ],
)
def test_a_column_that_is_not_there_or_twice_is_named(settings, says):
    with pytest.raises(bn.DataError, match=says):
        bn.Recipe("file", "s.csv", **settings).prepare(survey_with_repairs())


@pytest.mark.parametrize("way", ["drawn", "complete_families"])
def test_missing_cells_are_kept_where_the_recipe_says_so(way):
    frame = pd.DataFrame({"a": ["x", None, "y", "x"], "b": ["u", "v", None, "v"], "c": [None, "p", "q", "q"]})
    recipe = bn.Recipe(missing=way, missing_in=[("c", "drop_rows")])
    data = recipe.prepare(frame)
    assert (data.n_rows, data.missing_way, data.missing.tolist()) == (
        3,
        way,
        [[True, False, False], [False, True, False], [False, False, False]],
    )


# Columns that speak of rows: what was set, and how often each row occurs.


def cells(n=400):
    """a causes b causes c; b was set in the first half, c in the next quarter, with a hole here and there."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.85, a, 1 - a)
    b[: n // 2] = rng.integers(0, 2, n // 2)
    c = np.where(rng.random(n) < 0.85, b, 1 - b)
    c[n // 2 : 3 * n // 4] = rng.integers(0, 2, n // 4)
    frame = pd.DataFrame({name: np.array(["no", "yes"])[x] for name, x in (("a", a), ("b", b), ("c", c))})
    frame["INT"] = np.repeat(["b", "b", "c", None], n // 4)
    frame.loc[::50, "a"] = None
    return frame


def test_a_column_of_what_was_set_is_found():
    frame = cells()
    assert column_of_targets(frame) == "INT"
    assert column_of_targets(frame.drop(columns="INT")) == ""
    assert column_of_targets(frame.assign(other=frame["INT"])) == ""  # which of the two is not known
    assert column_of_targets(frame.assign(INT="b; c")) == "INT"
    assert column_of_targets(frame.assign(INT=None)) == ""
    assert bn.Recipe("file", "cells.csv").suggested(frame).interventions == "INT"


def test_observed_rows_are_not_dropped_for_their_empty_cell():
    frame = cells()
    recipe = bn.Recipe("file", "cells.csv").suggested(frame)
    data = dataclasses.replace(recipe, missing="drop_rows").prepare(frame)
    kept = frame.dropna(subset=["a", "b", "c"])
    assert data.names == ("a", "b", "c")
    assert data.n_rows == len(kept) < len(frame)
    assert data.targets == ((), ("b",), ("c",))
    assert data.rows_of_experiments.tolist() == [
        int(kept["INT"].isna().sum()),
        int((kept["INT"] == "b").sum()),
        int((kept["INT"] == "c").sum()),
    ]
    assert bn.learn(data).edges == [("a", "b"), ("b", "c")]


def test_what_was_set_follows_new_names_and_columns_left_out():
    recipe = bn.Recipe("file", "cells.csv", interventions="INT", renamed=(("b", "beta"),), leave_out=("c",))
    assert recipe.prepare(cells()).targets == ((), ("beta",))


def test_the_columns_in_use_are_asked_for_once_not_for_each_column(monkeypatch):
    """A table may have thousands of columns."""
    asked, used = [], bn.Recipe.used
    monkeypatch.setattr(bn.Recipe, "used", lambda recipe, frame: asked.append(1) or used(recipe, frame))
    wide = cells().assign(**{f"x{k}": np.arange(len(cells())) % 2 for k in range(40)})
    bn.Recipe("file", "cells.csv", interventions="INT").prepare(wide)
    assert len(asked) < 5


def counts():
    frame = cells().drop(columns="INT").dropna()
    return frame, frame.value_counts().rename("n").reset_index()


def test_a_recipe_with_counts_is_that_of_the_long_table():
    long, short = counts()
    data = bn.Recipe("file", "cells.csv", weights="n").prepare(short)
    assert data.n_rows == len(long)
    assert bn.score(data, [("a", "b")], bn.BIC()) == bn.score(bn.Dataset.from_frame(long), [("a", "b")], bn.BIC())


@pytest.mark.parametrize(
    ("treatment", "message"),
    [
        ({"rare": (("a", "5"),)}, "rare states would be found from the listed rows"),
        ({"repairs": (("joined", "a"),)}, "joined states would be found from the listed rows"),
        ({"missing": "most_common"}, "the most common state would be found"),
        ({"discretization": "quantile"}, "the cut points of 'age' would be found"),
    ],
)
def test_treatments_that_count_rows_are_refused_where_a_column_counts_them(treatment, message):
    """Unless it counts none, which is said first."""
    _, short = counts()
    short["age"] = np.arange(len(short)) * 1.5
    short.loc[0, "a"] = None
    recipe = bn.Recipe("file", "cells.csv", weights="n", **treatment)
    for count, says in ((short["n"], message), (short["n"] + 0.5, "weights='n' must hold whole numbers")):
        with pytest.raises(bn.DataError, match=says):
            recipe.prepare(short.assign(n=count))


def test_an_accepted_repair_keeps_what_was_chosen():
    frame = cells().assign(person=[f"P{k}" for k in range(400)])
    recipe = bn.Recipe("file", "cells.csv").suggested(frame)
    assert recipe.accepting(frame, [("leave_out", "person")]).interventions == "INT"
    off = dataclasses.replace(recipe, interventions="")
    assert off.accepting(frame, [("leave_out", "person")]).interventions == ""


def test_the_r_script_says_that_it_takes_all_rows_as_observed():
    says = "# All rows are taken as observed here"
    assert says in bn.settings.r_script(bn.Experiment(bn.Recipe("file", "cells.csv", interventions="INT")))
    assert says not in bn.settings.r_script(bn.Experiment(bn.Recipe("file", "cells.csv")))


def test_a_cross_classified_table_is_counted_by_its_column_of_counts():
    long = bn.load_sample("titanic")
    short = long.value_counts().rename("Freq").reset_index()
    found = bn.prepare(short)
    assert found.recipe.weights == "Freq"
    assert found.data.n_rows == len(long)
    assert "'Freq' counts how often each row occurs" in found.remarks
    for odd in (short.rename(columns={"Freq": "fare"}), pd.concat([short, short]), short.assign(Freq=0.5)):
        assert bn.prepare(odd).recipe.weights == ""


# Columns that are kept as numbers.


def measured(n=60):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"dose": rng.normal(size=n).round(3), "ward": rng.choice([*"ab"], n)})
    return frame.assign(pulse=(70 + 9 * frame["dose"] + rng.normal(size=n)).round(1), visits=rng.integers(0, 6, n))


#: How measurements are treated, which are kept then, and what is said of it.
CHOICES = (
    ({}, ("dose", "pulse"), "kept as numbers: dose, pulse"),
    ({"numbers": "all"}, ("dose", "pulse"), "kept as numbers: dose, pulse"),
    ({"numbers": ["visits"]}, ("dose", "pulse", "visits"), "kept as numbers: dose, pulse, visits"),
    ({"numbers": ["dose"], "discretization": "quantile"}, ("dose",), "cut into 3 bins of equally many rows: pulse"),
    ({"discretization": "quantile"}, (), "cut into 3 bins of equally many rows: dose, pulse"),
    ({"bins": 4}, (), "cut into 4 bins of equally many rows: dose, pulse"),
)


@pytest.mark.parametrize(("choices", "kept", "said"), CHOICES)
def test_measurements_are_kept_or_cut_as_chosen(choices, kept, said):
    frame = measured()
    found = bn.prepare(frame, **choices)
    assert found.data.numbers == kept
    assert len(found.data.states[found.data.index("visits")]) == 6  # few values are states
    assert said in found.remarks
    at_cuts = found.recipe.prepare(frame, found.recipe.cuts(frame))
    assert at_cuts.digest == found.data.digest
    for name in kept:
        np.testing.assert_array_equal(found.data.to_frame()[name], frame[name])


def test_a_frame_that_is_learned_from_keeps_its_measurements_but_codes():
    frame = measured()
    expected = bn.Dataset.from_frame(frame, numbers=["dose", "pulse"])
    assert bn.learn(frame).score == bn.learn(expected).score
    assert bn.study(frame, methods=("data",)).reference.edges == bn.learn(expected).edges
    counts = [bn.resample(one, resampler=bn.Bootstrap(2)).edge_counts.tolist() for one in (frame, expected)]
    assert counts[0] == counts[1]
    with pytest.raises(bn.DataError, match="'ID' has 120 different values"):
        bn.learn(measured(120).assign(ID=range(1, 121)))
    with pytest.raises(ValueError, match="fit needs states, but some columns are kept as numbers"):
        bn.fit(frame, [])


def test_holes_that_are_a_state_want_states():
    """Dashes where another column says that there is no drug: the dose is cut, beside numbers that are kept."""
    frame, drug = measured(200), np.where(np.arange(200) % 4 == 0, "-", "ibuprofen")
    data = bn.prepare(frame.assign(dose=frame["dose"].astype(str).where(drug != "-", "-"), drug=drug)).data
    assert data.numbers == ("pulse",)
    assert len(data.states[data.index("dose")]) == 4


def test_kept_numbers_have_no_states_to_put_in_order_or_to_merge_and_may_be_renamed():
    recipe = bn.Recipe(discretization="number", rare=[("dose", "5")], states=[("dose", "1", "2")])
    data = dataclasses.replace(recipe, renamed=[("dose", "mg")]).prepare(measured())
    assert data.numbers == ("mg", "pulse")
    joined = dataclasses.replace(recipe, repairs=[("joined", "dose")]).prepare(measured())
    assert (joined.numbers, joined.arities[0]) == (("pulse",), 3)  # who joins states wants states


def test_a_missing_number_is_no_state():
    frame = measured()
    frame.loc[::7, "pulse"] = np.nan
    for how in ({"missing": "own_state"}, {"missing": "most_common"}, {"missing_in": [("pulse", "own_state")]}):
        with pytest.raises(bn.DataError, match="'pulse' is kept as numbers, so its missing cells can be neither"):
            bn.Recipe(discretization="number", **how).prepare(frame)
    assert bn.Recipe(discretization="number", missing="drop_rows").prepare(frame).n_rows == frame["pulse"].count()
    assert bn.Recipe(discretization="number", missing="drawn").prepare(frame).holes.sum() == frame["pulse"].isna().sum()


def test_columns_that_are_hardly_ever_filled_in_are_named_where_they_are_kept():
    frame = measured(200)
    frame["rare"] = np.where(np.arange(200) % 20 == 0, frame["ward"], None)
    said = "95% of the cells of 'rare' are missing: leave out what nearly nobody answered"
    assert any(said in remark for remark in bn.prepare(frame, numbers="all").remarks)
    assert not any("cells of" in remark for remark in bn.prepare(frame, missing="own_state").remarks)
    assert not any("cells of" in remark for remark in bn.prepare(measured()).remarks)


@pytest.mark.parametrize(
    ("way", "kept"), [("own_state", ("dose",)), ("most_common", ("dose",)), ("complete_families", ()), ("drawn", None)]
)
def test_a_way_with_missing_cells_that_needs_states_cuts_measurements(way, kept):
    frame = measured()
    frame.loc[::7, "pulse"] = np.nan
    assert bn.prepare(frame, missing=way).data.numbers == (("dose", "pulse") if kept is None else kept)
    assert bn.prepare(frame, missing=way, discretization="width").data.numbers == ()
    assert bn.prepare(measured(), missing=way).data.numbers == ("dose", "pulse")
    text = frame[["ward", "visits"]].assign(pulse=[f"{x} bpm" if x == x else None for x in frame["pulse"]])
    for chosen in ({"missing": way}, {"missing_in": [("pulse", way)]} if way in ("own_state", "most_common") else {}):
        recipe = dataclasses.replace(bn.Recipe("file", "t.csv").suggested(text), **chosen)
        ticked = recipe.accepting(text, [("number", "pulse", "point")])
        assert ticked.prepare(text).numbers == (("pulse",) if way == "drawn" or not chosen else ())
        assert ticked.accepting(text, []).per_column == recipe.per_column


def test_numbers_cannot_be_counted_on_rows_of_each_family():
    frame = measured()
    frame.loc[::7, "pulse"] = np.nan
    with pytest.raises(bn.DataError, match=r"'dose' is kept as numbers, .* choose missing='drawn'"):
        _ = bn.prepare(frame, numbers="all", missing="complete_families").data


def test_infinite_measurements_count_as_missing_and_holes_of_a_plain_frame_are_explained():
    frame = measured()
    frame.loc[3, "dose"] = np.inf
    found = bn.prepare(frame)
    assert (found.data.numbers, found.data.holes.sum()) == (("dose", "pulse"), 1)
    assert "infinite cells count as missing: 1 in 'dose'" in found.remarks
    for odd in (frame, frame.replace(np.inf, np.nan)):
        with pytest.raises(
            bn.DataError, match=r"'dose' is kept as a number, .* bn\.prepare\(frame\)\.data, which draws"
        ):
            bn.learn(odd)


def test_infinite_cells_stay_states_of_columns_taken_as_states_and_are_named_in_columns_about_rows():
    frame = measured()
    frame.loc[3, "dose"] = np.inf
    states = bn.Recipe("file", "t.csv", columns=("dose",), discretization="none").prepare(frame.round(0))
    assert "inf" in states.states[0]
    weighted = bn.Recipe("file", "t.csv", columns=("pulse",), sampling_weights="dose", discretization="quantile")
    with pytest.raises(bn.DataError, match="inf"):
        weighted.prepare(frame.assign(dose=frame["dose"].abs()))


def test_one_column_cannot_be_kept_and_cut():
    with pytest.raises(ValueError, match="numbers and cut both name 'dose'"):
        with_numbers(bn.Recipe(), ["dose"], ["dose"])
    with pytest.raises(ValueError, match="numbers and cut are both 'all'"):
        with_numbers(bn.Recipe(), "all", "all")
    for cutting, words in (({"bins": 4}, "bins=4"), ({"discretization": "width"}, "discretization='width'")):
        with pytest.raises(ValueError, match=f"numbers='all' keeps every measurement, but {words} cuts them"):
            bn.prepare(measured(), numbers="all", **cutting)
    assert with_numbers(bn.Recipe(), "dose", ()).per_column == (("dose", "number"),)
    assert with_numbers(bn.Recipe(), "all", ["a"]).per_column == (("a", "quantile"),)  # "a" is no part of "all"
    with pytest.raises(bn.DataError, match="no column 'dosis'"):
        _ = bn.prepare(measured(), numbers=["dosis"]).data


def test_the_score_is_by_blocks_unless_another_is_chosen_where_numbers_are_kept():
    data = bn.prepare(measured(), numbers="all").data
    assert bn.learn(data).score == bn.learn(data, bn.GaussianBIC()).score != bn.learn(data, bn.BIC()).score
    assert bn.resample(data, resampler=bn.Bootstrap(2)).score == "Gaussian BIC"
