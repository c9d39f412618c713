"""Searches compared by score and time: what is said of them."""

from pathlib import Path

import pandas as pd
import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    pytest.importorskip("matplotlib")
    import searches_report

    return searches_report


def test_the_readme_shows_the_shipped_results(report):
    """So that no time stands in it that the benchmark did not measure."""
    import searches

    reached, again = (report._below(pd.read_csv(file)) for file in (searches._REACHED, searches._REPLICATES))
    order = [what for what in (*searches.searches(), *searches.peers.PROGRAMS) if what != searches.LONG]
    shown = "\n".join(report._call_and_replicate(reached, again, order, searches.BASE))
    for file in ("README.md", "benchmarks/RESULTS.md"):
        assert shown in Path(BENCHMARKS).parent.joinpath(file).read_text(encoding="utf-8"), file
