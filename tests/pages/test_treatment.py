"""The Data page's treatment of numbers: for all of them, for one column, by the score."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.columns import describe
from bnengine.graphs.dag import compare_with_truth
from bnengine.search import many_columns
from pages.data import treatment, variables
from pages.data.variables import METHODS
from pages.shared import own_data
from pages.shared.keys import Key
from tests.pages.reading import shows


def survey():
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, 200)
    hours = np.where(age > 65, 12.0, 36.0) + rng.normal(0, 5, 200)
    frame = pd.DataFrame({"age": age, "hours": hours.round(1), "children": rng.poisson(1.5, 200).clip(0, 6)})
    return frame.assign(home=np.where(rng.random(200) < (age - 10) / 80, "yes", "no"))


def cut_box(visitor):
    return next(box for box in visitor.at.selectbox if box.key.startswith("cut "))


@pytest.mark.slow
def test_levels_by_the_score(visitor):
    visitor.upload("survey.csv", survey().to_csv(index=False))
    assert visitor.recipe.per_column == (("children", "none"),)
    assert visitor.shows("2 to 6")
    cut_box(visitor).set_value("score").run()
    visitor.settle()
    assert visitor.recipe.discretization == "score"
    cuts = visitor.recipe.cuts(survey())
    assert list(cuts) == ["age", "hours"]
    assert any(abs(point - 65.5) <= 1 for point in cuts["age"])
    shown = next(frame.value for frame in visitor.at.main.dataframe if "cut at" in frame.value)
    assert shown.set_index("variable").loc["age", "states"] == len(cuts["age"]) + 1
    assert visitor.note("by score")
    visitor.go("network")
    assert visitor.data.to_frame().equals(visitor.recipe.prepare(survey()).to_frame())


def test_a_treatment_that_does_not_fit_the_table_can_be_taken_back(visitor):
    visitor.upload("survey.csv", survey().to_csv(index=False))
    before = visitor.recipe
    visitor.at.session_state["recipe"] = dataclasses.replace(before, columns=("age", "income"))
    visitor.at.session_state["past_recipes"] = [before]
    visitor.at.run()
    assert "has no column 'income'" in visitor.at.error[0].value
    visitor.button("Undo").settle()
    assert visitor.recipe == before
    assert not visitor.at.error


def test_of_what_stands_closed_nothing_is_sent(visitor):
    """Neither plotly, several megabytes, nor the cells of a wide table; opened, both are there."""
    wide = pd.DataFrame({f"v{k}": np.arange(30) % (2 + k % 2) for k in range(300)})
    visitor.upload("wide.csv", wide.to_csv(index=False))
    assert not visitor.at.get("plotly_chart")
    assert all(len(frame.value.columns) < 20 for frame in visitor.at.dataframe)
    visitor.unfold("rows")
    widest = max(visitor.at.dataframe, key=lambda frame: frame.value.shape[1])
    assert widest.value.shape[1] == 200
    assert widest.proto.placeholder == "missing"  # not "None", which may be a state
    assert any("30 of 30 rows, 200 of 300 columns" in text.value for text in visitor.at.caption)
    visitor.unfold("variable")
    assert visitor.at.get("plotly_chart")


@pytest.mark.slow
def test_a_choice_that_was_stopped_can_be_run_to_the_end(visitor, monkeypatch):
    """The first time it is told to stop as soon as it says how far it is."""
    patience = [2]

    def choose(recipe, frame, tell):
        most = patience.pop() if patience else 10**9
        return decide(recipe, frame, lambda done, total: done < most)

    decide = own_data.decide
    monkeypatch.setattr(own_data, "decide", choose)
    visitor.upload("survey.csv", survey().to_csv(index=False))
    cut_box(visitor).set_value("score").run()
    visitor.settle()
    assert visitor.at.warning
    assert visitor.at.session_state["cuts"][1].cuts != visitor.recipe.cuts(survey())
    partial = visitor.go("network").graph
    visitor.button("Run it again").settle()
    assert not visitor.at.warning
    assert visitor.at.session_state["cuts"][1].cuts == visitor.recipe.cuts(survey())
    whole = visitor.go("network").graph  # not that of the cut points there were before
    assert whole.score == visitor.experiment.learn(visitor.recipe.prepare(survey())).score != partial.score


@pytest.fixture
def table(monkeypatch):
    """The table of variables of a recipe for the survey, as it is before an edit."""
    monkeypatch.setattr(variables, "states_after", dict)

    def lines(recipe):
        cuts = recipe.cuts(survey())
        monkeypatch.setattr(variables.in_use, "known_cuts", lambda: cuts)
        return variables.table_lines(survey(), describe(survey()), recipe)

    return lines


def edit(lines, recipe, name, **cells):
    """The recipe after some cells of a line were edited."""
    edited = lines.copy()
    for cell, value in cells.items():
        edited[cell] = edited[cell].astype(object)
        edited.loc[name, cell] = value
    return variables.edited_recipe(survey(), lines, edited, recipe)


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("age", {"bins": 5}, {"per_column": (("age", "quantile", "5"),)}),
        ("age", {"cut": METHODS["none"]}, {"per_column": (("age", "none"),)}),
        ("age", {"cut": METHODS["score"]}, {"per_column": (("age", "score"),)}),
        ("age", {"cut": METHODS["width"]}, {"per_column": (("age", "width"),)}),
        ("age", {"cut": METHODS["kmeans"], "bins": 4}, {"per_column": (("age", "kmeans", "4"),)}),
        ("age", {"cut at": "65; 30"}, {"per_column": (("age", "hand", "30", "65"),)}),
        ("age", {"cut at": "30,5; 65,5"}, {"per_column": (("age", "hand", "30.5", "65.5"),)}),
        ("age", {"cut at": "30,5, 65,5"}, {"per_column": (("age", "hand", "30.5", "65.5"),)}),
        ("age", {"cut at": "30,65,80"}, {"per_column": (("age", "hand", "30", "65", "80"),)}),
        ("age", {"type": "Discrete"}, {"per_column": (("age", "none"),)}),
        ("age", {"variable": " years "}, {"renamed": (("age", "years"),)}),
        ("home", {"use": False}, {"leave_out": ("home",)}),
        ("home", {"type": "Ordinal"}, {"states": (("home", "no", "yes"),)}),
    ],
)
def test_an_edited_cell_changes_its_part_of_the_recipe(table, name, cells, said):
    recipe = bn.Recipe(discretization="quantile", bins=3)
    assert edit(table(recipe), recipe, name, **cells) == dataclasses.replace(recipe, **said)


def test_who_says_how_the_states_of_a_variable_are_made_takes_back_that_they_were_joined(table):
    joined = bn.Recipe(discretization="quantile", repairs=(("joined", "age"), ("joined", "children")))
    renamed = edit(table(joined), joined, "age", variable="years")
    assert renamed.joined == ["age", "children"]
    own = edit(table(joined), joined, "age", bins=5)
    assert (own.per_column, own.joined) == ((("age", "quantile", "5"),), ["children"])


def test_a_measurement_is_noted_only_while_it_is_not_cut(table):
    assert table(bn.Recipe()).loc["hours", "note"] == "measured"
    assert "note" not in table(bn.Recipe(discretization="quantile"))


@pytest.mark.parametrize(
    ("name", "cells", "says"),
    [
        ("home", {"type": "Measurement"}, "'home' cannot be discretized: most of its cells are no numbers"),
        ("age", {"cut at": "young"}, "must be numbers, such as 18, 65; got young"),
        ("age", {"cut at": "30,5"}, "may be one or two: write 30.5 for one or 30; 5 for two"),
        ("age", {"variable": "hours"}, "two variables would be called 'hours'"),
    ],
)
def test_a_cell_that_cannot_be_taken_over_is_refused(table, name, cells, says):
    recipe = bn.Recipe(discretization="quantile")
    with pytest.raises(ValueError, match=says):
        edit(table(recipe), recipe, name, **cells)


def test_a_decimal_comma_is_read_where_rows_are_selected_by_a_number():
    lines = pd.DataFrame(
        [("age", "is at least", "17,5"), ("town", "is one of", "1,5; a")], columns=["variable", "test", "value"]
    )
    assert treatment.conditions_of(lines) == (("age", "at_least", "17.5"), ("town", "is", "1,5", "a"))


@pytest.mark.slow
def test_a_change_is_taken_back_and_the_way_on_leads_to_learn(visitor):
    visitor.upload("survey.csv", survey().to_csv(index=False))
    first = visitor.recipe
    assert not visitor.has(Key.UNDO)
    cut_box(visitor).set_value("width").run()
    visitor.slide("bins", 5)
    visitor.button("Undo").settle()
    assert visitor.recipe == dataclasses.replace(first, discretization="width")
    visitor.button("Undo").settle()
    assert visitor.recipe == first
    assert cut_box(visitor).value == "number"
    visitor.button("See the network").settle()
    assert visitor.shows("edges") or visitor.shows("edge")


EDGES = "1. age --> hours\n2. home --- age\n3. hours --> children\n"


@pytest.mark.slow
def test_a_known_network_is_compared_with_the_learned_graph(visitor):
    visitor.upload("survey.csv", survey().to_csv(index=False))
    visitor.at.file_uploader(key=Key.KNOWN).set_value(("truth.txt", EDGES.encode(), "text/plain")).run()
    visitor.settle().go("network").part("trust", Key.TRUST, "known")
    data, edges = visitor.data, [("age", "hours"), ("home", "age"), ("age", "home"), ("hours", "children")]
    found = compare_with_truth(data.names, visitor.experiment.learn(data).edges, edges)
    counts = [len(found.true), len(found.reversed), len(found.extra), len(found.missing), found.shd, found.class_shd]
    assert shows(visitor.note("known network"), "truth.txt", 3, *counts)
    table = visitor.frame("kind", "parent")
    kinds = {edge: kind for kind in ("true", "reversed", "extra", "missing") for edge in getattr(found, kind)}
    assert table["kind"].tolist() == [kinds[edge] for edge in zip(table["parent"], table["child"], strict=True)]
    visitor.on("asia_1000").go("network").part("trust", Key.TRUST, "known")
    assert shows(visitor.note("known network"), "ASIA", 8)


@pytest.mark.slow
def test_a_network_that_does_not_fit_says_why(visitor):
    visitor.sample("titanic").at.file_uploader(key=Key.KNOWN).set_value(("truth.csv", b"x,y\n", "text/csv")).run()
    assert any("no two variables of these data" in message for message in visitor.settle().messages)
    assert not visitor.go("network").at.error


@pytest.mark.slow
def test_many_columns_for_few_rows_are_announced_before_the_work(visitor, monkeypatch):
    monkeypatch.setattr(many_columns, "_LONG", 1e-6)
    noise = np.random.default_rng(0).choice(2, (20, 120))
    visitor.upload("noise.csv", pd.DataFrame(noise).add_prefix("g").to_csv(index=False)).go("network")
    assert visitor.has(Key.start("graph"))  # nothing is learned yet
    assert shows(visitor.note("many columns"), 20, "7,140 pairs")
    visitor.at.button(key=Key.KEEP_COLUMNS).click().run()
    assert visitor.data.n_variables == 20
    assert not visitor.has(Key.KEEP_COLUMNS)
