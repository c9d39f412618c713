"""What the command line writes: the engine's own answer, whole and nothing else."""

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine import cli
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.cli.running import Terminal, write_file
from bnengine.networks.bundled import SAMPLE_TABLES
from tests.commands import PROGRAM, ROOT, answer, in_a_shell, parsed, run, same, table
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


def python_study(text):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "script", "exec"), names)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("odd_file", [False, True])
def test_command_python_and_engine_agree_exactly(tmp_path, monkeypatch, capsys, odd_file):
    experiment = SMALL
    if odd_file:  # somebody's file: an odd name, odd columns, measurements, missing cells
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(3)
        dose, sick = rng.normal(size=90), rng.integers(0, 2, 90)
        frame = pd.DataFrame({'dose, "mg"': dose + sick, "krank?": sick, "größe": rng.choice(["klein", "groß"], 90)})
        frame.loc[::9, "größe"] = None
        frame.to_csv("it's $data; ä.csv", index=False)
        recipe = bn.Recipe(
            "file",
            "it's $data; ä.csv",
            discretization="quantile",
            bins=4,
            missing="own_state",
            per_column=(('dose, "mg"', "width", "5"),),
        )
        search = bn.HillClimbing(restarts=2)
        constraints = bn.Constraints(required=(("krank?", 'dose, "mg"'),))
        experiment = dataclasses.replace(SMALL, data=recipe, search=search, constraints=constraints)
    study = experiment.run()

    def shown(command):  # what needs no quotes needs no shell either
        return in_a_shell(command, tmp_path) if odd_file else answer(capsys, *shlex.split(command)[1:])[1]

    same(shown(bn.settings.command_line(experiment, "confidence")), study.edge_table())
    adjacencies, means = (
        bn.settings.command_line(experiment, "confidence", "adjacency"),
        bn.settings.command_line(experiment, "table1"),
    )
    same(answer(capsys, *shlex.split(adjacencies)[1:])[1], study.edge_table("adjacency"))
    same(answer(capsys, *shlex.split(means)[1:])[1], study.table1().reset_index())
    written = python_study(experiment.python())["study"]
    pd.testing.assert_frame_equal(written.edge_table(), study.edge_table(), check_exact=True)

    edges = table(shown(bn.settings.command_line(experiment, "learn")))
    graph = python_study(experiment.python_learn())["graph"]
    assert sorted(zip(edges["parent"], edges["child"], strict=True)) == sorted(graph.edges)
    assert graph.edges == study.reference.edges
    gains = bn.teaching.edge_gains(experiment.data.prepare(experiment.data.load()), graph.edges, experiment.full_score)
    assert dict(zip(zip(edges["parent"], edges["child"], strict=True), edges["gain_nats"], strict=True)) == gains


@pytest.mark.slow
def test_workers_and_hash_seeds_change_nothing(capsys):
    command = shlex.split(bn.settings.command_line(SMALL, "confidence"))[1:]
    text = run(*command, "--format", "json", "--workers", 3, env={"PYTHONHASHSEED": "2"}).stdout
    assert answer(capsys, *command, "--format", "json", "--workers", 1)[1] == text
    assert answer(capsys, *command, "--format", "json")[1] == text
    assert json.loads(text)["status"] == "converged"


# ---- what is said about the data


def test_what_was_decided_about_a_file_is_told(tmp_path, capsys):
    rows = [f"{'ab'[i % 2]};{i},5;{'' if i < 3 else 'xy'[i % 2]}" for i in range(30)]
    path = tmp_path / "export.csv"
    path.write_text("\n".join(["A report;;", "kind;size;answer", *rows]))
    code, _, err = answer(capsys, "learn", path, "--where", "kind,is,a")
    assert code == 0
    assert "skipped 1 line above the column names ('A report')" in err
    assert "commas in 'size' were read as decimal points" in err
    assert "each number is a state of its own in 1 column with more than 12 different ones (size)" in err
    assert "left out 2 of 15 rows, with missing cells" in err  # the others were not selected
    for more in (["--discretize", "quantile"], ["--cut", "size,none"], ["--columns", "kind,answer"]):
        assert "state of its own" not in answer(capsys, "learn", path, *more)[2]


# ---- what is written


def test_json_holds_settings_versions_and_seed(capsys):
    words = shlex.split(bn.settings.command_line(SMALL, "confidence"))[1:]
    code, out, err = answer(capsys, *words, "--format", "json", "--threshold", 0.5, "--method", "bootstrap")
    assert code == 0
    assert err.count("\n") == err.count("left out") == 1
    written = json.loads(out)
    study = SMALL.run()
    assert written["seed"] == 5
    assert written["data"]["variables"] == list(SMALL.data.columns)
    asked = dataclasses.replace(SMALL, threshold=0.5, averaged="bootstrap")
    assert bn.Experiment.from_dict(written["experiment"]) == asked
    assert written["versions"]["bnengine"] == bn.__version__
    assert {"python", "numpy", "numba", "pandas", "scipy"} <= set(written["versions"])
    assert parsed(written["repeat"]) == asked
    assert [line["mean"] for line in written["table1"]] == study.table1()["mean"].tolist()
    assert written["graph"]["score"] == study.reference.score
    assert {tuple(edge) for edge in written["graph"]["edges"]} == set(study.reference.edges)
    pd.testing.assert_frame_equal(pd.DataFrame(written["edges"]), study.edge_table(), check_exact=True)
    for key, ensemble in study.ensembles.items():
        said = written["methods"][key]
        assert (said["correction"], said["strength"]) == (ensemble.correction, ensemble.strength)
        assert (said["n_graphs"], said["status"]) == (ensemble.n_graphs, ensemble.status)
        assert written["thresholds"][key]["mean"] == study.strength_threshold(key)
    average = bn.averaged_network(study.ensembles["bootstrap"], 0.5)
    assert [tuple(edge) for edge in written["averaged_network"]["edges"]] == average.edges
    assert written["averaged_network"]["method"] == "bootstrap"


def test_one_replicate_has_no_deviation_and_json_stays_json(capsys):
    _, out, _ = answer(capsys, "table1", "sample:lecture_8", "--methods", "bootstrap", "--n", 1, "--format", "json")
    written = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert written["table1"][1]["sd"] is None


@pytest.mark.slow
def test_threshold_keeps_the_averaged_network_s_edges(tmp_path, capsys):
    study = bn.Experiment(bn.Recipe("sample", "asia_1000"), n=15, methods=("bootstrap",)).run()
    words = ["confidence", "sample:asia_1000", "--n", 15, "--methods", "bootstrap", "--threshold"]
    for rule, threshold in (
        (0.4, 0.4),
        (0, 0.0),
        ("mean", study.strength_threshold("bootstrap")),
        ("convention", 0.85),
        ("l1", bn.l1_threshold(study.ensembles["bootstrap"])),
    ):
        code, out, err = answer(capsys, *words, rule)
        average = bn.averaged_network(study.ensembles["bootstrap"], threshold)
        assert code == 0
        same(out, average.table().merge(study.edge_table(), on=["parent", "child"]))
        assert ("close a cycle" in err) == bool(average.left_out)
    target = tmp_path / "average.bif"
    assert answer(capsys, *words, 0.4, "--out", target)[:2] == (0, "")
    assert bn.read_bif(target).edges == bn.averaged_network(study.ensembles["bootstrap"], 0.4).edges


def test_permutation_threshold_is_the_engine_s(capsys):
    experiment = bn.Experiment(
        bn.Recipe("sample", "asia_1000"), bn.AIC(), n=10, methods=("bootstrap_corrected",), seed=3
    )
    words = [
        "confidence",
        "sample:asia_1000",
        "--score",
        "aic",
        "--n",
        10,
        "--methods",
        "bootstrap_corrected",
        "--seed",
        3,
    ]
    words += ["--threshold", "permutation", "--shuffles", 4, "--max-false", 2]
    data = experiment.data.prepare(experiment.data.load())
    expected = bn.permutation_threshold(
        data,
        bn.AIC(),
        bn.IteratedLocalSearch(),
        bn.Bootstrap(10),
        "leading",
        rng=3,
        n_permutations=4,
        max_false=2,
        kind="adjacency",  # the averaged network is cut by strength
    )
    code, out, _ = answer(capsys, *words, "--format", "json")
    average = json.loads(out)["averaged_network"]
    assert code == 0
    assert average["threshold"] == expected.threshold
    assert [line["edges"] for line in average["expected_false_edges"]] == expected.expected_false.tolist()
    kept = bn.averaged_network(experiment.run().ensembles["bootstrap_corrected"], expected.threshold).edges
    assert [tuple(edge) for edge in average["edges"]] == kept
    edges = table(answer(capsys, *words)[1])
    assert sorted(zip(edges["parent"], edges["child"], strict=True)) == sorted(kept)


def test_shuffled_data_are_counted_as_the_edges_are(capsys):
    words = ["confidence", "sample:asia_1000", "--score", "aic", "--n", 10, "--methods", "bootstrap", "--seed", 3]
    words += ["--threshold", "permutation", "--shuffles", 3, "--kind", "compelled", "--format", "json"]
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    settings = (data, bn.AIC(), bn.IteratedLocalSearch(), bn.Bootstrap(10))
    expected = bn.permutation_threshold(*settings, rng=3, n_permutations=3, kind="compelled")
    average = json.loads(answer(capsys, *words)[1])["averaged_network"]
    assert average["threshold"] == expected.threshold
    assert [line["edges"] for line in average["expected_false_edges"]] == expected.expected_false.tolist()


@pytest.mark.slow
def test_the_paper_s_experiments_are_a_line_each(capsys):
    data = bn.load_sample("lecture_8")
    second = bn.paper.annealing_experiment(bn.Recipe("sample", "lecture_8"), 6, 2.0, 1)
    for experiment in (*bn.paper.alarm_experiments(8, 1).values(), second):
        code, out, _ = answer(capsys, *shlex.split(bn.settings.command_line(experiment, "table1"))[1:])
        assert code == 0
        same(out, experiment.run().table1().reset_index())
    python = bn.table1(bn.Dataset.from_frame(data), second.score, second.search, 6, rng=1, runs_on_data=True)
    assert python[second.score.name]["mean"].tolist() == table(out)["mean"].tolist()


def test_every_method_can_be_asked_for(capsys):
    """Also one that the engine gains."""
    words = ["table1", "sample:lecture_8", "--methods", ",".join(ALL_KEYS), "--n", 4, "--d", 3, "--format", "json"]
    code, out, _ = answer(capsys, *words)
    assert code == 0
    assert list(json.loads(out)["methods"]) == list(ALL_KEYS)
    keys = [line["key"] for line in json.loads(out)["table1"]]
    assert sorted(keys) == sorted({"data", *ALL_KEYS})


def test_learn_writes_csv_json_and_bif(tmp_path, capsys):
    data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    graph = bn.learn(data, bn.BDeu(3.0), bn.Tabu())
    words = ["learn", "sample:titanic", "--score", "bdeu", "--ess", 3, "--search", "tabu"]
    assert answer(capsys, *words, "--out", tmp_path / "edges.csv") == (0, "", "")
    written = pd.read_csv(tmp_path / "edges.csv")
    gains = bn.teaching.edge_gains(data, graph.edges, bn.BDeu(3.0))
    assert list(written["gain_nats"]) == sorted(gains.values(), reverse=True)
    assert answer(capsys, *words, "--out", tmp_path / "graph.json")[0] == 0
    described = json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
    assert (described["score"], described["status"]) == (graph.score, graph.status)
    assert described["data"] == {"rows": 2201, "variables": ["Class", "Sex", "Age", "Survived"]}
    for ess, words_for in ((1.0, []), (None, ["--fit-ess", 0])):
        assert answer(capsys, *words, *words_for, "--out", tmp_path / "graph.bif")[0] == 0
        network, fitted = bn.read_bif(tmp_path / "graph.bif"), bn.fit(data, graph.edges, ess)
        assert network.edges == graph.edges
        for one, other in zip(network.tables, fitted.tables, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_score_is_the_engine_s(tmp_path, capsys):
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    edges = bn.load_network("asia").edges
    (tmp_path / "edges.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in edges))
    bn.write_bif(bn.fit(data, edges), tmp_path / "asia.bif")
    graphs = [["--network", "network:asia"], ["--network", tmp_path / "asia.bif"]]
    graphs.append(["--edges", f"@{tmp_path}/edges.csv"])
    graphs.append([word for a, b in edges for word in ("--edges", f"{a},{b}")])
    words = ["score", "sample:asia_1000", "--score", "bds", "--ess", 2, "--edge-penalty", 0.5]
    full = bn.WithPrior(bn.BDs(2.0), edge_penalty=0.5)
    for graph in graphs:
        line = table(answer(capsys, *words, *graph)[1]).iloc[0]
        assert line["score_nats"] == bn.score(data, edges, full)
        assert line["mdl_bits"] == bn.mdl(data, edges).mdl
        assert (line["edges"], line["parameters"]) == (len(edges), bn.n_parameters(data, edges))
    families = table(answer(capsys, *words, *graphs[0], "--families")[1])
    assert families["score"].sum() == pytest.approx(bn.score(data, edges, full), rel=1e-12)
    described = json.loads(answer(capsys, *words, "--edges", "", "--format", "json")[1])
    assert described["results"]["score_nats"] == bn.score(data, [], full)
    assert [family["parents"] for family in described["families"]] == [[]] * 8


def test_rows_needed_are_the_engine_s(capsys):
    words = ["rows-needed", "network:cancer", "--rows", 60, "--search", "hill_climbing", "--tables", 4, "--wanted", 0.5]
    code, out, err = answer(capsys, *words, "--format", "json")
    assert code == 0, err
    found, experiment = (
        json.loads(out),
        bn.Experiment(bn.Recipe("network", "cancer", n_rows=60), search=bn.HillClimbing()),
    )
    needed = bn.rows_needed(experiment.load(), wanted=0.5, n=4, **experiment.arguments)
    assert found["finding"] == needed.sentence
    assert [edge["parent"] for edge in found["edges"]] == needed.table()["parent"].tolist()
    assert [point["found_again"] for point in found["curves"]] == needed.curves()["found_again"].tolist()
    assert found["repeat"].endswith("--wanted 0.5 --tables 4")
    assert answer(capsys, *words[:-1], 3)[0] == 2


def test_sample_draws_what_the_engine_draws(tmp_path, capsys):
    drawn = bn.load_network("asia").sample(40, rng=6)
    same(answer(capsys, "sample", "network:asia", "--rows", 40, "--seed", 6)[1], drawn.to_frame().astype(str))
    bn.write_bif(bn.load_network("asia"), tmp_path / "mine.bif")
    code, out, _ = answer(capsys, "sample", tmp_path / "mine.bif", "--rows", 40, "--seed", 6, "--format", "json")
    written = json.loads(out)
    assert code == 0
    assert written["rows"] == drawn.to_frame().astype(str).to_numpy().tolist()
    assert written["states"] == {n: list(s) for n, s in zip(drawn.names, drawn.states, strict=True)}
    assert (written["seed"], list(written["columns"])) == (6, list(drawn.names))
    same(answer(capsys, "sample", "sample:titanic")[1], bn.load_sample("titanic").astype(str))
    listed = answer(capsys, "sample", "--list")[1]
    assert all(f"network:{name}" in listed for name in bn.network_names())
    assert all(f"sample:{name}" in listed for name in SAMPLE_TABLES)


def test_rows_drawn_and_read_back_are_learned_from_alike(tmp_path, capsys):
    """``sample`` and then ``learn`` on the file is ``learn`` on the network's rows, where all states occur."""
    assert answer(capsys, "sample", "network:asia", "--rows", 5000, "--seed", 2, "--out", tmp_path / "a.csv")[0] == 0
    direct = answer(capsys, "learn", "network:asia", "--rows", 5000, "--data-seed", 2)[1]
    edges = table(answer(capsys, "learn", tmp_path / "a.csv")[1])
    pd.testing.assert_frame_equal(edges.round(6), table(direct).round(6))


def test_missing_rows_are_told_and_standard_output_stays_clean(capsys):
    words = ["learn", "sample:house_votes_84", "--columns", "party,crime"]
    code, out, err = answer(capsys, *words)
    assert code == 0
    assert list(table(out).columns) == ["parent", "child", "gain_nats", "gain_bits"]
    assert "rows, with missing cells (--missing own_state keeps them)" in err
    assert answer(capsys, *words, "--missing", "own_state")[2] == ""


def test_progress_goes_to_standard_error_when_asked_for(capsys):
    words = ["table1", "sample:titanic", "--n", "30", "--methods", "bootstrap,bootstrap_corrected"]
    _, out, err = answer(capsys, *words, "--progress")
    assert answer(capsys, *words) == (0, out, "")
    assert "90 of 90 resamples" in err  # the given data are learned from as often
    assert "\r" not in err


def test_progress_on_a_terminal_is_one_line_that_is_written_over(capsys, monkeypatch):
    capsys.readouterr()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    terminal = Terminal(talks=True)
    for done in range(401):
        assert terminal.progress(done, 400)
    terminal.note("seven edges")
    shown = capsys.readouterr().err
    assert shown.count("\n") == 2
    assert shown.count("\r\x1b[K") == 100
    assert shown.endswith("\r\x1b[K400 of 400 resamples\nseven edges\n")


@pytest.mark.slow
def test_standard_input_and_pipes(capsys, monkeypatch):
    text = bn.load_sample("titanic").to_csv(index=False)
    expected = answer(capsys, "learn", "sample:titanic")[1]
    assert run("learn", "-", input=text).stdout == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    described = json.loads(answer(capsys, "learn", "-", "--format", "json")[1])
    assert described["experiment"]["data"]["fingerprint"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_file_is_known_by_its_digest(tmp_path, capsys):
    file, saved = tmp_path / "t.csv", tmp_path / "e.json"
    bn.load_sample("titanic").to_csv(file, index=False)
    assert answer(capsys, "learn", file, "--save-experiment", saved)[0] == 0
    assert answer(capsys, "learn", "--experiment", saved)[0] == 0
    bn.load_sample("titanic").iloc[:-1].to_csv(file, index=False)
    code, out, err = answer(capsys, "learn", "--experiment", saved)
    assert (code, out) == (1, "")
    assert "is not the file of the saved experiment" in err
    assert answer(capsys, "learn", file, "--experiment", saved)[0] == 0


def test_a_number_of_a_saved_search_can_be_left_to_the_data_again(tmp_path, capsys):
    saved, again = tmp_path / "e.json", tmp_path / "again.json"
    words = ["sample:lecture_8", "--search", "annealing", "--start-temperature", 7, "--proposals", 30]
    assert answer(capsys, "learn", *words, "--no-exchanges", "--save-experiment", saved)[0] == 0
    words = ["--experiment", saved, "--start-temperature", "none", "--save-experiment", again]
    assert answer(capsys, "learn", *words)[0] == 0
    opened = json.loads(again.read_text(encoding="utf-8"))
    search = bn.Experiment.from_dict(opened.get("experiment", opened)).search
    assert search == bn.SimulatedAnnealing(proposals=30, exchanges=False)


# ---- help


@pytest.mark.slow
@pytest.mark.parametrize("command", [name for name in cli.COMMANDS if name not in ("app", "warm-up")])
def test_the_examples_in_the_help_run(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 2, 120) for name in ("smoking", "age", "sex")})
    frame["cancer"] = frame["smoking"] ^ (rng.random(120) < 0.1)
    frame.loc[::10, "sex"] = None
    frame.to_csv("survey.csv", index=False)
    frame.to_csv("survey.csv.gz", index=False)
    frame.to_excel("survey 2024.xlsx", index=False)
    Path("edges.csv").write_text("parent,child\nsmoking,cancer\n")
    bn.write_bif(bn.load_network("asia"), "my_network.bif")
    code, out, _ = answer(capsys, command, "--help")
    assert code == 0
    examples = [line.strip() for line in out.partition("examples:\n")[2].splitlines() if "bnengine " in line]
    assert len(examples) >= 3
    for example in examples:
        if "|" in example:
            in_a_shell(example, tmp_path)
            continue
        assert example.startswith(f"bnengine {command} ")
        words = shlex.split(example)[1:]
        code, out, err = answer(capsys, *words)
        assert code == 0, (example, err)
        written = Path(words[words.index("--out") + 1]) if "--out" in words else None
        text = written.read_text(encoding="utf-8") if written else out
        assert len(text) > 20
        if written and written.suffix == ".json":
            assert json.loads(text)["command"] == command


@pytest.mark.slow
def test_help_is_quick_and_needs_no_frames():
    """What takes time is importing; the engine's own share of it is kept short elsewhere."""
    program = (
        "import sys\nfrom bnengine.cli import main\nmain(['confidence', '--help'])\n"
        "print(*[m for m in ('pandas', 'streamlit', 'openpyxl') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == ""


def test_warm_up_compiles_the_searches_it_is_told(capsys):
    code, out, err = answer(capsys, "warm-up", "--search", "k2", "--search", "Chow-Liu", "--progress")
    assert (code, out) == (0, "")
    assert "k2 is compiled" in err
    assert "chow_liu is compiled" in err
    code, _, err = answer(capsys, "warm-up", "--search", "nonsense")
    assert code == 2
    assert "--search must be one of iterated" in err


def test_warm_up_compiles_everything_when_it_is_told_nothing(capsys, monkeypatch):
    asked = []
    monkeypatch.setattr("bnengine.cli.app.warm_up", lambda **settings: asked.append(settings))
    assert answer(capsys, "warm-up")[:2] == (0, "")
    assert [sorted(settings) for settings in asked] == [["progress"]]


@pytest.mark.slow
def test_a_closed_output_is_no_defect():
    closed = {
        "--version": [">&-"],
        "learn sample:titanic": [">&- 2>&-", "| head -n 0"],
    }
    for command, redirection in ((command, one) for command, ways in closed.items() for one in ways):
        line = f"{shlex.join(PROGRAM)} {command} {redirection}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=ROOT, env=environment)
        assert "defect" not in done.stderr
        assert "Traceback" not in done.stderr


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "x.csv"
    target.write_text("before")
    target.chmod(0o640)

    def refuse(*_):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(OSError, match="no space left"):
            write_file(target, "after")
    assert target.read_text() == "before"
    write_file(target, "after")
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.slow
def test_version_and_entry_point():
    done = run("--version")
    assert f"bnengine {bn.__version__}" in done.stdout.splitlines()
    target = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]["bnengine"]
    module, _, name = target.partition(":")
    assert getattr(import_module(module), name) is cli.main


def test_help_explains_the_data_once(capsys):
    _, text, _ = answer(capsys, "learn", "--help")
    assert text.count("a table (CSV in its dialects") == 1


def test_missing_cells_that_are_drawn_are_drawn_as_learn_draws_them(tmp_path, capsys):
    frame = with_holes(make_data([2, 3, 2], 120, 1), 1, 0.1).to_frame()
    frame.to_csv(tmp_path / "holes.csv", index=False)
    words = ["learn", tmp_path / "holes.csv", "--missing", "drawn", "--repair", "none", "--seed", 3]
    assert answer(capsys, *words, "--out", tmp_path / "edges.csv") == (0, "", "")
    found = pd.read_csv(tmp_path / "edges.csv")
    edges = bn.learn(bn.Dataset.from_frame(frame, missing="drawn"), rng=3).edges
    assert sorted(zip(found["parent"], found["child"], strict=True)) == sorted(edges)
    assert (found["gain_nats"] > 0).all()
