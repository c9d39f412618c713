"""Exports that nobody prepared, in a real browser.

From Home to a graph with every built-in adjacency, what binning made of it marked; and to predicting the outcome.
"""

import io

import pandas as pd
import pytest

from tests import exports
from tests.pages.test_journey import browser, click_for, finding, go, page  # noqa: F401 - fixtures
from tests.pages.test_own_data_journey import Clicks, choose

pytestmark = pytest.mark.browser
MOST_CLICKS = 8


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param("export_de.csv", 31, marks=pytest.mark.thorough),
        pytest.param("export_nl.csv", 32, marks=pytest.mark.thorough),
        pytest.param("encuesta.csv", 33, marks=pytest.mark.thorough),
        ("churn.xlsx", 35),
    ],
)
def test_from_upload_to_the_built_in_adjacencies(page, name, seed):  # noqa: F811
    export = exports.EXPORTS[name](seed)
    clicks = Clicks(page)
    clicks(page.get_by_role("button", name="Open a table"))
    clicks(lambda there: choose(there, export.content, export.name))
    assert "open" in finding(page, f"{export.name} is usable")
    clicks(page.get_by_role("button", name="Accept all"))
    finding(page, f"{export.name} is ready")
    clicks(page.get_by_role("button", name="Next: learn a network"))
    finding(page, f"On {export.name}")
    assert clicks.n <= MOST_CLICKS
    page.locator(".st-key-note-bins").or_(page.get_by_test_id("stAlert")).first.wait_for()  # checked with finer bins
    table = pd.read_csv(io.BytesIO(click_for(page, "Edges")))
    learned = {frozenset(pair): tuple(pair) for pair in table[["parent", "child"]].itertuples(index=False)}
    assert export.truth <= set(learned)
    # what is there beyond the truth is marked, or a fact: the years since signing up follow from its date
    marked = table[table["finer_bins"].str.startswith("gone")]
    beyond = {pair for pair in set(learned) - export.truth if not any("signup" in name for name in pair)}
    assert {frozenset(pair) for pair in marked[["parent", "child"]].itertuples(index=False)} == beyond
    assert bool(page.get_by_test_id("stAlert").filter(has_text="by binning alone").count()) == bool(beyond)
    if name == "churn.xlsx":  # its outcome is rare
        clicks(lambda there: go(there, "Predict"))
        assert "churned = yes" in finding(page, "of all rows")
        assert clicks.n <= MOST_CLICKS
