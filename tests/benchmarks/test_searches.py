"""Searches compared by score and time: what is said of them."""

from pathlib import Path

import pandas as pd
import pytest

import bnengine as bn

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


pytest.importorskip("matplotlib")


def test_the_readme_shows_the_shipped_results():
    """So that no time stands in it that the benchmark did not measure."""
    from benchmarks import searches
    from benchmarks import searches_report as report

    reached, again = (
        report._below(pd.read_csv(file))
        for file in (searches.STUDY.path, searches.STUDY.path.with_name("searches_replicates.csv"))
    )
    order = [what for what in (*searches.searches(), *searches.peers.PROGRAMS) if what != searches.LONG]
    shown = "\n".join(report._call_and_replicate(reached, again, order, searches.BASE))
    for file in ("README.md", "benchmarks/RESULTS.md"):
        assert shown in Path(BENCHMARKS).parent.joinpath(file).read_text(encoding="utf-8"), file


@pytest.mark.slow
@pytest.mark.parametrize("name", ["child", "alarm", "win95pts"])
def test_the_shipped_results_are_of_the_searches_as_they_are(name):
    """Families counted, too: a search that changes must be measured again (see the head of RESULTS's section)."""
    from benchmarks import searches

    reached = pd.read_csv(searches.STUDY.path).query("rows == 1000 and score == 'BIC' and table == 0")
    data = bn.load_network(name).sample(1_000, rng=searches._FIRST_TABLE)
    for what, search in searches.searches().items():
        if what != searches.LONG:
            then, now = reached.query("network == @name and search == @what").iloc[0], bn.learn(data, search=search)
            assert now.score == pytest.approx(then.nats, abs=1e-6), what
            assert now.n_evaluations == then.families, what
