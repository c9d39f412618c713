"""The Data page shows every recipe that can be made: where it does not fit, a sentence and a way back."""

import dataclasses

import pytest
import streamlit as st

import bnengine as bn
from bnengine._core.settings import settings_of
from bnengine.data.repairs import REPAIR_KINDS
from bnengine.experiment.column_lists import BY_HAND, MOST_BINS
from bnengine.experiment.experiment import PredictionSettings
from pages.shared import frame
from pages.shared.keys import Key
from tests.pages.reading import unescaped

pytestmark = pytest.mark.slow

ABSENT = "nope"
#: By kind of list of a recipe: what may follow the column's name.
FOLLOWS = {
    "per_column": [("none",), ("width", str(MOST_BINS)), (BY_HAND, "0.5"), ("information",), ("score",)],
    "where": [("is", "x"), ("is_not", "x"), ("at_least", "5"), ("at_most", "-1e300")],
    "rare": [("2",), ("999999999",)],
    "states": [("x", "y"), ("yes",)],
    "missing_in": [("drop_rows",), ("own_state",), ("most_common",)],
    "renamed": [("other",), ("asia",), ("age",)],
}
#: Columns of words, and of numbers with missing cells.
COLUMNS = ("sex", "age")


def unfit(base):
    """Recipes of every setting of a table, at its ends, for columns that exist and that do not."""
    for one in settings_of(bn.Recipe):
        if one.name in ("source", "name", "n_rows", "seed"):
            continue
        values = []
        if one.kind == "names":
            values = [(ABSENT,), (COLUMNS[0], ABSENT), COLUMNS[:1], tuple(base.load().columns)]
        elif one.kind == "choice":
            values = list(one.choices)[1 : None if one.name in ("discretization", "missing") else 2]
        elif one.kind == "bool":
            values = [not one.default]
        elif one.kind == "int":
            values = [int(one.ge), int(one.le)]
        elif one.kind == "text":
            values = [ABSENT]
        elif one.name == "repairs":
            values = [
                ((key, column, *kind.example),) for key, kind in REPAIR_KINDS.items() for column in (*COLUMNS, ABSENT)
            ]
        else:
            listed = FOLLOWS[one.name]
            values = [((column, *follows),) for column in COLUMNS for follows in listed] + [((ABSENT, *listed[0]),)]
        for value in values:
            try:
                made = dataclasses.replace(base, **{one.name: value})
            except ValueError:  # cannot be made
                continue
            if one.kind not in ("choice", "bool", "text") or not fits(made):
                yield made
    yield dataclasses.replace(base, discretization="quantile", bins=MOST_BINS)
    yield dataclasses.replace(base, columns=COLUMNS[:1], states=(("other", "x"),))


def fits(recipe):
    """Whether the bundled table can be learned from with this treatment."""
    try:
        return recipe.prepare(recipe.load()) is not None
    except bn.DataError:
        return False


@pytest.fixture(autouse=True)
def draws(monkeypatch):
    """The draws of pages since the list was last cleared; one that begins again and again is ended after some."""
    begun, whole = [], frame.draw

    def draw(*args):
        begun.append(args)
        if len(begun) > 4 * MOST_DRAWS:
            st.stop()
        whole(*args)

    monkeypatch.setattr(frame, "draw", draw)
    return begun


#: Draws of a page that is opened: one, and another for each result that it does not wait for.
MOST_DRAWS = 4


def check(visitor, recipe, draws):
    """The page draws; where the data cannot be learned from, a sentence says so and a button leads to data that can."""
    visitor.at.session_state["recipe"], visitor.at.session_state["data_chosen"] = recipe, True
    draws.clear()
    visitor.open("data")
    assert len(draws) <= MOST_DRAWS, f"{recipe} is drawn again and again"
    for _ in range(20):
        if visitor.recipe == recipe and not visitor.waiting:
            break
        assert visitor.waiting, f"{recipe} became {visitor.recipe} by being shown"
        visitor.settle()
    assert visitor.recipe == recipe, "what is shown is not changed by showing it"
    problems = [unescaped(error.value) for error in visitor.at.error]
    if visitor.finding:
        return
    assert len(problems) >= 1, recipe
    assert all(len(problem) < 600 for problem in problems)
    visitor.at.button(key=Key.SUGGESTED).click().run()
    visitor.settle()
    assert visitor.finding, recipe
    assert visitor.recipe.for_table == recipe.for_table


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in (1, 2, 3))])
def test_a_bundled_table_with_any_treatment_is_shown(visitor, draws, first):
    for recipe in list(unfit(bn.Recipe("sample", "titanic")))[first::4]:
        check(visitor, recipe, draws)


#: Settings in a link that do not fit the table; treatments are tried above.
UNFIT = {
    "required": {"constraints": bn.Constraints(required=((ABSENT, "asia"),))},
    "tiers": {"constraints": bn.Constraints(tiers=((ABSENT,), ("asia",)))},
    "ordering": {"search": bn.K2(ordering=(ABSENT, "asia"))},
    "root": {"search": bn.ChowLiu(root=ABSENT)},
    "target": {"prediction": PredictionSettings(target=ABSENT)},
}


@pytest.mark.parametrize("settings", UNFIT.values(), ids=UNFIT)
def test_a_link_that_does_not_fit_is_drawn_once(arrive, draws, settings):
    visitor = arrive(run=bn.Experiment(bn.Recipe("sample", "asia_1000"), n=20, **settings).to_link())
    draws.clear()
    visitor.open("data")
    assert len(draws) <= MOST_DRAWS
    assert visitor.finding or visitor.messages or visitor.waiting


def test_a_link_whose_columns_are_not_there_opens_on_every_page(arrive):
    visitor = arrive(run=bn.Experiment(bn.Recipe("sample", "asia_1000", columns=(ABSENT,))).to_link())
    for page in ("data", "network", "predict"):
        visitor.go(page)
        assert any(ABSENT in unescaped(error.value) for error in visitor.at.error)
        assert visitor.at.get("page_link") or page == "data"
