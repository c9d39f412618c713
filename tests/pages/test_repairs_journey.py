"""Exports that nobody prepared, from Home to a graph with every built-in adjacency, in a real browser."""

import io

import pandas as pd
import pytest

from tests import exports
from tests.pages.test_journey import browser, click_for, finding, page  # noqa: F401 - fixtures
from tests.pages.test_own_data_journey import Clicks, choose

pytestmark = pytest.mark.browser
MOST_CLICKS = 8


@pytest.mark.parametrize(
    "export",
    [exports.hospital("de", 31), exports.hospital("nl", 32), exports.survey(33), exports.churn(34)],
    ids=lambda one: one.name,
)
def test_from_upload_to_the_built_in_adjacencies(page, export):  # noqa: F811
    clicks = Clicks(page)
    clicks(page.get_by_role("button", name="Open a table"))
    clicks(lambda there: choose(there, export.content, export.name))
    assert "open" in finding(page, f"{export.name} is usable")
    clicks(page.get_by_role("button", name="Accept all"))
    finding(page, f"{export.name} is ready")
    clicks(page.get_by_role("button", name="Next: learn a network"))
    finding(page, f"On {export.name}")
    assert clicks.n <= MOST_CLICKS
    table = pd.read_csv(io.BytesIO(click_for(page, "Edges")))
    assert export.truth <= {frozenset(pair) for pair in table[["parent", "child"]].itertuples(index=False)}
