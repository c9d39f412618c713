"""A search that is told to stop ends soon, with a valid graph and its true score."""

import threading

import numpy as np
import pytest

import bnengine as bn
from bnengine.experiment.warm_up import warm_up
from bnengine.graphs.dag import topological_order
from bnengine.search import SEARCHES
from tests.patience import HANG

LONG = [
    bn.HillClimbing(restarts=10**6, max_iterations=10**7),
    bn.Tabu(patience=10**6, max_iterations=10**7),
    bn.SimulatedAnnealing(temperatures=10_000, proposals=10**7, acceptances=10**7),
    bn.BestFirst(patience=10**6, max_iterations=10**7),
    bn.IteratedLocalSearch(patience=10**6, prove=False),
    bn.TreeSearch(beam=None, max_networks=10**5),
]


def check(graph, data, score):
    assert graph.status == "stopped"
    assert topological_order(graph.adjacency) is not None
    assert graph.score == pytest.approx(bn.score(data, graph.edges, score), abs=1e-6)


@pytest.mark.parametrize("kind", SEARCHES.values(), ids=SEARCHES)
def test_stopped_from_the_start(kind, asia):
    graph = bn.learn(asia, bn.BDeu(1), kind(), stop=np.ones(1, dtype=np.uint8))
    check(graph, asia, bn.BDeu(1))


@pytest.mark.parametrize("search", LONG, ids=lambda search: search.name)
def test_stopped_by_another_thread(search, asia):
    stop, found = np.zeros(1, dtype=np.uint8), []
    warm_up(bn.BDeu(1), type(search)())
    thread = threading.Thread(target=lambda: found.append(bn.learn(asia, bn.BDeu(1), search, stop=stop)))
    thread.start()
    thread.join(0.2)
    stop[0] = 1
    thread.join(HANG)
    check(found[0], asia, bn.BDeu(1))


@pytest.mark.parametrize("stop", [True, np.zeros(2, dtype=np.uint8), np.zeros(1), [0]])
def test_what_is_no_flag_is_refused(stop, asia):
    with pytest.raises(ValueError, match="stop"):
        bn.learn(asia, stop=stop)
