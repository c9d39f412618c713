"""Searches for a graph of high score, one file each, and ``learn``, which runs one of them on data."""

from bnengine.search.best_first import BestFirst
from bnengine.search.chow_liu import ChowLiu
from bnengine.search.exact import Exact
from bnengine.search.fixed_ordering import FixedOrdering
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.k2 import K2
from bnengine.search.learning import LearnedGraph, learn
from bnengine.search.result import Search, SearchResult
from bnengine.search.simulated_annealing import SimulatedAnnealing
from bnengine.search.tabu import Tabu
from bnengine.search.tree_search import TreeSearch

#: The searches by the word that files, the command line and the pages use.
SEARCHES: dict[str, type[Search]] = {
    "hill_climbing": HillClimbing,
    "k2": K2,
    "chow_liu": ChowLiu,
    "fixed_ordering": FixedOrdering,
    "tabu": Tabu,
    "annealing": SimulatedAnnealing,
    "best_first": BestFirst,
    "tree": TreeSearch,
    "exact": Exact,
}

__all__ = [
    "K2",
    "SEARCHES",
    "BestFirst",
    "ChowLiu",
    "Exact",
    "FixedOrdering",
    "HillClimbing",
    "LearnedGraph",
    "Search",
    "SearchResult",
    "SimulatedAnnealing",
    "Tabu",
    "TreeSearch",
    "learn",
]
