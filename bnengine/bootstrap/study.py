"""A study: several resampling methods on one data set, their numbers of edges (Table 1) and confidences (Figure 1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import Displayed
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, shared_progress, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of, share_error
from bnengine._core.validation import Repeats, accepts, one_of, validated
from bnengine.bootstrap.ensemble import (
    AveragedNetwork,
    Ensemble,
    averaged_network,
    combined_status,
    confidence_of,
    each_once,
    presence_of,
    threshold_for,
)
from bnengine.bootstrap.resample import check_memory, resample
from bnengine.bootstrap.resamplers import (
    Bootstrap,
    PredictiveBootstrap,
    Resampler,
    learns_graphs_first,
    n_graphs_learned,
)
from bnengine.bootstrap.resampling_methods import (
    ALL_KEYS,
    CORRECTED,
    NAIVE,
    RESAMPLING_METHODS,
    TABLE1_KEYS,
    Method,
    resampling_methods,
)
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import numbered
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, edge_frame
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn
from bnengine.search.learning import is_random


@dataclass(frozen=True, eq=False)
class Study(Displayed):
    """The graph learned from the data, and one ensemble for each resampling method.

    The parameter ``kind`` of its methods says what counts as an edge: ``"directed"``, ``"adjacency"`` or
    ``"compelled"``; see ``bnengine.bootstrap.ensemble``.

    Attributes
    ----------
    reference : LearnedGraph
        The graph learned from the data.
    ensembles : mapping from method key (see ``ALL_KEYS``) to Ensemble
        An ensemble under ``"data"``, of repeated runs on the given data, replaces ``reference`` in comparisons, as in
        the second experiment of Steck & Jaakkola (2003): if the search draws at random or breaks ties in a drawn
        order, a single graph is only one of many.
    stopped : bool
        Whether the run was stopped before all methods were finished.
    """

    reference: LearnedGraph
    ensembles: Mapping[str, Ensemble]
    stopped: bool = False

    @property
    def status(self) -> str:
        """``"stopped"`` if a method was not finished, ``"max_iterations"`` or ``"converged"``."""
        statuses = [self.reference.status, *(ensemble.status for ensemble in self.ensembles.values())]
        return combined_status([*statuses, *["stopped"] * self.stopped])

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys with a confidence: ``"data"``, then the methods that were run."""
        return tuple(dict.fromkeys(["data", *self.ensembles]))

    @validated
    def presence(self, kind: str = "directed") -> Adjacency:
        """Return the edges of the graph learned from the data, shape (V, V)."""
        return presence_of(self.reference.adjacency, kind, numbered(self.reference.targets, self.reference.names))

    @validated
    def mean_edges(self, key: str, kind: str = "directed") -> float:
        """Return the mean number of edges over a method's graphs; ``"data"`` stands for the reference."""
        if kind == "directed" and key in self.ensembles:
            return self._ensemble(key).mean_edges
        return float(each_once(self.confidence(key, kind), kind).sum())

    def _ensemble(self, key: str) -> Ensemble:
        return self.ensembles[one_of(key, "key", self.ensembles)]

    @validated
    def confidence(self, key: str, kind: str = "directed") -> FloatArray:
        """Return the confidence of each edge under a method, shape (V, V), ``[parent, child]``.

        For ``"data"`` it is 0 or 1, or the share of runs if there were repeated runs on the data.
        """
        if key == "data" and key not in self.ensembles:
            return self.presence(kind).astype(np.float64)
        return confidence_of(self._ensemble(key), kind)

    @validated
    def standard_error(self, key: str, kind: str = "directed") -> FloatArray:
        """Return the Monte Carlo standard error of each confidence, as of independent replicates; shape (V, V).

        In the delete-1 jackknife nothing is drawn but how ties are broken: the error is that of an edge whose direction
        a tie decides. 0 for a single graph learned from the data.
        """
        return self._errors(self.confidence(key, kind), key)

    @validated
    def strength_error(self, key: str, kind: str = "directed") -> FloatArray:
        """Return the Monte Carlo standard error of each pair's strength; shape (V, V), upper triangle."""
        return np.triu(self._errors(self.strength(key, kind), key), 1)

    @validated
    def strength(self, key: str, kind: str = "directed") -> FloatArray:
        """Return the share of a method's graphs that join each pair in either direction; shape (V, V), upper triangle.

        For ``"compelled"``, the share that joins it by a compelled edge. It is k / n for k of n replicates, exactly.
        """
        if kind != "compelled":
            return np.triu(self.confidence(key, "adjacency"))
        confidence = self.confidence(key, kind)
        n = max(int(self.ensembles[key].multiplicities.sum()), 1) if key in self.ensembles else 1
        return np.triu(np.rint((confidence + confidence.T) * n) / n)

    @validated
    def averaged(self, key: str, threshold: float, kind: str = "directed") -> AveragedNetwork:
        """Average a method's graphs into one network; for ``"compelled"``, of their compelled edges only."""
        directed = self.confidence(key, "compelled" if kind == "compelled" else "directed")
        return averaged_network(directed, threshold, self.reference.names)

    def table1(self) -> pd.DataFrame:
        """Tabulate the number of edges by method, the reference first: mean, sd (standard deviation) and replicates."""
        titles = {key: entry.row for key, entry in RESAMPLING_METHODS.items()}
        rows: list[tuple[str, float, float, int]] = []
        for key in self.keys:
            ensemble = self.ensembles.get(key)
            sd, n = (ensemble.sd_edges, int(ensemble.multiplicities.sum())) if ensemble else (0.0, 1)
            rows.append((titles.get(key, key), self.mean_edges(key), sd, n))
        return pd.DataFrame(rows, columns=["method", "mean", "sd", "replicates"]).set_index("method")

    @validated
    def edge_table(self, kind: str = "directed") -> pd.DataFrame:
        """Tabulate the confidence of every edge that the graph learned from the data or any replicate has.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, in_data_graph, ``confidence_<key>`` for each method, and overstated (naive
            minus corrected bootstrap) if both were run. Sorted by the confidence of the corrected bootstrap, else of
            the first method, in decreasing order; ties in column order. An adjacency has one row.
        """
        confidences = {key: self.confidence(key, kind) for key in self.ensembles}
        shown = np.any([self.presence(kind), *(matrix > 0 for matrix in confidences.values())], axis=0)
        frame = self._edges(shown, kind, **{f"confidence_{key}": matrix for key, matrix in confidences.items()})
        if {NAIVE, CORRECTED} <= set(confidences):
            frame["overstated"] = frame[f"confidence_{NAIVE}"] - frame[f"confidence_{CORRECTED}"]
        if not confidences:
            return frame.sort_values("parent", kind="stable", ignore_index=True)
        first = CORRECTED if CORRECTED in confidences else next(iter(confidences))
        return frame.sort_values(f"confidence_{first}", ascending=False, kind="stable", ignore_index=True)

    @validated
    def to_frame(self, kind: str = "directed") -> pd.DataFrame:
        """Return the confidence of every edge by every method; see ``edge_table``."""
        return self.edge_table(kind)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        stopped = " Stopped before the end." if self.status == "stopped" else ""
        return f"Number of edges by method (Table 1).{stopped}", self.table1().reset_index()

    @validated
    def overstated(self, naive: str = NAIVE, corrected: str = CORRECTED, kind: str = "directed") -> pd.DataFrame:
        """Tabulate the difference in confidence between two methods, for every edge that either method shows.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, in_data_graph, difference (confidence by ``naive`` minus that by
            ``corrected``), standard_error of the difference as of independent replicates, and both confidences; in
            decreasing order of difference, ties in column order.
        """
        one, other = self.confidence(naive, kind), self.confidence(corrected, kind)
        errors = np.hypot(*(self._errors(self.confidence(key, kind), key) for key in (naive, corrected)))
        parts = {"standard_error": errors, f"confidence_{naive}": one, f"confidence_{corrected}": other}
        frame = self._edges((one > 0) | (other > 0), kind, difference=one - other, **parts)
        return frame.sort_values("difference", ascending=False, kind="stable", ignore_index=True)

    def _errors(self, shares: FloatArray, key: str) -> FloatArray:
        if key not in self.ensembles:
            return np.zeros_like(shares)
        return share_error(shares, self._ensemble(key).effective_replicates)

    def _edges(self, shown: Adjacency, kind: str, **matrices: FloatArray) -> pd.DataFrame:
        present = self.presence(kind)
        return edge_frame(self.reference.names, each_once(shown, kind), in_data_graph=present, **matrices)

    @validated
    def threshold(self, key: str, kind: str = "directed") -> float:
        """Return the confidence that keeps as many edges as the method's graphs have on average (as in Figure 1).

        1/2 for the graph learned from the data, whose confidences are all 0 or 1.
        """
        if key == "data" and key not in self.ensembles:
            return 0.5
        confidence = each_once(self.confidence(key, kind), kind)
        return threshold_for(confidence, round(self.mean_edges(key, kind)))

    @validated
    def strength_threshold(self, key: str, kind: str = "directed") -> float:
        """Return the strength that keeps as many pairs as the method's graphs have edges on average."""
        return threshold_for(self.strength(key, kind), round(self.mean_edges(key, kind)))


# Run several resampling methods on one data set.


@validated
@accepts(interventions=True, missing=True)
def study(
    data: Dataset,
    score: TableScore,
    search: Search,
    methods: Sequence[Method],
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    strength: float = LEADING_STRENGTH,
    reuse: Mapping[str, Ensemble] | None = None,
    ties: str = "drawn",
    continued: Mapping[str, Ensemble] | None = None,
    seen: Callable[[Study], object] | None = None,
) -> Study:
    """Run several resampling methods on one data set; the naive and corrected bootstraps see the same resamples.

    Parameters
    ----------
    data, score, search, constraints, rng, executor, strength, ties
        As for ``resample``.
    methods : sequence of Method
        See ``methods``.
    progress : callable, optional
        Counts the replicates of all methods that have to be run. Stopping keeps finished and partial ensembles.
    reuse : mapping from method key to Ensemble, optional
        Ensembles to use instead of running their methods.
    continued : mapping from method key to Ensemble, optional
        Finished ensembles of the same data, settings and seed with fewer replicates, such as ``Study.ensembles``: only
        the further replicates are learned. One that was stopped or is matched is learned anew.
    seen : callable, optional
        Called with what is known so far, a quarter of the first method's replicates before all of them, then method by
        method; from the calling thread. The result is the same without it.

    Raises
    ------
    DataError
        If the graphs of all methods together need too much memory.
    ValueError
        If a method does not apply to the data or its correction to the score.
    """
    check_memory(data, [method.resampler for method in methods])
    seed = fixed_seed(rng)
    ensembles = {method.key: reuse[method.key] for method in methods if reuse and method.key in reuse}
    missing = [method for method in methods if method.key not in ensembles]
    # predictive, waited for most, draws from the corrected one's graphs; matched needs the runs on the data
    missing.sort(key=lambda one: (one.key != CORRECTED, not learns_graphs_first(one.resampler), one.key != "data"))
    sizes = [n_graphs_learned(one.resampler, data) - n_shared(one, methods, strength) for one in missing]
    reference = stoppable(
        lambda stop: learn(data, score, search, constraints, rng=seed, ties=ties, stop=stop), progress, sum(sizes)
    )
    stopped = reference.status == "stopped"
    order = dict.fromkeys([*ALL_KEYS, *(method.key for method in methods)])

    def so_far() -> Study:
        return Study(reference, {key: ensembles[key] for key in order if key in ensembles}, stopped)

    known = dict(continued or {})
    for method, share in zip(missing, shared_progress(progress, sizes), strict=True):
        for resampler in _in_parts(method, known, first=seen is not None and not ensembles):
            if stopped:
                break
            done = ensembles[method.key].n_graphs if method.key in ensembles else 0
            ensemble = resample(
                data,
                score,
                search,
                _with_graphs(resampler, ensembles.get(CORRECTED), seed),
                method.correction,
                constraints,
                rng=seed,
                executor=executor,
                progress=counted_from(done, share),
                strength=strength,
                reference=reference,
                target_edges=ensembles["data"].mean_edges if "data" in ensembles else None,
                ties=ties,
                continued=_to_continue(known, method, data),
            )
            stopped = ensemble.status == "stopped"
            known[method.key] = dataclasses.replace(ensemble, n_planned=method.resampler.n_replicates(data))
            if ensemble.n_graphs:
                ensembles[method.key] = known[method.key]
            if seen is not None:
                seen(so_far())
    return so_far()


_PART = 4  # the first method's replicates are seen from a quarter of them on


def counted_from(done: int, progress: Progress | None) -> Progress | None:
    """Return a progress callback that counts on from the replicates that were done before."""
    return progress if progress is None or not done else lambda further, total: progress(done + further, total)


def _in_parts(method: Method, known: Mapping[str, Ensemble], first: bool) -> Iterator[Resampler]:
    """Yield the resampler; before it one with fewer replicates, if it is the first and these can be continued."""
    whole = method.resampler
    if first and isinstance(whole, Bootstrap) and method.correction != "matched" and method.key not in known:
        yield dataclasses.replace(whole, n=max(whole.n // _PART, 1))
    yield whole


def _to_continue(continued: Mapping[str, Ensemble] | None, method: Method, data: Dataset) -> Ensemble | None:
    """Return the ensemble to which a method's further replicates are to be added, if there is one that allows it."""
    ensemble = (continued or {}).get(method.key)
    if ensemble is None or ensemble.status == "stopped" or method.correction == "matched":
        return None
    return ensemble if ensemble.n_graphs <= method.resampler.n_replicates(data) else None


def _with_graphs(resampler: Resampler, corrected: Ensemble | None, seed: int) -> Resampler:
    """Return the resampler; if it would learn graphs that the corrected bootstrap has learned already, with those."""
    if corrected is None or not isinstance(resampler, PredictiveBootstrap) or not learns_graphs_first(resampler):
        return resampler
    settings = (corrected.resampler, corrected.correction, corrected.strength, corrected.seed, corrected.n_graphs)
    if settings != (Bootstrap().name, "leading", LEADING_STRENGTH, seed, resampler.n) or corrected.status == "stopped":
        return resampler
    return dataclasses.replace(resampler, graphs=corrected)


def n_shared(method: Method, methods: Sequence[Method], strength: float) -> int:
    """Return the number of graphs that a method need not learn: those of the corrected bootstrap beside it."""
    own, corrected = method.resampler, next((one.resampler for one in methods if one.key == CORRECTED), None)
    if not isinstance(own, PredictiveBootstrap) or not learns_graphs_first(own) or strength != LEADING_STRENGTH:
        return 0
    return own.n if corrected == Bootstrap(own.n) else 0


def fixed_seed(rng: Seed) -> int:
    """Return the seed, or draw one, so that several runs can see the same resamples."""
    seed = seed_of(rng)
    return int(generator_of(rng).integers(2**53)) if seed is None else seed


# Table 1 of Steck & Jaakkola (2003) for any data: number of edges by resampling method and score.


@validated
@accepts(interventions=True, missing=True)
def table1(
    data: Dataset,
    scores: Sequence[TableScore] | TableScore,
    search: Search,
    n: Repeats = 200,
    *,
    rng: Seed = 0,
    runs_on_data: bool | None = None,
    constraints: Constraints | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """Tabulate mean and standard deviation of the number of edges by method (rows) and score (columns).

    Parameters
    ----------
    data : Dataset
    scores : score or sequence of scores
        All scores see the same resamples.
    search : search
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    rng : int, Generator or None, default 0; None draws anew at each call
    runs_on_data : bool, optional
        Also learn from the given data ``n`` times, as in the paper's second experiment, so that the row of the data is
        a mean. None does so if the search draws at random or breaks ties in a drawn order: the comparison would
        otherwise depend on a single draw.
    constraints, executor, ties
        As for ``resample``.
    progress : callable, optional
        Counts the replicates of all scores.

    Returns
    -------
    DataFrame
        Rows data D, boot BC, boot, jack 1, jack d; columns (score name, "mean" or "sd").

    Raises
    ------
    ValueError
        If two scores have the same name.
    """
    several = list(scores) if isinstance(scores, Sequence) else [scores]
    names = [score.name for score in several]
    if len(set(names)) < len(names):
        raise ValueError(f"scores must have different names; two are called {max(names, key=names.count)}")
    if runs_on_data is None:
        runs_on_data = is_random(search, ties)
    chosen = resampling_methods(n, keys=("data", *TABLE1_KEYS) if runs_on_data else TABLE1_KEYS)
    n_replicates = sum(method.resampler.n_replicates(data) for method in chosen)
    seed = fixed_seed(rng)
    tables = {}
    for score, share in zip(several, shared_progress(progress, [n_replicates] * len(several)), strict=True):
        result = study(data, score, search, chosen, constraints, rng=seed, executor=executor, progress=share, ties=ties)
        tables[score.name] = result.table1()[["mean", "sd"]]
        if result.status == "stopped":
            break
    return pd.concat(tables, axis=1)
