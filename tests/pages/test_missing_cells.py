"""The Data page keeps missing cells, and every page makes something of them."""

import numpy as np
import pytest

from pages.shared.keys import Key
from tests.strategies import make_data, with_holes

pytestmark = pytest.mark.slow


def table():
    frame = with_holes(make_data([2, 3, 2, 2], 150, 1), 1, 0.1).to_frame()
    return frame.rename(columns=dict(zip(frame.columns, "abcd", strict=True)))


@pytest.mark.parametrize("way", ["drawn", pytest.param("complete_families", marks=pytest.mark.thorough)])
def test_missing_cells_are_kept_on_every_page(visitor, way):
    visitor.upload("holes.csv", table().to_csv(index=False))
    radio = next(one for one in visitor.at.radio if one.key.startswith(f"{Key.MISSING} "))
    radio.set_value(way).run()
    assert visitor.recipe.missing == way
    kept = visitor.recipe.prepare(table())
    assert kept.missing_way == way
    assert kept.missing.sum() == table().isna().to_numpy().sum()
    visitor.go("network").settle()
    graph = visitor.graph
    assert np.isfinite(graph.score)
    for page in ("network", "evidence", "data"):
        visitor.go(page).settle()
        assert not visitor.at.error
    complete = kept.with_missing("listwise")
    for page in ("predict", "mdl", "bayesian", "bias_lab"):
        visitor.go(page)
        assert not visitor.at.error
    visitor.go("predict").at.segmented_control(key=Key.PREDICT_SECTION).set_value("Accuracy").run()
    visitor.settle()
    said = f"Only the {complete.n_rows:,} of {kept.n_rows:,} rows in which no cell is missing count here."
    assert visitor.note("observed") == said


def test_an_edge_is_explained_and_rows_are_found_where_cells_are_drawn(visitor):
    visitor.upload("holes.csv", table().to_csv(index=False))
    visitor.go("network").settle()
    assert visitor.recipe.missing == "drawn"
    visitor.click("a", "b")
    assert "on one draw of the missing cells" in visitor.note("edge score")
    assert "rows in which these variables are seen" in visitor.note("edge counts")
    visitor.click().unfold("trust").button("Find out").settle()
    assert "no missing cells; of yours" in visitor.note("rows needed")
