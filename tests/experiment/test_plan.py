"""The plan of a run counts what the run learns, and refuses what would not fit."""

import dataclasses
import re

import pytest

import bnengine as bn
from bnengine._core import environment
from bnengine.bootstrap import resample as resampling
from bnengine.bootstrap.resample import check_memory
from bnengine.cli.settings import plan_lines
from bnengine.experiment import plan as plan_of_learning
from bnengine.experiment import plan as planning
from bnengine.experiment.plan import Plan, check_learning, plan_calibration, plan_learning, plan_prediction, plan_study
from tests.commands import answer

SMALL = bn.Experiment(
    bn.Recipe("sample", "asia_1000"), methods=("bootstrap", "bootstrap_corrected", "jackknife_delete_1"), n=7
)
PLAN = Plan(1_001, 0.5, False, 4, 3 * 2**29, 8 * 2**30)


@pytest.fixture(scope="module")
def data():
    return SMALL.load()


def test_a_plan_counts_the_graphs_of_the_run(data):
    totals = set()
    SMALL.run(data, progress=lambda done, total: totals.add(total))
    found = plan_study(SMALL, data, 2)
    assert {found.n_graphs - 1} == totals  # and the graph of the data
    assert found.seconds_per_graph > 0
    assert not found.cut_short
    assert found.n_bytes > found.n_graphs * data.n_variables**2


def test_the_plan_of_a_calibration_counts_its_graphs():
    network, totals = bn.load_network("cancer"), set()
    settings = dataclasses.replace(SMALL.calibration, methods=("bootstrap", "posterior"), n=6, n_tables=2, n_fresh=9)
    bn.calibrate(
        network, 100, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(6, keys=("bootstrap",)), 2, 9,
        progress=lambda done, total: totals.add(total),
    )  # fmt: skip
    found = plan_calibration(dataclasses.replace(SMALL, calibration=settings), network, 100, 1)
    assert {found.n_graphs - 3} == totals  # and the graphs of the tables themselves
    assert "posteriors are not counted" in found.remark


def test_a_long_probe_is_ended_and_says_so(data, monkeypatch):
    monkeypatch.setattr(planning, "PROBE", 0.05)
    endless = dataclasses.replace(SMALL, search=bn.HillClimbing(restarts=1_000_000))
    found = plan_study(endless, data, 1)
    assert found.cut_short
    assert dict(plan_lines(found))["time"].startswith("more than ")


def test_a_plan_in_words():
    assert plan_lines(PLAN) == [
        ("graphs", "1,001"),
        ("processor time", "about 8.3 min, 500 ms per graph"),
        ("time", "about 2.1 min on 4 threads"),
        ("memory", "about 1.5 GB, of which it holds a part; 8.0 GB are free besides"),
    ]
    one = dict(plan_lines(dataclasses.replace(PLAN, n_graphs=1, seconds_per_graph=0.0012, free=None, n_workers=1)))
    assert (one["time"], one["memory"]) == ("about 1.2 ms on 1 thread", "about 1.5 GB")


@pytest.mark.parametrize("command", ["table1", "confidence"])
def test_the_command_writes_the_plan_and_runs_nothing(command, capsys, tmp_path):
    out = tmp_path / "out.csv"
    code, said, _ = answer(
        capsys, command, "sample:asia_1000", "--methods", "bootstrap", "--n", 50, "--plan", "--workers", 1, "--out", out
    )
    assert code == 0
    # 50 of the bootstrap, 50 runs on the data, whose ties are drawn, and the graph learned from the data
    assert said.startswith("graphs          101\nprocessor time  about ")
    assert " on 1 thread\n" in said
    assert not out.exists()


def test_the_plan_of_a_report_mentions_its_posterior(capsys, tmp_path):
    out = tmp_path / "report.html"
    code, said, _ = answer(
        capsys, "report", "sample:asia_1000", "--methods", "bootstrap", "--n", 5, "--plan", "--workers", 1, "--out", out
    )
    assert code == 0
    assert re.search(r"^posterior +roughly \d.* of processor time besides$", said, re.MULTILINE)
    assert not out.exists()


def test_a_calibration_has_a_plan_too(capsys):
    sizes = ["--tables", 2, "--fresh", 30, "--calibration-n", 10]
    code, said, _ = answer(capsys, "calibrate", "sample:asia_1000", "--truth", "cancer", *sizes, "--plan")
    assert code == 0
    assert said.startswith("graphs  ")


def test_a_run_that_does_not_fit_is_refused_with_what_would(data, monkeypatch, capsys):
    monkeypatch.setattr(resampling, "free_bytes", lambda: 10_000)
    check_memory(data, [bn.Bootstrap(156)])
    with pytest.raises(bn.DataError, match=r"157 graphs of 8 variables .* free on this machine; 156 would fit"):
        check_memory(data, [bn.Bootstrap(157)])
    code, _, said = answer(capsys, "confidence", "sample:asia_1000", "--methods", "bootstrap", "--n", 200, "--plan")
    assert code == 1
    assert "156 would fit" in said


@pytest.mark.parametrize(
    ("command", "more", "begins"),
    [
        ("learn", [], "graphs          1\nprocessor time  about "),
        ("predict", ["--target", "lung", "--folds", 7], "splits          7\nprocessor time  about "),
    ],
)
def test_learning_and_predicting_have_plans(command, more, begins, capsys, tmp_path):
    out = tmp_path / "out.csv"
    code, said, _ = answer(capsys, command, "sample:asia_1000", *more, "--plan", "--out", out)
    assert code == 0
    assert said.startswith(begins)
    assert " on 1 thread\nmemory          about " in said
    assert not out.exists()


def test_a_long_learning_is_ended_and_says_so(data, monkeypatch):
    monkeypatch.setattr(planning, "PROBE", 0.05)
    endless = dataclasses.replace(SMALL, search=bn.HillClimbing(restarts=1_000_000))
    for found in (plan_learning(endless, data), plan_prediction(endless, data)):
        assert found.cut_short
        assert dict(plan_lines(found))["time"].startswith("more than ")


@pytest.mark.parametrize(
    ("search", "free", "says"),
    [
        # 8 variables, 1,000 rows: 8 bytes for each cell, 40 and the frontier for each pair of variables
        (bn.HillClimbing(), 64_000 + 64 * 40, None),
        (
            bn.HillClimbing(),
            64_000 + 64 * 40 - 1,
            "hill climbing on 8 variables and 1,000 rows.*; 7 var",
        ),
        (bn.BestFirst(200), 64_000 + 64 * 240, None),
        (bn.BestFirst(200), 64_000 + 64 * 200, "a frontier of 160 graphs would fit"),
        (bn.BestFirst(200), 20_000, "; 2 variables would fit"),
    ],
)
def test_a_learning_that_does_not_fit_is_refused_with_what_would(data, monkeypatch, search, free, says):
    monkeypatch.setattr(plan_of_learning, "free_bytes", lambda: free)
    asked = dataclasses.replace(SMALL, search=search)
    if says is None:
        check_learning(asked, data)
        return
    for plan in (plan_learning, plan_prediction):
        with pytest.raises(bn.DataError, match=says):
            plan(asked, data)


def test_the_exact_search_may_hold_what_is_free(monkeypatch):
    rows = bn.load_network("alarm").sample(100, rng=1)
    monkeypatch.setattr(plan_of_learning, "free_bytes", lambda: 500_000)
    with pytest.raises(ValueError, match=r"has to hold .* parent sets"):
        plan_learning(dataclasses.replace(SMALL, search=bn.Exact(4)), rows)


def test_memory_that_a_container_allows(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    monkeypatch.setattr(environment, "_GROUPS", ((str(tmp_path), "memory.max", "memory.current", "inactive_file"),))
    assert environment.free_bytes() == 400
    (tmp_path / "memory.max").write_text("max\n")
    assert environment.free_bytes() != 400
