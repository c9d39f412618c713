"""The Data page asks what the rows are, and takes each answer."""

import pytest

from pages.shared.keys import Key
from tests.data.test_sampling_weights import respondents
from tests.experiment.test_row_question import visits

pytestmark = pytest.mark.slow


def test_the_data_page_asks_and_takes_each_answer(visitor):
    visitor.upload("visits.csv", visits().to_csv(index=False))

    def radio():
        return next(one for one in visitor.at.radio if one.key.startswith(f"{Key.ROWS_ARE} "))

    assert any("'person' stands in several rows" in one.value for one in visitor.at.markdown)
    assert visitor.note("rows taken") == "Rows are taken as independent of each other."
    radio().set_value("clusters").run()
    visitor.button("Apply")
    assert visitor.recipe.clusters == "person"
    assert visitor.note("rows taken").startswith("300 rows of 60 units are worth")
    radio().set_value("blocks").run()
    visitor.button("Apply")
    assert (visitor.recipe.clusters, visitor.recipe.blocks) == ("", 2)
    radio().set_value("copies").run()
    assert (visitor.recipe.blocks, visitor.recipe.rows_are) == (None, "copies")
    visitor.few().go("network")
    assert not visitor.at.error


def test_the_data_page_asks_what_a_column_of_weights_says_and_takes_each_answer(visitor):
    visitor.upload("survey.csv", respondents(5, n_variables=3).rename(columns={"w": "wt"}).to_csv(index=False))

    def radio():
        return next(one for one in visitor.at.radio if one.label == "What does wt say?")

    assert any("**wt** may hold weights" in one.value for one in visitor.at.markdown)
    assert visitor.data.names == ("q0", "q1", "q2")
    radio().set_value("variable").run()
    assert "wt" in visitor.settle().data.names
    radio().set_value("sampling_weights").run()
    assert (visitor.settle().recipe.sampling_weights, visitor.recipe.leave_out) == ("wt", ())
    assert visitor.note("rows taken").startswith("300 rows with sampling weights are worth")
    assert not any("may hold weights" in one.value for one in visitor.at.markdown)
    visitor.few().go("network")
    assert not visitor.at.error
