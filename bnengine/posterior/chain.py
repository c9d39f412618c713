"""What every sampler is to the rest: a chain that is advanced by batches of recorded states."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array
from bnengine.posterior.parent_set_tables import ParentSetTables


class Batch(NamedTuple):
    """What a chain recorded between two looks at it; V variables, m graphs drawn."""

    n_records: int
    mean: FloatArray  # (V, V) mean of P(edge | state) over the records
    square: FloatArray  # (V, V) mean of its square
    trace: FloatArray  # (n_records,) log weight of each state, nats
    graphs: UInt8Array  # (m, bytes) drawn given a state each; adjacency matrices packed by numpy.packbits
    orderings: Int32Array  # (m, V) that each graph was drawn from; (m, 0) where the state is no ordering
    scores: FloatArray  # (m,) of the graphs drawn: local scores with structure prior, nats
    best_graph: UInt8Array  # (bytes,) the heaviest graph met
    best_score: float
    proposed: IntArray  # by kind of move
    accepted: IntArray


class Plan(NamedTuple):
    """How long a chain runs and what it records."""

    n_batches: int
    graphs_per_batch: int
    records_per_graph: int
    thin: int  # moves from one record to the next

    @property
    def n_steps(self) -> int:
        """Number of moves proposed."""
        return self.n_batches * self.graphs_per_batch * self.records_per_graph * self.thin


class Chain(Protocol):
    """A Markov chain in its present state; picklable, so that it can be advanced anywhere."""

    #: The kinds of moves, in the order of the counters.
    moves: tuple[str, ...]

    @property
    def ordering(self) -> IntArray:
        """An ordering that its state allows: columns from first to last."""

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""

    def retabled(self, tables: ParentSetTables) -> Self:
        """The chain in the same state with other tables."""


def plan_for(n_variables: int, n_steps: int, n_batches: int = 20, graphs_per_batch: int = 20) -> Plan:
    """A plan of about ``n_steps`` moves on each rung: a state is recorded every V moves."""
    graphs = n_batches * graphs_per_batch
    thin = max(1, min(n_variables, n_steps // graphs))
    return Plan(n_batches, graphs_per_batch, max(1, round(n_steps / (graphs * thin))), thin)
