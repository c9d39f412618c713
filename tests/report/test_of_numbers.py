"""Report, paper kit and scripts of a table whose numbers are kept say what was used, and repeat it."""

import io
import re
import zipfile

import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers import other_preparations
from bnengine.answers.verdict import verdict
from bnengine.answers.views import verdict_view
from bnengine.experiment.r_script import r_script
from bnengine.posterior import Effort
from bnengine.report.html_report import html_report
from bnengine.report.paper_kit import paper_kit
from bnengine.report.report_sentences import variables_in_words
from tests.answers.test_numbers import people


@pytest.fixture(scope="module")
def frame():
    return people(120)


@pytest.fixture(scope="module")
def run(frame):
    recipe = bn.prepare(frame, numbers="all").recipe
    experiment = bn.Experiment(
        recipe, score=bn.GaussianBIC(), search=bn.HillClimbing(), n=5, methods=("bootstrap", "predictive")
    )
    data = recipe.prepare(frame)
    study, real = experiment.run(data), bn.edge_posterior(data, effort=Effort(n_bags=1))
    found = verdict(study, real, data=data, preparations=other_preparations(data, real))
    return experiment, data, study, real, verdict_view(found)


@pytest.fixture(scope="module")
def kit(run):
    return zipfile.ZipFile(io.BytesIO(paper_kit(*run)))


def test_the_methods_paragraph_says_how_numbers_were_used(run, kit):
    methods = kit.read("methods.txt").decode()
    assert "table (120 rows, 5 variables, 3 of them kept as numbers)" in methods
    assert "'height', 'weight' and 'pulse' were kept as numbers and scored by normal scores" in methods
    assert (
        "under Gaussian BIC with the numbers kept (half of the weight) and under BDeu(1) and BDeu(10) with each number"
        in methods
    )
    assert "Andrews" in methods  # the source of the score
    assert run[-1].found.preparation_sentence in methods


def test_the_report_has_the_units_the_range_and_no_list_of_values(run):
    report = html_report(*run)
    assert "higher on average where sex is m than f" in report
    assert "with numbers kept" in report
    lines = {name: (kind, states) for name, kind, states in variables_in_words(run[1])}
    assert lines["sex"] == ("2", "f, m")
    low, high = run[1].states[1][0], run[1].states[1][-1]
    assert lines["height"] == ("number", f"120 values from {float(low):.4g} to {float(high):.4g}")


def test_the_python_script_repeats_the_numbers(run, kit, frame, monkeypatch, tmp_path):
    _, data, study, *_ = run
    monkeypatch.chdir(tmp_path)
    script = kit.read("repeat.py").decode()
    assert "preparations = bn.answers.other_preparations(data, posterior, " in script
    shorter = script.replace("bn.read_table('table')", "frame_given").partition("posterior = ")[0]
    names = {"frame_given": frame}
    exec(compile(shorter, "repeat.py", "exec"), names)
    assert names["data"].digest == data.digest
    assert (names["study"].confidence("predictive") == study.confidence("predictive")).all()


def test_the_r_script_reads_numbers_as_such_and_takes_the_score_that_bnlearn_has(run, kit):
    script = kit.read("repeat.R").decode()
    assert 'numbers <- c("height", "weight", "pulse")' in script
    assert 'qnorm((rank(x, na.last = "keep") - 0.5) / sum(!is.na(x)))' in script
    assert 'score = "bic-cg"' in script
    assert "no number can be a parent of a variable with states" in script
    assert 'score = "bic-g"' in r_script(run[0], run[1].select(["height", "pulse"]))
    for states in (r_script(bn.Experiment()), r_script(run[0], run[1].select(["sex", "ward"]))):
        assert 'score = "bic"' in states
        assert "qnorm" not in states


def test_each_strength_has_its_unit_in_the_list_the_table_and_the_sentence(run, kit):
    edges = pd.read_csv(io.BytesIO(kit.read("edges.csv")))
    assert {"slope", "means"} <= set(edges["effect_measure"])
    units = {"slope": "SD", "curve": "SD", "means": "unit of height", "trend": "τ-b", "contrast": "share"}
    for line in edges.itertuples():
        brief = run[-1].found.effect(line.parent, line.child).in_brief
        assert line.effect_unit == units[line.effect_measure]
        if line.effect_measure in ("slope", "curve", "means"):
            assert re.search(r"[+−]?(\d\.\d\d SD)", brief)[1] in line.association
    assert (edges["real_least"] <= edges["real_most"]).all()


@pytest.mark.parametrize("suffix", ["graphml", "json"])
def test_files_of_the_graph_carry_strengths_in_words(run, suffix):
    buffer = io.BytesIO()
    bn.write_graph(run[1].names, run[-1].table(), buffer, suffix)
    assert "higher on average where sex is m than f" in buffer.getvalue().decode()
