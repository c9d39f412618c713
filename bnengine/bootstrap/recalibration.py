"""Confidences recalibrated on simulated worlds, and how many false edges to expect at each threshold."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, shared_progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ess, Repeats, one_of, validated
from bnengine.bootstrap.calibration import THRESHOLDS, mean_and_error
from bnengine.bootstrap.ensemble import Ensemble, as_matrix, check_kind, combined_status, each_once, possible_edges
from bnengine.bootstrap.resample import check_bytes_kept
from bnengine.bootstrap.resamplers import MOST_REPLICATES, Bootstrap, graphs_of
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE, resampling_methods
from bnengine.bootstrap.simulated_worlds import METHODS, QUANTITIES, Learning, features, fitted, quantities_of_worlds
from bnengine.bootstrap.study import Study, fixed_seed, study
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import edge_frame
from bnengine.networks.inference import PosteriorDrawing
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.learning import in_replicates

#: Confidences whose thresholds can be asked about.
COLUMNS = ("naive", "leading", "found_again", "real")
_TARGETS = {"found_again": "inclusion_probability", "real": "truth"}


@dataclass(frozen=True, eq=False)
class Recalibration(ReadOnlyArrays):
    """What bootstrap confidences mean on data like the given ones, learned from simulated worlds.

    Matrices have shape (V, V), ``[parent, child]``; those of adjacencies are symmetric. The worlds' arrays have one row
    per world and one column per possible edge (P of them; an adjacency counts once).

    Attributes
    ----------
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge, in the graphs learned and in the worlds' networks.
    method : {"isotonic", "logistic"}
    found_again : ndarray
        Estimate of each edge's inclusion probability pi: that it is learned from a fresh table of the same size. NaN if
        no world was finished.
    real : ndarray
        Estimated probability that the edge is in the network the data came from. NaN if no world was finished.
    naive, leading : ndarray
        Confidences of the data's own naive and corrected bootstrap.
    learned : ndarray
        1 where the graph learned from the data has the edge, else 0.
    worlds : mapping from str to ndarray, shape (W, P)
        ``"naive"``, ``"leading"``, ``"learned"`` as above, of each world's table; ``"inclusion_probability"``, the
        share of fresh tables of the world from which the edge is learned; ``"truth"``, 1 if its network has the edge.
    n_worlds, n_replicates, n_fresh, n_own : int
        Worlds planned, replicates of each bootstrap in a world, fresh tables, and replicates on the data.
    n_rows : int
    score, search : str
    status : {"converged", "max_iterations", "stopped"}
        Stopped: what is learned comes from the worlds that were finished.
    seed : int or None
    """

    names: tuple[str, ...]
    kind: str
    method: str
    found_again: FloatArray = field(repr=False)
    real: FloatArray = field(repr=False)
    naive: FloatArray = field(repr=False)
    leading: FloatArray = field(repr=False)
    learned: FloatArray = field(repr=False)
    worlds: Mapping[str, FloatArray] = field(repr=False)
    n_worlds: int
    n_replicates: int
    n_fresh: int
    n_own: int
    n_rows: int
    score: str
    search: str
    status: str
    seed: int | None

    @property
    def n_finished(self) -> int:
        """Number W of worlds that were finished."""
        return len(self.worlds["truth"])

    @cached_property
    def _held_out(self) -> dict[str, FloatArray]:
        """Each world's recalibrated confidences, learned from the other worlds; shape (W, P)."""
        return {
            name: held_out(self.worlds, target, self.method, self.n_replicates) for name, target in _TARGETS.items()
        }

    def _column(self, column: str) -> FloatArray:
        one_of(column, "column", COLUMNS)
        return self._held_out[column] if column in _TARGETS else self.worlds[column]

    @validated
    def expected_edges(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Return the mean number of edges that a world keeps at a threshold, and its standard error over the worlds.

        Parameters
        ----------
        threshold : float
            Edges of at least this confidence, and above 0, are kept.
        column : {"naive", "leading", "found_again", "real"}
            The confidence. A world's recalibrated ones are learned from the other worlds.

        Raises
        ------
        ValueError
            If the threshold is not between 0 and 1 or the column unknown.
        """
        return mean_and_error(self._kept(threshold, column).sum(axis=1))

    @validated
    def expected_false_edges(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Return the mean number of false edges that a world keeps at a threshold, and its standard error.

        Parameters and errors as for ``expected_edges``.
        """
        return mean_and_error((self._kept(threshold, column) & (self.worlds["truth"] == 0)).sum(axis=1))

    @validated
    def expected_precision(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Return the share of true edges among all that the worlds keep at a threshold, and its standard error.

        The error is that of a ratio with the worlds as sampling units (Cochran 1977, Sec. 2.11). NaN where nothing is
        kept; parameters and errors as for ``expected_edges``.
        """
        kept = self._kept(threshold, column)
        n, hits = kept.sum(axis=1).astype(np.float64), (kept & (self.worlds["truth"] > 0)).sum(axis=1)
        if not n.sum():
            return float("nan"), float("nan")
        ratio = float(hits.sum() / n.sum())
        return ratio, float(standard_error((hits - ratio * n) / n.mean()))

    def _kept(self, threshold: float, column: str) -> BoolArray:
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must be between 0 and 1; got {threshold}")
        values = self._column(column)
        return (values >= threshold) & (values > 0)

    @validated
    def thresholds(self, column: str = "leading") -> pd.DataFrame:
        """Tabulate the expected edges, false edges and precision at each threshold 0, 0.02, …, 1 of a confidence.

        Returns
        -------
        DataFrame
            threshold, kept (edges of the data at the threshold), edges, edges_se, false_edges, false_edges_se,
            precision, precision_se (in the worlds).
        """
        own = possible_edges(getattr(self, column), self.kind) if column in COLUMNS else self._column(column)
        rows = []
        for t in THRESHOLDS.tolist():
            worlds = (self.expected_edges(t, column), self.expected_false_edges(t, column))
            kept = int(((own >= t) & (own > 0)).sum())
            rows.append((t, kept, *worlds[0], *worlds[1], *self.expected_precision(t, column)))
        names = [f"{name}{suffix}" for name in ("edges", "false_edges", "precision") for suffix in ("", "_se")]
        return pd.DataFrame(rows, columns=["threshold", "kept", *names])

    def table(self) -> pd.DataFrame:
        """Tabulate the edges that the graph learned from the data or any replicate has.

        Returns
        -------
        DataFrame
            parent, child, found_again, real, naive, leading, in_data_graph; in decreasing order of ``real``, ties in
            column order. An adjacency has one row.
        """
        shown = each_once((self.naive > 0) | (self.leading > 0) | (self.learned > 0), self.kind)
        columns = {name: getattr(self, name) for name in ("found_again", "real", "naive", "leading")}
        frame = edge_frame(self.names, shown, **columns, in_data_graph=self.learned > 0)
        return frame.sort_values("real", ascending=False, kind="stable", ignore_index=True)


def held_out(worlds: Mapping[str, FloatArray], target: str, method: str, n_replicates: int) -> FloatArray:
    """Predict a target for each world by a regression on the others, shape (W, P); NaN for a single one."""
    n = len(worlds[target])
    predicted = np.full(worlds[target].shape, np.nan)
    if n < 2:
        return predicted
    known = [features(worlds["naive"][w], worlds["leading"][w], worlds["learned"][w], n_replicates) for w in range(n)]
    for w in range(n):
        others = [v for v in range(n) if v != w]
        predict = fitted(np.vstack([known[v] for v in others]), worlds[target][others].ravel(), method)
        predicted[w] = predict(known[w])
    return predicted


# Learn from simulated worlds what bootstrap confidences mean: which edges are found again, and which are real.

_OWN = (NAIVE, CORRECTED)  # the ensembles of the data


@validated
def recalibrate(
    data: Dataset,
    score: TableScore,
    search: Search,
    *,
    n_worlds: Repeats = 16,
    n_replicates: Repeats = 60,
    n_fresh: Repeats = 60,
    n_own: Repeats = 200,
    method: str = "isotonic",
    graphs: object = None,
    ess: Ess = 1.0,
    kind: str = "directed",
    reuse: Study | Mapping[str, Ensemble] | None = None,
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ties: str = "drawn",
) -> Recalibration:
    """Learn from simulated worlds what bootstrap confidences mean, and apply it to the data's own.

    A world is a network that the data leave possible: one of the graphs of the data's corrected bootstrap, with
    probabilities drawn from their posterior (as in ``PredictiveBootstrap``). From each world one table is drawn, of as
    many rows as the data have; naive and corrected bootstraps of the table, and the graph learned from it, are set
    against what is known of the world: which edges its network has, and how often each is learned from fresh tables.
    All pairs of all worlds together give two regressions, of the inclusion probability and of the truth, on logit naive
    confidence, logit corrected confidence, and whether the learned graph has the edge. Applied to the data they answer
    *would it be found again?* and *is it real?* Learning calibration where the edges are known follows Jabbari, Naeini
    & Cooper (2017), who take real networks of the same field for it.

    Parameters
    ----------
    data : Dataset
    score, search, constraints, ties
        As for ``resample``.
    n_worlds, n_replicates, n_fresh : int
        Number of worlds; in each, replicates of each bootstrap and fresh tables.
    n_own : int
        Replicates of each bootstrap on the data, unless reused.
    method : {"isotonic", "logistic"}
        Logistic: ridge logistic regression on the three quantities. Isotonic: the nondecreasing function of its linear
        predictor that fits best, which also corrects its scale.
    graphs : Ensemble or array of bool, shape (m, V, V), optional
        DAGs of the worlds, taken in turn, such as draws from a posterior; None for the data's corrected bootstrap.
    ess : float
        Equivalent sample size of the prior of the probabilities, rows.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge, in learned graphs and in the worlds alike. A directed edge is true if the world's DAG
        has it with that direction, although data cannot tell its direction where it is reversible: ``real`` is then
        about half the probability of the adjacency in either direction, unless constraints or an ordering fix the
        direction. A compelled edge is true if it is compelled in the world's equivalence class.
    reuse : Study or mapping from method key to Ensemble, optional
        Ensembles of the data under ``"bootstrap"`` and ``"bootstrap_corrected"``, which are then not learned again.
    rng : int, Generator or None, default 0; None draws anew at each call
        Results do not depend on the number of workers or the order of the columns.
    executor : concurrent.futures.Executor, optional
        As for ``resample``.
    progress : callable, optional
        Counts tables and resamples learned from. Stopping keeps the worlds that are finished.

    Raises
    ------
    ValueError
        If a number, ``method`` or ``kind`` is not accepted, or ``reuse`` or ``graphs`` do not belong to the data.
    DataError
        If the graphs, or the tables of a world's network, need too much memory.

    Notes
    -----
    The worlds are the data's own bootstrap come true, so there is a circle in it: an edge that is in no world cannot be
    learned about. If the search misses weak edges in every resample, the worlds lack them too, and ``real`` is too
    small for such edges; edges that all resamples share are taken for true. The standard errors over the worlds do not
    contain this.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> found = bn.recalibrate(data, bn.BIC(), bn.HillClimbing(), n_worlds=8, n_replicates=30, n_fresh=30)
    >>> found.found_again.shape, found.n_finished
    ((8, 8), 8)
    >>> precision, error = found.expected_precision(0.5, "leading")
    >>> 0.3 < precision < 1
    True
    """
    numbers = {"n_worlds": n_worlds, "n_replicates": n_replicates, "n_fresh": n_fresh, "n_own": n_own}
    _check(data, method, kind, numbers)
    given = graphs_of(graphs)
    if given is not None:
        given.over(data)
    seed = fixed_seed(rng)
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    own_ensembles = _reusable_ensembles(reuse, data, score, search)
    n_missing = n_own * sum(key not in own_ensembles for key in _OWN)
    of_data, of_worlds = shared_progress(progress, [n_missing, n_worlds * (1 + n_replicates + n_fresh)])
    own_methods = resampling_methods(n_own, keys=_OWN)
    own = study(
        data, score, search, own_methods, constraints,
        rng=seed, executor=executor, progress=of_data, reuse=own_ensembles, ties=ties,
    )  # fmt: skip
    worlds: dict[str, FloatArray] = {}
    status = own.status
    if not own.stopped:
        drawn = own.ensembles[CORRECTED].adjacencies if given is None else given.over(data)
        worlds, of_them = quantities_of_worlds(
            PosteriorDrawing(data, ess),
            drawn,
            Learning(score, in_replicates(search, data.names), space, ties),
            (n_worlds, n_replicates, n_fresh),
            own.ensembles[NAIVE],
            kind,
            generator_of(seed).spawn(1)[0].spawn(1)[0],  # apart from the replicates' generators and from their children
            executor,
            of_worlds,
        )
        status = combined_status([status, of_them])
    return _recalibrated(own, worlds, method, kind, numbers, status, seed_of(rng))


def _recalibrated(
    own: Study,
    worlds: Mapping[str, FloatArray],
    method: str,
    kind: str,
    numbers: Mapping[str, int],
    status: str,
    seed: int | None,
) -> Recalibration:
    """Return the result: both regressions fitted to all worlds and applied to the data's own confidences."""
    nothing = np.full(own.reference.adjacency.shape, np.nan)
    naive, leading = (own.confidence(key, kind) if key in own.ensembles else nothing for key in _OWN)
    learned = own.presence(kind).astype(np.float64)
    ensemble = next(iter(own.ensembles.values()), None)
    n_own = ensemble.n_graphs if ensemble else 0
    n_replicates = numbers["n_replicates"]
    of_data = [possible_edges(matrix, kind) for matrix in (naive, leading, learned)]
    worlds = worlds or {name: np.zeros((0, of_data[0].size)) for name in QUANTITIES}
    answers = {"inclusion_probability": nothing, "truth": nothing}
    if len(worlds["truth"]):
        seen = features(worlds["naive"], worlds["leading"], worlds["learned"], n_replicates)
        known = features(of_data[0], of_data[1], of_data[2], n_own)
        for target in answers:
            predict = fitted(seen, worlds[target].ravel(), method)
            answers[target] = as_matrix(predict(known), len(nothing), kind)
    return Recalibration(
        names=own.reference.names,
        kind=kind,
        method=method,
        found_again=answers["inclusion_probability"],
        real=answers["truth"],
        naive=naive,
        leading=leading,
        learned=learned,
        worlds=worlds,
        n_worlds=numbers["n_worlds"],
        n_replicates=n_replicates,
        n_fresh=numbers["n_fresh"],
        n_own=n_own,
        n_rows=ensemble.n_rows if ensemble else 0,
        score=ensemble.score if ensemble else "",
        search=ensemble.search if ensemble else "",
        status=status,
        seed=seed,
    )


def _check(data: Dataset, method: str, kind: str, numbers: Mapping[str, int]) -> None:
    """Raise a ValueError if a setting is not accepted, a DataError if the graphs of all worlds need too much memory."""
    check_kind(kind)
    one_of(method, "method", METHODS)
    n_graphs = numbers["n_worlds"] * (1 + 2 * numbers["n_replicates"] + numbers["n_fresh"])
    if n_graphs > MOST_REPLICATES:
        raise ValueError(
            f"n_worlds = {numbers['n_worlds']:,} with their replicates and fresh tables make {n_graphs:,} graphs; "
            f"at most {MOST_REPLICATES:,} are allowed: use fewer worlds"
        )
    if data.n_variables < 2:
        raise DataError("data must have at least two columns, or there are no edges")
    n_graphs += 2 * numbers["n_own"]
    what = f"{n_graphs:,} graphs of {data.n_variables:,} variables"
    check_bytes_kept(n_graphs * data.n_variables**2, what, "worlds or replicates")


def _reusable_ensembles(
    reuse: Study | Mapping[str, Ensemble] | None, data: Dataset, score: TableScore, search: Search
) -> Mapping[str, Ensemble]:
    """Return the ensembles of the data that need not be learned; a ValueError if they are of other data or settings."""
    given = reuse.ensembles if isinstance(reuse, Study) else reuse or {}
    found = {key: given[key] for key in _OWN if key in given and given[key].n_graphs}
    for key, correction in zip(_OWN, ("none", "leading"), strict=True):
        if key not in found:
            continue
        one = found[key]
        has = (one.names, one.n_rows, one.score, one.search, one.correction, one.resampler)
        if has != (data.names, data.n_rows, score.name, search.name, correction, Bootstrap().name):
            raise ValueError(
                f"reuse['{key}'] must be an ensemble of these data ({data.n_rows:,} rows, {data.n_variables} columns) "
                f"by the bootstrap under {score.name}, {search.name}, correction '{correction}'; got one of "
                f"{one.n_rows:,} rows and {len(one.names)} columns by the {one.resampler} under {one.score}, "
                f"{one.search}, '{one.correction}'"
            )
    return found
