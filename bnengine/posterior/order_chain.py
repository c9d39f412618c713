"""A Markov chain over orderings (Friedman & Koller 2003), advanced batch by batch."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array, UInt64Array
from bnengine._core.validation import validated
from bnengine._jit.compiled import compiled, pointer_to
from bnengine._jit.records import handle_of, random_state, uniform
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior._order_moves import MOVES, OrderState, run_moves, start_from
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.parent_set_tables import ParentSetTables

# Soft tiers: a prior over orderings that favours tiers without enforcing them.


@dataclass(frozen=True)
class SoftTiers:
    """Prior over orderings with a penalty for each pair of variables in the wrong order of tiers.

    The prior probability of an ordering is proportional to exp(-penalty * m), where m is the number of pairs in which a
    variable of a later tier precedes one of an earlier tier. The prior is order-modular (Koivisto & Sood 2004,
    Sec. 2.1): a product over the variables of a factor that depends only on the set of variables that precede each.

    Parameters
    ----------
    tiers : sequence of sequences of names
        Groups in causal or temporal order. Variables in no group are unrestricted.
    penalty : float
        Nats per pair, 0 or more. 0 gives the uniform prior; with ``math.inf`` only orderings that respect the tiers
        remain, so that no edge leads from a later tier to an earlier one.

    Raises
    ------
    ValueError
        If a tier is not a group of names, a name occurs twice, or the penalty is negative or NaN.

    Notes
    -----
    Tiers given as constraints forbid edges but keep all orderings, so a graph is weighted by every ordering consistent
    with it. With an infinite penalty it is weighted only by those that also respect the tiers.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> prior = bn.posterior.SoftTiers([["Pollution", "Smoker"], ["Cancer"], ["Xray", "Dyspnoea"]], penalty=2.0)
    >>> favoured, uniform = bn.edge_posterior(data, order_prior=prior), bn.edge_posterior(data)
    >>> smoker, cancer = data.names.index("Smoker"), data.names.index("Cancer")
    >>> bool(favoured.probability[smoker, cancer] > uniform.probability[smoker, cancer])
    True
    """

    tiers: Sequence[Sequence[str]]
    penalty: float

    def __post_init__(self) -> None:
        if isinstance(self.tiers, str) or any(isinstance(tier, str) for tier in self.tiers):
            raise ValueError(
                f"tiers must be a sequence of groups of names, such as [['a', 'b'], ['c']]; got {self.tiers!r}"
            )
        object.__setattr__(self, "tiers", tuple(tuple(tier) for tier in self.tiers))
        if not self.penalty >= 0:
            raise ValueError(f"penalty must be 0 or more nats per pair; got {self.penalty}")
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers, start=1):
            for name in tier:
                if name in seen:
                    raise ValueError(f"'{name}' is in tier {seen[name]} and in tier {number}; list it once")
                seen[name] = number

    @validated
    def ranks(self, names: Sequence[str]) -> IntArray:
        """Return the tier of each variable, counted from 0; -1 for those in none. Shape (V,)."""
        place = {name: v for v, name in enumerate(names)}
        ranks = np.full(len(names), -1, dtype=np.int64)
        for number, tier in enumerate(self.tiers):
            for name in tier:
                if name not in place:
                    raise ValueError(f"order_prior, tier {number + 1}: no variable is named '{name}'")
                ranks[place[name]] = number
        return ranks

    @validated
    def later(self, names: Sequence[str]) -> IntArray:
        """Return for each variable the bit mask of those in later tiers; bit v is the v-th name. Shape (V,)."""
        ranks = self.ranks(names)
        behind = (ranks[:, None] >= 0) & (ranks[None, :] > ranks[:, None])
        return np.asarray((behind << np.arange(len(names), dtype=np.int64)).sum(axis=1))

    @validated
    def log_weight(self, ordering: Sequence[str]) -> float:
        """Return the log prior probability of an ordering, nats, up to a constant."""
        tier_of = {name: number for number, tier in enumerate(self.tiers) for name in tier}
        ranks = [tier_of[name] for name in ordering if name in tier_of]
        against = sum(rank > later for i, rank in enumerate(ranks) for later in ranks[i + 1 :])
        return -self.penalty * against if against else 0.0


#: The uniform prior over orderings.
UNIFORM = SoftTiers((), 0.0)


# Edge probabilities and graphs given orderings that a chain has visited.


@compiled
def edge_means(
    visits: Int32Array,
    sums: FloatArray,
    first_sum: IntArray,
    candidates: IntArray,
    n_candidates: IntArray,
    mean: FloatArray,
    square: FloatArray,
) -> None:
    """Fill in means over the visits of P(j → i | ordering) and its square, (V, V) each; set the visits to 0.

    The parent sets of i that contain j have the share 1 - Z(m without j) / Z(m) of all those within the mask m.
    """
    mean[:], square[:] = 0.0, 0.0
    for child in range(n_candidates.shape[0]):
        first, n = first_sum[child], 0
        for mask in range(1 << n_candidates[child]):
            times = visits[first + mask]
            if times == 0:
                continue
            visits[first + mask] = 0
            n += times
            for c in range(n_candidates[child]):
                if (mask >> c) & 1:
                    share = -math.expm1(sums[first + (mask ^ (1 << c))] - sums[first + mask])
                    mean[candidates[child, c], child] += times * share
                    square[candidates[child, c], child] += times * share * share
        for c in range(n_candidates[child] if n else 0):
            mean[candidates[child, c], child] /= n
            square[candidates[child, c], child] /= n


@compiled
def draw_parent_sets(
    within: IntArray,
    masks: IntArray,
    n_sets: IntArray,
    weights: FloatArray,
    first_weight: IntArray,
    sums: FloatArray,
    first_sum: IntArray,
    random: UInt64Array,
    drawn: IntArray,
    best: IntArray,
) -> tuple[float, float]:
    """Draw for each child a parent set within its mask, by weight; also return the heaviest one.

    Returns the log weights of the graph drawn and of the heaviest graph.
    """
    of_drawn, of_best = 0.0, 0.0
    for child in range(within.shape[0]):
        first, mask = first_weight[child], within[child]
        total = sums[first_sum[child] + mask]
        left, chosen, heaviest = uniform(pointer_to(random)), -1, -1
        for s in range(n_sets[child]):
            weight = weights[first + s]
            if masks[s] & ~mask != 0 or weight == -np.inf:
                continue
            if heaviest < 0 or weight > weights[first + heaviest]:
                heaviest = s
            if left >= 0.0:
                chosen = s
                left -= math.exp(weight - total)
        drawn[child], best[child] = chosen, heaviest
        of_drawn += weights[first + chosen]
        of_best += weights[first + heaviest]
    return of_drawn, of_best


_CERTAIN = 1e7  # nats: exp(-1e7) is 0, and sums of it keep nine decimals
_DISTANT = 0.1  # share of the moves
_RELOCATIONS = 2.0  # for every V moves: one costs about as much as V others
_HOTTEST = 0.2  # power of the last rung
_RUNGS = 0.7  # per root of the number of variables


def n_rungs(n_variables: int) -> int:
    """Return how many orderings a chain moves at once."""
    return max(2, round(_RUNGS * math.sqrt(n_variables)))


def handles_of(states: Sequence[OrderState]) -> Any:
    """Return the handles of several states, as compiled code indexes them."""
    handles = [handle_of(state) for state in states]
    return np.array(handles) if isinstance(handles[0], np.ndarray) else handles


def start_all(states: Sequence[OrderState]) -> None:
    """Take up the orderings that were put into the states; a ValueError if one has no weight."""
    if not all(np.isfinite(start_from(handle_of(state))) for state in states):
        raise ValueError(
            "no graph among the candidate parents satisfies the constraints in the ordering to start from: raise "
            "max_parents or candidates"
        )


def with_tables(state: OrderState, tables: ParentSetTables) -> OrderState:
    """Return the state with other tables, still to be taken up."""
    return state._replace(sums=tables.sums, first_sum=tables.first_sum, place=tables.place.astype(np.int8))


class OrderChain:
    """A chain over orderings.

    Parameters
    ----------
    tables : ParentSetTables
    prior : SoftTiers
        Over orderings.
    names : sequence of str
    orderings : sequences of int
        To start from, one for each rung; the last one for those that have none.
    rng : Generator
    stop : ndarray of uint8, shape (1,)
        Set to 1 by another thread to end a batch early.

    Raises
    ------
    ValueError
        If the ordering has no weight.
    """

    moves = MOVES

    def __init__(
        self,
        tables: ParentSetTables,
        prior: SoftTiers,
        names: Sequence[str],
        orderings: Sequence[Sequence[int]],
        rng: np.random.Generator,
        stop: UInt8Array,
    ) -> None:
        n = len(names)
        self.tables = tables
        powers = np.geomspace(1.0, _HOTTEST, n_rungs(n))
        visits = np.zeros(len(tables.sums), dtype=np.int32)
        proposed, accepted = np.zeros((2, len(MOVES)), dtype=np.int64)
        self._at = np.arange(len(powers))
        #: One for each rung, in no order.
        self.states = [
            OrderState(
                sums=tables.sums,
                first_sum=tables.first_sum,
                place=tables.place.astype(np.int8),
                tiers=prior.ranks(names),
                penalty=float(min(prior.penalty, _CERTAIN)),
                ordering=np.array(orderings[min(rung, len(orderings) - 1)], dtype=np.int64),
                position=np.zeros(n, dtype=np.int64),
                masks=np.zeros(n, dtype=np.int64),
                at=np.zeros(n),
                relative=np.zeros(n),
                random=random_state(rng),
                power=np.array([power]),
                visits=visits,
                trace=np.zeros(0),
                proposed=proposed,
                accepted=accepted,
                stop=stop,
                n_variables=n,
                share_distant=_DISTANT,
                share_relocation=min(_RELOCATIONS / max(n, 1), 0.5),
            )
            for rung, power in enumerate(powers)
        ]
        start_all(self.states)

    @property
    def _cold(self) -> OrderState:
        """The state on rung 0."""
        return self.states[int(self._at[0])]

    @property
    def ordering(self) -> IntArray:
        """The present ordering: columns from first to last."""
        return self._cold.ordering.copy()

    def retabled(self, tables: ParentSetTables) -> Self:
        """Return the chain in the same state with other tables."""
        chain = copy.copy(self)
        chain.tables, visits = tables, np.zeros(len(tables.sums), dtype=np.int32)
        chain.states = [with_tables(state, tables)._replace(visits=visits) for state in self.states]
        start_all(chain.states)
        return chain

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""
        n, tables = self.tables.n_variables, self.tables
        written = np.zeros(plan.records_per_graph)
        states, trace, draws = [state._replace(trace=written) for state in self.states], [], []
        handles = handles_of(states)
        state = self._cold
        state.proposed[:], state.accepted[:] = 0, 0
        for _ in range(plan.graphs_per_batch):
            recorded = run_moves(handles, self._at, plan.records_per_graph, plan.thin)
            trace.append(written[:recorded].copy())
            if recorded:
                draws.append(self._draw())
            if recorded < plan.records_per_graph:
                break
        if not draws:
            return None
        mean, square = np.zeros((n, n)), np.zeros((n, n))
        edge_means(state.visits, tables.sums, tables.first_sum, tables.candidates, tables.n_candidates, mean, square)
        log_weights = np.concatenate(trace)
        best = max(draws, key=lambda draw: draw[3])
        return Batch(
            n_records=len(log_weights),
            mean=mean,
            square=square,
            trace=log_weights,
            graphs=np.array([graph for graph, *_ in draws]),
            orderings=np.array([ordering for *_, ordering in draws], dtype=np.int32),
            scores=np.array([score for _, score, *_ in draws]),
            best_graph=best[2],
            best_score=best[3],
            proposed=state.proposed.copy(),
            accepted=state.accepted.copy(),
        )

    def _draw(self) -> tuple[UInt8Array, float, UInt8Array, float, IntArray]:
        """Draw a graph given the ordering; return it, its score, the heaviest graph, its score, and the ordering."""
        tables, state = self.tables, self._cold
        drawn, best = np.empty_like(state.masks), np.empty_like(state.masks)
        of_drawn, of_best = draw_parent_sets(
            state.masks,
            tables.masks,
            tables.n_sets,
            tables.weights,
            tables.first_weight,
            tables.sums,
            tables.first_sum,
            state.random,
            drawn,
            best,
        )
        return packed_graph(tables, drawn), of_drawn, packed_graph(tables, best), of_best, state.ordering.copy()


def packed_graph(tables: ParentSetTables, sets: IntArray) -> UInt8Array:
    """Return the packed adjacency matrix of a graph given by the number of each child's parent set."""
    n = tables.n_variables
    adjacency = np.zeros((n, n), dtype=np.bool_)
    chosen = (tables.masks[sets][:, None] >> np.arange(tables.candidates.shape[1])) & 1 == 1
    children, places = np.nonzero(chosen)
    adjacency[tables.candidates[children, places], children] = True
    return np.packbits(adjacency)


def ordering_near(preferred: Sequence[int], space: SearchSpace, prior: SoftTiers, names: Sequence[str]) -> list[int]:
    """Return the ordering nearest to a preferred one in which required edges and certain tiers point forward.

    Raises
    ------
    ValueError
        If there is none.
    """
    before = space.required.copy()
    if np.isinf(prior.penalty):
        ranks = prior.ranks(names)
        before |= (ranks[:, None] >= 0) & (ranks[:, None] < ranks[None, :])
    waiting, left, ordering = before.sum(axis=0), list(preferred), []
    while left:
        at = next((k for k, v in enumerate(left) if waiting[v] == 0), -1)
        if at < 0:
            raise ValueError("no ordering satisfies the required edges and the tiers of order_prior: drop one of them")
        ordering.append(int(left.pop(at)))
        waiting = waiting - before[ordering[-1]]
    return ordering
