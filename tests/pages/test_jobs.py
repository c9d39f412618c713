"""While code is compiled or a long search runs, the page says so, and the search can be stopped."""

import pytest

import bnengine as bn
from pages.shared import job_queue, jobs, settings_line
from pages.shared.experiments import GRAPH
from pages.shared.keys import Key
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


def lose_a_widget(times, name="register_widget"):
    """Settings that fail some times as Streamlit does when another run takes a widget away."""
    whole, left = settings_line.draw, [times]

    def taken():
        raise KeyError("a widget")

    taken.__code__ = taken.__code__.replace(co_name=name)

    def draw(*args, **options):
        if left[0]:
            left[0] -= 1
            taken()
        whole(*args, **options)

    return draw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "name", "whole"), [(3, "register_widget", True), (9, "register_widget", False), (1, "f", False)]
)
def test_a_page_whose_widget_the_run_before_took_away_is_drawn_again(visitor, monkeypatch, times, name, whole):
    visitor.sample("titanic")
    monkeypatch.setattr(settings_line, "draw", lose_a_widget(times, name))
    visitor.at.run()
    assert bool(visitor.at.exception) != whole
    assert bool(visitor.finding) == whole


@pytest.mark.slow
def test_a_result_is_kept_before_its_job_is_forgotten(monkeypatch):
    order = []
    monkeypatch.setattr(jobs, "watch", lambda kind, new: order.append("forgotten"))
    job = job_queue.Job("sum", lambda tell: 45)
    assert job.wait(HANG)
    assert jobs.finished("sum", job, order.append, "numbers") == 45
    assert order == [45, "forgotten"]
