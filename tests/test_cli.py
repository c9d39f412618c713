"""The command line: what it parses, what it writes, how it fails, and that it is the engine's own answer."""

import contextlib
import dataclasses
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine import cli
from bnengine.cli.settings import experiment_of
from bnengine.command import REPEATABLE
from bnengine.options import LEARNING_FIELDS, PARTS, all_options, read_names, write_names
from tests.test_experiment import EXPERIMENTS, SEEDS

PROGRAM = [sys.executable, "-m", "bnengine"]
ROOT = Path(__file__).parent.parent

# ---- helpers


def run(*arguments, **settings):
    """The program as a person starts it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings.pop("env", {})}
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", env=environment, **settings
    )


def answer(capsys, *arguments):
    """Exit code, standard output and standard error of a command in this process."""
    capsys.readouterr()
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def table(text):
    return pd.read_csv(io.StringIO(text), keep_default_na=False)


def same(text, frame):
    """Whether a CSV holds exactly the table: every digit of every number."""
    pd.testing.assert_frame_equal(table(text), frame.reset_index(drop=True), check_dtype=False, check_exact=True)


# ---- an experiment, its command, and back

ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
RECIPES = st.one_of(
    st.builds(bn.DataRecipe, source=st.just("sample"), name=st.sampled_from(list(bn.SAMPLE_TABLES))),
    st.builds(
        bn.DataRecipe,
        source=st.just("network"),
        name=st.sampled_from(bn.network_names()),
        n_rows=st.integers(1, 10**6),
        seed=SEEDS,
    ),
    st.builds(
        bn.DataRecipe,
        source=st.just("file"),
        name=ODD
        | st.sampled_from(["-", "-x", "sample:titanic", "network:asia", "file:x", "@x", "a b.csv", "ä'\".csv"]),
    ),
)
TREATMENTS = st.fixed_dictionaries(
    {
        "columns": st.lists(ODD, max_size=3).map(tuple),
        "discretization": st.sampled_from(["none", "quantile", "width"]),
        "bins": st.integers(2, 9),
        "missing": st.sampled_from(["drop_rows", "own_state"]),
    }
)
PAIRS = st.lists(st.tuples(ODD, ODD), max_size=3).map(tuple)
CONSTRAINTS = st.builds(
    bn.Constraints,
    required=PAIRS,
    forbidden=PAIRS,
    max_parents=st.none() | st.integers(0, 9),
    tiers=st.lists(st.lists(ODD, max_size=3).map(tuple), max_size=3).map(tuple),
)


@st.composite
def experiments(draw):
    """Any experiment that can be run: known samples and networks, odd names everywhere."""
    recipe = dataclasses.replace(draw(RECIPES), **draw(TREATMENTS))
    base = draw(EXPERIMENTS)
    search = base.search
    if "ordering" in search.__dataclass_fields__:
        search = dataclasses.replace(search, ordering=draw(st.none() | st.lists(ODD, max_size=4).map(tuple)))
    if "root" in search.__dataclass_fields__:
        search = dataclasses.replace(search, root=draw(st.none() | ODD))
    return dataclasses.replace(base, data=recipe, search=search, constraints=draw(CONSTRAINTS))


def parsed(command):
    words = shlex.split(command)
    assert words[0] == "bnengine"
    return experiment_of(cli.parser().parse_args(words[1:]))


def without_resampling(experiment):
    """With every setting at its default that the data's own graph does not depend on."""
    plain = {option.field for option in all_options() if option.part == "experiment"} - set(LEARNING_FIELDS)
    default = bn.Experiment()
    return dataclasses.replace(experiment, **{field: getattr(default, field) for field in plain})


@given(experiments(), st.sampled_from(REPEATABLE))
def test_an_experiment_s_command_describes_the_same_experiment_invariant(experiment, command):
    expected = without_resampling(experiment) if command == "learn" else experiment
    assert parsed(bn.command_line(experiment, command)) == expected


@given(st.lists(ODD))
def test_names_come_back_from_their_line_invariant(names):
    assert [name for line in read_names(write_names(names)) for name in line] == names


@given(experiments())
def test_an_experiment_in_a_file_is_the_same_experiment_invariant(experiment):
    """``--experiment`` reads what ``to_dict`` wrote, and what a result's JSON holds."""
    with contextlib.ExitStack() as stack:
        import tempfile

        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for described in (experiment.to_dict(), {"command": "table1", "experiment": experiment.to_dict()}):
            (folder / "e.json").write_text(json.dumps(described), encoding="utf-8")
            args = cli.parser().parse_args(["table1", "--experiment", str(folder / "e.json")])
            assert experiment_of(args) == experiment


def test_every_setting_has_an_option():
    """So has one that a registry gains: nothing here names a score, a search or a field."""
    by_part = {part: {(one, o.field) for o in all_options() if o.part == part for one in o.kinds} for part in PARTS}
    for part, classes in PARTS.items():
        given_otherwise = {
            "experiment": {"data", "score", "search", "constraints"},
            "data": {"source", "name", "fingerprint"},
        }.get(part, set())
        for one in classes:
            for field in set(one.__dataclass_fields__) - given_otherwise:
                assert (one, field) in by_part[part], f"{one.__name__}.{field} cannot be said on the command line"
    flags = [option.flag for option in all_options()]
    assert len(set(flags)) == len(flags)
    assert all(option.about for option in all_options() if option.part in ("score", "search"))


def test_settings_replace_those_of_the_file(tmp_path, capsys):
    saved = tmp_path / "e.json"
    code, out, _ = answer(
        capsys, "learn", "sample:titanic", "--score", "bdeu", "--ess", 7, "--seed", 3, "--save-experiment", saved
    )
    assert code == 0
    described = bn.Experiment.from_dict(json.loads(saved.read_text()))
    assert described == bn.Experiment(bn.DataRecipe("sample", "titanic"), bn.BDeu(7.0), seed=3)
    assert answer(capsys, "learn", "--experiment", saved)[1] == out

    def of(*words):
        return experiment_of(cli.parser().parse_args(["table1", "--experiment", str(saved), *words]))

    assert of("--ess", "2") == dataclasses.replace(described, score=bn.BDeu(2.0))
    assert of("--score", "BDs") == dataclasses.replace(described, score=bn.BDs())
    assert of("sample:lecture_4", "--n", "9") == dataclasses.replace(
        described, data=bn.DataRecipe("sample", "lecture_4"), n=9
    )


def test_lists_in_files(tmp_path):
    (tmp_path / "edges.csv").write_text('parent,child,confidence\n"a, b",c,0.5\nc,d,0.25\n', encoding="utf-8")
    (tmp_path / "tiers.csv").write_text("a\nb,c\n", encoding="utf-8")
    (tmp_path / "order.txt").write_text('one\n"two, too"\nthree\n', encoding="utf-8")
    words = ["learn", "x.csv", "--required", f"@{tmp_path}/edges.csv", "--required", "x,y"]
    words += ["--tiers", f"@{tmp_path}/tiers.csv", "--search", "k2", "--order", f"@{tmp_path}/order.txt"]
    experiment = experiment_of(cli.parser().parse_args(words))
    assert experiment.constraints.required == (("a, b", "c"), ("c", "d"), ("x", "y"))
    assert experiment.constraints.tiers == (("a",), ("b", "c"))
    assert experiment.search == bn.K2(("one", "two, too", "three"))


def test_a_bundled_network_s_own_ordering():
    args = cli.parser().parse_args(["learn", "sample:asia_1000", "--search", "k2", "--order", "network:asia"])
    assert experiment_of(args).search == bn.K2(tuple(bn.load_network("asia").ordering))


# ---- the same answer from the command, from Python and from the engine

SMALL = bn.Experiment(
    bn.DataRecipe("sample", "house_votes_84", columns=("party", "crime", "immigration", "religious_groups_in_schools")),
    bn.BDeu(2.5),
    bn.K2(("party", "immigration", "crime", "religious_groups_in_schools"), max_parents=2),
    bn.Constraints(forbidden=(("crime", "immigration"),), tiers=(("party",), ("crime",))),
    n=12,
    d=30,
    strength=0.4,
    seed=5,
)


def in_a_shell(command, folder):
    """What the shown line prints where somebody pastes it into a shell."""
    starter = f'bnengine() {{ {shlex.join(PROGRAM)} "$@"; }}\n'
    done = subprocess.run(
        ["sh", "-c", starter + command], capture_output=True, text=True, encoding="utf-8", cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def python_study(text):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "script", "exec"), names)
    return names


@pytest.mark.parametrize("odd_file", [False, True])
def test_command_python_and_engine_agree_exactly(tmp_path, monkeypatch, odd_file):
    experiment = SMALL
    if odd_file:  # somebody's file: an odd name, odd columns, measurements, missing cells
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(3)
        dose, sick = rng.normal(size=90), rng.integers(0, 2, 90)
        frame = pd.DataFrame({'dose, "mg"': dose + sick, "krank?": sick, "größe": rng.choice(["klein", "groß"], 90)})
        frame.loc[::9, "größe"] = None
        frame.to_csv("it's $data; ä.csv", index=False)
        recipe = bn.DataRecipe("file", "it's $data; ä.csv", discretization="quantile", bins=4, missing="own_state")
        search = bn.HillClimbing(restarts=2)
        constraints = bn.Constraints(required=(("krank?", 'dose, "mg"'),))
        experiment = dataclasses.replace(SMALL, data=recipe, search=search, constraints=constraints)
    study = experiment.run()
    same(in_a_shell(bn.command_line(experiment, "confidence"), tmp_path), study.edge_table())
    same(in_a_shell(bn.command_line(experiment, "confidence", "adjacency"), tmp_path), study.edge_table("adjacency"))
    same(in_a_shell(bn.command_line(experiment, "table1"), tmp_path), study.table1().reset_index())
    written = python_study(experiment.python())["study"]
    pd.testing.assert_frame_equal(written.edge_table(), study.edge_table(), check_exact=True)

    edges = table(in_a_shell(bn.command_line(experiment, "learn"), tmp_path))
    graph = python_study(experiment.python_learn())["graph"]
    assert sorted(zip(edges["parent"], edges["child"], strict=True)) == sorted(graph.edges)
    assert graph.edges == study.reference.edges
    gains = bn.edge_gains(experiment.data.prepare(experiment.data.load()), graph.edges, experiment.full_score)
    assert dict(zip(zip(edges["parent"], edges["child"], strict=True), edges["gain_nats"], strict=True)) == gains


def test_workers_and_hash_seeds_change_nothing():
    command = shlex.split(bn.command_line(SMALL, "confidence"))[1:]
    texts = {
        run(*command, "--format", "json", "--workers", workers, env={"PYTHONHASHSEED": seed}).stdout
        for workers, seed in ((1, "1"), (3, "2"))
    }
    texts.add(run(*command, "--format", "json").stdout)
    assert len(texts) == 1
    assert json.loads(texts.pop())["status"] == "converged"


# ---- what is written


def test_json_holds_settings_versions_and_seed(capsys):
    words = shlex.split(bn.command_line(SMALL, "confidence"))[1:]
    code, out, err = answer(capsys, *words, "--format", "json", "--threshold", 0.5, "--method", "boot")
    assert code == 0
    assert err.count("\n") == err.count("were left out") == 1
    written = json.loads(out)
    study = SMALL.run()
    assert written["seed"] == 5
    assert bn.Experiment.from_dict(written["experiment"]) == SMALL
    assert written["versions"]["bnengine"] == bn.__version__
    assert {"python", "numpy", "numba", "pandas", "scipy"} <= set(written["versions"])
    assert parsed(written["repeat"]) == SMALL
    assert [line["mean"] for line in written["table1"]] == study.table1()["mean"].tolist()
    assert written["graph"]["score"] == study.reference.score
    assert {tuple(edge) for edge in written["graph"]["edges"]} == set(study.reference.edges)
    pd.testing.assert_frame_equal(pd.DataFrame(written["edges"]), study.edge_table(), check_exact=True)
    for key, ensemble in study.ensembles.items():
        said = written["methods"][key]
        assert (said["correction"], said["strength"]) == (ensemble.correction, ensemble.strength)
        assert (said["n_graphs"], said["status"]) == (ensemble.n_graphs, ensemble.status)
        assert written["thresholds"][key]["mean"] == study.threshold(key)
    average = bn.averaged_network(study.ensembles["boot"], 0.5)
    assert [tuple(edge) for edge in written["averaged_network"]["edges"]] == average.edges
    assert written["averaged_network"]["method"] == "boot"


def test_one_replicate_has_no_deviation_and_json_stays_json(capsys):
    _, out, _ = answer(capsys, "table1", "sample:lecture_8", "--methods", "boot", "--n", 1, "--format", "json")
    written = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert written["table1"][1]["sd"] is None


def test_threshold_keeps_the_averaged_network_s_edges(tmp_path, capsys):
    study = bn.Experiment(bn.DataRecipe("sample", "asia_1000"), n=15, methods=("boot",)).run()
    words = ["confidence", "sample:asia_1000", "--n", 15, "--methods", "boot", "--threshold"]
    for rule, threshold in (
        (0.4, 0.4),
        (0, 0.0),
        ("mean", study.threshold("boot")),
        ("l1", bn.l1_threshold(study.ensembles["boot"])),
    ):
        code, out, err = answer(capsys, *words, rule)
        average = bn.averaged_network(study.ensembles["boot"], threshold)
        edges = study.edge_table()
        kept = [pair in average.edges for pair in zip(edges["parent"], edges["child"], strict=True)]
        assert code == 0
        same(out, edges[kept])
        assert ("close a cycle" in err) == bool(average.left_out)
    target = tmp_path / "average.bif"
    assert answer(capsys, *words, 0.4, "--out", target)[:2] == (0, "")
    assert bn.read_bif(target).edges == bn.averaged_network(study.ensembles["boot"], 0.4).edges


def test_learn_writes_csv_json_and_bif(tmp_path, capsys):
    data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    graph = bn.learn(data, bn.BDeu(3.0), bn.Tabu())
    words = ["learn", "sample:titanic", "--score", "bdeu", "--ess", 3, "--search", "tabu"]
    assert answer(capsys, *words, "--out", tmp_path / "edges.csv") == (0, "", "")
    written = pd.read_csv(tmp_path / "edges.csv")
    gains = bn.edge_gains(data, graph.edges, bn.BDeu(3.0))
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
    assert all(f"sample:{name}" in listed for name in bn.SAMPLE_TABLES)


def test_rows_drawn_and_read_back_are_learned_from_alike(tmp_path, capsys):
    """``sample`` and then ``learn`` on the file is ``learn`` on the network's rows, where all states occur."""
    assert answer(capsys, "sample", "network:asia", "--rows", 5000, "--seed", 2, "--out", tmp_path / "a.csv")[0] == 0
    direct = answer(capsys, "learn", "network:asia", "--rows", 5000, "--data-seed", 2)[1]
    edges = table(answer(capsys, "learn", tmp_path / "a.csv")[1])
    pd.testing.assert_frame_equal(edges.round(6), table(direct).round(6))


def test_missing_rows_are_told_and_standard_output_stays_clean():
    done = run("learn", "sample:house_votes_84", "--columns", "party,crime")
    assert done.returncode == 0
    assert list(table(done.stdout).columns) == ["parent", "child", "gain_nats", "gain_bits"]
    assert "rows have missing cells and were left out (--missing own_state keeps them)" in done.stderr
    assert run("learn", "sample:house_votes_84", "--columns", "party,crime", "--missing", "own_state").stderr == ""


def test_progress_goes_to_standard_error_when_asked_for():
    words = ["table1", "sample:titanic", "--n", "30", "--methods", "boot,boot_bc"]
    quiet, told = run(*words), run(*words, "--progress")
    assert quiet.stderr == ""
    assert told.stdout == quiet.stdout
    assert "60 of 60 resamples" in told.stderr
    assert "\r" not in told.stderr


def test_standard_input_and_pipes():
    text = bn.load_sample("titanic").to_csv(index=False)
    expected = run("learn", "sample:titanic").stdout
    assert run("learn", "-", input=text).stdout == expected
    described = json.loads(run("learn", "-", "--format", "json", input=text).stdout)
    import hashlib

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


# ---- how it fails

SEMICOLONS = 'Größe;Rauchen;Krebs;"Alter, Jahre"\n' + "klein;ja;nein;12,5\ngroß;nein;nein;13,5\nklein;ja;;40,1\n" * 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "semi.csv").write_text(SEMICOLONS, encoding="utf-8")
    rng = np.random.default_rng(1)
    pd.DataFrame({"x": rng.normal(size=300), "y": rng.integers(0, 2, 300)}).to_csv("measured.csv", index=False)
    pd.DataFrame(rng.integers(0, 2, (9, 6000)), columns=[f"g{i}" for i in range(6000)]).to_csv("wide.csv", index=False)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"data": {"source": "sample", "nome": 1}}')
    (tmp_path / "bad.bif").write_text("network x {")
    return tmp_path


FAILURES = [
    (1, "learn nothing.csv", "there is no file nothing.csv"),
    (1, "learn .", "is a folder"),
    (1, "learn empty.csv", "empty.csv is empty"),
    (1, "learn measured.csv", "--discretize"),
    (1, "learn semi.csv --columns Rauchen,Krabs", "no column 'Krabs'"),
    (1, "learn semi.csv --required a,b", "no variable is named 'a'"),
    (1, "learn semi.csv --required Krebs,Rauchen --required Rauchen,Krebs", "form a cycle"),
    (1, "learn semi.csv --search k2 --order Krebs", "ordering must name each"),
    (1, "learn semi.csv --score bde --prior-network asia", "prior network has no variable"),
    (1, "table1 semi.csv --methods jack_d --d 5000", "d must be smaller"),
    (1, "confidence wide.csv", "8 GB allowed"),
    (1, "learn wide.csv --search exact", "8.0 GB allowed"),
    (1, "score sample:titanic --edges Sex,Age --edges Age,Sex", "form a cycle"),
    (1, "score sample:titanic --network bad.bif", "bad.bif is no network in BIF"),
    (1, "score sample:titanic --network asia", "did you mean network:asia?"),
    (1, "sample nothing.bif", "there is no file nothing.bif"),
    (2, "", "name a command"),
    (2, "nonsense", "invalid choice"),
    (2, "learn", "name the data"),
    (2, "learn sample:nonsense", "no bundled sample is named 'nonsense'; there are alarm_300"),
    (2, "learn network:nonsense", "no bundled network"),
    (2, "learn network:asia --rows 0", "--rows must be 1 or more"),
    (2, "learn semi.csv --rows 3", "--rows and --data-seed are for rows drawn"),
    (2, "learn semi.csv --seed -1", "--seed must be 0 or more; got -1"),
    (2, "learn semi.csv --seed x", "--seed must be a whole number; got 'x'"),
    (2, "learn semi.csv --score nonsense", "invalid choice"),
    (2, "learn semi.csv --score bde", "needs --prior-network"),
    (2, "learn semi.csv --score bdeu --ess -1", "ess must be a positive number"),
    (2, "learn semi.csv --score bic --ess 1", "score bic has no --ess"),
    (2, "learn semi.csv --search k2 --tenure 3", "it takes --max-parents, --order"),
    (2, "learn semi.csv --bins 1", "--bins must be 2 or more"),
    (2, "learn semi.csv --required Rauchen:Krebs", "parent,child"),
    (2, "learn semi.csv --required @nothing.csv", "cannot read nothing.csv"),
    (2, """learn semi.csv --columns '"Rauchen'""", "close its quotes"),
    (2, "learn semi.csv --out graph.txt", "--out must end in .csv or .json or .bif"),
    (2, "learn semi.csv --out nowhere/graph.csv", "there is no folder nowhere"),
    (2, "learn semi.csv --fit-ess -1", "--fit-ess must be 0 or more"),
    (2, "learn --experiment broken.json", "broken.json is no saved experiment"),
    (2, "learn --experiment other.json", "is not given"),
    (2, "learn --experiment nothing.json", "cannot read nothing.json"),
    (2, "table1 semi.csv --n 0", "--n must be 1 or more"),
    (2, "table1 semi.csv --methods boot,nonsense", "methods must be among"),
    (2, "table1 semi.csv --workers 0", "--workers must be 1 or more"),
    (2, "table1 semi.csv --out table.bif", "--out must end in .csv or .json"),
    (2, "confidence semi.csv --threshold 2", "--threshold must be a number between 0 and 1, or mean or l1"),
    (2, "confidence semi.csv --methods boot --method boot_bc", "--method boot_bc is not run"),
    (2, "confidence semi.csv --kind adjacency --threshold 0.5", "adjacencies have no direction"),
    (2, "score semi.csv", "say which graph"),
    (2, "score semi.csv --edges Rauchen", "parent,child"),
    (2, "sample", "name a network"),
    (2, "sample network:nonsense", "no bundled network is named 'nonsense'"),
    (2, "sample network:asia --seed -1", "--seed 0 or more"),
    (2, "sample sample:titanic --rows 3", "a bundled table has its own"),
]


@pytest.mark.parametrize(("code", "command", "sentence"), FAILURES)
def test_a_failure_is_one_sentence_and_a_code(folder, capsys, code, command, sentence):
    got, out, err = answer(capsys, *shlex.split(command))
    assert (got, out) == (code, "")
    assert sentence in err
    said = [line for line in err.splitlines() if "were left out" not in line]
    assert len(said) == 1
    assert said[0].startswith("bnengine")
    assert len(said[0]) < 900
    assert "Traceback" not in err
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.bif", "broken.json", "empty.csv", "measured.csv", "other.json", "semi.csv", "wide.csv",
    ]  # fmt: skip


def test_an_unreadable_file_is_a_sentence(folder, capsys, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", "semi.csv")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert answer(capsys, "learn", "semi.csv") == (1, "", "bnengine: Permission denied: semi.csv\n")


def until(process, words, seconds=60):
    """Read standard error until it says so."""
    end = time.monotonic() + seconds
    said = ""
    while words not in said and time.monotonic() < end:
        said += process.stderr.readline()
    assert words in said, said


def started(*words):
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopping_keeps_and_writes_what_is_done(tmp_path, number, code):
    words = ["table1", "sample:alarm_1000", "--n", 200_000, "--methods", "boot_bc,boot", "--progress"]
    process = started(*words, "--out", tmp_path / "table.json")
    until(process, "of 400000 resamples")
    time.sleep(0.3)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert "stopped; learned by then: boot_bc" in err
    assert "Traceback" not in err
    written = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert written["status"] == "stopped"
    assert 0 < written["methods"]["boot_bc"]["n_graphs"] < 200_000
    assert written["methods"]["boot_bc"]["status"] == "stopped"
    assert "boot" not in written["methods"]


def test_stopping_a_search_ends_at_once_and_writes_nothing(tmp_path):
    words = ["learn", "sample:house_votes_84", "--search", "annealing", "--temperatures", 10**6, "--cooling", 0.999999]
    process = started(*words, "--start-temperature", 1e6, "--out", tmp_path / "x.csv")
    until(process, "were left out")
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - start < 10
    assert "nothing was written" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(monkeypatch, unbuffered):
    """Unbuffered, one write may take a part of the text only."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    process = started("sample", "network:alarm", "--rows", 50_000)
    assert process.stdout.readline().startswith("HISTORY,")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


# ---- help


@pytest.mark.parametrize("command", [command.__name__.rpartition(".")[2] for command in cli.COMMANDS])
def test_the_examples_in_the_help_run(folder, capsys, command):
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
            in_a_shell(example, folder)
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


def test_help_is_quick_and_needs_no_frames():
    """The best of three takes less than a second; the engine's import, most of it, is kept short elsewhere."""
    program = (
        "import sys\nfrom bnengine.cli import main\ntry:\n    main(['confidence', '--help'])\n"
        "except SystemExit:\n    print(*[m for m in ('pandas', 'streamlit', 'openpyxl') if m in sys.modules])"
    )
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
        seconds.append(time.perf_counter() - start)
        assert done.stdout.splitlines()[-1] == ""
    assert min(seconds) < 1.0


def test_version_and_entry_point():
    done = run("--version")
    assert f"bnengine {bn.__version__}" in done.stdout.splitlines()
    target = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]["bnengine"]
    module, _, name = target.partition(":")
    assert getattr(import_module(module), name) is cli.main
