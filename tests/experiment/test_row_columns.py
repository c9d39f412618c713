"""Columns that speak of rows in a recipe: what was set, and how often each row occurs."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.interventions import column_of_targets


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
        ({"missing": "most_common"}, "the most common state would be found"),
        ({"discretization": "quantile"}, "the cut points of 'age' would be found"),
    ],
)
def test_treatments_that_count_rows_are_refused_where_a_column_counts_them(treatment, message):
    _, short = counts()
    short["age"] = np.arange(len(short)) * 1.5
    short.loc[0, "a"] = None
    with pytest.raises(bn.DataError, match=message):
        bn.Recipe("file", "cells.csv", weights="n", **treatment).prepare(short)


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
