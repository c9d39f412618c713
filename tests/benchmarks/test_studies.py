"""Studies run to their end in small, go on where they were left, and say which code made their results."""

import inspect
import json
import re

import pandas as pd
import pytest

import bnengine as bn
from benchmarks import __main__ as command
from benchmarks import growth, real_tables, references, running, speed
from benchmarks.__main__ import STUDIES, study_of
from benchmarks.report import CONFIDENCE, MEASURED, RESULTS, Report
from benchmarks.running import RefusedError, code_of, confirm, content, grid, made_by, older, run
from benchmarks.timing import resampled_rows
from bnengine.answers import reliability
from bnengine.graphs.dag import edges_of
from pages.evidence.methods import about
from pages.shared.benchmark_results import shipped

#: Results that other code made than there is today, by ``bnengine/answers/older.json``; a result leaves the list once
#: it is made or confirmed anew.
KNOWN_OLDER = frozenset(reliability.shipped(reliability.OLDER))
#: Those that may be in it: the list may only shrink.
MAY_BE_OLDER = frozenset[str]()


@pytest.mark.slow
def test_results_are_not_older_than_the_code(monkeypatch):
    """Of results whose code has another digest today, a cell is measured again.

    ``python -m benchmarks NAME run`` makes a result anew, ``confirm`` notes that today's code makes it, too.
    """
    found = set(older())
    assert found >= KNOWN_OLDER, "these are not older any more: take them from the list"
    monkeypatch.setattr(running, "note", lambda *_: None)
    sources = {made_by()[name].get("from", name) for name in found - KNOWN_OLDER}
    files = {file for name in STUDIES for file in study_of(name).files}
    assert sources <= files, "no study can measure a cell of these again"
    for study in map(study_of, STUDIES):
        if sources & set(study.files) and running.compared(study, study.shipped()):
            assert confirm(study, 1), f"{study.path.name} is older than the code: {study.command}"


def test_the_results_say_which_are_older_and_no_more_are_than_were():
    assert KNOWN_OLDER <= MAY_BE_OLDER, "the list may only shrink"
    start = (running.HERE / "RESULTS.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert {name for name in KNOWN_OLDER if f"`{name}`" not in start} == set()
    said = "earlier version" in about(shipped("evidence"), "chosen by")
    assert ("pages/shared/evidence.json" in KNOWN_OLDER) == said


@pytest.mark.slow
def test_each_result_is_the_file_that_was_noted():
    own = {file for study in map(study_of, STUDIES) if study.path.exists() for file in study.files}
    lying = {path.name for path in running.HERE.glob("*.*") if path.suffix in (".csv", ".parquet")}
    assert own <= lying == {name for name, entry in made_by().items() if "from" not in entry}
    for name, entry in made_by().items():
        if "from" in entry:
            assert entry["from"] in lying, name
            assert (running.ROOT / name).exists(), name
        else:
            assert entry["content"] == content(running.HERE / name), f"{name} was changed by hand"


def near(now, then):
    if isinstance(then, dict):
        return now.keys() == then.keys() and all(near(now[key], then[key]) for key in then)
    if isinstance(then, list):
        return len(now) == len(then) and all(map(near, now, then))
    return now == (pytest.approx(then, rel=1e-9, nan_ok=True) if isinstance(then, float) else then)


QUOTED = [name for name in STUDIES if study_of(name).path.exists()]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUOTED)
def test_what_pages_quote_is_what_the_lines_say(name):
    study = study_of(name)
    measured, report = json.loads(MEASURED.read_text(encoding="utf-8")), study.report(study.shipped())
    for entry, found in report.measured.items():
        assert near(json.loads(json.dumps(found)), measured[entry]), entry
    for file, sections in ((RESULTS, report.sections), (CONFIDENCE, report.confidence)):
        text = file.read_text(encoding="utf-8") + "\n"
        heads = {one: f"\n## {one}\n\n" if one else "" for one in sections}
        assert [one for one, found in sections.items() if f"{heads[one]}{found.strip()}\n\n" not in text] == []
    for path, found in report.files.items():
        text, is_text = path.read_text(encoding="utf-8"), isinstance(found, str)
        assert text == f"{found.rstrip()}\n" if is_text else near(json.loads(json.dumps(found)), json.loads(text)), path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cannot_say", "no_effects", "replicates"])
def test_a_study_runs_to_its_end_in_small_and_goes_on_where_it_was(name, tmp_path):
    study, told = study_of(name), []
    first = run(study, small=True, folder=tmp_path, tell=told.append)
    assert len(told) == len(study.small) == first.attrs["cells"]
    again = run(study, small=True, folder=tmp_path, tell=told.append)
    assert len(told) == len(study.small), "nothing is measured twice"
    pd.testing.assert_frame_equal(first, again)
    assert str(study.report(again))


def test_a_run_that_is_out_of_time_keeps_what_it_has(tmp_path):
    found = run(study_of("no_effects"), small=True, minutes=0, folder=tmp_path)
    assert (len(found), found.attrs["cells"], found.attrs["of"]) == (0, 0, 1)


def test_all_cells_differ_and_fit_what_is_measured():
    for study in map(study_of, STUDIES):
        assert len(set(study.cells[0]) - set(study.small[0])) == 0, study.name
        assert len(set(map(str, study.cells))) == len(study.cells), study.name
        for cell in (*study.cells, *study.small):
            inspect.signature(study.measure).bind(**cell)


def test_the_digest_is_of_code_and_not_of_comments():
    code = 'def f(x):\n    """Say."""\n    return x  # why\n'
    longer = '"""Head."""\n\n# note\ndef f(x):\n    """Say more,\n    at length."""\n\n    return x  # why\n'
    assert code_of(longer) == code_of(code)
    assert code_of(code.replace("return x", "return -x")) != code_of(code)


# What a run keeps, refuses and compares


OURS, THEIRS = {"k": 1, "who": "us", "n": 4}, {"k": 1, "who": "them", "n": 9}


def invented(path, *lines, clock=()):
    """A study whose lines are from us or from another program."""
    pd.DataFrame(lines).to_csv(path, index=False)
    return running.Study("one", [{"k": 1}], dict, [], Report, file=str(path), clock=clock, peers={"who": ("them",)})


def test_lines_of_other_programs_are_not_replaced_by_none(tmp_path, monkeypatch):
    monkeypatch.delenv(running.PEERS, raising=False)
    study, frame = invented(tmp_path / "one.csv", OURS, THEIRS), pd.DataFrame([OURS])
    for given in ([frame], [], [pd.DataFrame([OURS, THEIRS | {"refused": "not installed"}])]):
        with pytest.raises(RefusedError, match="has lines of other programs, and this run would have none"):
            running.keep_peers(study, *given)
    running.keep_peers(invented(tmp_path / "other.csv", OURS), frame)
    without = study.store
    monkeypatch.setenv(running.PEERS, "python")
    assert study.store == f"{without}-with-peers"


def test_a_study_may_keep_its_lines_in_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "HERE", tmp_path)
    monkeypatch.setattr(running, "MADE_BY", tmp_path / "made_by.json")
    running.MADE_BY.write_text("{}")
    parts = {"n.csv": lambda lines: lines[["k", "n"]], "sums.csv": lambda lines: lines[["n"]].sum().to_frame().T}
    study = running.Study("one", [{"k": 1}], dict, [], Report, file="n.csv", parts=parts)
    lines = pd.DataFrame([OURS, OURS])
    lines.attrs = {"cells": 1, "of": 1}
    running.save(study, lines)
    assert list(pd.read_csv(tmp_path / "n.csv")) == ["k", "n"]
    assert pd.read_csv(tmp_path / "sums.csv")["n"].tolist() == [8]
    noted = {file: entry["content"] for file, entry in made_by().items()}
    assert noted == {file: content(tmp_path / file) for file in parts}


def test_only_what_is_measured_here_and_can_be_repeated_is_confirmed(tmp_path, monkeypatch):
    noted, study = [], invented(tmp_path / "one.csv", THEIRS, OURS)
    monkeypatch.setattr(running, "note", lambda *given: noted.append(given))
    for n, same in ((4, True), (5, False)):
        monkeypatch.setattr(running, "measured", lambda *_, n=n: pd.DataFrame([OURS | {"n": n}]))
        assert confirm(study, 1, tell=str) is same
    assert len(noted) == 1
    with pytest.raises(RefusedError, match="nothing but times"):
        confirm(invented(tmp_path / "one.csv", OURS, clock=("n",)), 1)
    with pytest.raises(RefusedError, match="none of its cells that can be measured here"):
        confirm(invented(tmp_path / "one.csv", OURS | {"k": 3}), 1)


def test_cells_to_confirm_take_turns():
    assert {running.turns(grid(k=range(10)), 1, f"{code:x}")[0]["k"] for code in range(99)} == set(range(10))
    assert running.turns(grid(k=(1, 2)), 5, "f" * 16) == [{"k": 1}, {"k": 2}]


def test_finished_cells_are_kept_under_the_study_s_own_code_too(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "ROOT", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    codes = []
    for changed, text in (("one", "from benchmarks import worlds"), ("other", "N = 1"), ("worlds", "N = 1")):
        (tmp_path / "benchmarks" / f"{changed}.py").write_text(text)
        codes.append(running.digest_of_study.__wrapped__("one"))
    assert codes[0] == codes[1] != codes[2]


def test_what_cells_share_is_made_once_in_the_folder_of_the_run(tmp_path, monkeypatch):
    numbers = iter(range(9))
    assert [running.once("it", lambda: next(numbers)) for _ in range(2)] == [0, 1]
    monkeypatch.setattr(running, "_SHARED", running.ContextVar("shared", default=tmp_path))
    assert [running.once("it", lambda: next(numbers)) for _ in range(2)] == [2, 2]


def test_a_night_goes_on_after_a_failure_and_names_it(monkeypatch):
    done = []
    monkeypatch.setattr(command, "do", lambda study, *_: done.append(study.name) or 1 / (len(done) - 1))
    monkeypatch.setattr("sys.argv", ["benchmarks", "night"])
    with pytest.raises(SystemExit, match=f"^not done: {STUDIES[0]}$"):
        command.main()
    assert tuple(done) == STUDIES


def test_the_list_says_which_studies_have_no_lines():
    said = [re.match(r"(\w+) +(no lines|older code|as today) +", line) for line in command.listed().splitlines()]
    assert {one[1] for one in said if one[2] == "no lines"} == set(STUDIES) - set(QUOTED)
    assert len({one.end() for one in said}) == 1  # in columns


def test_readings_of_real_cells_are_of_the_same_cells():
    """No experiment sets raf, whose thirds are ranges of its amounts."""
    how = (("numbers", False), ("thirds of all cells", False), ("thirds of all cells", True))
    amounts, thirds, known = (real_tables.sampled(*one, rows=60, table=1) for one in how)
    ranges = pd.Series(amounts.codes[:, 0]).groupby(thirds.codes[:, 0]).agg(["min", "max"]).sort_values("min")
    assert (amounts.names[0], len(ranges), len(thirds.targets), len(known.targets)) == ("raf", 3, 1, 6)
    assert ranges.stack().is_monotonic_increasing
    assert (thirds.codes == known.codes).all()


def test_times_are_shown_under_their_headings():
    line = {"network": "asia", "rows": 1000, "score": "BIC", "search": speed.CLIMB, "n": 2, "rounds": 3, "edges": 3}
    beside = {"beside": True, "ms": 2, "pyagrum_ms": 8, "ratio": 4, "least": 3, "most": 5, "pyagrum_edges": 7}
    alone = {"beside": False, "ms": 2, "learning_ms": 1, "peak_gb": 4}
    sections = speed.report(pd.DataFrame([line | beside, line | alone])).sections
    shown = [text.splitlines()[-1] for text in sections.values()]
    first = f"| asia | 1,000 | {speed.CLIMB}, BIC | 2 | 8 | 4.0 (3.0 to 5.0) | 3.0 and 7.0 |"
    assert shown == [first, "| asia | 1,000 | BIC | 1 | 2 | 3 | 4 |"]


def test_growth_is_shown_as_ratios_and_slopes():
    """The manual quotes the ratios; a time that grows as the square of the rows has slope 2."""
    lines = [
        {"axis": "rows (ALARM)", "value": n, "program": program, "rounds": 3, "ms": ms * n**2, "least": ms, "most": 9e9}
        for program, ms in (("bnengine", 1e-4), ("pyAgrum", 7e-4))
        for n in (100, 1_000)
    ]
    text = growth.report(pd.DataFrame(lines).assign(megabytes=8, by="x")).sections["Growth"]
    ratios = [line.split("|")[6].strip() for line in text.splitlines() if line.startswith("| 1")]
    assert ratios == ["7", "7"]
    assert "bnengine 2.00, pyAgrum 2.00" in text


@pytest.mark.slow
def test_the_best_score_known_is_never_lost(tmp_path, monkeypatch):
    known = pd.DataFrame({"network": ["asia"], "score": ["BIC"], "best known": [-1.0]})
    known.to_csv(tmp_path / references.FILE, index=False)
    monkeypatch.setattr(references, "HERE", tmp_path)
    found = references.measure("asia", "BIC", n_long=1, patience=2)
    assert found["best known"] == -1.0 > found["default"]


def test_a_peer_gets_the_rows_that_the_engine_draws():
    data = bn.load_network("asia").sample(200, rng=1)
    again = bn.resample(data, bn.BIC(), bn.Exact(), bn.Bootstrap(3), rng=4)
    for rows, graph in zip(resampled_rows(data, 3, 4), again.adjacencies, strict=True):
        table = data.take(rows)
        found = bn.score(table, edges_of(data.names, graph), bn.BIC())
        assert found == pytest.approx(bn.learn(table, bn.BIC(), bn.Exact()).score)


def test_a_report_takes_the_place_of_the_last_one(tmp_path, monkeypatch):
    from benchmarks import report

    results, measured = tmp_path / "RESULTS.md", tmp_path / "measured.json"
    measured.write_text('{"a": 1, "b": 2}')
    results.write_text("# Results\n\n## One\n\nold\n\n## Two\n\nkept\n")
    monkeypatch.setattr(report, "MEASURED", measured)
    report.write_section("One", "new", results)
    Report(measured={"a": 3}).write()
    assert results.read_text() == "# Results\n\n## One\n\nnew\n\n## Two\n\nkept\n"
    assert json.loads(measured.read_text()) == {"a": 3, "b": 2}
