"""Studies run to their end in small, go on where they were left, and say which code made their results."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from benchmarks import __main__ as command
from benchmarks import controls, running, speed
from benchmarks.__main__ import STUDIES, study_of
from benchmarks.report import CONFIDENCE, MEASURED, RESULTS, Report
from benchmarks.running import (
    RefusedError,
    Study,
    code_of,
    compared,
    confirm,
    content,
    grid,
    made_by,
    older,
    run,
    save,
    turns,
)
from benchmarks.timing import resampled_rows
from bnengine.answers.thresholds import older_results
from bnengine.graphs.dag import edges_of
from pages.evidence.methods import about
from pages.shared.benchmark_results import shipped

#: Results that other code made than there is today, by ``bnengine/answers/older.json``; a result leaves the list once
#: it is made or confirmed anew.
KNOWN_OLDER = older_results()
#: Those that may be in it: the list may only shrink.
MAY_BE_OLDER = {
    *("answer.csv", "controls.csv", "drawn_edges.csv", "missing.csv", "published.csv", "references.csv"),
    *("searches_replicates.csv", "truth_and_pi.csv", "real_prior.parquet", "real_worlds.parquet"),
    *(f"which_confidence{end}.parquet" for end in ("", "_reliability", "_searches")),
    *(f"bnengine/answers/{name}.json" for name in ("real_reliability", "reliability")),
    "pages/shared/evidence.json",
}


@pytest.mark.slow
def test_results_are_not_older_than_the_code(monkeypatch):
    """Of results whose code has another digest today, a cell is measured again.

    ``python -m benchmarks NAME run`` makes a result anew, ``confirm`` notes that today's code makes it, too.
    """
    found = set(older())
    assert found >= KNOWN_OLDER, "these are not older any more: take them from the list"
    monkeypatch.setattr(running, "note", lambda *_: None)
    sources = {made_by()[name].get("from", name) for name in found - KNOWN_OLDER}
    assert sources <= {study_of(name).file for name in STUDIES}, "no study can measure a cell of these again"
    for study in map(study_of, STUDIES):
        if study.file in sources and compared(study, study.shipped()):
            assert confirm(study, 1), f"{study.file} is older than the code: {study.command}"


def test_no_result_is_newly_known_to_be_older():
    assert KNOWN_OLDER <= MAY_BE_OLDER


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


def sections_of(file):
    _, *found = file.read_text(encoding="utf-8").split("\n## ")
    return {title: text.strip() for title, _, text in (section.partition("\n") for section in found)}


QUOTED = [name for name in STUDIES if study_of(name).path.exists()]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUOTED)
def test_what_pages_quote_is_what_the_lines_say(name):
    study = study_of(name)
    measured, report = json.loads(MEASURED.read_text(encoding="utf-8")), study.report(study.shipped())
    for entry, found in report.measured.items():
        assert near(json.loads(json.dumps(found)), measured[entry]), entry
    for file, sections in ((RESULTS, report.sections), (CONFIDENCE, report.confidence)):
        there = sections_of(file)
        assert {title: there.get(title) for title in sections} == {one: text.strip() for one, text in sections.items()}
    for path, found in report.files.items():
        text = path.read_text(encoding="utf-8")
        if isinstance(found, str):
            assert text == found.rstrip() + "\n", path
        else:
            assert near(json.loads(json.dumps(found)), json.loads(text)), path


def test_what_pages_quote_of_controls_is_what_the_lines_say():
    found = controls.kinds_of(pd.read_csv(controls.FILE))
    assert near(found, json.loads(MEASURED.read_text(encoding="utf-8"))["controls"]["kinds"])


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


# What a run keeps, refuses and compares


def invented(path, lines, peers=True, clock=()):
    if lines is not None:
        pd.DataFrame(lines).to_csv(path, index=False)
    given = {"peers": {"who": ("them",)}} if peers else {}
    return Study("one", grid(k=(1, 2)), dict, grid(k=(1,)), lambda _: Report(), str(path), clock=clock, **given)


def test_lines_of_other_programs_are_not_replaced_by_none(tmp_path, monkeypatch):
    monkeypatch.delenv(running.PEERS, raising=False)
    monkeypatch.setattr(running, "note", lambda *_: None)
    ours, both = [{"k": 1, "who": "us", "n": 1}], [{"k": 1, "who": "us", "n": 1}, {"k": 1, "who": "them", "n": 2}]
    study = invented(tmp_path / "one.csv", both)
    frame = pd.DataFrame(ours)
    frame.attrs = {"cells": 1, "of": 1}
    for refused in (lambda: save(study, frame), lambda: running.keep_peers(study)):
        with pytest.raises(
            RefusedError, match="has lines of other programs, and this run would have none: set BNENGINE_PEERS"
        ):
            refused()
    assert len(study.shipped()) == 2
    save(invented(tmp_path / "other.csv", ours), frame)
    without = study.store
    monkeypatch.setenv(running.PEERS, "python")
    running.keep_peers(study)
    assert study.store == f"{without}-with-peers"


def test_times_alone_cannot_be_confirmed(tmp_path):
    timed = invented(tmp_path / "one.csv", [{"k": 1, "what": "it", "ms": 2.0}], peers=False, clock=("ms",))
    with pytest.raises(RefusedError, match="nothing but times"):
        confirm(timed, 1)
    with pytest.raises(RefusedError, match="none of its cells"):
        confirm(invented(tmp_path / "two.csv", [{"k": 3, "n": 2.0}], peers=False), 1)


def test_lines_of_other_programs_are_not_confirmed(tmp_path, monkeypatch):
    noted, study = [], invented(tmp_path / "one.csv", [{"k": 1, "who": "them", "n": 9}, {"k": 1, "who": "us", "n": 4}])
    monkeypatch.setattr(running, "note", lambda *given: noted.append(given))
    monkeypatch.setattr(running, "measured", lambda *_: pd.DataFrame([{"k": 1, "who": "us", "n": 4}]))
    assert confirm(study, 1, tell=str)
    monkeypatch.setattr(running, "measured", lambda *_: pd.DataFrame([{"k": 1, "who": "us", "n": 5}]))
    assert not confirm(study, 1, tell=str)
    assert len(noted) == 1


def test_cells_to_confirm_take_turns():
    cells = grid(k=range(10))
    assert {turns(cells, 1, f"{code:x}")[0]["k"] for code in range(99)} == set(range(10))
    assert turns(cells, 3, "f" * 16) == turns(cells, 3, "f" * 16)
    assert len(turns(cells, 3, "1")) == 3
    assert turns(cells[:2], 5, "1") == list(cells[:2])


def test_finished_cells_are_kept_under_the_study_s_own_code_too(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "ROOT", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    for name, text in (("one", "from benchmarks import worlds\n"), ("worlds", "N = 1\n"), ("other", "N = 1\n")):
        (tmp_path / "benchmarks" / f"{name}.py").write_text(text)
    code = running.digest_of_study.__wrapped__
    before = code("one")
    (tmp_path / "benchmarks" / "other.py").write_text("N = 2\n")
    assert code("one") == before
    (tmp_path / "benchmarks" / "worlds.py").write_text("N = 2\n")
    assert code("one") != before


def test_what_cells_share_is_kept_in_the_folder_of_the_run(tmp_path, monkeypatch):
    made = []
    make = lambda n: made.append(n) or n  # noqa: E731
    assert [running.once("it", make, n=1), running.once("it", make, n=1), len(made)] == [1, 1, 2]
    monkeypatch.setattr(running, "_SHARED", running.ContextVar("shared", default=tmp_path))
    assert [running.once("it", make, n=1), running.once("it", make, n=1), len(made)] == [1, 1, 3]


def test_a_night_goes_on_after_a_failure_and_names_it(monkeypatch, capsys):
    done = []

    def do(study, *_):
        done.append(study.name)
        if study.name == "no_effects":
            raise ValueError("broken")

    monkeypatch.setattr(command, "do", do)
    monkeypatch.setattr(command, "STUDIES", ("no_effects", "replicates"))
    monkeypatch.setattr("sys.argv", ["benchmarks", "night"])
    with pytest.raises(SystemExit, match=r"^not done: no_effects$"):
        command.main()
    assert done == ["no_effects", "replicates"]
    assert "ValueError: broken" in capsys.readouterr().err


def test_the_list_says_which_studies_have_no_lines():
    lines = {line.split()[0]: line for line in command.listed().splitlines()}
    assert {name for name, line in lines.items() if " no lines " in line} == set(STUDIES) - set(QUOTED)


def test_other_tables_are_shown_under_their_headings():
    line = {
        "beside": False,
        "network": "asia",
        "rows": 1000,
        "score": "BIC",
        "search": speed.CLIMB,
        "n": 2,
        "rounds": 3,
    }
    frame = pd.DataFrame([line | {"ms": 2, "learning_ms": 1, "edges": 3, "peak_gb": 4}])
    beside = {
        "beside": True,
        "ms": 2,
        "pyagrum_ms": 8,
        "ratio": 4,
        "least": 3,
        "most": 5,
        "edges": 6,
        "pyagrum_edges": 7,
    }
    sections = speed.report(pd.concat([pd.DataFrame([line | beside]), frame], ignore_index=True)).sections
    lines = [text.splitlines()[-3::2] for text in sections.values()]
    assert lines[1] == [
        "| table | rows | score | learning, ms | a replicate, ms | edges | peak memory so far, GB |",
        "| asia | 1,000 | BIC | 1 | 2 | 3 | 4 |",
    ]
    assert lines[0][1] == f"| asia | 1,000 | {speed.CLIMB}, BIC | 2 | 8 | 4.0 (3.0 to 5.0) | 6.0 and 7.0 |"


def test_a_peer_gets_the_rows_that_the_engine_draws():
    data = bn.load_network("asia").sample(200, rng=1)
    again = bn.resample(data, bn.BIC(), bn.Exact(), bn.Bootstrap(3), rng=4)
    for rows, graph in zip(resampled_rows(data, 3, 4), again.adjacencies, strict=True):
        table = data.take(rows)
        best = bn.learn(table, bn.BIC(), bn.Exact()).score
        assert bn.score(table, edges_of(data.names, graph), bn.BIC()) == pytest.approx(best)
        assert len(rows) == 200 == np.bincount(rows).sum()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_queries_can_be_compared():
    pytest.importorskip("pyagrum")
    from benchmarks import inference

    assert inference.compare("asia").startswith("asia")


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
