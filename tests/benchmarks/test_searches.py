"""Searches compared by score and time: what is kept, what is asked again, and what is said of it."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnengine as bn

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
AGRUM = "pyAgrum, greedy hill climbing"


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import peers

    return peers


@pytest.fixture
def report(peers):
    pytest.importorskip("matplotlib")
    import searches_report

    return searches_report


@pytest.fixture
def reached(report, tmp_path):
    import searches

    return lambda: searches.Reached(tmp_path / "searches.csv")


@pytest.fixture
def asia():
    data = bn.load_network("asia").sample(300, rng=1)
    return data, {name: list(labels) for name, labels in zip(data.names, data.states, strict=True)}


def test_another_program_learns_in_its_own_process(peers, asia):
    pytest.importorskip("pyagrum")
    data, states = asia
    programs = peers.Programs(sys.executable, 60.0)
    try:
        found = programs.learn(AGRUM, data.to_frame(), states, "BIC")
        assert bn.score(data, found.edges, bn.BIC()) > bn.score(data, [], bn.BIC())
        assert found.seconds > 0
        assert "KeyError" in programs.learn("none of them", data.to_frame(), states, "BIC")
        assert programs.learn(AGRUM, data.to_frame(), states, "BIC").edges == found.edges
    finally:
        programs.close()


@pytest.mark.slow
def test_what_is_there_is_not_asked_again(reached):
    one = reached()
    cell = ("child", 300, "BIC", 0, "a")
    assert one.lacks(*cell)
    one.add(*cell, -10.0, 3, 1.5, 7, "")
    one.add("child", 300, "BIC", 0, "slow", np.nan, np.nan, np.nan, 0, "no graph within 30 s")
    for kept in (one, reached()):
        assert not kept.lacks(*cell)
        assert kept.lacks("child", 300, "BIC", 1, "a")
        assert not kept.lacks("child", 300, "BIC", 0, "slow")
        assert kept.is_hopeless("slow", "BIC", bn.load_network("alarm"))
        assert not kept.is_hopeless("slow", "BIC", bn.load_network("asia"))
        assert not kept.is_hopeless("slow", "BDeu(1)", bn.load_network("alarm"))


def test_the_readme_shows_the_shipped_results(report):
    """So that no time stands in it that the benchmark did not measure."""
    import searches

    reached, again = (report._below(pd.read_csv(file)) for file in (searches._REACHED, searches._REPLICATES))
    order = [what for what in (*searches.searches(), *searches.peers.PROGRAMS) if what != searches.LONG]
    shown = "\n".join(report._call_and_replicate(reached, again, order, searches.BASE))
    for file in ("README.md", "benchmarks/RESULTS.md"):
        assert shown in Path(BENCHMARKS).parent.joinpath(file).read_text(encoding="utf-8"), file
