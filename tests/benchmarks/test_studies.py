"""Studies run to their end in small, go on where they were left, and say which code made their results."""

import inspect
import json

import pandas as pd
import pytest

from benchmarks import running
from benchmarks.__main__ import STUDIES, study_of
from benchmarks.report import MEASURED, Report
from benchmarks.running import code_of, confirm, content, grid, made_by, older, run
from bnengine.answers.thresholds import older_results
from pages.evidence.methods import about
from pages.shared.benchmark_results import shipped

#: Results that other code made than there is today, by ``bnengine/answers/older.json``; a result leaves the list once
#: it is made or confirmed anew.
KNOWN_OLDER = older_results()


@pytest.mark.slow
def test_results_are_not_older_than_the_code(monkeypatch):
    """The list may only shrink. Of results whose code has another digest today, a cell is measured again.

    ``python -m benchmarks NAME run`` makes a result anew, ``confirm`` notes that today's code makes it, too.
    """
    found = set(older())
    assert found >= KNOWN_OLDER, "these are not older any more: take them from the list"
    monkeypatch.setattr(running, "note", lambda *_: None)
    sources = {made_by()[name].get("from", name) for name in found - KNOWN_OLDER}
    assert sources <= {study_of(name).file for name in STUDIES}, "no study can measure a cell of these again"
    for study in map(study_of, STUDIES):
        if study.file in sources:
            assert confirm(study, 1), f"{study.file} is older than the code: {study.command}"


def test_the_results_say_which_are_older():
    start = (running.HERE / "RESULTS.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert {name for name in KNOWN_OLDER if f"`{name}`" not in start} == set()
    assert ("pages/shared/evidence.json" in KNOWN_OLDER) == (
        "earlier version" in about(shipped("evidence"), "chosen by")
    )


@pytest.mark.slow
def test_each_result_is_the_file_that_was_noted():
    own = {study.file for study in map(study_of, STUDIES) if study.path.exists()}
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


QUOTED = [name for name in STUDIES if study_of(name).path.exists() and study_of(name).path.suffix == ".csv"]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUOTED)
def test_what_pages_quote_is_what_the_lines_say(name):
    study = study_of(name)
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    for entry, found in study.report(study.shipped()).measured.items():
        assert near(json.loads(json.dumps(found)), measured[entry]), entry


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
    assert code_of(
        '"""Head."""\n\n# note\ndef f(x):\n    """Say more,\n    at length."""\n\n    return x  # why\n'
    ) == code_of(code)
    assert code_of(code.replace("return x", "return -x")) != code_of(code)


def test_a_grid_has_all_combinations_in_order():
    assert grid(a=(1, 2), b="xy") == ({"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"})


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
