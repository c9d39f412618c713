"""While code is compiled or a long search runs, the page says so, and the search can be stopped."""

import threading

import bnengine as bn
from pages._shared.jobs import warming
from pages._shared.jobs.experiments import GRAPH
from pages._shared.session import Key
from tests.patience import HANG


def test_a_search_that_has_to_be_compiled_says_how_long_it_takes(visitor, monkeypatch):
    go = threading.Event()
    thread = threading.Thread(target=go.wait, args=(HANG,), daemon=True)
    thread.start()
    monkeypatch.setattr(
        warming, "compiling", lambda score, search: (thread, 3.0) if isinstance(search, bn.Tabu) else None
    )
    visitor.few().go("data")
    assert not visitor.note("compiling")
    visitor.choose(Key.SEARCH, "tabu")
    assert "3" in visitor.note("compiling")
    go.set()
    thread.join(HANG)
    assert not visitor.run().note("compiling")


def test_a_long_search_is_stopped_on_the_page_and_gives_its_best_graph(visitor):
    visitor.few().open("data")
    visitor.at.number_input(key=Key.setting("restarts", "hill_climbing")).set_value(1_000_000)
    visitor.at.number_input(key=Key.setting("max_iterations", "hill_climbing")).set_value(10_000_000).run()
    visitor.open("learn")
    assert visitor.has(Key.stop(GRAPH))
    visitor.at.button(key=Key.stop(GRAPH)).click().run()
    visitor.settle()
    graph = visitor.at.session_state["graphs"][visitor.experiment.graph_key][0]
    assert graph.status == "stopped"
    assert visitor.at.warning
    assert visitor.has(Key.again(GRAPH))
