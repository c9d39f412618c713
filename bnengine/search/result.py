"""What a search returns, and the interface of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores


class SearchResult(NamedTuple):
    """The graph a search ends with."""

    adjacency: Adjacency  # (V, V) [parent, child]
    score: float  # nats, higher is better
    n_evaluations: int  # families counted
    status: str  # "converged", "optimal" (proved), "max_iterations" or "stopped"
    trace: FloatArray  # score after each step
    diagnostics: Mapping[str, FloatArray] = MappingProxyType({})  # what else is known of each step, by name


@runtime_checkable
class Search(Protocol):
    """A search: frozen settings and one method.

    It cannot tell a resample from data, or a corrected score from a plain one.
    """

    @property
    def name(self) -> str:
        """How the search is called in tables and pictures."""

    @property
    def max_parents(self) -> int | None:
        """The search's own limit on the number of parents, if it has one."""

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        """Search the space for a graph of high score."""
