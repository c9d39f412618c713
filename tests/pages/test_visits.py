"""A page loaded again, or another tab, goes on where the browser is; another browser finds nothing of it."""

import os

import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from pages.shared.jobs.experiments import GRAPH, STUDY
from pages.shared.session import Key, session_lifetime, visits
from tests.pages.test_sharing import address
from tests.pages.test_waiting import ENDLESS, graph_job
from tests.patience import HANG


@pytest.fixture
def on(monkeypatch):
    """Who arrives next comes with this browser."""
    return lambda name: monkeypatch.setattr(visits, "name_of_browser", lambda: name)


def test_the_cookie_names_the_browser_however_it_is_masked():
    number, other = os.urandom(16), os.urandom(16)
    cookies = [generate_xsrf_token_string(number, time) for time in (1, 2)]
    assert cookies[0] != cookies[1]
    assert [visits.number_in(cookie) for cookie in cookies] == [number, number]
    assert visits.number_in(generate_xsrf_token_string(other)) == other
    for odd in ("", "2|", "2|zz|zz|1", "2||00|1", "2|00000000|00|1", "1|2|3", "2|é|é|1", "a|b|c|d|e"):
        assert visits.number_in(odd) == b""


@pytest.mark.slow
def test_a_page_that_is_loaded_again_joins_its_run_and_another_browser_does_not(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("learn")
    again = arrive(run=address(first)).open("learn")
    assert graph_job(again) is graph_job(first)
    assert again.has(Key.stop(GRAPH))
    on("two")
    stranger = arrive(run=address(first)).open("learn")
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
def test_a_run_that_two_tabs_watch_stops_when_both_are_gone(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("learn")
    job = graph_job(first)
    again = arrive(run=address(first)).open("learn")
    gone = {first.at.session_state["session_name"]}
    for name in job.watchers:
        job.watchers[name] = lambda name=name: name not in gone
    now = session_lifetime.time.monotonic()
    session_lifetime.look(now + session_lifetime.UNWATCHED + 1)
    assert not job.stopped
    gone.add(again.at.session_state["session_name"])
    session_lifetime.look(now + 3 * session_lifetime.UNWATCHED)
    assert job.stopped
    assert job.wait(HANG)


@pytest.mark.slow
def test_settings_that_one_tab_changes_do_not_stop_the_run_of_the_other(arrive, on):
    on("one")
    first = arrive(run=ENDLESS.to_link()).open("learn")
    again, job = arrive(run=address(first)).open("learn"), graph_job(first)
    again.choose(Key.SEARCH, "chow_liu")
    assert again.graph is not None
    assert not job.stopped
    first.choose(Key.SEARCH, "k2")
    assert job.stopped


@pytest.mark.slow
def test_results_and_uploads_are_there_after_the_page_was_loaded_again(arrive, on):
    on("one")
    first = arrive().upload("t.csv", "a,b\n" + "0,1\n1,0\n1,1\n0,0\n" * 9).few().go("confidence")
    again = arrive(run=address(first)).open("confidence")
    assert again.recipe == first.recipe
    assert again.finding == first.finding
    assert again.at.session_state["jobs"].get(STUDY) is None  # nothing was learned anew
    on("two")
    stranger = arrive(run=address(first)).open("confidence")
    assert stranger.has(Key.UPLOAD)
    assert not stranger.at.session_state["contents"]
