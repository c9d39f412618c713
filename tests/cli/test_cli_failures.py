"""How the command line fails, a sentence and a code; and how it is stopped."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
import bnengine.__main__
from bnengine._jit.compiled import folder_for_code
from bnengine.cli.commands import ON_A_TABLE
from tests.commands import PROGRAM, ROOT, Terminal, answer, run
from tests.patience import HANG

SEMICOLONS = 'Größe;Rauchen;Krebs;"Alter, Jahre"\n' + "klein;ja;nein;12,5\ngroß;nein;nein;13,5\nklein;ja;;40,1\n" * 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "semi.csv").write_text(SEMICOLONS, encoding="utf-8")
    rng = np.random.default_rng(1)
    pd.DataFrame({"x": rng.normal(size=300), "y": rng.integers(0, 2, 300)}).to_csv("measured.csv", index=False)
    pd.DataFrame(rng.integers(0, 2, (9, 110)), columns=[f"g{i}" for i in range(110)]).to_csv("wide.csv", index=False)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "one.csv").write_text("answer\nyes\nno\n")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"data": {"source": "sample", "nome": 1}}')
    (tmp_path / "older.json").write_text(
        json.dumps({"command": "rows-needed", "experiment": bn.Experiment().to_dict()})
    )
    return tmp_path


FAILURES = [
    (1, "app --file nothing.csv", "there is no file nothing.csv"),
    (2, "app --port 0", "0 is not in the range 1<=x<=65535"),
    (2, "app --port x", "'x' is not a valid integer"),
    (1, "learn nothing.csv", "No such file or directory: nothing.csv"),
    (1, "learn .", "Is a directory: ."),
    *((1, f"{each} one.csv", "There is only one variable, but a network needs at least two") for each in ON_A_TABLE),
    (1, "confidence wide.csv --n 1000000", "more than the 8.0 GB allowed"),
    (1, "learn wide.csv --search exact", "the exact search is for up to 63 variables"),
    (2, "nonsense", "nonsense"),
    (2, "learn", "Missing argument 'DATA'"),
    (2, "learn sample:nonsense", "no bundled sample is named 'nonsense'; there are alarm_300"),
    (2, "learn network:asia --rows 0", "0 is not in the range 1<=x<=1000000"),
    (2, "learn semi.csv --rows 3", "--rows is for rows drawn"),
    (2, "learn semi.csv --seed -1", "-1 is not in the range 0<=x<="),
    (2, "learn semi.csv --score nonsense", "--score must be one of BIC"),
    (2, "learn semi.csv --score BDeu(ess=-1)", "--score BDeu: ess must be a number from 1e-06 to"),
    (2, "learn semi.csv --score BDeu(10)", "--score is written as BDeu(ess=10)"),
    (2, "learn semi.csv --n 3", "No such option"),
    (2, "learn semi.csv --out graph.txt", "--out must end in .csv or .json or .bif"),
    (2, "report semi.csv --out report.csv", "--out must end in .html"),
    (2, "learn semi.csv --out nowhere/graph.csv", "there is no folder nowhere"),
    (2, "run broken.json", "broken.json is not a saved experiment"),
    (2, "run other.json", "must be given"),
    (2, "run nothing.json", "cannot read nothing.json"),
    (2, "run older.json", "older.json was written by 'rows-needed', which is no command here; say --as what to run"),
    (2, "table1 semi.csv --correction exact", "'exact' is not one of 'none', 'leading', 'matched'"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "command", "sentence"), FAILURES)
def test_a_failure_is_one_sentence_and_a_code(folder, capsys, code, command, sentence):
    got, out, err = answer(capsys, *shlex.split(command))
    assert (got, out) == (code, "")
    assert sentence in err
    # on the data, before the work that fails
    remarks = (
        ": left out ",
        " is left out",
        " were read as decimal points",
        ": cut into ",
        ": missing cells are kept",
        " proposed, ",
        " stand against ",
    )
    said = [line for line in err.splitlines() if not any(remark in line for remark in remarks)]
    assert len(said) == 1
    assert said[0].startswith("bnengine")
    assert len(said[0]) < 900
    assert "Traceback" not in err


def test_a_place_that_may_not_be_written_is_told_before_the_work(folder, capsys, monkeypatch):
    monkeypatch.setattr(Path, "touch", Mock(side_effect=PermissionError(13, "Permission denied")))
    code, out, err = answer(capsys, "table1", "semi.csv", "--n", 1_000_000, "--out", "x.csv")
    assert (code, out) == (2, "")
    assert "x.csv may not be written" in err


def test_a_limit_that_is_none_is_a_sentence_at_every_command(capsys, monkeypatch):
    monkeypatch.setenv("BNENGINE_MAX_MEGABYTES", "abc")
    done = run("--version")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bnengine: BNENGINE_MAX_MEGABYTES must be a whole number above 0; got 'abc'\n"


def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback(monkeypatch):
    def interrupted(name, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.__import__", interrupted)
    assert bnengine.__main__.main() == 130


def test_without_any_folder_to_write_to_code_is_compiled_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", Mock(side_effect=FileNotFoundError(2, "No temporary directory")))
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert folder_for_code(Path("/dev/null/beside")) is None


def test_an_unreadable_file_is_a_sentence(folder, capsys, monkeypatch):
    monkeypatch.setattr("builtins.open", Mock(side_effect=PermissionError(13, "Permission denied", "semi.csv")))
    assert answer(capsys, "learn", "semi.csv") == (1, "", "bnengine: Permission denied: semi.csv\n")


MANY = 20_000 * (os.cpu_count() or 1)  # some ten seconds of work on any number of cores


@pytest.fixture
def endless(tmp_path):
    """An experiment that takes long, without learning from the given data first."""
    experiment = bn.Experiment(
        bn.Recipe("sample", "alarm_1000"), search=bn.HillClimbing(), ties="columns", n=MANY,
        methods=("bootstrap_corrected", "bootstrap"),
    )  # fmt: skip
    (tmp_path / "e.json").write_text(experiment.to_json(), encoding="utf-8")
    return tmp_path / "e.json"


@pytest.mark.slow
def test_stopping_keeps_and_writes_what_is_done(tmp_path, endless):
    process = Terminal(*PROGRAM, "run", endless, "--as", "table1", "--out", tmp_path / "table.json")
    process.until(r"^[1-9]\d* of")
    process.process.send_signal(signal.SIGTERM)
    assert process.code() == 143
    assert "stopped; learned by then: bootstrap_corrected" in process.said
    assert "Traceback" not in process.said
    written = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert written["status"] == "stopped"
    assert 0 < written["methods"]["bootstrap_corrected"]["n_graphs"] < MANY
    assert written["methods"]["bootstrap_corrected"]["status"] == "stopped"
    assert "bootstrap" not in written["methods"]


@pytest.mark.slow
def test_stopping_a_search_ends_at_once_and_writes_nothing(tmp_path):
    search = "SimulatedAnnealing(temperatures=1000000, cooling=0.999999, start_temperature=1e6)"
    process = Terminal(*PROGRAM, "learn", "sample:house_votes_84", "--search", search, "--out", tmp_path / "x.csv")
    process.until("missing cells are kept")
    process.process.send_signal(signal.SIGINT)
    assert process.code() == 130  # a million temperatures would take days
    assert "nothing was written" in process.said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error(tmp_path, monkeypatch):
    """Unbuffered, one write may take a part of the text only."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    rng = np.random.default_rng(1)
    states = [f"{'long state ' * 40}{k}" for k in range(12)]
    wide = pd.DataFrame({f"{'long name ' * 48}{k}": rng.choice(states, 120) for k in range(14)})
    wide.to_csv(tmp_path / "wide.csv", index=False)
    words = [*PROGRAM, "report", str(tmp_path / "wide.csv"), "--n", "3"]  # more than a pipe holds
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout.read(9) == "<!DOCTYPE"
        process.stdout.close()
        said = process.stderr.read()  # of libraries perhaps, on the machine's fonts
        assert "bnengine" not in said
        assert "Traceback" not in said
        assert process.wait(timeout=HANG) == 141


@pytest.mark.slow
@pytest.mark.parametrize("form", ["bif", "json"])
def test_stopped_before_its_method_began_the_averaged_network_is_that_of_one_that_has_replicates(tmp_path, form):
    experiment = bn.Experiment(
        bn.Recipe("sample", "alarm_1000"), search=bn.HillClimbing(), ties="columns", n=MANY, averaged="predictive",
        methods=("bootstrap_corrected", "predictive"),
    )  # fmt: skip
    (tmp_path / "e.json").write_text(experiment.to_json(), encoding="utf-8")
    process = Terminal(*PROGRAM, "run", tmp_path / "e.json", "--as", "confidence", "--out", tmp_path / f"x.{form}")
    process.until(r"^[1-9]\d* of")
    process.process.send_signal(signal.SIGTERM)
    assert process.code() == 143
    assert "the averaged network is that of bootstrap_corrected" in process.said
    if form == "bif":
        assert len(bn.read_bif(tmp_path / "x.bif").edges) > 20
