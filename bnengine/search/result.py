"""What a search returns, and the interface of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.settings import field
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores


def parent_limit(default: int | None = None) -> Any:
    """Declare the largest number of parents."""
    return field(
        default=default,
        ge=0,
        le=10_000,
        none="no limit",
        label="Most parents of a variable",
        help="Largest number of parents of any variable.",
    )


def ordering() -> Any:
    """Declare the ordering of the variables."""
    return field(default=None, none="the column order", label="Ordering", help="The variables, causes before effects.")


def restarts() -> Any:
    """Declare the number of restarts."""
    return field(
        default=0,
        ge=0,
        le=1_000_000,
        label="Restarts",
        help="How often to perturb the best graph so far and search again; the best graph of all searches is kept.",
    )


def perturbation() -> Any:
    """Declare the size of a perturbation."""
    return field(
        default=5,
        ge=1,
        le=1_000,
        label="Changes of a restart",
        unit="changes",
        help="Random legal single-edge changes of a restart: additions, deletions and reversals, equally likely.",
    )


def patience(default: int, what: str) -> Any:
    """Declare how long to go on without a better graph."""
    return field(
        default=default,
        ge=1,
        le=1_000_000,
        label="Patience",
        unit=what,
        help=f"How many {what} without a new best graph end the search.",
    )


def most(default: int, what: str) -> Any:
    """Declare a limit on the steps of a search."""
    return field(
        default=default,
        ge=1,
        le=10_000_000,
        label=f"Most {what}",
        unit=what,
        help=f"Largest number of {what} in all; if it is reached, the status is max_iterations.",
    )


class SearchResult(NamedTuple):
    """The graph a search ends with."""

    adjacency: Adjacency  # (V, V) [parent, child]
    score: float  # nats, higher is better
    n_evaluations: int  # families counted
    status: str  # "converged", "optimal" (proved), "max_iterations" or "stopped"
    trace: FloatArray  # score after each step
    diagnostics: Mapping[str, FloatArray] = MappingProxyType({})  # what else is known of each step, by name
    search: str = ""  # the name of the search that ran, where it is not the one that was asked


@runtime_checkable
class Search(Protocol):
    """A search: frozen settings and one method, which cannot tell a resample from data, nor a corrected score.

    A class whose graph may differ from seed to seed has ``depends_on = "seed"`` if it draws, and ``"ties"`` if it is
    greedy, so that the order in which ties are broken decides.
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
