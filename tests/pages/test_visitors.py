"""What ends when a visitor is gone, what a browser's tabs share, and that nobody else sees it."""

import os
import threading

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared import streamlit_inside, visitors
from pages.shared.experiments import GRAPH, STUDY
from pages.shared.keys import Key
from tests.pages.conftest import PAGE_FILES
from tests.pages.test_jobs import ENDLESS, graph_job
from tests.pages.test_sharing import address
from tests.patience import HANG


def test_what_is_watched_ends_some_time_after_its_visitor_left_and_memory_is_released(monkeypatch):
    is_here, ended, released = [True], [], []
    monkeypatch.setattr(visitors, "release_memory", lambda: released.append(True))
    watch = visitors.SessionWatch(30.0, lambda: ended.append(1), lambda: is_here[0])
    other = visitors.SessionWatch(1.0, lambda: ended.append(2), lambda: False)
    other.cancel()
    other.cancel()
    start = watch.seen
    visitors.check_sessions(start + 1000)
    is_here[0] = False
    visitors.check_sessions(start + 1029)
    assert not ended
    is_here[0] = True  # back after a reload
    visitors.check_sessions(start + 1031)
    is_here[0] = False
    visitors.check_sessions(start + 1060)
    assert not released
    visitors.check_sessions(start + 1062)
    visitors.check_sessions(start + 1099)
    assert ended == [1]
    assert released == [True]


def test_a_watch_that_fails_ends_no_other_and_the_thread_that_checks_is_replaced(monkeypatch):
    ended = []
    watches = [visitors.SessionWatch(0.0, end, lambda: False) for end in (lambda: 1 / 0, lambda: ended.append(2))]
    monkeypatch.setattr(visitors, "_INTERVAL", HANG)  # the threads begun by other tests leave these watches alone
    visitors.check_sessions(watches[1].seen + 1)
    assert ended == [2]
    dead = threading.Thread(target=lambda: None)
    monkeypatch.setattr(visitors, "_watcher", [dead])
    visitors.SessionWatch(60.0, lambda: None, lambda: True).cancel()
    (now,) = visitors._watcher
    assert now is not dead
    assert now.is_alive()


def test_the_files_that_a_session_sends_are_bounded_whether_a_widget_asked_for_them_or_not(monkeypatch):
    monkeypatch.setattr(streamlit_inside, "MOST_UPLOADED", 100)
    manager = MemoryUploadedFileManager("/upload")
    for number in range(20):
        manager.add_file("one", UploadedFileRec(str(number), "a.csv", "text/csv", bytes(45)))
    manager.add_file("two", UploadedFileRec("large", "a.csv", "text/csv", bytes(200)))
    assert list(manager.file_storage["one"]) == ["18", "19"]
    assert list(manager.file_storage["two"]) == ["large"]


@pytest.fixture
def on(monkeypatch):
    """Who arrives next comes with this browser."""
    test = os.urandom(8).hex()  # what is kept for a browser is kept beyond a test
    return lambda name: monkeypatch.setattr(visitors, "name_of_browser", lambda: f"{name} {test}")


@pytest.mark.slow
def test_a_page_that_is_loaded_again_joins_its_run_and_another_browser_does_not(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("network")
    again = arrive(run=address(first)).open("network")
    assert graph_job(again) is graph_job(first)
    on("two")
    stranger = arrive(run=address(first)).open("network")
    assert graph_job(stranger) is not graph_job(first)
    again.at.button(key=Key.stop(GRAPH)).click()
    for visitor in (again, first):
        visitor.run().settle()
        assert visitor.graph.status == "stopped"
    assert stranger.run().graph is None
    again.at.button(key=Key.again(GRAPH)).click()  # "search again": what the first tab keeps is not found again
    assert again.run().has(Key.stop(GRAPH))
    assert first.graph is None


@pytest.mark.slow
def test_a_run_that_two_tabs_watch_stops_when_both_are_gone_and_runs_again_for_who_comes_back(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("network")
    job = graph_job(first)
    again = arrive(run=address(first)).open("network")
    gone = {first.at.session_state["session_name"]}
    for name in job.watchers:
        job.watchers[name] = lambda name=name: name not in gone
    now = visitors.time.monotonic()
    visitors.check_sessions(now + visitors.UNWATCHED + 1)
    assert not job.stopped
    gone.add(again.at.session_state["session_name"])
    visitors.check_sessions(now + 3 * visitors.UNWATCHED)
    assert job.stopped
    assert job.wait(HANG)
    assert graph_job(arrive(run=address(first)).open("network")).running


@pytest.mark.slow
def test_settings_that_one_tab_changes_do_not_stop_the_run_of_the_other(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("network")
    again, job = arrive(run=address(first)).open("network"), graph_job(first)
    again.choose(Key.SEARCH, "chow_liu")
    assert again.graph is not None
    assert not job.stopped
    first.choose(Key.SEARCH, "k2")
    assert job.stopped


@pytest.mark.slow
def test_results_and_uploads_are_there_after_a_reload_and_dropped_when_the_visitor_is_gone(arrive, on, monkeypatch):
    is_here = [True]
    monkeypatch.setattr(streamlit_inside, "connected", lambda name: is_here[0])
    on("one")
    first = arrive().upload("t.csv", "a,b\n" + "0,1\n1,0\n1,1\n0,0\n" * 9).few().go("network")
    again = arrive(run=address(first)).open("network")
    assert again.recipe == first.recipe
    assert again.finding == first.finding
    assert again.at.session_state["jobs"].get(STUDY) is None  # nothing was learned anew
    on("two")
    stranger = arrive(run=address(first)).open("network")
    assert stranger.has(Key.UPLOAD)
    assert not len(stranger.at.session_state["contents"])
    kept = [first.at.session_state[kind] for kind in ("results", "ensembles", "uploads")]
    assert all(len(one) for one in kept)
    is_here[0] = False
    visitors.check_sessions()
    assert all(len(one) for one in kept)
    visitors.check_sessions(visitors.time.monotonic() + visitors.FORGOTTEN + 1)
    assert not any(len(one) for one in kept)


@pytest.mark.slow
def test_each_page_shows_each_visitor_their_own_data(arrive):
    """One looks at Titanic, the other at a file of two columns that only this visitor has."""
    one, other = arrive(), arrive()
    one.sample("titanic")
    other.upload("private.csv", "secret,answer\n" + "yes,no\nno,yes\n" * 20)
    for page in PAGE_FILES:
        words = []
        for visitor in (one, other):
            at = visitor.open(page).at
            texts = (*at.markdown, *at.caption, *at.info, *at.warning)
            words.append(" ".join(str(text.value) for text in texts))
        assert "private" not in words[0], page
        assert "secret" not in words[0], page
        assert "Titanic" not in words[1]
