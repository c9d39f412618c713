"""Edge confidence: learn a graph on every resample and count how often each edge appears."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine.constraints import Constraints, SearchSpace
from bnengine.correction import LEADING_STRENGTH, corrected
from bnengine.data import Dataset
from bnengine.families import LocalScores
from bnengine.graph import cpdag
from bnengine.randomness import Seed, generator_of, seed_of
from bnengine.resampling import Bootstrap, Resampler, replicate_generators
from bnengine.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn

if TYPE_CHECKING:
    import pandas as pd

#: One graph learned: its packed adjacency matrix, for how many replicates it stands, the search's status.
Learned = tuple[npt.NDArray[np.uint8], int, str]

#: Called with (replicates done, replicates in all); returning False stops the run, which keeps what is done.
Progress = Callable[[int, int], bool | None]
_POLL = 0.05  # seconds between looks at the workers
_AT_ONCE = 16  # graphs counted at once


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The graphs learned on the resamples of one data set.

    Attributes
    ----------
    names : tuple of str
    packed_graphs : ndarray of uint8, shape (R, bytes), read-only
        The adjacency matrix of each graph, one bit an entry.
    multiplicities : ndarray of int, shape (R,)
        For how many equal replicates each graph stands.
    reference : LearnedGraph
        The graph of the given data under the uncorrected score.
    score, search, resampler, correction : str
        How the graphs were learned.
    strength : float
        Nats charged per parameter by the correction; 0 without one.
    n_rows : int
        Rows of the given data.
    n_planned : int
        How many graphs the finished run would have; fewer are here if ``status`` is ``"stopped"``.
    status : str
        ``"converged"``, ``"max_iterations"`` (some search reached its limit) or ``"stopped"``.
    seed : int or None
    """

    names: tuple[str, ...]
    packed_graphs: npt.NDArray[np.uint8] = field(repr=False)
    multiplicities: npt.NDArray[np.int64] = field(repr=False)
    reference: LearnedGraph = field(repr=False)
    score: str
    search: str
    resampler: str
    correction: str
    strength: float
    n_rows: int
    n_planned: int
    status: str
    seed: int | None

    def __post_init__(self) -> None:
        self.packed_graphs.setflags(write=False)
        self.multiplicities.setflags(write=False)

    @property
    def n_graphs(self) -> int:
        """How many graphs were learned."""
        return len(self.multiplicities)

    @cached_property
    def adjacencies(self) -> npt.NDArray[np.bool_]:
        """The graphs, shape (R, V, V), ``[replicate, parent, child]``."""
        v = len(self.names)
        bits = np.unpackbits(self.packed_graphs, axis=1, count=v * v)
        return bits.reshape(-1, v, v).astype(np.bool_)

    @cached_property
    def edge_counts(self) -> npt.NDArray[np.int64]:
        """Number of edges of each graph, shape (R,)."""
        counts: npt.NDArray[np.int64] = np.bitwise_count(self.packed_graphs).sum(axis=1, dtype=np.int64)
        return counts

    @property
    def mean_edges(self) -> float:
        """Mean number of edges over the replicates; NaN if none was learned from."""
        if not self.n_graphs:
            return float("nan")
        return float(np.average(self.edge_counts, weights=self.multiplicities))

    @property
    def sd_edges(self) -> float:
        """Standard deviation of the number of edges over the replicates (divisor: their number less one)."""
        total = int(self.multiplicities.sum())
        if total < 2:
            return float("nan")
        squares = (self.edge_counts - self.mean_edges) ** 2
        return float(np.sqrt((squares * self.multiplicities).sum() / (total - 1)))

    @cached_property
    def confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that have each edge, shape (V, V), ``[parent, child]``."""
        return self._share(self.adjacencies)

    @cached_property
    def adjacency_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that join each pair in either direction, shape (V, V), symmetric."""
        return self._share(self.adjacencies | self.adjacencies.transpose(0, 2, 1))

    @cached_property
    def _classes(self) -> npt.NDArray[np.bool_]:
        """The equivalence class of each graph, shape (R, V, V); see ``graph.cpdag``."""
        return np.array([cpdag(graph) for graph in self.adjacencies]).reshape(self.adjacencies.shape)

    @cached_property
    def compelled_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates in whose equivalence class each edge is compelled, shape (V, V), [parent, child].

        Under a score that is equal for equivalent graphs the direction of any other edge is an accident of the search.
        """
        return self._share(self._classes & ~self._classes.transpose(0, 2, 1))

    @cached_property
    def reversible_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that join each pair by a reversible edge, shape (V, V), symmetric."""
        return self._share(self._classes & self._classes.transpose(0, 2, 1))

    def _share(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        counts = np.zeros(present.shape[1:])
        for first in range(0, len(present), _AT_ONCE):  # the product holds a float for each bit
            some = slice(first, first + _AT_ONCE)
            counts += np.tensordot(self.multiplicities[some].astype(np.float64), present[some], axes=1)
        share = np.minimum(counts / max(int(self.multiplicities.sum()), 1), 1.0)
        share.setflags(write=False)
        return share

    def table(self) -> pd.DataFrame:
        """One line for each edge that some graph has: parent, child, confidence, adjacency_confidence, in_data_graph.

        Most confident first, ties in column order.
        """
        import pandas as pd

        shown = (self.confidence > 0) | self.reference.adjacency
        i, j = np.nonzero(shown)
        frame = pd.DataFrame(
            {
                "parent": [self.names[v] for v in i],
                "child": [self.names[v] for v in j],
                "confidence": self.confidence[i, j],
                "adjacency_confidence": self.adjacency_confidence[i, j],
                "in_data_graph": self.reference.adjacency[i, j],
            }
        )
        return frame.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)


def resample(
    data: Dataset,
    score: TableScore,
    search: Search,
    resampler: Resampler,
    correction: str = "none",
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
    reference: LearnedGraph | None = None,
) -> Ensemble:
    """Learn a graph on every resample of the data.

    Parameters
    ----------
    data : Dataset
    score, search, resampler
    correction : {"none", "leading"}
        What the score is charged on a resample (see ``correction``).
    constraints : Constraints, optional
        They hold in every replicate.
    rng : int, Generator or None
        With one seed, two runs that differ only in score, search or correction see the same resamples. Results do not
        depend on the number of workers.
    executor : concurrent.futures.Executor, optional
        None: threads, one a core (the compiled code holds no global lock). Any other executor, of processes or of a
        cluster, gets picklable pieces of work.
    progress : callable, optional
        Called from the calling thread; see ``Progress``.
    strength : float
        Nats per parameter of the leading correction.
    reference : LearnedGraph, optional
        The data's own graph, if it is at hand; otherwise it is learned here.

    Returns
    -------
    Ensemble

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> naive = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50))
    >>> fair = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50), correction="leading")
    >>> naive.mean_edges > fair.mean_edges
    True
    """
    resampler.check(data)
    if correction == "exact" and not isinstance(resampler, Bootstrap):
        raise ValueError(
            f"the exact correction is that of the bootstrap; with {resampler.name} take 'none' or 'leading'"
        )
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    seed = seed_of(rng)
    if reference is None:
        reference = learn(data, score, search, constraints, rng=0 if seed is None else seed)
    used = corrected(score, correction, strength)
    generators = replicate_generators(generator_of(rng), resampler.n_replicates(data))
    work = _Work(data, used, search, resampler, space)
    learned, stopped = _run(work, generators, executor, progress)
    limited = any(status == "max_iterations" for _, _, status in learned)
    width = (data.n_variables**2 + 7) // 8
    return Ensemble(
        names=data.names,
        packed_graphs=np.array([graph for graph, _, _ in learned], dtype=np.uint8).reshape(len(learned), width),
        multiplicities=np.array([times for _, times, _ in learned], dtype=np.int64),
        reference=reference,
        score=score.name,
        search=search.name,
        resampler=resampler.name,
        correction=correction,
        strength=0.0 if correction == "none" else float(strength),
        n_rows=data.n_rows,
        n_planned=len(generators),
        status="stopped" if stopped else "max_iterations" if limited else "converged",
        seed=seed,
    )


@dataclass(frozen=True)
class _Work:
    """What a worker needs to learn from any replicate; picklable."""

    data: Dataset
    score: TableScore
    search: Search
    resampler: Resampler
    space: SearchSpace

    def learn(
        self, first: int, generators: list[np.random.Generator], tell: Callable[[], bool] | None = None
    ) -> list[Learned]:
        """Learn from consecutive replicates; ``tell`` is called after each and may say stop."""
        scores = LocalScores(self.data, self.score)
        learned: list[Learned] = []
        for number, generator in enumerate(generators, start=first):
            replicate = self.resampler.replicate(self.data, number, generator)
            scores.reweigh(replicate.weights)
            found = self.search.find(self.data.names, scores, self.space, generator)
            learned.append((np.packbits(found.adjacency), replicate.multiplicity, found.status))
            if tell is not None and tell():
                break
        return learned


def _run(
    work: _Work, generators: list[np.random.Generator], executor: Executor | None, progress: Progress | None
) -> tuple[list[Learned], bool]:
    """All replicates by the executor's workers, in order; and whether the caller stopped the run."""
    if executor is not None:
        pieces = _pieces(len(generators), 8 * (os.cpu_count() or 1))
        return _gather(
            executor, [(work.learn, (a, generators[a:b])) for a, b in pieces], len(generators), progress, None
        )
    workers = min(os.cpu_count() or 1, len(generators))
    ledger = _Ledger()
    with ThreadPoolExecutor(workers) as threads:
        pieces = _pieces(len(generators), 4 * workers)
        calls = [(work.learn, (a, generators[a:b], ledger.tell)) for a, b in pieces]
        return _gather(threads, calls, len(generators), progress, ledger)


class _Ledger:
    """How many replicates the threads have learned, and whether they are to stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.done = 0
        self.stop = False

    def tell(self) -> bool:
        with self._lock:
            self.done += 1
            return self.stop


def _pieces(n: int, n_pieces: int) -> list[tuple[int, int]]:
    bounds = np.linspace(0, n, min(n, n_pieces) + 1).astype(int)
    return [(a, b) for a, b in itertools.pairwise(bounds.tolist())]


def _gather(
    executor: Executor,
    calls: Sequence[tuple[Callable[..., list[Learned]], tuple[object, ...]]],
    n: int,
    progress: Progress | None,
    ledger: _Ledger | None,
) -> tuple[list[Learned], bool]:
    futures: list[Future[list[Learned]]] = [executor.submit(f, *args) for f, args in calls]
    waiting, stopped = set(futures), False
    while waiting:
        finished, waiting = wait(waiting, timeout=_POLL, return_when=FIRST_COMPLETED)
        for future in finished:
            if not future.cancelled() and future.exception() is not None:
                for other in waiting:
                    other.cancel()
                raise future.exception()  # type: ignore[misc]
        if progress is not None and not stopped:
            done = ledger.done if ledger else sum(len(f.result()) for f in futures if f.done() and not f.cancelled())
            if progress(done, n) is False and waiting:
                stopped = True
                if ledger:
                    ledger.stop = True
                waiting -= {future for future in waiting if future.cancel()}
    learned = [graph for future in futures if not future.cancelled() for graph in future.result()]
    return learned, stopped and len(learned) < n
