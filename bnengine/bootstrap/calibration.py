"""Which method's confidence deserves trust: against a known network, and against fresh data drawn from it.

A resampling method tries to tell from one table how probable it is that an edge is learned from such a table. With a
known network that probability can be had: draw many fresh tables and learn from each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.standard_errors import standard_error
from bnengine.bootstrap.resample import check_correction, resample
from bnengine.bootstrap.resamplers import ParametricBootstrap
from bnengine.bootstrap.study import Method, Study, each_once, methods, presence_of, study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.correction import correction_refused
from bnengine.scores.scores import TableScore
from bnengine.search import Search, learn

if TYPE_CHECKING:
    import pandas as pd

#: The methods that are compared unless others are asked for; the data's own graph always is.
CALIBRATED_KEYS = ("boot", "boot_bc", "boot_exact", "boot_matched", "para", "jack_d")
_THRESHOLDS = np.arange(51) / 50  # each the nearest number to its decimals, as shares of replicates are

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Confidences of several methods on K tables drawn from a network, and what they are to be compared with.

    Attributes
    ----------
    names : tuple of str
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge; an adjacency is counted once.
    truth : ndarray of bool, shape (P,)
        Whether the network has each of the P possible edges.
    inclusion_probability : ndarray, shape (P,)
        pi: the share of ``n_fresh`` fresh tables from which the edge is learned.
    n_fresh, n_rows, n_replicates : int
        Fresh tables; rows of each table; replicates of each method (the fewest, where they differ).
    confidence : mapping from method key to ndarray, shape (K, P)
        ``"data"``: 0 or 1, whether the table's own graph has the edge.
    score, search : str
    status : {"converged", "max_iterations", "stopped"}
    seed : int or None
    """

    names: tuple[str, ...]
    kind: str
    truth: npt.NDArray[np.bool_] = field(repr=False)
    inclusion_probability: FloatArray = field(repr=False)
    n_fresh: int
    n_rows: int
    n_replicates: int
    confidence: Mapping[str, FloatArray] = field(repr=False)
    score: str
    search: str
    status: str
    seed: int | None

    def __post_init__(self) -> None:
        for values in (self.truth, self.inclusion_probability, *self.confidence.values()):
            values.setflags(write=False)

    @property
    def n_tables(self) -> int:
        """K: how many tables every method was applied to."""
        return len(self.confidence["data"])

    @property
    def floor(self) -> float:
        """The distance of a method that knew pi, from the noise of finite replicates and fresh tables alone, in edges.

        sqrt(2 / pi) times the standard deviation of each difference, as if normal.
        """
        variance = (
            self.inclusion_probability
            * (1 - self.inclusion_probability)
            * (1 / max(self.n_fresh, 1) + 1 / max(self.n_replicates, 1))
        )
        return float(math.sqrt(2 / math.pi) * np.sqrt(variance).sum())

    def total_absolute_error(self, key: str) -> FloatArray:
        """Sum over all possible edges of |p - pi|, one number a table, shape (K,): in edges."""
        total: FloatArray = np.abs(self.confidence[key] - self.inclusion_probability).sum(axis=1)
        return total

    def brier(self, key: str) -> FloatArray:
        """Brier score against the network: mean over all possible edges of (p - truth) squared, shape (K,)."""
        mean: FloatArray = ((self.confidence[key] - self.truth) ** 2).mean(axis=1)
        return mean

    def edges(self, key: str) -> FloatArray:
        """Mean number of edges, one number a table, shape (K,)."""
        total: FloatArray = self.confidence[key].sum(axis=1)
        return total

    def table(self) -> pd.DataFrame:
        """One line a method: mean edges, distance to pi and Brier score, each with its standard error over the tables.

        Columns: method (key), edges, edges_se, total_absolute_error, total_absolute_error_se, brier, brier_se.
        """
        import pandas as pd

        lines = []
        for key in self.confidence:
            line: list[object] = [key]
            for values in (self.edges(key), self.total_absolute_error(key), self.brier(key)):
                line += [_mean(values), float(standard_error(values))]
            lines.append(line)
        names = ["edges", "edges_se", "total_absolute_error", "total_absolute_error_se", "brier", "brier_se"]
        return pd.DataFrame(lines, columns=["method", *names])

    def lead(self, one: str, other: str, measure: str = "total_absolute_error") -> tuple[float, float]:
        """How much smaller ``"total_absolute_error"`` or ``"brier"`` is by one method, and its standard error.

        Both see the same tables, so the differences are paired.
        """
        if measure not in ("total_absolute_error", "brier"):
            raise ValueError(f"measure must be total_absolute_error or brier; got '{measure}'")
        of = self.total_absolute_error if measure == "total_absolute_error" else self.brier
        differences = of(other) - of(one)
        return _mean(differences), float(standard_error(differences))

    def reliability(self, key: str, bins: int = 10) -> pd.DataFrame:
        """Reliability diagram: of the edges given a confidence, how many are learned from fresh data, or are true.

        Possible edges that no method, table or fresh table ever shows are left out.

        Returns
        -------
        DataFrame
            One line a bin that is not empty: low, high, edges (how many, over all tables), confidence (their mean),
            inclusion_probability (mean pi), inclusion_probability_se, in_network (share), in_network_se. The errors
            are those of ratios whose
            sampling units are the tables, since edges of one table are not independent; NaN for one table.
        """
        import pandas as pd

        shown = self.inclusion_probability > 0
        for values in self.confidence.values():
            shown = shown | (values > 0).any(axis=0)
        p, pi, truth = (
            self.confidence[key][:, shown],
            self.inclusion_probability[shown],
            self.truth[shown].astype(np.float64),
        )
        number = np.minimum((p * bins + 1e-9).astype(int), bins - 1)
        lines = []
        for b in range(bins):
            inside = number == b
            n = int(inside.sum())
            if not n:
                continue
            means = (float(p[inside].mean()), *_ratio(inside, pi), *_ratio(inside, truth))
            lines.append((b / bins, (b + 1) / bins, n, *means))
        names = [
            "low",
            "high",
            "edges",
            "confidence",
            "inclusion_probability",
            "inclusion_probability_se",
            "in_network",
            "in_network_se",
        ]
        return pd.DataFrame(lines, columns=names)

    def precision_recall(self, key: str) -> pd.DataFrame:
        """Precision and recall of the edges at or above each threshold against the network, averaged over the tables.

        Returns
        -------
        DataFrame
            threshold, edges, precision, precision_se, recall, recall_se. A table without an edge at the threshold has
            no precision and is left out of its mean.
        """
        import pandas as pd

        lines = []
        for threshold in _THRESHOLDS:
            inside = (self.confidence[key] >= threshold) & (self.confidence[key] > 0)
            n, hits = inside.sum(axis=1), (inside & self.truth).sum(axis=1)
            precision, recall = hits[n > 0] / n[n > 0], hits / max(int(self.truth.sum()), 1)
            lines.append(
                (
                    float(threshold),
                    _mean(n.astype(np.float64)),
                    _mean(precision),
                    float(standard_error(precision)),
                    _mean(recall),
                    float(standard_error(recall)),
                )
            )
        names = ["threshold", "edges", "precision", "precision_se", "recall", "recall_se"]
        return pd.DataFrame(lines, columns=names)


def calibrate(
    network: BayesianNetwork,
    n_rows: int,
    score: TableScore,
    search: Search,
    methods_compared: Sequence[Method] | None = None,
    n_tables: int = 10,
    n_fresh: int = 400,
    constraints: Constraints | None = None,
    kind: str = "directed",
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    ties: str = "drawn",
) -> Calibration:
    """Apply resampling methods to tables drawn from a known network, and learn from fresh tables for comparison.

    Parameters
    ----------
    network : BayesianNetwork
        The truth. One fitted to a person's own data answers which method to trust on data like theirs, as far as the
        fitted network is like what the data came from.
    n_rows : int
        Rows of each table.
    score, search, constraints
    methods_compared : sequence of Method, optional
        None takes ``CALIBRATED_KEYS`` with 100 replicates each.
    n_tables : int
        K tables that every method is applied to: the more, the smaller the standard errors.
    n_fresh : int
        Fresh tables that pi is estimated from.
    kind : {"directed", "adjacency", "compelled"}
    rng : int, Generator or None
    executor, progress
        As of ``resample``; ``progress`` counts graphs learned. Stopping keeps the tables that all methods have seen.
    ties : {"drawn", "columns"}
        As of ``resample``, in every learning.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.calibrate(bn.load_network("asia"), 200, bn.BIC(), bn.HillClimbing(), bn.methods(20), 2, 50)
    >>> list(found.table()["method"])
    ['data', 'boot_bc', 'boot', 'jack_1', 'jack_d']
    """
    for what, value in (("n_rows", n_rows), ("n_tables", n_tables), ("n_fresh", n_fresh)):
        if value < 1:
            raise ValueError(f"{what} must be 1 or more; got {value}")
    if methods_compared is None:
        exists = correction_refused(score, "exact") is None
        methods_compared = methods(100, keys=[key for key in CALIBRATED_KEYS if exists or key != "boot_exact"])
    if len(network.names) < 2:
        raise ValueError("the network needs at least two variables: with one there is no edge to be confident of")
    seed = seed_of(rng)
    generators = generator_of(rng).spawn(n_tables + 1)
    tables = [network.by_name.sample(n_rows, generator).select(network.names) for generator in generators[1:]]
    truth = possible_edges(presence_of(network.adjacency, kind), kind)  # an unknown kind is refused before the work
    for method in methods_compared:
        check_correction(score, method.correction, method.resampler)
        method.resampler.check(tables[0])
    work = _Counted(progress, n_fresh + sum(_n_replicates(table, methods_compared) for table in tables))
    fresh = resample(
        tables[0],
        score,
        search,
        ParametricBootstrap(n_fresh, network),
        constraints=constraints,
        rng=generators[0],
        executor=executor,
        progress=work.tell,
        reference=learn(tables[0], score, search, constraints, ties=ties),
        ties=ties,
    )
    met = {fresh.status}
    learned = Study(fresh.reference, {"fresh": fresh}).confidence("fresh", kind)
    confidences: dict[str, list[FloatArray]] = {"data": [], **{method.key: [] for method in methods_compared}}
    for table in tables:
        if "stopped" in met:
            break
        work.next()
        found = study(
            table,
            score,
            search,
            methods_compared,
            constraints,
            int(generators[0].integers(2**53)),
            executor,
            work.tell,
            ties=ties,
        )
        met.add(found.status)
        if found.status != "stopped":
            for key, values in confidences.items():
                values.append(possible_edges(found.confidence(key, kind), kind))
    n_possible = len(possible_edges(learned, kind))
    return Calibration(
        names=network.names,
        kind=kind,
        truth=truth,
        inclusion_probability=possible_edges(learned, kind),
        n_fresh=fresh.n_graphs,
        n_rows=n_rows,
        n_replicates=min((m.resampler.n_replicates(tables[0]) for m in methods_compared), default=1),
        confidence={key: np.array(values).reshape(len(values), n_possible) for key, values in confidences.items()},
        score=score.name,
        search=search.name,
        status=next((status for status in ("stopped", "max_iterations") if status in met), "converged"),
        seed=seed,
    )


def possible_edges(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """The entries of a matrix that are possible edges, in column order: all off the diagonal, or each pair once."""
    v = len(matrix)
    wanted = each_once(np.ones((v, v), dtype=bool), kind) & ~np.eye(v, dtype=bool)
    entries: npt.NDArray[Any] = matrix[wanted]
    return entries


def _ratio(inside: npt.NDArray[np.bool_], values: FloatArray) -> tuple[float, float]:
    """Mean of the values over the chosen (table, edge) pairs, and its standard error with tables as sampling units.

    The usual linearisation of a ratio of two means (Cochran 1977, Sampling Techniques, Ch. 6).
    """
    sums, numbers = (inside * values).sum(axis=1), inside.sum(axis=1)
    mean = float(sums.sum() / numbers.sum())
    k = len(sums)
    if k < 2:
        return mean, float("nan")
    residuals = sums - mean * numbers
    return mean, float(math.sqrt(k / (k - 1) * (residuals**2).sum()) / numbers.sum())


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _n_replicates(table: Dataset, compared: Sequence[Method]) -> int:
    return sum(method.resampler.n_replicates(table) for method in compared)


class _Counted:
    """Progress over several runs, one after the other."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._before = self._planned = 0

    def next(self) -> None:
        """The run at hand is over, the next begins."""
        self._before += self._planned
        self._planned = 0

    def tell(self, done: int, planned: int) -> bool | None:
        """Pass on how many graphs are done in all."""
        self._planned = planned
        return self._progress(self._before + done, self._total) if self._progress else None
