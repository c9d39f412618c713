"""Is a graph no better than chance: its violated local Markov conditions against those of it with shuffled nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import chdtrc

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, UInt8Array
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import Gt, Lt, Repeats, validated
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Adjacency, Edge, ancestors, dag_of, edges_of, markov_equivalent
from bnengine.scores.dependence import IndependenceTests

# The local Markov conditions of a graph, tested on data: each variable against its non-descendants.

GoOn = Callable[[], bool]
#: Rows per degree of freedom below which a condition is not tested (Tsamardinos, Brown & Aliferis 2006).
ROWS_PER_FREEDOM = 5
#: Bytes of remembered tests.
_MEMORY = 1 << 28
_UNTESTED, _HOLDS, _VIOLATED = 0, 1, 2


class Violation(NamedTuple):
    """A conditional independence that the data reject."""

    variable: str
    other: str  # neither a descendant nor a parent of the variable
    given: tuple[str, ...]  # the variable's parents
    g_squared: float
    degrees_of_freedom: int
    p_value: float


class MarkovConditions:
    """Tests of the local Markov conditions of one graph after another, on the same data.

    What a variable's parents leave dependent on it is remembered, since it recurs among graphs of few edges.

    Parameters
    ----------
    data : Dataset
    alpha : float
        Level of each test.
    """

    def __init__(self, data: Dataset, alpha: float) -> None:
        self.names = data.names
        self._tests, self._alpha = IndependenceTests(data), alpha
        self._known: dict[tuple[int, tuple[int, ...]], UInt8Array] = {}
        self._room = _MEMORY // data.n_variables

    def count(self, adjacency: Adjacency, go_on: GoOn) -> tuple[int, int, int] | None:
        """Count the conditions tested, violated and untested; None if stopped."""
        outcomes = np.zeros(3, dtype=np.int64)
        for variable, parents, others in _conditions(adjacency):
            found = self._outcomes(variable, parents, go_on)
            if not go_on():
                return None
            outcomes += np.bincount(found[others], minlength=3)
        return int(outcomes[_HOLDS] + outcomes[_VIOLATED]), int(outcomes[_VIOLATED]), int(outcomes[_UNTESTED])

    def violations(self, adjacency: Adjacency, go_on: GoOn) -> tuple[Violation, ...]:
        """Return the conditions that are violated, by increasing p-value, then by name."""
        found = []
        for variable, parents, others in _conditions(adjacency):
            g, freedom, rows = self._tests.of_columns(variable, parents, go_on)
            p = _p_values(g, freedom)
            given = tuple(self.names[parent] for parent in parents)
            found += [
                Violation(self.names[variable], self.names[y], given, float(g[y]), int(freedom[y]), float(p[y]))
                for y in others.tolist()
                if _testable(freedom, rows)[y] and p[y] <= self._alpha
            ]
        return tuple(sorted(found, key=lambda line: (line.p_value, line.variable, line.other)))

    def _outcomes(self, variable: int, parents: tuple[int, ...], go_on: GoOn) -> UInt8Array:
        """Return the outcome of the tests of one variable against all others given its parents, shape (V,)."""
        key = variable, parents
        if key not in self._known:
            g, freedom, rows = self._tests.of_columns(variable, parents, go_on)
            rejected = _p_values(g, freedom) <= self._alpha
            outcomes = np.where(_testable(freedom, rows), np.where(rejected, _VIOLATED, _HOLDS), _UNTESTED)
            if len(self._known) >= self._room or not go_on():
                return outcomes.astype(np.uint8)
            self._known[key] = outcomes.astype(np.uint8)
        return self._known[key]


def _conditions(adjacency: Adjacency) -> list[tuple[int, tuple[int, ...], IntArray]]:
    """Return each variable with its parents and its other non-descendants."""
    reaches = ancestors(adjacency) | np.eye(len(adjacency), dtype=np.bool_)
    return [
        (v, tuple(np.flatnonzero(adjacency[:, v]).tolist()), np.flatnonzero(~reaches[v] & ~adjacency[:, v]))
        for v in range(len(adjacency))
    ]


def _testable(freedom: IntArray, rows: IntArray) -> BoolArray:
    return (freedom > 0) & (rows >= ROWS_PER_FREEDOM * freedom)


def _p_values(g: FloatArray, freedom: IntArray) -> FloatArray:
    """Return the upper tail of the chi-square distribution; 1 without degrees of freedom."""
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), g), 1.0)


#: A permutation p-value, or a share of equivalent graphs, above this is no evidence (Eulig et al. 2025).
LEVEL = 0.05
_POLL = 0.05  # seconds between calls of progress


@dataclass(frozen=True, eq=False)
class GraphFalsification(ReadOnlyArrays):
    """Local Markov conditions that the data violate, in a given graph and in the same graph with its nodes shuffled.

    Attributes
    ----------
    edges : tuple of (parent, child)
        The given graph, in order of the names.
    n_tested : int
        Conditions "X is independent of Y given X's parents", Y neither descendant nor parent, that the data can test.
    n_untested : int
        Conditions with fewer than five rows per degree of freedom, or without any degree of freedom.
    violations : tuple of Violation
        The conditions rejected at level ``alpha``, by increasing p-value, then by name.
    shuffled_tested, shuffled_violated : ndarray of int, shape (P,), read-only
        The same numbers for each shuffled graph.
    equivalent : ndarray of bool, shape (P,), read-only
        Whether the shuffled graph is Markov equivalent to the given one.
    alpha : float
        Level of each single test.
    n_planned : int
        Number of shuffled graphs of a finished run; P is smaller if ``status`` is ``"stopped"``.
    status : str
        ``"converged"`` or ``"stopped"``.
    """

    edges: tuple[Edge, ...]
    n_tested: int
    n_untested: int
    violations: tuple[Violation, ...] = field(repr=False)
    shuffled_tested: IntArray = field(repr=False)
    shuffled_violated: IntArray = field(repr=False)
    equivalent: BoolArray = field(repr=False)
    alpha: float
    n_planned: int
    status: str
    seed: int | None

    @property
    def n_violated(self) -> int:
        """Number of conditions that the data violate."""
        return len(self.violations)

    @property
    def share_violated(self) -> float:
        """Share of the tested conditions that the data violate; 0 if none could be tested."""
        return self.n_violated / max(self.n_tested, 1)

    @property
    def shuffled_shares(self) -> FloatArray:
        """The same share for each shuffled graph, shape (P,)."""
        return self.shuffled_violated / np.maximum(self.shuffled_tested, 1)

    @property
    def p_value(self) -> float:
        """Probability that shuffled nodes are violated as little: (1 + shuffled graphs not above) / (1 + P).

        Counting the given graph itself makes the test valid for any P (Phipson & Smyth 2010). Small values mean that
        the graph explains the independences in the data better than chance. NaN without a shuffled graph.
        """
        if not self.shuffled_tested.size:
            return math.nan
        as_good = int((self.shuffled_shares <= self.share_violated + 1e-12).sum())
        return (1 + as_good) / (1 + self.shuffled_tested.size)

    @property
    def share_equivalent(self) -> float:
        """Share of the shuffled graphs that state the same independences as the given one; NaN without any."""
        return float(self.equivalent.mean()) if self.equivalent.size else math.nan

    @property
    def informative(self) -> bool:
        """Whether shuffling changes what the graph states: at most 5% of the shuffled graphs are equivalent to it.

        A complete or an empty graph states the same whatever its nodes are called, and cannot be falsified this way.
        """
        return self.n_tested > 0 and self.share_equivalent <= LEVEL

    @property
    def falsified(self) -> bool:
        """Whether an informative graph is not violated significantly less than shuffled ones (level 5%)."""
        return self.informative and self.p_value > LEVEL

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.shuffled_tested.size:
            return "Stopped before the first shuffled graph: nothing can be said yet."
        shuffled = f"{counted(self.shuffled_tested.size, 'graph')} with the same edges between shuffled nodes"
        found = (
            f"The data violate {self.n_violated:,} of {counted(self.n_tested, 'conditional independence')} tested "
            f"({100 * self.share_violated:.3g}%), against {100 * self.shuffled_shares.mean():.3g}% on average in "
            f"{shuffled} (p = {self.p_value:.2g})"
        )
        if not self.informative:
            reason = f"{100 * self.share_equivalent:.3g}% of these state the same independences"
            return f"{found}. This says nothing about the graph: {reason if self.n_tested else 'none can be tested'}."
        if self.falsified:
            return f"{found}: the graph explains the independences in the data not significantly better than chance."
        return (
            f"{found}: the graph explains the independences in the data better than chance. Only graphs no better than "
            "shuffled ones are rejected: one with most of its edges wrong can pass."
        )

    def table(self) -> pd.DataFrame:
        """Tabulate one row per violated condition: variable, other, given, g_squared, degrees_of_freedom, p_value."""
        columns = ["variable", "other", "given", "g_squared", "degrees_of_freedom", "p_value"]
        lines = [(*line[:2], ", ".join(line.given), *line[3:]) for line in self.violations]
        return pd.DataFrame(lines, columns=columns)


@validated
def falsify_graph(
    data: Dataset,
    edges: Iterable[Edge],
    n_permutations: Repeats = 200,
    alpha: Annotated[float, Gt(0), Lt(1)] = 0.05,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> GraphFalsification:
    """Test whether a graph fits the data better than the same graph with its nodes shuffled.

    A graph states that each variable is independent of its non-descendants given its parents (the local Markov
    condition). With enough rows a test rejects some of this of any useful graph, so that a number of violations alone
    says little. It is compared with that of graphs of the same shape whose nodes are permuted at random: a graph that
    is not violated less than they are carries no knowledge about these variables (Eulig, Mastakouri, Blöbaum, Hardt &
    Janzing 2025, "Toward falsifying causal graphs using a permutation-based test"). Shares of the tested conditions are
    compared, as sparse tables leave more of them untested in some permutations than in others.

    Each condition is a G² test over the parents' configurations (see ``bnengine.scores.dependence``),
    made if there are five rows per degree of freedom (as in Tsamardinos, Brown & Aliferis 2006). A graph learned from
    the same data passes too easily: give other rows, or a graph that does not come from these data.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
        The graph to be tested.
    n_permutations : int
        Number of shuffled graphs P; the smallest possible p-value is 1 / (1 + P).
    alpha : float
        Level of each single test, between 0 and 1.
    rng : int, Generator or None, default 0; None draws anew at each call
        Each permutation has a generator of its own; it permutes the names in alphabetical order.
    progress : callable, optional
        Called with (shuffled graphs done, ``n_permutations``) several times a second; returning False stops and keeps
        the shuffled graphs that are done.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, the edges form a cycle, ``n_permutations`` is not a whole number of 1 or
        more, or ``alpha`` is not between 0 and 1.
    DataError
        If the data have one column only.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("asia")
    >>> found = bn.falsify_graph(network.sample(2000, rng=1), network.edges, n_permutations=99)
    >>> found.p_value, found.informative, found.falsified
    (0.01, True, False)
    """
    adjacency = _checked(data, edges)
    by_name = np.array(sorted(range(data.n_variables), key=data.names.__getitem__), dtype=np.int64)
    given: Adjacency = adjacency[np.ix_(by_name, by_name)]
    conditions = MarkovConditions(data.select([data.names[v] for v in by_name]), alpha)
    watch = _Watch(progress, n_permutations)
    own = conditions.count(given, watch.go_on)
    violations = conditions.violations(given, watch.go_on) if own is not None else ()
    if not watch.go_on():  # perhaps not all of them
        own, violations = None, ()
    tested: list[int] = []
    violated: list[int] = []
    equivalent: list[bool] = []
    parent = generator_of(rng)
    while own is not None and len(tested) < n_permutations:
        (generator,) = parent.spawn(1)  # one at a time, since many take seconds
        order = generator.permutation(data.n_variables)
        shuffled: Adjacency = given[np.ix_(order, order)]
        counts = conditions.count(shuffled, watch.go_on)
        if counts is None:
            break
        tested.append(counts[0])
        violated.append(counts[1])
        equivalent.append(markov_equivalent(given, shuffled))
        watch.done += 1
    watch.report()
    return GraphFalsification(
        edges=tuple(edges_of(conditions.names, given)),
        n_tested=own[0] if own else 0,
        n_untested=own[2] if own else 0,
        violations=violations,
        shuffled_tested=np.array(tested, dtype=np.int64),
        shuffled_violated=np.array(violated, dtype=np.int64),
        equivalent=np.array(equivalent, dtype=np.bool_),
        alpha=float(alpha),
        n_planned=n_permutations,
        status="converged" if len(tested) == n_permutations else "stopped",
        seed=seed_of(rng),
    )


def _checked(data: Dataset, edges: Iterable[Edge]) -> Adjacency:
    if data.n_variables < 2:
        raise DataError("a graph of one variable states no independence; the data need two columns or more")
    return dag_of(data.names, edges)


class _Watch:
    """Reports how many shuffled graphs are done, several times a second, and remembers to stop."""

    def __init__(self, progress: Progress | None, n: int) -> None:
        self.done = 0
        self._progress, self._n = progress, n
        self._next, self._stopped = 0.0, False

    def go_on(self) -> bool:
        if self._progress is not None and not self._stopped and time.monotonic() >= self._next:
            self.report()
            self._next = time.monotonic() + _POLL
        return not self._stopped

    def report(self) -> None:
        if self._progress is not None:
            self._stopped = self._progress(self.done, self._n) is False or self._stopped
