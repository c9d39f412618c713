"""Searches for a graph of high score, one file each, and ``learn``, which runs one of them on data."""

from bnengine.search.chow_liu import ChowLiu
from bnengine.search.found import Found, Search
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.k2 import K2
from bnengine.search.learning import LearnedGraph, learn

#: The searches by the word that files, the command line and the pages use.
SEARCHES: dict[str, type[K2 | ChowLiu | HillClimbing]] = {
    "hill_climbing": HillClimbing,
    "k2": K2,
    "chow_liu": ChowLiu,
}

__all__ = ["K2", "SEARCHES", "ChowLiu", "Found", "HillClimbing", "LearnedGraph", "Search", "learn"]
