"""The Data page: which column says what was set, and which one counts rows; what other pages make of it."""

import pytest

from pages.shared.keys import Key
from tests.experiment.test_recipe import cells, counts
from tests.pages.reading import shows

pytestmark = pytest.mark.slow


def chosen(visitor, key):
    return next(box for box in visitor.at.selectbox if box.key.startswith(f"{key} "))


def test_a_column_of_what_was_set_is_found_said_and_can_be_switched_off(visitor):
    visitor.upload("cells.csv", cells().to_csv(index=False))
    assert visitor.recipe.interventions == "INT"
    kept = visitor.recipe.prepare(cells())
    assert shows(visitor.note("experiments"), *kept.rows_of_experiments.tolist(), kept.n_rows)
    visitor.go("network").settle()
    graph = visitor.graph
    assert graph.edges == [("a", "b"), ("b", "c")]
    assert (graph.cpdag == graph.adjacency).all()  # no edge is reversible
    visitor.go("predict").at.segmented_control(key=Key.PREDICT_SECTION).set_value("Accuracy").run()
    assert visitor.settle().note("observed")
    visitor.go("data")
    chosen(visitor, Key.SET_BY).set_value("").run()
    assert visitor.recipe.interventions == ""
    assert "INT" in visitor.recipe.used(cells())


def test_a_column_of_counts_is_chosen(visitor):
    long, short = counts()
    visitor.upload("counts.csv", short.to_csv(index=False))
    chosen(visitor, Key.COUNTED_BY).set_value("n").run()
    assert visitor.recipe.weights == "n"
    assert visitor.shows(f"{len(long):,} rows")
    chosen(visitor, Key.SET_BY).set_value("n").run()
    assert visitor.recipe.interventions == ""
    assert visitor.at.error[0].value == "One column cannot say both; choose another one."
