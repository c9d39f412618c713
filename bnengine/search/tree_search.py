"""The lecture's tree of networks: depth first from the empty one, an edge more at each level, pruned by three rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import gigabytes
from bnengine._core.settings import InR, Number, Switch, Whole, field, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, ancestors, n_dags
from bnengine.scores.local_score import LocalScores
from bnengine.search import result as limits
from bnengine.search.edge_changes import tolerance
from bnengine.search.result import SearchResult

_OVERHEAD = 250  # bytes of a branch besides its graph
_MOST_MEMORY = 4 * 2**30  # bytes


class _Branch(NamedTuple):
    """A network that waits to be visited."""

    packed: bytes  # its adjacency matrix, a bit an entry
    score: float
    gains: FloatArray  # (V, V) of the network it branched from: what each further edge gains there
    child: int | None  # whose gains have changed since


@setting(
    tag="tree",
    label="Tree of networks",
    help="Traverses the tree of networks depth first, with one more edge at each level, and prunes it. Meant for "
    "teaching: use it with few variables.",
    in_r=InR("hc", exact=False),
)
class TreeSearch:
    """Depth-first search of the tree whose root is the empty network and whose branches each add an edge.

    A network that was visited on another branch is not entered again. Three rules prune the tree; each can be switched
    off.
    """

    only_improving: Switch = field(
        default=True,
        label="Drop networks that do not improve",
        help="Drop a network whose score is not above its parent's.",
    )
    dependent_share: Number = field(
        default=1.0,
        gt=0,
        le=1,
        label="Share of pairs that may be joined",
        help="Join only this share of all pairs, those that gain most from a single edge; 1 allows every pair.",
    )
    beam: Whole | None = field(
        default=3,
        ge=1,
        le=1_000_000,
        none="all",
        label="Branches entered at each network",
        help="Of the networks that a network branches into, enter only this many, the best ones.",
    )
    max_parents: Whole | None = limits.parent_limit()
    max_networks: Whole = limits.most(20_000, "networks")

    @property
    def name(self) -> str:
        return "tree search"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        visited, finished = self._visit(scores, space)
        highest = max(score for _, score in visited) - tolerance(scores.context.sample.n_rows)
        best = next(v for v, (_, score) in enumerate(visited) if score >= highest)
        trace = np.maximum.accumulate([score for _, score in visited])
        status = scores.status(finished)
        return SearchResult(visited[best][0].copy(), visited[best][1], scores.n_scored, status, trace)

    def visit(self, scores: LocalScores, space: SearchSpace) -> list[tuple[Adjacency, float]]:
        """Return the networks in the order of the visit, each with its score in nats."""
        return self._visit(scores, space)[0]

    def _visit(self, scores: LocalScores, space: SearchSpace) -> tuple[list[tuple[Adjacency, float]], bool]:
        """Return the networks in the order of the visit, and whether none was left waiting."""
        n_variables = len(space.allowed)
        edges = self._dependent_edges(scores, space)
        self._refuse_too_large(n_variables, int(edges.sum()), space.max_parents)
        margin = tolerance(scores.context.sample.n_rows)
        root = space.required.copy()
        start = float(sum(scores(v, np.flatnonzero(root[:, v]).tolist()) for v in range(n_variables)))
        gains = np.stack([_gains(scores, root, v, edges) for v in range(n_variables)], axis=1)
        visited: list[tuple[Adjacency, float]] = []
        packed = np.packbits(root).tobytes()
        visited_keys = {packed}
        waiting = [_Branch(packed, start, gains, None)]
        while waiting and len(visited) < self.max_networks and not (visited and scores.stopped):
            packed, score, gains, child = waiting.pop()
            bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n_variables**2)
            graph = bits.reshape(n_variables, n_variables).astype(np.bool_)
            visited.append((graph, score))
            if child is not None:
                gains = gains.copy()
                gains[:, child] = _gains(scores, graph, child, edges)
            entered = []
            for i, j in self._branches(graph, gains, edges, space.max_parents, score, margin):
                graph[i, j] = True
                packed = np.packbits(graph).tobytes()
                graph[i, j] = False
                if packed not in visited_keys:
                    visited_keys.add(packed)
                    entered.append(_Branch(packed, score + float(gains[i, j]), gains, j))
            waiting += entered[::-1]  # the best is entered first
        return visited, not waiting

    def _refuse_too_large(self, n_variables: int, n_edges: int, max_parents: int) -> None:
        """Raise a ValueError before the work if the networks that may wait or be visited do not fit into memory."""
        cells = n_variables**2
        branches = self.max_networks * min(self.beam or n_edges, n_edges)
        if n_variables <= 6:
            branches = min(branches, n_dags(n_variables))
        depth = min(self.max_networks, n_variables * min(max_parents, n_variables))
        if self.only_improving:
            depth = min(depth, 4 * n_variables)  # edges that still gain: few to a variable
        needed = branches * (cells // 8 + _OVERHEAD) + self.max_networks * cells + depth * 8 * cells
        if needed > _MOST_MEMORY:
            raise ValueError(
                f"the tree search may hold {branches:,} branches of {n_variables} variables at once, about "
                f"{gigabytes(needed)} (networks x branches x (V^2 / 8 + {_OVERHEAD}) bytes), more than the "
                f"{gigabytes(_MOST_MEMORY)} allowed: set a beam, or fewer max_networks"
            )

    def _branches(
        self, graph: Adjacency, gains: FloatArray, edges: Adjacency, max_parents: int, score: float, margin: float
    ) -> list[tuple[int, int]]:
        """Return the edges whose addition is legal and not pruned, best first; ties keep column order."""
        legal = edges & ~graph & ~graph.T & ~ancestors(graph).T & (graph.sum(axis=0) < max_parents)
        if self.only_improving:
            legal &= gains > margin
        parents, children = np.nonzero(legal)
        order = np.argsort(-np.round((score + gains[legal]) / margin), kind="stable")[: self.beam]
        return list(zip(parents[order].tolist(), children[order].tolist(), strict=True))

    def _dependent_edges(self, scores: LocalScores, space: SearchSpace) -> Adjacency:
        """Return which edges are allowed and join one of the most dependent pairs, shape (V, V)."""
        n_variables = len(space.allowed)
        alone = [scores(v) for v in range(n_variables)]
        pairs = [(i, j) for i in range(n_variables) for j in range(i + 1, n_variables)]
        pairs = [(i, j) for i, j in pairs if space.allowed[i, j] or space.allowed[j, i]]
        gains = {(i, j): scores(j, [i]) - alone[j] for i, j in pairs}
        edges = np.zeros_like(space.allowed)
        for i, j in sorted(pairs, key=lambda pair: -gains[pair])[: max(1, round(self.dependent_share * len(pairs)))]:
            edges[i, j], edges[j, i] = space.allowed[i, j], space.allowed[j, i]
        return edges


def _gains(scores: LocalScores, graph: Adjacency, child: int, edges: Adjacency) -> FloatArray:
    """Return what each further parent of a variable gains, nats, shape (V,)."""
    parents = np.flatnonzero(graph[:, child]).tolist()
    gains: FloatArray = scores.with_one_more(child, parents, edges[:, child] & ~graph[:, child])
    return gains - scores(child, parents)
