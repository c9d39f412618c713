"""Searches compared: the same tables for both, measures by hand, and a text without a gap."""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from benchmarks.confidence_study.by_search import (
    BEST,
    bias_by_score,
    by_search_section,
    change,
    paired,
    share_of_search,
)
from benchmarks.confidence_study.cells import CLIMB, Store
from benchmarks.confidence_study.gathered import gathered
from benchmarks.confidence_study.tables import SEARCHES
from benchmarks.confidence_study.work import Plan, run

PLAN = Plan(
    sources=("random5-strong-3", "random4-weak-1"),
    rows=(40,),
    scores=("BIC",),
    searches=tuple(SEARCHES),
    methods=("naive", "leading", "predictive_post", "post_bic", "repeated"),
    tables=2,
    replicates=6,
    fresh=8,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    kept = Store(tmp_path_factory.mktemp("cells"))
    with ThreadPoolExecutor(1) as thread:
        run(PLAN, kept, thread, 1)
    return kept


@pytest.fixture(scope="module")
def frame(store):
    made = gathered(PLAN, store)[0]
    made.attrs = {"replicates": 6, "fresh": 8, "seed": 0}
    return made


def test_a_method_without_search_is_the_same_for_both(frame):
    one, other = (frame[(frame["search"] == search) & (frame["method"] == "post_bic")] for search in SEARCHES)
    assert len(one) == 4
    assert one["log_loss"].tolist() == other["log_loss"].tolist()
    naive = frame[frame["method"] == "naive"].pivot_table(index=["network", "table"], columns="search", values="doubt")
    assert (naive[BEST] != naive[CLIMB]).any()


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


def test_the_section_has_every_method_and_no_gap(frame):
    text = "\n\n".join(by_search_section(frame, frame[frame["search"] == CLIMB].assign(pi_error=0.0)))
    for words in ("naive bootstrap", "corrected bootstrap", "posterior, BIC", "2 networks", "2 tables of each"):
        assert words in text
    assert "instead of 0 for the corrected bootstrap" in text
    assert "nan" not in text
