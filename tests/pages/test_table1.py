"""Table 1: the paper's experiments and several scores side by side."""

import contextlib
import io

import pytest

import bnengine as bn
from bnengine.experiment.paper import PUBLISHED
from pages.shared import benchmark_results, results
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unknown():
    """The first experiment was not run by anybody before this module, and nobody after it finds what it gave."""
    results.forget_all()
    yield
    results.forget_all()


@pytest.fixture
def few(unknown, monkeypatch):
    """The first experiment with few resamples."""
    whole = bn.paper.alarm_experiments
    monkeypatch.setattr(bn.paper, "alarm_experiments", lambda n, seed: whole(10, seed))


def section(visitor, word):
    control = visitor.at.segmented_control(key=Key.PAPER_SECTION)
    control.set_value(next(option for option in control.options if word in option)).run()
    return visitor.settle()


def table_of(visitor):
    (frame,) = [frame.value for frame in visitor.at.main.dataframe if "Given data" in frame.value]
    return frame.T


def means(texts):
    return [float(text.split(" ± ")[0]) for text in texts]


def test_the_paper_s_experiment_runs_at_once_with_its_values_beside(visitor, few):
    visitor.go("table1")
    table = table_of(visitor)
    assert len(table.columns) == 8
    studies = bn.paper.run_experiments(bn.paper.alarm_experiments(10, 0))
    for title, study in studies.items():
        short = title.removeprefix("ALARM, ")
        assert means(table[short]) == pytest.approx(study.table1()["mean"].tolist(), abs=0.051)
        assert means(table[f"paper, {short}"]) == [mean for mean, _ in PUBLISHED[title].values()]


def test_why_ours_differ_is_said_by_fresh_samples(visitor, few):
    """The page's numbers are the engine's, and what lies outside them is called unexplained."""
    visitor.go("table1").unfold("why")
    fresh = bn.paper.fresh_samples(bn.paper.alarm_experiments(10, 0))
    text = visitor.note("why ours differ")
    outside = [line for line in fresh.itertuples() if not line.least <= line.paper <= line.most]
    assert 41 in [line.paper for line in outside]  # BIC, 300 rows
    assert shows(text, len(outside), 4)
    for line in outside:
        assert shows(text, line.paper, f"{line.least} to {line.most}", line.mean)
    (shown,) = [frame.value for frame in visitor.at.main.dataframe if "least to most" in frame.value]
    assert shown["least to most"].tolist() == [f"{line.least} to {line.most}" for line in fresh.itertuples()]


def test_the_second_experiment_on_the_person_s_data(visitor, few):
    section(visitor.on("asia_1000").go("table1"), "annealing")
    visitor.type(Key.PAPER_RUNS, 20).type(Key.PAPER_ESS, 5.0)
    visitor.button("Run").settle()
    recipe = bn.Recipe("sample", "asia_1000")
    study = bn.paper.annealing_experiment(recipe, 20, 5.0).run()
    (column,) = table_of(visitor).columns
    assert means(table_of(visitor)[column]) == pytest.approx(study.table1()["mean"].tolist(), abs=0.051)
    assert shows(visitor.note("second data set"), "135.7 ± 51.1")
    assert any(benchmark_results.on_the_parent_limit() in text.value for text in visitor.at.markdown)
    assert any("at most five parents" in caption.value for caption in visitor.at.caption)
    assert bn.paper.annealing_experiment(recipe).search.max_parents == 5


def test_several_scores_side_by_side_and_the_lines_that_repeat_them(visitor, few):
    section(visitor.on("asia_1000").go("table1"), "scores")
    visitor.at.multiselect(key=Key.PAPER_SCORES).set_value(["aic", "bdeu", "fnml"]).run()
    visitor.button("Run").settle()
    table = table_of(visitor)
    assert list(table.columns) == ["AIC", "BDeu(1)", "fNML"]
    (code,) = [block.value for block in visitor.at.code if "bn.table1" in block.value]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "script", "exec"), names)
    for column in table.columns:
        assert means(table[column]) == pytest.approx(names["table"][column]["mean"].tolist(), abs=0.051)


def test_the_papers_experiment_is_run_once_for_all_visitors(arrive, few, monkeypatch):
    one = arrive().go("table1")
    monkeypatch.setattr(bn.paper, "run_experiments", None)
    other = arrive().open("table1")
    assert other.finding == one.finding
