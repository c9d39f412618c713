"""Calibration on a known network: confidences against the inclusion probability, and against the true network."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, counted, short
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, split_progress, to_the_end
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.settings import Whole, field, setting
from bnengine._core.validation import Bins, RowCount, one_of, validated
from bnengine.bootstrap.ensemble import combined_status, confidence_of, possible_edges, presence_of
from bnengine.bootstrap.resample import check_correction, resample
from bnengine.bootstrap.resamplers import ParametricBootstrap, n_graphs_learned
from bnengine.bootstrap.resampling_methods import CALIBRATED_KEYS, Method, resampling_methods
from bnengine.bootstrap.study import study
from bnengine.graphs.constraints import Constraints
from bnengine.networks.network import MOST_CELLS_DRAWN, BayesianNetwork
from bnengine.scores.scores import TableScore
from bnengine.search import Search


@dataclass(frozen=True, eq=False)
class Calibration(ReadOnlyArrays, Displayed):
    """Confidences of several methods on K tables sampled from a network, with the quantities to compare them with.

    In the formulas, p is the confidence of an edge by a method, pi its inclusion probability, and truth 1 if the
    network has the edge, else 0. Measures of shape (K,) have one value per table.

    Attributes
    ----------
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge; an adjacency counts once.
    truth : ndarray of bool, shape (P,)
        Whether the network has each of the P possible edges.
    inclusion_probability : ndarray, shape (P,)
        pi, the share of ``n_fresh`` fresh tables from which the edge is learned.
    n_fresh, n_rows, n_replicates : int
        Number of fresh tables, rows of each table, and replicates of each method (the smallest, if they differ).
    confidence : mapping from method key to ndarray, shape (K, P)
        ``"data"`` is 1 if the graph learned from the table has the edge, else 0.
    status : {"converged", "max_iterations", "stopped"}
    """

    names: tuple[str, ...]
    kind: str
    truth: BoolArray = dataclasses.field(repr=False)
    inclusion_probability: FloatArray = dataclasses.field(repr=False)
    n_fresh: int
    n_rows: int
    n_replicates: int
    confidence: Mapping[str, FloatArray] = dataclasses.field(repr=False)
    score: str
    search: str
    status: str
    seed: int | None

    @property
    def n_tables(self) -> int:
        """Number K of tables that every method was applied to."""
        return len(self.confidence["data"])

    @property
    def floor(self) -> float:
        """Total absolute error, in edges, of a method that knew pi exactly: Monte Carlo noise alone.

        The noise is that of finite numbers of replicates and of fresh tables. Each mean absolute difference is
        sqrt(2 / 3.14...) times its standard deviation, as for a normal distribution.
        """
        pi, noise = self.inclusion_probability, 1 / max(self.n_fresh, 1) + 1 / max(self.n_replicates, 1)
        return float(math.sqrt(2 / math.pi) * np.sqrt(pi * (1 - pi) * noise).sum())

    def _confidence(self, key: str) -> FloatArray:
        return self.confidence[one_of(key, "key", self.confidence)]

    @validated
    def total_absolute_error(self, key: str) -> FloatArray:
        """Return a method's error as an estimate of pi: sum of |p - pi| over possible edges, shape (K,)."""
        return np.asarray(np.abs(self._confidence(key) - self.inclusion_probability).sum(axis=1))

    @validated
    def brier(self, key: str) -> FloatArray:
        """Return a method's Brier score for the true network: mean of (p - truth)² over possible edges, shape (K,)."""
        return np.asarray(((self._confidence(key) - self.truth) ** 2).mean(axis=1))

    @validated
    def edges(self, key: str) -> FloatArray:
        """Return how many edges a method's graphs have on average: sum of p over possible edges, shape (K,)."""
        return np.asarray(self._confidence(key).sum(axis=1))

    def table(self) -> pd.DataFrame:
        """Compare the methods: each measure's mean over the tables with its standard error.

        Returns
        -------
        DataFrame
            One row per method: method (key), edges, edges_se, total_absolute_error, total_absolute_error_se, brier,
            brier_se.
        """
        measures = {"edges": self.edges, "total_absolute_error": self.total_absolute_error, "brier": self.brier}
        rows = [[key, *(v for of in measures.values() for v in mean_and_error(of(key)))] for key in self.confidence]
        columns = ["method", *(f"{name}{suffix}" for name in measures for suffix in ("", "_se"))]
        return pd.DataFrame(rows, columns=columns)

    to_frame = table

    def _shown(self) -> tuple[str, pd.DataFrame]:
        stopped = " Stopped before the end." if self.status == "stopped" else ""
        return (
            f"{counted(self.n_tables, 'table')} of {counted(self.n_rows, 'row')}, {self.score}, {self.search}; π from "
            f"{counted(self.n_fresh, 'fresh table')}. The total absolute error is Σ |p − π|, in edges, and "
            f"{short(self.floor)} by sampling noise alone; the Brier score is of the true network's edges.{stopped}",
            self.table(),
        )

    @validated
    def leaders(self, measure: str = "total_absolute_error") -> list[str]:
        """Return the best method, and those that it does not lead by more than two standard errors; the best one first.

        A single table has no standard error: all methods are then returned.

        Parameters
        ----------
        measure : {"total_absolute_error", "brier"}
        """
        of = {"total_absolute_error": self.total_absolute_error, "brier": self.brier}
        values = of[one_of(measure, "measure", of)]
        best, *others = self.table().sort_values(measure, kind="stable")["method"]
        leads = {other: mean_and_error(values(other) - values(best)) for other in others}  # on the same tables
        return [best, *(key for key, (lead, error) in leads.items() if not lead > 2 * error)]

    @validated
    def reliability(self, key: str, bins: Bins = 10) -> pd.DataFrame:
        """Tabulate the reliability diagram: of the edges given a confidence, the share that is learned again or true.

        Possible edges that no method, table or fresh table ever shows are left out.

        Parameters
        ----------
        key : str
        bins : int
            Number of equal bins of [0, 1].

        Returns
        -------
        DataFrame
            One row per bin that is not empty: low, high, edges (number over all tables), confidence (mean),
            inclusion_probability (mean pi), inclusion_probability_se, in_network (share), in_network_se. The standard
            errors are those of ratios with the tables as sampling units, as edges of one table are not independent;
            NaN for a single table.
        """
        shown = self.inclusion_probability > 0
        for values in self.confidence.values():
            shown = shown | (values > 0).any(axis=0)
        p, pi = self._confidence(key)[:, shown], self.inclusion_probability[shown]
        truth = self.truth[shown].astype(np.float64)
        bin_of = np.minimum((p * bins + 1e-9).astype(int), bins - 1)
        rows = []
        for b in range(bins):
            inside = bin_of == b
            if inside.any():
                means = (float(p[inside].mean()), *_ratio(inside, pi), *_ratio(inside, truth))
                rows.append((b / bins, (b + 1) / bins, int(inside.sum()), *means))
        columns = ["low", "high", "edges", "confidence"]
        columns += ["inclusion_probability", "inclusion_probability_se", "in_network", "in_network_se"]
        return pd.DataFrame(rows, columns=columns)


def _ratio(inside: BoolArray, values: FloatArray) -> tuple[float, float]:
    """Return a mean over (table, edge) pairs and its standard error, tables as units (Cochran 1977, Ch. 6)."""
    sums, numbers = (inside * values).sum(axis=1), inside.sum(axis=1)
    mean = float(sums.sum() / numbers.sum())
    k = len(sums)
    if k < 2:
        return mean, float("nan")
    residuals = sums - mean * numbers
    return mean, float(math.sqrt(k / (k - 1) * (residuals**2).sum()) / numbers.sum())


def mean_and_error(values: FloatArray | IntArray) -> tuple[float, float]:
    """Return the mean and its standard error; NaN for no value, the error also for a single one."""
    return float(values.mean()) if len(values) else math.nan, float(standard_error(values.astype(np.float64)))


# Calibrate methods on a known network: compare their confidences with the network and with fresh samples from it.
#
# A resampling method estimates from one table the inclusion probability of an edge, the probability pi that the edge
# is learned from such a table. For a known network pi itself can be estimated by learning from many fresh samples.


def tables_compared(default: int) -> Any:
    """Declare the number of tables that methods are compared on."""
    text = "Tables that every method is applied to."
    return field(default=default, ge=1, le=10_000, label="Tables", unit="tables", help=text)


def fresh_tables() -> Any:
    """Declare the number of tables that inclusion probabilities are estimated from."""
    text = "Fresh samples from which each edge's inclusion probability is estimated."
    return field(default=400, ge=1, le=1_000_000, label="Fresh samples", unit="tables", help=text)


@setting
class Tables:
    """How many tables are drawn from a known network; standard errors decrease with the square root of ``compared``."""

    compared: Whole = tables_compared(10)
    fresh: Whole = fresh_tables()


@dataclass(frozen=True)
class OtherAnswer:
    """An answer about the edges of a table that is no resampling method, such as the posterior.

    Attributes
    ----------
    key : str
    answer : callable
        Takes a table and the keywords rng, executor and progress, as ``bn.edge_posterior`` does; its result has the
        attributes probability, of each directed edge, shape (V, V), [parent, child], and status.
    """

    key: str
    answer: Callable[..., Any]


@validated
@to_the_end
def calibrate(
    network: BayesianNetwork,
    n_rows: RowCount,
    score: TableScore,
    search: Search,
    methods_compared: Sequence[Method | OtherAnswer] | None = None,
    tables: Tables | None = None,
    *,
    constraints: Constraints | None = None,
    kind: str = "directed",
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Apply resampling methods to samples of a known network, and learn from fresh samples for comparison.

    Parameters
    ----------
    network : BayesianNetwork
        The true network. A network fitted to your own data shows which method to trust on such data, as far as it
        resembles the distribution that generated them.
    n_rows : int
        Rows of each table.
    score, search, constraints
        As for ``resample``.
    methods_compared : sequence of Method and OtherAnswer, optional
        None for ``CALIBRATED_KEYS`` with 100 replicates each.
    tables : Tables, optional
        How many tables are drawn; by default 10 that every method is applied to, and 400 that pi is estimated from.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    rng : int, Generator or None, default 0; None draws anew at each call
    executor
        As for ``resample``.
    progress : callable, optional
        Counts the graphs learned, a further answer as one. Stopping keeps the tables that all methods were applied to.

    Returns
    -------
    Calibration
        Its ``total_absolute_error`` measures how well a method predicts what would be learned again, ``brier`` how well
        it predicts the true network, ``edges`` how many edges its graphs have, and ``floor`` is the total absolute
        error that Monte Carlo noise alone would cause. ``reliability`` is a table by
        confidence.

    Raises
    ------
    ValueError
        If the network has only one variable, ``kind`` is unknown, a key occurs twice, or a
        method does not apply to such tables or its correction to the score.

    Examples
    --------
    >>> import bnengine as bn
    >>> network, methods = bn.load_network("asia"), bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    >>> calibration = bn.calibrate(network, 200, bn.BIC(), bn.HillClimbing(), methods, bn.settings.Tables(2, 50))
    >>> list(calibration.table()["method"])
    ['data', 'bootstrap_corrected', 'bootstrap']
    """
    n_drawn = tables or Tables()
    _check_sizes(network, n_rows, n_drawn)
    if methods_compared is None:
        methods_compared = resampling_methods(100, keys=CALIBRATED_KEYS)
    methods = [one for one in methods_compared if isinstance(one, Method)]
    others = {one.key: one.answer for one in methods_compared if isinstance(one, OtherAnswer)}
    keys = ["data", *(one.key for one in methods_compared)]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        raise ValueError(f"methods_compared must have each answer under a key of its own; got '{twice[0]}' twice")
    generators = generator_of(rng).spawn(n_drawn.compared + 1)
    drawn = [network.by_name.sample(n_rows, generator).select(network.names) for generator in generators[1:]]
    truth = possible_edges(presence_of(network.adjacency, kind), kind)
    for method in methods:
        check_correction(method.correction, method.resampler)
        method.resampler.check(drawn[0])
    sizes = [sum(n_graphs_learned(method.resampler, table) for method in methods) for table in drawn]
    fresh_share, *shares = split_progress(progress, [n_drawn.fresh, *(size + len(others) for size in sizes)])
    how: dict[str, Any] = {"constraints": constraints, "executor": executor}
    sampler = ParametricBootstrap(n_drawn.fresh, network)
    fresh = resample(drawn[0], score, search, sampler, rng=generators[0], progress=fresh_share, **how)

    statuses = [fresh.status]
    confidences: dict[str, list[FloatArray]] = {key: [] for key in keys}
    for table, share, size in zip(drawn, shares, sizes, strict=True):
        if "stopped" in statuses:
            break
        seed = int(generators[0].integers(2**53))
        result = study(table, score, search, methods, rng=seed, progress=share, **how)
        statuses.append(result.status)
        found: dict[str, FloatArray] = {}
        if result.status != "stopped":
            found = {key: result.confidence(key, kind) for key in keys if key not in others}
            for done, (key, answer) in enumerate(others.items(), size):
                given = answer(table, rng=seed, executor=executor, progress=constant_progress(share, done))
                statuses.append(given.status)
                both = given.probability + given.probability.T
                found[key] = both if kind == "adjacency" else given.probability
        if "stopped" not in statuses:
            for key, values in confidences.items():
                values.append(possible_edges(found[key], kind))
    return Calibration(
        names=network.names,
        kind=kind,
        truth=truth,
        inclusion_probability=possible_edges(confidence_of(fresh, kind), kind),
        n_fresh=fresh.n_graphs,
        n_rows=n_rows,
        n_replicates=min((method.resampler.n_replicates(drawn[0]) for method in methods), default=1),
        confidence={key: np.array(values).reshape(len(values), len(truth)) for key, values in confidences.items()},
        score=score.name,
        search=search.name,
        status=combined_status(statuses),
        seed=seed_of(rng),
    )


def constant_progress(share: Progress | None, done: int) -> Progress | None:
    """Return a callback that reports the same number whatever is done: a further answer counts as one graph."""
    return None if share is None else lambda _done, total: share(done, total)


def _check_sizes(network: BayesianNetwork, n_rows: int, tables: Tables) -> None:
    n_cells = tables.compared * n_rows * len(network.names)
    if n_cells > MOST_CELLS_DRAWN:
        raise ValueError(
            f"{tables.compared:,} tables of n_rows rows and {len(network.names)} variables have {n_cells:,} cells; at "
            f"most {MOST_CELLS_DRAWN:,} are allowed: ask for fewer"
        )
    if len(network.names) < 2:
        raise ValueError(f"network must have at least two variables, or there are no edges; got {len(network.names)}")
