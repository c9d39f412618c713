"""Searches for a graph of high score, one file each, and ``learn``, which runs one of them on data."""

from bnengine._core.settings import by_tag
from bnengine.search.exact import Exact
from bnengine.search.expansion import BestFirst, TreeSearch
from bnengine.search.hill_climbing import HillClimbing, Tabu
from bnengine.search.iterated_local_search import IteratedLocalSearch
from bnengine.search.learning import LearnedGraph, learn
from bnengine.search.restricted import K2, ChowLiu, FixedOrdering
from bnengine.search.result import Search, SearchResult
from bnengine.search.simulated_annealing import SimulatedAnnealing

#: The searches by their tags, in the order of lists.
SEARCHES: dict[str, type[Search]] = by_tag(
    IteratedLocalSearch,
    HillClimbing,
    K2,
    FixedOrdering,
    ChowLiu,
    Exact,
    Tabu,
    SimulatedAnnealing,
    BestFirst,
    TreeSearch,
)

__all__ = [
    "K2",
    "SEARCHES",
    "BestFirst",
    "ChowLiu",
    "Exact",
    "FixedOrdering",
    "HillClimbing",
    "IteratedLocalSearch",
    "LearnedGraph",
    "Search",
    "SearchResult",
    "SimulatedAnnealing",
    "Tabu",
    "TreeSearch",
    "learn",
]
