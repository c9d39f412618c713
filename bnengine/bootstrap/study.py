"""A study: several resampling methods on one data set, their numbers of edges (Table 1) and confidences (Figure 1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import Displayed
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, split_progress, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of, share_error, share_interval
from bnengine._core.validation import Repeats, accepts, one_of, validated
from bnengine.bootstrap import resampling_methods as registry
from bnengine.bootstrap.ensemble import (
    AveragedNetwork,
    Ensemble,
    averaged_network,
    combined_status,
    confidence_of,
    presence_of,
    threshold_for,
    upper_triangle_if_undirected,
)
from bnengine.bootstrap.resample import ResampleTask, check_same, learn_ensemble
from bnengine.bootstrap.resamplers import Bootstrap, RepeatedSearch, check_memory, learns_graphs_first, n_graphs_learned
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE, resampling_methods
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import numbered
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, edge_frame
from bnengine.scores.local_score import default_score
from bnengine.scores.scores import LEADING_STRENGTH, TableScore
from bnengine.search import IteratedLocalSearch, LearnedGraph, Search
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
        return float(upper_triangle_if_undirected(self.confidence(key, kind), kind).sum())

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
    def interval(self, key: str, kind: str = "directed") -> FloatArray:
        """Return the ends, (2, V, V), of 95 % intervals of what infinitely many replicates would give as confidence.

        Score intervals of shares of independent replicates (Wilson 1927). In the delete-1 jackknife nothing is drawn
        but how ties are broken: the interval is that of an edge whose direction a tie decides. Both ends are the
        confidence for a single graph learned from the data.
        """
        shares = self.confidence(key, kind)
        if key not in self.ensembles:
            return np.array([shares, shares])
        return share_interval(shares, self._ensemble(key).effective_replicates)

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
        titles = {key: entry.row for key, entry in registry.RESAMPLING_METHODS.items()}
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
            the first method, in decreasing order; ties in column order. A pair that is joined either way has one row.
        """
        frame = self._edges(kind, *self.ensembles, with_reference=True)
        if {NAIVE, CORRECTED} <= set(self.ensembles):
            frame["overstated"] = frame[f"confidence_{NAIVE}"] - frame[f"confidence_{CORRECTED}"]
        if not self.ensembles:
            return frame.sort_values("parent", kind="stable", ignore_index=True)
        first = CORRECTED if CORRECTED in self.ensembles else next(iter(self.ensembles))
        return frame.sort_values(f"confidence_{first}", ascending=False, kind="stable", ignore_index=True)

    to_frame = edge_table

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
        frame = self._edges(kind, naive, corrected)
        one, other = (frame[f"confidence_{key}"].to_numpy() for key in (naive, corrected))
        frame.insert(3, "difference", one - other)
        frame.insert(4, "standard_error", np.hypot(self._errors(one, naive), self._errors(other, corrected)))
        return frame.sort_values("difference", ascending=False, kind="stable", ignore_index=True)

    def _errors(self, shares: FloatArray, key: str) -> FloatArray:
        if key not in self.ensembles:
            return np.zeros_like(shares)
        return share_error(shares, self._ensemble(key).effective_replicates)

    def _edges(self, kind: str, *keys: str, with_reference: bool = False) -> pd.DataFrame:
        """Tabulate the edges that a method shows: parent, child, in_data_graph, a confidence for each method.

        One matrix of confidences is there at a time.
        """
        present = self.presence(kind)
        shown = present & with_reference
        for key in keys:
            shown |= self.confidence(key, kind) > 0
        shown = upper_triangle_if_undirected(shown, kind)
        frame, places = edge_frame(self.reference.names, shown, in_data_graph=present), np.nonzero(shown)
        return frame.assign(**{f"confidence_{key}": self.confidence(key, kind)[places] for key in keys})

    @validated
    def threshold(self, key: str, kind: str = "directed") -> float:
        """Return the confidence that keeps as many edges as the method's graphs have on average (as in Figure 1).

        1/2 for the graph learned from the data, whose confidences are all 0 or 1.
        """
        if key == "data" and key not in self.ensembles:
            return 0.5
        confidence = upper_triangle_if_undirected(self.confidence(key, kind), kind)
        return threshold_for(confidence, round(self.mean_edges(key, kind)))

    @validated
    def strength_threshold(self, key: str, kind: str = "directed") -> float:
        """Return the strength that keeps as many pairs as the method's graphs have edges on average."""
        return threshold_for(self.strength(key, kind), round(self.mean_edges(key, kind)))


# Run several resampling methods on one data set.


@validated
@accepts(interventions=True, missing=True, numbers=True)
def study(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    methods: Sequence[registry.Method | str] | None = None,
    *,
    constraints: Constraints | None = None,
    strength: float = LEADING_STRENGTH,
    ties: str = "drawn",
    known: Mapping[str, Ensemble] | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Study:
    """Run several resampling methods on one data set; the naive and corrected bootstraps see the same resamples.

    Parameters
    ----------
    data, score, search, constraints, strength, ties, rng, executor
        As for ``resample``.
    methods : sequence of Method, or of their keys; default those of the pages
        See ``resampling_methods``, by which they are made, with 200 replicates, where a key stands for one.
    known : mapping from method key to Ensemble, optional
        Ensembles of the same data, settings and seed, such as ``Study.ensembles``. A whole one is taken as it is; to
        one with fewer replicates the further ones are added. One that was stopped is learned anew, and so is a matched
        one with another number of replicates.
    progress : callable, optional
        Counts the replicates of all methods that have to be run. Stopping keeps finished and partial ensembles.

    Returns
    -------
    Study

    Raises
    ------
    DataError
        If the graphs of all methods together need too much memory.
    ValueError
        If a method does not apply to the data or its correction to the score, or a known ensemble is of other data or
        settings.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> list(bn.study(data, methods=["bootstrap", "predictive"]).ensembles)
    ['bootstrap', 'predictive']
    """
    search = search or IteratedLocalSearch()
    if methods is None:
        methods = [*registry.DEFAULT_KEYS, *(["data"] if is_random(search, ties) else [])]
    made = [method for one in methods for method in (resampling_methods(keys=[one]) if isinstance(one, str) else [one])]
    task = ResampleTask(
        data, score or default_score(data), search, RepeatedSearch(), "none", constraints, strength, ties
    )
    *_, whole = study_steps(task, made, known or {}, rng, executor, progress)
    return whole


def study_steps(
    common: ResampleTask,
    methods: Sequence[registry.Method],
    known: Mapping[str, Ensemble],
    rng: Seed,
    executor: Executor | None,
    progress: Progress | None,
    first_part: bool = False,
) -> Iterator[Study]:
    """Yield what is known of a study so far: after each method, and if asked to after the first replicates."""
    check_memory(common.data, [method.resampler for method in methods])
    seed = fixed_seed(rng)
    tasks = {
        one.key: dataclasses.replace(common, resampler=one.resampler, correction=one.correction) for one in methods
    }
    known = {key: known[key] for key, task in tasks.items() if key in known and _is_of_use(known[key], task, seed)}
    planned = {key: task.n_planned for key, task in tasks.items()}
    ensembles = {key: _of(one, planned[key]) for key, one in known.items()}
    missing = [key for key in tasks if key not in known or known[key].n_graphs < planned[key]]
    # predictive, waited for most, draws from the corrected one's graphs; matched needs the runs on the data
    missing.sort(key=lambda key: (key != CORRECTED, not learns_graphs_first(tasks[key].resampler), key != "data"))
    sizes = [_n_to_learn(tasks[key], tasks.get(CORRECTED), known.get(key)) for key in missing]
    reference = stoppable(lambda stop: common.learn(seed, stop), progress, sum(sizes))
    stopped = reference.status == "stopped"
    order = dict.fromkeys([*registry.ALL_KEYS, *tasks])

    def so_far() -> Study:
        return Study(reference, {key: ensembles[key] for key in order if key in ensembles}, stopped)

    if stopped or not missing:
        yield so_far()
        return
    for key, share in zip(missing, split_progress(progress, sizes), strict=True):
        learned_here = 0
        for task in _parts(tasks[key]) if first_part and not ensembles and key not in known else [tasks[key]]:
            task = _with_graphs(task, ensembles.get(CORRECTED), seed)
            target = ensembles["data"].mean_edges if "data" in ensembles else None
            count = offset_progress(learned_here, share)
            ensemble = learn_ensemble(
                task, reference, target, known=known.get(key), rng=seed, executor=executor, progress=count
            )
            stopped, learned_here = ensemble.status == "stopped", ensemble.n_graphs
            known[key] = _of(ensemble, planned[key])
            if ensemble.n_graphs:
                ensembles[key] = known[key]
            yield so_far()
            if stopped:
                return


def _of(ensemble: Ensemble, n_planned: int) -> Ensemble:
    """Return an ensemble that says of how many graphs its own are the first."""
    return ensemble if ensemble.n_planned == n_planned else dataclasses.replace(ensemble, n_planned=n_planned)


def _is_of_use(ensemble: Ensemble, task: ResampleTask, seed: int) -> bool:
    """Return whether an ensemble has a task's replicates or the first of them; a ValueError if it is another's."""
    n, n_planned = ensemble.n_graphs, task.n_planned
    if ensemble.status == "stopped" or n > n_planned or (n < n_planned and task.correction == "matched"):
        return False
    check_same(ensemble, task, seed)
    return True


def _n_to_learn(task: ResampleTask, corrected: ResampleTask | None, known: Ensemble | None) -> int:
    """Return the number of graphs to be learned, without those known and those that the corrected bootstrap learns."""
    own, n = task.resampler, n_graphs_learned(task.resampler, task.data) - (known.n_graphs if known else 0)
    shares = corrected is not None and corrected.resampler == Bootstrap(task.n_planned)
    return n - task.n_planned * (shares and learns_graphs_first(own) and task.strength == LEADING_STRENGTH)


_PART, _FIRST = 4, 20  # the first method's replicates are seen from a quarter of them on, from these at most


def _parts(task: ResampleTask) -> Iterator[ResampleTask]:
    """Yield the task; before it one with fewer replicates, if these can be continued."""
    whole = task.resampler
    if isinstance(whole, Bootstrap) and task.correction != "matched":
        yield dataclasses.replace(task, resampler=dataclasses.replace(whole, n=min(max(whole.n // _PART, 1), _FIRST)))
    yield task


def offset_progress(done: int, progress: Progress | None) -> Progress | None:
    """Return a progress callback that counts on from the replicates that were done before."""
    return progress if progress is None or not done else lambda further, total: progress(done + further, total)


def _with_graphs(task: ResampleTask, corrected: Ensemble | None, seed: int) -> ResampleTask:
    """Return the task; if it would learn graphs that the corrected bootstrap has learned already, with those."""
    if corrected is None or not learns_graphs_first(task.resampler):
        return task
    settings = (corrected.resampler, corrected.correction, corrected.strength, corrected.seed, corrected.n_graphs)
    if settings != (Bootstrap().name, "leading", LEADING_STRENGTH, seed, task.n_planned):
        return task
    return task if corrected.status == "stopped" else task.drawing_from(corrected)


def fixed_seed(rng: Seed) -> int:
    """Return the seed, or draw one, so that several runs can see the same resamples."""
    seed = seed_of(rng)
    return int(generator_of(rng).integers(2**53)) if seed is None else seed


# Table 1 of Steck & Jaakkola (2003) for any data: number of edges by resampling method and score.


@validated
@accepts(interventions=True, missing=True, numbers=True)
def table1(
    data: Dataset,
    scores: Sequence[TableScore] | TableScore,
    search: Search,
    n: Repeats = 200,
    *,
    rng: Seed = 0,
    constraints: Constraints | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """Tabulate mean and standard deviation of the number of edges by method (rows) and score (columns).

    If the search draws at random or breaks ties in a drawn order, the row of the data is the mean of ``n`` runs on
    them, as in the paper's second experiment: the comparison would otherwise depend on a single draw.

    Parameters
    ----------
    data : Dataset
    scores : score or sequence of scores
        All scores see the same resamples.
    search : search
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    rng : int, Generator or None, default 0; None draws anew at each call
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

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(100, rng=1)
    >>> bn.table1(data, [bn.BIC(), bn.AIC()], bn.HillClimbing(), n=5).shape
    (5, 4)
    """
    several = list(scores) if isinstance(scores, Sequence) else [scores]
    names = [score.name for score in several]
    if len(set(names)) < len(names):
        raise ValueError(f"scores must have different names; two are called {max(names, key=names.count)}")
    chosen = resampling_methods(n, keys=(*["data"] * is_random(search, ties), *registry.TABLE1_KEYS))
    n_replicates = sum(method.resampler.n_replicates(data) for method in chosen)
    seed = fixed_seed(rng)
    tables = {}
    for score, share in zip(several, split_progress(progress, [n_replicates] * len(several)), strict=True):
        result = study(
            data, score, search, chosen, constraints=constraints, rng=seed, executor=executor, progress=share, ties=ties
        )
        tables[score.name] = result.table1()[["mean", "sd"]]
        if result.status == "stopped":
            break
    return pd.concat(tables, axis=1)
