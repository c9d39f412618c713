"""Variables of many states: which are named, and what their states become."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.rows_and_states import state_order
from bnengine.experiment.many_states import (
    joined_states,
    many_states,
    measured,
    most_helped,
    overfitted,
    rows_per_parameter,
)
from bnengine.report.report_sentences import data_in_sentences

WORDS = ("strongly disagree", "disagree", "neutral", "agree", "strongly agree")
TOWN = [f"town {k}" for k in range(12)]


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    columns = {
        "pain": rng.integers(0, 11, 250),
        "opinion": rng.choice(WORDS, 250, p=[0.05, 0.3, 0.3, 0.3, 0.05]),
        "town": rng.choice(TOWN, 250, p=np.array([6, 5, 4, *[1] * 9]) / 24),
        "smoker": rng.choice(["yes", "no"], 250),
    }
    return pd.DataFrame(columns)


RECIPE = bn.Recipe("file", "t.csv")


def test_rows_for_each_free_parameter(frame):
    """Of a variable of r states and another of m, the median of the others, (r - 1)(m - 1) are free."""
    data = RECIPE.prepare(frame)
    assert rows_per_parameter(data).tolist() == [250 / (10 * 4), 250 / (4 * 10), 250 / (11 * 4), 250 / (1 * 10)]


def test_numbers_and_words_in_order_keep_their_order_and_the_less_common_towns_become_one(frame):
    found = many_states(RECIPE, frame, RECIPE.prepare(frame))
    assert found.variables == ("pain", "opinion", "town")
    assert found.sentence.startswith("3 variables have 5 to 12 states each: with 250 rows there are only ")
    joined = dict(zip(frame.columns, found.recipe.prepare(frame).states, strict=True))
    assert len(joined["pain"]) == 3
    assert joined["opinion"] == ("strongly disagree or disagree", "neutral", "agree or strongly agree")
    assert state_order(sorted(joined["opinion"])) == (2, 1, 0)  # as strings agree stands first
    assert joined["town"] == ("town 0", "town 1", "town 2", "(other)")
    assert joined["smoker"] == ("no", "yes")
    assert many_states(found.recipe, frame, found.recipe.prepare(frame)) is None
    assert found.recipe.accepting(frame, ()) == RECIPE, "all of it can be taken back"


def test_of_equally_common_states_the_first_stay():
    """Of five equally common states none had fewer rows than the fourth, so that none was merged."""
    table = pd.DataFrame({"town": [*"abcde"] * 9, "other": [*"vwxyz"] * 9})
    assert joined_states(RECIPE, ["town"]).prepare(table).states == (("a", "b", "c", "(other)"), tuple("vwxyz"))
    few = pd.DataFrame({"town": [*"abcd"] * 9, "opinion": [*WORDS[1:4], None] * 9})
    own = dataclasses.replace(joined_states(RECIPE, ["town", "opinion"]), missing="own_state")
    assert own.prepare(few).states == (tuple("abcd"), (*WORDS[1:4], "(missing)"))


def test_states_are_joined_once_and_whatever_else_was_chosen():
    """A month made of a date could not be joined; rare states swallowed joined ones; holes were joined for ever."""
    rng, days = np.random.default_rng(1), pd.date_range("2021-01-01", periods=150, freq="W").astype(str)
    towns, ages = rng.choice([*"abcdefghijkl"], (150, 2)), ["≤20", "21–40", "41–60", "61–80", ">80"]
    table = pd.DataFrame(towns, columns=["town", "street"]).assign(day=days)
    table["age"] = rng.choice(ages, 150, p=[0.3, 0.1, 0.1, 0.1, 0.4])
    table.loc[3, "street"] = None
    date, rare = ("date", "day", "ymd", "month"), (("town", "30"),)
    recipe = dataclasses.replace(RECIPE, repairs=(date,), rare=rare, missing="own_state")
    found = many_states(recipe, table, recipe.prepare(table))
    joined = found.recipe.prepare(table)
    assert dict(zip(joined.names, joined.arities, strict=True)) == {"town": 4, "street": 5, "day (month)": 3, "age": 3}
    assert many_states(found.recipe, table, joined) is None
    assert not [said for said in data_in_sentences(found.recipe, joined) if "'age' was cut" in said]
    assert found.recipe.accepting(table, (date,)).joined == []


def test_joined_states_are_no_spellings(frame):
    """Different answers that became one were said to be spellings of one value."""
    joined = joined_states(RECIPE, frame.columns[:3])
    said = data_in_sentences(joined, joined.prepare(frame))
    assert said[1] == (
        "Before learning, states were joined (neighbours where they are ordered, otherwise the less common ones) in "
        "'pain', 'opinion' and 'town'."
    )
    assert said[2] == "'pain' was cut into 3 bins of equally many rows."
    assert bn.prepare(frame, repairs=joined.repairs).remarks[0] == "states were joined in 3 columns"


def test_an_order_given_by_hand_is_kept(frame):
    by_hand = bn.Recipe("file", "t.csv", states=(("town", *TOWN[::-1]),))
    joined = joined_states(by_hand, ["town"]).prepare(frame)
    assert joined.states[2] == ("town 11 to town 3", "town 2 or town 1", "town 0")


@pytest.mark.parametrize(
    ("how", "states", "kind"),
    [
        (("hand", "20", "30", "40", "50", "60"), ("≤30", "30–50", ">50"), "joined neighbours"),
        (("width", "5"), ("≤32.6", "32.6–48.4", ">48.4"), "joined neighbours"),
        (("hand", "50", "70"), ("≤50", "50–70", ">70"), "joined neighbours"),
        (("none",), ("≤27.5", "27.5–54.5", ">54.5"), "equally many rows"),
    ],
)
def test_neighbours_are_joined_at_the_cut_points_that_were_chosen(how, states, kind):
    """Joining cut the column anew into thirds, whatever cut points had been set by hand."""
    table = pd.DataFrame({"age": np.tile(np.arange(80) + 1, 5), "other": [*"ab"] * 200})
    joined = joined_states(dataclasses.replace(RECIPE, per_column=(("age", *how),)), ["age"])
    data = joined.prepare(table)
    assert data.states[0] == states
    assert data_in_sentences(joined, data)[2] == f"'age' was cut into 3 bins of {kind}."


def test_new_names_are_those_of_the_table(frame):
    renamed = bn.Recipe("file", "t.csv", renamed=(("pain", "ache"),))
    data = renamed.prepare(frame)
    joined = many_states(renamed, frame, data).recipe.prepare(frame)
    assert joined.arities[joined.index("ache")] == 3


def test_weekdays_are_not_joined_since_repairs_are_about_the_columns_of_the_raw_table(frame):
    """Of a date only a number or a weekday is kept; states are joined in columns that no repair makes."""
    days = pd.Series(pd.date_range("2024-03-01", periods=250, freq="D")).astype(str)
    dated = bn.prepare(frame.assign(start=days)).recipe
    dated = dataclasses.replace(dated, repairs=(("date", "start", "ymd", "weekday"),), leave_out=())
    table = frame.assign(start=days)
    assert dated.prepare(table).arities[-1] == 7
    found = many_states(dated, table, dated.prepare(table))
    assert found.variables == ("pain", "opinion", "town")
    assert found.recipe.prepare(table).arities.tolist() == [3, 3, 4, 2, 7]
    alone = dataclasses.replace(dated, columns=("smoker", "start (weekday)"))
    assert many_states(alone, table, alone.prepare(table)) is None


def test_nothing_is_said_where_rows_are_many_or_counted(frame):
    many = pd.concat([frame] * 1_000, ignore_index=True)
    assert many_states(RECIPE, many, RECIPE.prepare(many)) is None
    counted = bn.Recipe("file", "t.csv", weights="n")
    table = frame.assign(n=2)
    assert many_states(counted, table, counted.prepare(table)) is None


@pytest.mark.parametrize("kind", ["ordered", "others"])
def test_it_is_said_as_far_as_joining_surely_helped(kind):
    classes = measured()[kind]
    helped = [one for one in classes if one["from"] < most_helped(kind)]
    assert helped
    assert all(one["change"] < -2 * one["error"] for one in helped)
    assert all(one["false, offered"] <= 0.025 * one["sure, offered"] for one in helped)
    assert all(one["change"] == pytest.approx(one["after"] - one["before"], abs=0.02) for one in classes)


def test_a_graph_that_follows_chance_is_said_to():
    """BDeu(1) joins everything where many relations are deterministic; BIC does not."""
    data = bn.load_network("win95pts").sample(300, rng=1)
    graph = bn.learn(data, bn.BDeu(1), bn.HillClimbing())
    arities = np.array(data.arities, dtype=float)
    cells = [(arities[v] - 1) * arities[graph.adjacency[:, v]].prod() for v in range(76)]
    many = sum(n > 300 for n in cells)
    assert overfitted(data, graph.adjacency).startswith(f"Many edges of this graph may be chance: {many} of 76")
    assert overfitted(data, bn.learn(data, bn.BIC(), bn.HillClimbing()).adjacency) == ""
