"""The paper's Table 1: its values beside ours, computed once for all visitors, and why they differ."""

import pytest

import bnengine as bn
from bnengine.experiment.paper import PUBLISHED
from pages.shared import results
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unknown():
    """The first experiment was not run by anybody before this module, and nobody after it finds what it gave."""
    results._for_all.clear()
    yield
    results._for_all.clear()


@pytest.fixture
def few(unknown, monkeypatch):
    """The first experiment with few resamples."""
    whole = bn.paper.alarm_experiments
    monkeypatch.setattr(bn.paper, "alarm_experiments", lambda: whole(10, 0))


def paper(visitor):
    """Turn to the second part of the page."""
    visitor.at.session_state[Key.EVIDENCE] = "paper"
    return visitor.open("evidence")


def table_of(visitor):
    (frame,) = [frame.value for frame in visitor.at.main.dataframe if "Given data" in frame.value]
    return frame.T


def means(texts):
    return [float(text.split(" ± ")[0]) for text in texts]


def test_the_paper_s_experiment_runs_at_once_with_its_values_beside(visitor, few):
    paper(visitor).settle()
    table = table_of(visitor)
    assert len(table.columns) == 8
    studies = bn.paper.run_experiments(bn.paper.alarm_experiments())
    for title, study in studies.items():
        short = title.removeprefix("ALARM, ")
        assert means(table[short]) == pytest.approx(study.table1()["mean"].tolist(), abs=0.051)
        assert means(table[f"paper, {short}"]) == [mean for mean, _ in PUBLISHED[title].values()]


def test_why_ours_differ_is_said_by_fresh_samples(visitor, few):
    """The page's numbers are the engine's, and what lies outside them is called unexplained."""
    paper(visitor).settle().unfold("why")
    fresh = bn.paper.fresh_samples(bn.paper.alarm_experiments())
    text = visitor.note("why ours differ")
    outside = [line for line in fresh.itertuples() if not line.least <= line.paper <= line.most]
    assert 41 in [line.paper for line in outside]  # BIC, 300 rows
    assert shows(text, len(outside), 4)
    for line in outside:
        assert shows(text, line.paper, f"{line.least} to {line.most}", line.mean)
    (shown,) = [frame.value for frame in visitor.at.main.dataframe if "least to most" in frame.value]
    assert shown["least to most"].tolist() == [f"{line.least} to {line.most}" for line in fresh.itertuples()]


def test_the_papers_experiment_is_run_once_for_all_visitors(arrive, few, monkeypatch):
    one = paper(arrive()).settle()
    monkeypatch.setattr(bn.paper, "run_experiments", None)
    other = paper(arrive())
    assert other.finding == one.finding
