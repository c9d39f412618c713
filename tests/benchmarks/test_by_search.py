"""Searches compared: measures by hand."""

import pandas as pd
import pytest

from benchmarks.confidence_study.by_search import (
    BEST,
    bias_by_score,
    change,
    paired,
    share_of_search,
)
from benchmarks.confidence_study.cells import CLIMB


def invented():
    """Two networks of 2 edges; per true edge the best search has 1 less on a, 3 less on b, and one table more."""
    lines = []
    for network, climb, best in (("a", [4.0, 6.0], [2.0, 4.0, 99.0]), ("b", [8.0, 8.0], [2.0, 2.0])):
        for search, values in ((CLIMB, climb), (BEST, best)):
            about = {"network": network, "rows": 100, "score": "BIC", "true_edges": 2, "method": "repeated"}
            about |= {"pi_doubt": 10.0, "search": search}
            lines += [{**about, "table": table, "doubt": value} for table, value in enumerate(values)]
    return pd.DataFrame(lines)


def test_changes_by_hand():
    ways = {"naive": 2.0, "leading": 1.0}
    frame = paired(invented())
    assert len(frame) == 8
    found = change(frame, "doubt")
    assert (found.climb, found.best, found.difference) == (3.25, 1.25, -2.0)
    assert found.error == pytest.approx(1.0)
    assert not found.clear
    bias = pd.concat([invented().assign(method=key, edges=times * frame["doubt"]) for key, times in ways.items()])
    assert bias_by_score(paired(bias)) == {"BIC": pytest.approx({CLIMB: 3.25, BEST: 1.25})}
    assert share_of_search(frame) == pytest.approx({CLIMB: 3.25 / 5, BEST: 1.25 / 5})
