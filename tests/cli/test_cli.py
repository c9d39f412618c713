"""What the command line writes: the engine's own answer, whole and nothing else."""

import dataclasses
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from click import UsageError

import bnengine as bn
from bnengine.answers.views import with_methods
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.cli.terminal import Output, Terminal
from bnengine.experiment.experiment import shown_method
from bnengine.experiment.learning import real_posterior
from tests.commands import PROGRAM, ROOT, answer, ran, run, same, table
from tests.strategies import make_data, with_holes

SMALL = bn.Experiment(
    bn.Recipe("sample", "house_votes_84", columns=("party", "crime", "immigration", "religious_groups_in_schools")),
    bn.BDeu(2.5),
    bn.K2(("party", "immigration", "crime", "religious_groups_in_schools"), max_parents=2),
    bn.Constraints(forbidden=(("crime", "immigration"),), tiers=(("party",), ("crime",))),
    n=12,
    d=30,
    strength=0.4,
    seed=5,
)


def edges_in(out):
    found = table(out)
    return sorted(zip(found["parent"], found["child"], strict=True))


# ---- a saved experiment


@pytest.mark.slow
def test_a_saved_experiment_gives_the_engine_s_numbers(tmp_path, capsys):
    study, data = SMALL.run(), SMALL.load()
    found = bn.verdict(
        study,
        method=shown_method(SMALL, SMALL.methods_run),
        posterior=real_posterior(SMALL, data),
        constraints=SMALL.constraints,
        data=data,
    )
    same(ran(capsys, tmp_path, SMALL, "confidence"), with_methods(found.table(), study))
    same(ran(capsys, tmp_path, SMALL, "table1"), study.table1().reset_index())
    assert edges_in(ran(capsys, tmp_path, SMALL, "learn")) == sorted(study.reference.edges)
    assert "<h1" in ran(capsys, tmp_path, SMALL, "report")


def test_a_learned_graph_says_which_directions_are_open(tmp_path, capsys):
    table = bn.load_network("asia").sample(2_000, rng=1)
    table.to_frame().to_csv(tmp_path / "asia.csv", index=False)
    code, out, err = answer(capsys, "learn", tmp_path / "asia.csv")
    found, graph = pd.read_csv(io.StringIO(out)), bn.learn(bn.prepare(tmp_path / "asia.csv").data)
    both_ways = {graph.names[i] + graph.names[j] for i, j in np.argwhere(graph.cpdag & graph.cpdag.T)}
    expected = ["open" if pair in both_ways else "compelled" for pair in found["parent"] + found["child"]]
    assert list(found["direction"]) == expected
    assert 0 < expected.count("open") < len(expected)
    assert code == 0
    assert all("is determined by" in line for line in err.splitlines())  # either is tub or lung


def test_a_result_in_json_runs_again(tmp_path, capsys):
    first, again = tmp_path / "result.json", tmp_path / "again.json"
    words = ["sample:titanic", "--score", "BDeu(ess=3)", "--search", "Tabu", "--seed", 4, "--n", 7]
    assert answer(capsys, "confidence", *words, "--correction", "leading", "--out", first)[:2] == (0, "")
    assert answer(capsys, "run", first, "--out", again)[:2] == (0, "")
    assert again.read_bytes() == first.read_bytes()
    written = json.loads(first.read_text(encoding="utf-8"))
    expected = bn.Experiment(
        bn.Recipe("sample", "titanic"), bn.BDeu(3.0), bn.Tabu(), seed=4, n=7, methods=("bootstrap_corrected",)
    )
    assert bn.Experiment.from_dict(written["experiment"]) == expected
    assert answer(capsys, "run", first, "--as", "learn")[1].startswith("parent,child,gain_nats")


def test_a_session_runs_with_the_data_in_it(tmp_path, capsys):
    frame = make_data([2, 3, 2], 60, 1).to_frame()
    experiment = bn.Experiment(bn.Recipe("file", "mine.csv"), n=5, methods=("bootstrap",))
    (tmp_path / "s.zip").write_bytes(bn.settings.SessionFile(experiment, frame.to_csv(index=False).encode()).to_bytes())
    code, out, _ = answer(capsys, "run", tmp_path / "s.zip", "--as", "learn")
    assert code == 0
    assert edges_in(out) == sorted(bn.learn(bn.Dataset.from_frame(frame)).edges)


def test_a_file_that_names_what_is_gone_runs_and_says_what_stands_in_its_place(tmp_path, capsys):
    older = dataclasses.replace(SMALL, methods=("bootstrap",)).to_dict() | {"methods": ["bootstrap_exact"]}
    (tmp_path / "e.json").write_text(json.dumps(older), encoding="utf-8")
    code, _, err = answer(capsys, "run", tmp_path / "e.json", "--as", "learn")
    assert code == 0
    assert "The exact correction is gone; the corrected bootstrap" in err


def test_a_file_is_known_by_its_digest(tmp_path, capsys):
    file, saved = tmp_path / "t.csv", tmp_path / "e.json"
    bn.load_sample("titanic").to_csv(file, index=False)
    assert answer(capsys, "learn", file, "--out", saved)[0] == 0
    assert answer(capsys, "run", saved)[0] == 0
    bn.load_sample("titanic").iloc[:-1].to_csv(file, index=False)
    code, out, err = answer(capsys, "run", saved)
    assert (code, out) == (1, "")
    assert "is not the file of the saved experiment" in err
    assert answer(capsys, "run", saved, "--data", file)[0] == 0


def test_json_holds_settings_and_versions(tmp_path, capsys):
    asked = dataclasses.replace(SMALL, threshold=0.5, averaged="bootstrap")
    ran(capsys, tmp_path, asked, "confidence", "--out", tmp_path / "all.json")
    written = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    study = SMALL.run()
    assert bn.Experiment.from_dict(written["experiment"]) == asked
    assert written["data"]["variables"] == list(SMALL.data.columns)
    assert written["versions"]["bnengine"] == bn.__version__
    assert {"python", "numpy", "numba", "pandas", "scipy"} <= set(written["versions"])
    assert [line["mean"] for line in written["table1"]] == study.table1()["mean"].tolist()
    assert written["graph"]["score"] == study.reference.score
    assert {tuple(edge) for edge in written["graph"]["edges"]} == set(study.reference.edges)
    pd.testing.assert_frame_equal(pd.DataFrame(written["edges"]), study.edge_table(), check_exact=True)
    for key, ensemble in study.ensembles.items():
        said = written["methods"][key]
        assert (said["correction"], said["strength"]) == (ensemble.correction, ensemble.strength)
        assert (said["n_graphs"], said["status"]) == (ensemble.n_graphs, ensemble.status)
    average = bn.answers.averaged_network(study.ensembles["bootstrap"], 0.5)
    assert [tuple(edge) for edge in written["averaged_network"]["edges"]] == average.edges
    assert written["averaged_network"]["method"] == "bootstrap"


@pytest.mark.slow
def test_a_threshold_keeps_the_averaged_network_s_edges(tmp_path, capsys):
    base = bn.Experiment(bn.Recipe("sample", "asia_1000"), n=15, methods=("bootstrap",))
    study = base.run()
    target = tmp_path / "all.json"
    for settings, threshold in (({"threshold": 0.0}, 0.0), ({"rule": "l1"}, l1_threshold(study.strength("bootstrap")))):
        ran(capsys, tmp_path, dataclasses.replace(base, **settings), "confidence", "--out", target)
        average = bn.answers.averaged_network(study.ensembles["bootstrap"], threshold)
        written = json.loads(target.read_text(encoding="utf-8"))["averaged_network"]
        pd.testing.assert_frame_equal(pd.DataFrame(written["strengths"]), average.table(), check_exact=True)
    target = tmp_path / "average.bif"
    assert ran(capsys, tmp_path, dataclasses.replace(base, threshold=0.4), "confidence", "--out", target) == ""
    assert bn.read_bif(target).edges == bn.answers.averaged_network(study.ensembles["bootstrap"], 0.4).edges


# ---- a table on the line


def test_learn_writes_csv_json_and_bif(tmp_path, capsys):
    data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    graph = bn.learn(data, bn.BDeu(3.0), bn.Tabu())
    words = ["learn", "sample:titanic", "--score", "bdeu(ess=3)", "--search", "tabu"]
    assert answer(capsys, *words, "--out", tmp_path / "edges.csv") == (0, "", "")
    written = pd.read_csv(tmp_path / "edges.csv")
    gains = bn.teaching.edge_gains(data, graph.edges, bn.BDeu(3.0))
    assert list(written["gain_nats"]) == sorted(gains.values(), reverse=True)
    assert answer(capsys, *words, "--out", tmp_path / "graph.json")[0] == 0
    described = json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
    assert (described["score"], described["status"]) == (graph.score, graph.status)
    assert described["data"] == {"rows": 2201, "variables": ["Class", "Sex", "Age", "Survived"]}
    assert answer(capsys, *words, "--out", tmp_path / "graph.bif")[0] == 0
    network, fitted = bn.read_bif(tmp_path / "graph.bif"), bn.fit(data, graph.edges, 1.0)
    assert network.edges == graph.edges
    for one, other in zip(network.tables, fitted.tables, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.slow
def test_standard_input_and_pipes(capsys, monkeypatch, tmp_path):
    text = bn.load_sample("titanic").to_csv(index=False)
    expected = answer(capsys, "learn", "sample:titanic")[1]
    assert run("learn", "-", input=text).stdout == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert answer(capsys, "learn", "-", "--out", tmp_path / "g.json")[0] == 0
    described = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert described["experiment"]["data"]["fingerprint"] == hashlib.sha256(text.encode()).hexdigest()


def test_missing_cells_that_are_drawn_are_drawn_as_learn_draws_them(tmp_path, capsys):
    frame = with_holes(make_data([2, 3, 2], 120, 1), 1, 0.1).to_frame()
    frame.to_csv(tmp_path / "holes.csv", index=False)
    code, _, err = answer(capsys, "learn", tmp_path / "holes.csv", "--seed", 3, "--out", tmp_path / "edges.csv")
    assert code == 0
    assert "missing cells are kept: drawn in every replicate" in err  # what was decided is said
    found = pd.read_csv(tmp_path / "edges.csv")
    edges = bn.learn(bn.Dataset.from_frame(frame, missing="drawn"), rng=3).edges
    assert sorted(zip(found["parent"], found["child"], strict=True)) == sorted(edges)
    assert (found["gain_nats"] > 0).all()


# ---- the terminal


def test_progress_on_a_terminal_is_one_line_that_is_written_over(capsys, monkeypatch):
    capsys.readouterr()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    terminal = Terminal()
    for done in range(401):
        assert terminal.progress(done, 400)
    terminal.note("seven edges")
    shown = capsys.readouterr().err
    assert shown.count("\n") == 2
    assert shown.count("\r\x1b[K") == 100
    assert shown.endswith("\r\x1b[K400 of 400 resamples\nseven edges\n")


@pytest.mark.slow
def test_a_closed_output_is_no_defect():
    for redirection in (">&- 2>&-", "| head -n 0"):
        line = f"{shlex.join(PROGRAM)} learn sample:titanic {redirection}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=ROOT, env=environment)
        assert "defect" not in done.stderr
        assert "Traceback" not in done.stderr


def test_a_file_is_written_whole_or_not_at_all_and_the_result_is_never_lost(tmp_path, monkeypatch, capsys):
    target = tmp_path / "x.csv"
    target.write_text("before")
    target.chmod(0o640)
    output = Output(str(target), ["csv"])
    refuse = Mock(side_effect=OSError(28, "No space left on device", "a part file"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(OSError, match=r"x.csv was not written \(No space left on device\); .* on standard output"):
            output.write("after")
    assert capsys.readouterr().out == "after"
    assert target.read_text() == "before"
    output.write("after")
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_file_in_a_folder_that_takes_no_other_is_written_directly(tmp_path, monkeypatch):
    target = tmp_path / "x.csv"
    target.write_text("before")
    monkeypatch.setattr(Path, "touch", Mock(side_effect=PermissionError(13, "Permission denied")))
    Output(str(target), ["csv"]).write("after")
    assert target.read_text() == "after"
    with pytest.raises(UsageError, match=r"y.csv may not be written .*; name a file in a folder of yours"):
        Output(str(tmp_path / "y.csv"), ["csv"])


@pytest.mark.slow
def test_the_examples_of_the_help_and_the_manual_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 2, 120) for name in ("smoking", "age", "sex")})
    frame["cancer"] = frame["smoking"] ^ (rng.random(120) < 0.1)
    frame.to_csv("survey.csv", index=False)
    Path("experiment.json").write_text(SMALL.to_json(), encoding="utf-8")
    manual = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    lines = [line.strip().removeprefix(".venv/bin/") for line in (answer(capsys)[1] + manual).splitlines()]
    examples = [line for line in lines if line.startswith("bnengine ") and not line.startswith("bnengine app")]
    assert examples
    for example in examples:
        smaller = example.replace("sample:alarm_300", "sample:titanic")
        _, command, *words = shlex.split(smaller, comments=True)
        fewer = [] if command in ("learn", "run") else ["--n", 3]
        code, out, err = answer(capsys, command, *words, *fewer)
        assert code == 0, (example, err)
        assert out or "--out" in example


def test_numbers_are_kept_and_cut_as_the_command_says(tmp_path, capsys):
    rng = np.random.default_rng(2)
    dose = rng.normal(size=80).round(3)
    frame = pd.DataFrame(
        {"dose": dose, "pulse": (dose + rng.normal(size=80)).round(3), "ward": rng.choice([*"ab"], 80)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["learn", tmp_path / "t.csv", "--out", tmp_path / "out.json"]
    for options, score, kept in (
        ((), "gaussian", ["dose", "pulse"]),
        (("--cut", "all"), "bic", []),
        (("--cut", "dose"), "gaussian", ["pulse"]),
        (("--numbers", "dose", "--cut", "all", "--score", "AIC"), "aic", ["dose"]),
        (("--score", "BDeu(ess=10)"), "bdeu", []),
    ):
        code, _, err = answer(capsys, *words, *options)
        found = bn.Experiment.from_json((tmp_path / "out.json").read_bytes())
        assert (code, found.to_dict()["score"]["kind"]) == (0, score), err
        assert list(found.data.prepare(frame).numbers) == kept
        assert (f"kept as numbers: {', '.join(kept)}" in err) == bool(kept)
        assert ("needs states, so that measurements are cut" in err) == (score == "bdeu")
    code, _, err = answer(capsys, "learn", tmp_path / "t.csv", "--out", tmp_path / "t.bif")
    assert (code, [len(own) for own in bn.read_bif(tmp_path / "t.bif").states]) == (0, [3, 3, 2])
    assert "for their probabilities, measurements are cut into three states each: dose, pulse" in err
    assert answer(capsys, *words, "--numbers", "dose", "--cut", "dose")[0] == 1
    code, _, err = answer(capsys, *words, "--score", "BDeu", "--numbers", "dose")
    assert (code, "needs states, but --numbers keeps numbers" in err, "--cut all" in err) == (2, True, True)


@pytest.mark.parametrize(
    ("treatment", "why"),
    [({"discretization": "number"}, "needs states"), ({"missing": "complete_families"}, "families are counted")],
)
def test_a_saved_score_that_does_not_suit_the_table_is_answered_in_the_words_of_the_command(
    tmp_path, capsys, treatment, why
):
    frame = pd.DataFrame({"dose": np.arange(40) % 17 * 1.0, "ward": [None, *"abba" * 9, *"aba"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    recipe = bn.Recipe("file", str(tmp_path / "t.csv"), **treatment)
    (tmp_path / "e.json").write_text(bn.Experiment(recipe, bn.BDeu(), n=2).to_json())
    code, _, err = answer(capsys, "run", tmp_path / "e.json")
    assert (code, why in err, "save the experiment again" in err, "bnengine confidence" in err) == (1, True, True, True)
    assert not re.search(r"bn\.|data\.", err)
