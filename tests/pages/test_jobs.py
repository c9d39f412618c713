"""While code is compiled or a long search runs, the page says so, and the search can be stopped."""

import pytest

import bnengine as bn
from pages.shared import job_queue
from pages.shared.experiments import GRAPH
from pages.shared.keys import Key
from pages.shared.run import drawer
from tests.patience import HANG

ENDLESS = bn.Experiment(
    bn.Recipe("sample", "asia_1000"), search=bn.HillClimbing(restarts=10**6, max_iterations=10**7), n=20
)


def graph_job(visitor):
    return visitor.at.session_state["jobs"].get(GRAPH)


@pytest.mark.slow
def test_a_long_search_starts_by_itself_and_goes_on_once_it_was_stopped_only_by_a_click(arrive):
    visitor = arrive(run=ENDLESS.to_link()).open("network")
    assert visitor.waiting
    assert visitor.has(Key.stop(GRAPH))
    visitor.run()
    assert visitor.warns("Learning the graph from the data for")
    visitor.at.button(key=Key.stop(GRAPH)).click()
    visitor.run().settle()
    assert visitor.graph.status == "stopped"
    visitor.run().run()
    assert graph_job(visitor) is None
    visitor.at.button(key=Key.again(GRAPH)).click()
    visitor.run()
    assert visitor.has(Key.stop(GRAPH))
    assert graph_job(visitor).running


@pytest.mark.slow
def test_the_long_work_of_one_visitor_does_not_keep_another_waiting(arrive, monkeypatch):
    monkeypatch.setattr(job_queue, "WORK", job_queue.Queue(1, turn=0.2))
    first = arrive(run=ENDLESS.to_link()).open("network")
    second = arrive().on("asia_1000").go("network")
    assert second.graph.status == "optimal"
    assert graph_job(first).running


@pytest.mark.slow
def test_the_second_visitor_waits_in_line_and_may_give_up(arrive, monkeypatch):
    monkeypatch.setattr(job_queue, "WORK", job_queue.Queue(1, turn=HANG))
    first, second = (arrive(run=ENDLESS.to_link()).open("network") for _ in range(2))
    assert graph_job(first).in_line == 0
    assert graph_job(second).in_line == 1
    assert second.warns(1)
    second.at.button(key=Key.stop(GRAPH)).click()
    second.run().settle()
    assert graph_job(second) is None
    assert second.run().has(Key.start(GRAPH))  # it does not start by itself again
    assert graph_job(first).running
    second.at.button(key=Key.start(GRAPH)).click()
    second.run()
    assert graph_job(second).in_line == 1
    first.leave()
    assert graph_job(first).wait(HANG)
    while graph_job(second).in_line:
        second.run()
    assert graph_job(second).running


@pytest.mark.slow
def test_a_page_whose_widget_the_run_before_took_away_is_drawn_again(visitor, monkeypatch):
    whole, lost = drawer.draw, [1, 2, 3]

    def register_widget():  # of Streamlit, where it fails
        raise KeyError(lost.pop())

    visitor.sample("titanic")
    monkeypatch.setattr(drawer, "draw", lambda *args, **options: register_widget() if lost else whole(*args, **options))
    assert visitor.run().finding
    assert not lost
