"""Multiscale bootstrap: the naive, the once corrected and the approximately unbiased probability on one line.

A resample of n rows is scored as if it had the data's N: its counts times N / n, with the penalty of N. Then the set
of frequencies at which a score prefers one graph to another, its *region*, is the same at every size, and only the
variance of the resamples about the data changes, like 1 / r with r = n / N. Read at variance 1 the fitted line gives
the naive bootstrap probability; at 0, without the bias that resampling adds, the probability corrected once, what the
leading correction is after; and at -1 the approximately unbiased p-value of the hypothesis that the truth lies in the
region (Shimodaira 2002, Systematic Biology 51; for networks Kamimura et al. 2003, Genome Informatics 14).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import chdtrc, log_ndtr, ndtr, ndtri, xlogy

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, shared_progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import Ge, Le, Repeats, validated
from bnengine.bootstrap.ensemble import Ensemble, check_kind, combined_status, confidence_of, each_once
from bnengine.bootstrap.resample import check_bytes_kept, resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import edge_frame
from bnengine.scores._count_terms import ENTROPY, ScoreForm, TableScore
from bnengine.search import Search, learn

# A score of resamples that prefers the same graph at the same frequencies, however many rows are drawn.


@dataclass(frozen=True)
class FixedRegion:
    """A penalized likelihood for resamples of n rows that ranks graphs as if their counts were multiplied by N / n.

    With counts multiplied by N / n, the log-likelihood is multiplied by N / n too, as sum n_jk ln(n_jk / n_j) is
    homogeneous; the penalty is that of N rows. Divided by N / n, which ranks graphs alike: the log-likelihood of the
    resample minus n / N of the penalty. Ties within rounding apart, a search finds the same graph with either.

    Marginal likelihoods and normalized maximum likelihoods are not homogeneous in the counts: a family's score at
    fractional counts is no multiple of any score of the resample. They are refused rather than approximated.

    Parameters
    ----------
    score : score
    n_rows : int
        N, of the data.
    n_drawn : int
        n, of the resamples.
    """

    score: TableScore
    n_rows: int
    n_drawn: int

    @property
    def name(self) -> str:
        """The score's own name with the numbers of rows."""
        return f"{self.score.name}, {self.n_drawn:,} rows as {self.n_rows:,}"

    def form(self, n_rows: int) -> ScoreForm:
        """Return the score's form for N rows with its penalties times n / N, whatever the sample."""
        form = self.score.form(self.n_rows)
        share = self.n_drawn / self.n_rows
        return form._replace(penalty=form.penalty * share, edge_penalty=form.edge_penalty * share)

    def check(self) -> None:
        """Raise a ValueError if the score is not a likelihood with a penalty per parameter or edge."""
        form = self.score.form(self.n_rows)
        likelihood = form.cell == form.configuration == ENTROPY and form.network is None
        if not likelihood or form.quotient or form.unbias or form.uniform_parent_sizes:
            raise ValueError(
                f"the multiscale bootstrap needs a score that keeps its region when the rows vary in number; "
                f"{self.score.name} has none: use BIC, AIC or the log-likelihood, with a penalty per edge if wanted"
            )


# Fit of bootstrap probabilities at several scales, and the three probabilities that are read from it.

#: Scales with a probability other than 0 and 1 that a fit needs.
FEWEST_SCALES = 4
_ROUNDS = 50
_LARGEST = 8.0  # of |z| while iterating: beyond any share of a million replicates, and the information is not yet 0
_ROUNDING = 1e-10


class MultiscaleFit(NamedTuple):
    """Fits of E edges; NaN for an edge with fewer than four unsaturated scales."""

    distance: FloatArray  # (E,) v, the signed distance from the region's boundary, in standard errors
    curvature: FloatArray  # (E,) c, of the boundary
    errors: FloatArray  # (E, 3) standard errors of v + c, v and v - c
    deviance: FloatArray  # (E,) chi-square with S - 2 degrees of freedom, about, if the model holds
    goodness: FloatArray  # (E,) its p-value

    @property
    def fitted(self) -> BoolArray:
        """Which edges have a fit, shape (E,)."""
        return np.isfinite(self.distance)

    @property
    def probabilities(self) -> FloatArray:
        """Naive, corrected once and approximately unbiased: Φ(-(v + c)), Φ(-v), Φ(-(v - c)); shape (E, 3)."""
        return np.asarray(ndtr(-self._arguments))

    @property
    def probability_errors(self) -> FloatArray:
        """Standard errors of the probabilities, by the delta method; shape (E, 3)."""
        return np.asarray(np.exp(-0.5 * self._arguments**2) / np.sqrt(2 * np.pi) * self.errors)

    @property
    def _arguments(self) -> FloatArray:
        return np.asarray(self.distance[:, None] + self.curvature[:, None] * np.array([1.0, 0.0, -1.0]))


def fit_multiscale(scales: FloatArray, hits: FloatArray, replicates: FloatArray) -> MultiscaleFit:
    """Fit z_r = v √r + c / √r to bootstrap probabilities Φ(-z_r) at scales r, by maximum likelihood.

    The model of Shimodaira (2002, "An approximately unbiased test of phylogenetic tree selection", Systematic Biology
    51): the data are normal with unit variance about a mean, and an edge is found where they lie in a region with a
    smooth boundary. A resample of r N rows varies with variance 1 / r about the data, which lie outside the region at
    distance v where the boundary has curvature c. Hits are binomial, so this is probit regression on √r and 1 / √r;
    saturated scales count as they are.

    Parameters
    ----------
    scales : ndarray, shape (S,)
        r, rows of a resample over rows of the data.
    hits : ndarray, shape (S, E)
        Number of replicates with the edge.
    replicates : ndarray, shape (S,)

    Examples
    --------
    >>> r = np.array([0.5, 0.75, 1.0, 1.25, 1.5])
    >>> hits = 1000 * ndtr(-(1.0 * np.sqrt(r) + 0.3 / np.sqrt(r)))[:, None]  # v = 1, c = 0.3
    >>> fit = fit_multiscale(r, hits, np.full(5, 1000.0))
    >>> fit.probabilities.round(3).tolist()
    [[0.097, 0.159, 0.242]]
    """
    scales, hits, replicates = (np.asarray(given, dtype=np.float64) for given in (scales, hits, replicates))
    times = replicates[:, None]
    unsaturated = ((hits > 0) & (hits < times)).sum(axis=0) >= FEWEST_SCALES
    terms = np.column_stack([np.sqrt(scales), 1 / np.sqrt(scales)])
    n_edges = hits.shape[1]
    coefficients, covariance = np.full((n_edges, 2), np.nan), np.full((n_edges, 2, 2), np.nan)
    coefficients[unsaturated], covariance[unsaturated] = _probit(terms, hits[:, unsaturated], times)
    v, c = coefficients.T
    read_at = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])
    errors = np.sqrt(np.einsum("ki,eij,kj->ek", read_at, covariance, read_at))
    deviance = np.full(n_edges, np.nan)
    deviance[unsaturated] = _deviance(terms @ coefficients[unsaturated].T, hits[:, unsaturated], times)
    goodness = chdtrc(max(len(scales) - 2, 1), np.maximum(deviance, 0.0))  # NaN stays NaN
    return MultiscaleFit(v, c, errors, deviance, np.asarray(goodness))


def _probit(terms: FloatArray, hits: FloatArray, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit coefficients (E, 2) and their covariance (E, 2, 2) by Fisher scoring from the least-squares start."""
    shares = (hits + 0.5) / (times + 1)
    z = -ndtri(shares)
    solved, covariance = _weighted(terms, z, _weights(z, times))
    for _ in range(_ROUNDS):
        z = np.clip(terms @ solved.T, -_LARGEST, _LARGEST)
        density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
        with np.errstate(divide="ignore", invalid="ignore"):
            working = np.where(density > 0, z - (hits / times - ndtr(-z)) / density, z)
        before = solved
        solved, covariance = _weighted(terms, working, _weights(z, times))
        if np.abs(solved - before).max(initial=0.0) < _ROUNDING:
            break
    return solved, covariance


def _weights(z: FloatArray, times: FloatArray) -> FloatArray:
    """Return the Fisher information of z in each cell: n φ(z)² / (Φ(z) Φ(-z)), shape (S, E)."""
    logs = -(z**2) - np.log(2 * np.pi) - log_ndtr(z) - log_ndtr(-z)
    return times * np.exp(logs)  # type: ignore[no-any-return]


def _weighted(terms: FloatArray, z: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit each column of z to the two terms by weighted least squares."""
    information = np.einsum("si,se,sj->eij", terms, weights, terms)
    covariance = np.linalg.inv(information)
    return np.einsum("eij,sj,se,se->ei", covariance, terms, weights, z), covariance


def _deviance(z: FloatArray, hits: FloatArray, times: FloatArray) -> FloatArray:
    """Return twice the log-likelihood ratio of the observed to the fitted shares, shape (E,)."""
    shares = hits / times
    observed = xlogy(hits, shares) + xlogy(times - hits, 1 - shares)
    model = hits * log_ndtr(-z) + (times - hits) * log_ndtr(z)
    return np.asarray(2 * (observed - model).sum(axis=0))


#: Rows of the resamples over rows of the data.
SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5)


@dataclass(frozen=True, eq=False)
class MultiscaleBootstrap(ReadOnlyArrays):
    """Bootstrap probabilities of all edges at several scales, and three probabilities from them.

    Matrices are of shape (V, V), ``[parent, child]``, read-only; symmetric for adjacencies.

    Attributes
    ----------
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    scales : ndarray, shape (S,)
        Rows of the resamples over rows of the data, increasing; the rows are whole numbers.
    replicates : ndarray of int, shape (S,)
        Number of resamples at each scale.
    by_scale : ndarray, shape (S, V, V)
        Share of the resamples with each edge.
    distance, curvature : ndarray
        v and c of z = v √r + c / √r, the probability at scale r being Φ(-z); NaN where not fitted.
    probabilities : ndarray, shape (3, V, V)
        Naive, corrected once and approximately unbiased: Φ(-(v + c)), Φ(-v) and Φ(-(v - c)). Where not fitted: the
        share of the resamples of N rows, and for both others the share under the leading correction; NaN if the run
        was stopped before.
    errors : ndarray, shape (3, V, V)
        Their standard errors, by the delta method; binomial where not fitted.
    fitted : ndarray of bool
        Whether at least four scales have a share other than 0 and 1.
    goodness : ndarray
        p-value of the fit (deviance, S - 2 degrees of freedom): small where the model does not hold; NaN where not
        fitted.
    status : {"converged", "max_iterations", "stopped"}
    """

    names: tuple[str, ...]
    kind: str
    scales: FloatArray
    replicates: IntArray
    by_scale: FloatArray = field(repr=False)
    distance: FloatArray = field(repr=False)
    curvature: FloatArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    fitted: BoolArray = field(repr=False)
    goodness: FloatArray = field(repr=False)
    status: str
    seed: int | None

    @property
    def naive(self) -> FloatArray:
        """The bootstrap probability, read at variance 1, shape (V, V)."""
        return np.asarray(self.probabilities[0])

    @property
    def corrected_once(self) -> FloatArray:
        """The probability without the bias that resampling adds, read at variance 0, shape (V, V)."""
        return np.asarray(self.probabilities[1])

    @property
    def approximately_unbiased(self) -> FloatArray:
        """The p-value of the hypothesis that the truth has the edge, read at variance -1, shape (V, V)."""
        return np.asarray(self.probabilities[2])

    def table(self) -> pd.DataFrame:
        """Tabulate one row per edge found at any scale, in decreasing order of the naive probability, then by name."""
        names = ("naive", "corrected_once", "approximately_unbiased")
        shown = each_once((self.by_scale > 0).any(axis=0) | (self.corrected_once > 0), self.kind)
        read = dict(zip(names, self.probabilities, strict=True))
        errors = {f"{name}_error": error for name, error in zip(names, self.errors, strict=True)}
        fit = {name: getattr(self, name) for name in ("distance", "curvature", "fitted", "goodness")}
        frame = edge_frame(self.names, shown, **read, **errors, **fit)
        return frame.sort_values(["naive", "parent", "child"], ascending=[False, True, True], ignore_index=True)


@validated
def multiscale_bootstrap(
    data: Dataset,
    score: TableScore,
    search: Search,
    n: Repeats = 200,
    scales: Sequence[Annotated[float, Ge(0.05), Le(20)]] = SCALES,
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    kind: str = "directed",
    ties: str = "drawn",
) -> MultiscaleBootstrap:
    """Learn from resamples of several sizes, and fit the probability of each edge as a function of the size.

    For teaching: where each of the three numbers comes from. The approximately unbiased p-value is not the probability
    of learning an edge again, and its standard errors are the largest of the three.

    Parameters
    ----------
    data : Dataset
    score : score
        A likelihood with a penalty: log-likelihood, AIC or BIC, also with a penalty for each edge.
    search : search
    n : int
        Resamples at each scale.
    scales : sequence of float
        Rows of a resample over rows of the data, each at least 0.05 and at most 20, 1 among them.
    constraints, executor, ties
        As for ``resample``.
    rng : int, Generator or None, default 0; None draws anew at each call
        The resamples at scale 1 are those of ``resample`` with the same seed, uncorrected and with the leading
        correction; then come the other scales.
    progress : callable, optional
        Counts the replicates of all scales and of the leading correction; returning False stops and keeps the
        replicates that are done.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.

    Raises
    ------
    ValueError
        If the score has no region that can be kept fixed, there are fewer than four scales, or 1 is not among them.
    DataError
        If the shares of all edges at all scales need too much memory.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> made = bn.teaching.multiscale_bootstrap(data, bn.BIC(), bn.HillClimbing(), n=50, kind="adjacency")
    >>> made.by_scale.shape, bool(made.fitted.any()), made.status
    ((11, 8, 8), True, 'converged')
    """
    sizes = _sizes(scales, data.n_rows)
    FixedRegion(score, data.n_rows, data.n_rows).check()
    check_kind(kind)
    _check_memory(data, len(sizes))
    reference = learn(data, score, search, constraints, rng=seed_of(rng) or 0, ties=ties)
    shares = iter(shared_progress(progress, [n] * (len(sizes) + 1)))
    generator = generator_of(rng)

    def learned(used: TableScore, size: int | None, rng: np.random.Generator, correction: str = "none") -> Ensemble:
        drawn = Bootstrap(n) if size is None else Bootstrap(n, size=size)
        return resample(
            data, used, search, drawn, correction, constraints,
            rng=rng, executor=executor, progress=next(shares), reference=reference, ties=ties,
        )  # fmt: skip

    at_one = copy.deepcopy(generator)  # both ensembles at scale 1 see the same resamples
    found = {data.n_rows: learned(score, None, at_one)}
    leading = None if found[data.n_rows].status == "stopped" else learned(score, None, generator, "leading")
    stopped = leading is None or leading.status == "stopped"
    for size in sizes:
        if size != data.n_rows and not stopped:
            found[size] = learned(FixedRegion(score, data.n_rows, size), size, generator)
            stopped = found[size].status == "stopped"
    return _result(data, found, leading, kind, seed_of(rng))


def _result(
    data: Dataset, found: dict[int, Ensemble], leading: Ensemble | None, kind: str, seed: int | None
) -> MultiscaleBootstrap:
    """Fit all edges at once."""
    shape = data.n_variables, data.n_variables
    sizes = sorted(size for size, ensemble in found.items() if ensemble.n_graphs)
    by_scale = np.array([confidence_of(found[size], kind) for size in sizes]).reshape(-1, *shape)
    replicates = np.array([found[size].n_graphs for size in sizes], dtype=np.int64)
    scales = np.array(sizes) / data.n_rows
    times = replicates.astype(np.float64)
    fit = fit_multiscale(scales, np.rint(by_scale.reshape(len(sizes), -1) * times[:, None]), times)
    shares, bare_errors = _bare([found[data.n_rows], leading, leading], kind, shape)
    read = np.where(fit.fitted, fit.probabilities.T, shares).reshape(3, *shape)
    errors = np.where(fit.fitted, fit.probability_errors.T, bare_errors).reshape(3, *shape)
    distance, curvature, goodness = (given.reshape(shape) for given in (fit.distance, fit.curvature, fit.goodness))
    statuses = [*(ensemble.status for ensemble in found.values()), leading.status if leading else "stopped"]
    return MultiscaleBootstrap(
        data.names, kind, scales, replicates, by_scale, distance, curvature, read, errors,
        fit.fitted.reshape(shape), goodness, combined_status(statuses), seed,
    )  # fmt: skip


def _bare(ensembles: Sequence[Ensemble | None], kind: str, shape: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Return the share of the graphs with each edge and its binomial error, (3, V * V); NaN without a graph."""
    known = [ensemble if ensemble and ensemble.n_graphs else None for ensemble in ensembles]
    shares = np.array([confidence_of(e, kind).ravel() if e else np.full(shape, np.nan).ravel() for e in known])
    n_graphs = np.array([[e.n_graphs if e else 1] for e in known])
    return shares, np.sqrt(shares * (1 - shares) / n_graphs)


def _check_memory(data: Dataset, n_scales: int) -> None:
    """Raise a DataError if the shares by scale need too much memory; the graphs themselves are not kept."""
    what = f"{n_scales} scales of {data.n_variables:,} variables"
    check_bytes_kept(2 * 8 * n_scales * data.n_variables**2, what, "variables or fewer scales")


def _sizes(scales: Sequence[float], n_rows: int) -> list[int]:
    """Return the rows of the resamples, each size once; ValueError unless the scales can be used."""
    given = list(scales)
    if 1.0 not in given:
        raise ValueError(f"scales must have 1 among them, resamples as large as the data; got {given}")
    sizes = sorted({max(round(scale * n_rows), 1) for scale in given})
    if len(sizes) < FEWEST_SCALES:
        raise ValueError(
            f"scales must give at least {FEWEST_SCALES} different numbers of rows; with {n_rows:,} rows these give "
            f"{', '.join(f'{size:,}' for size in sizes)}"
        )
    return sizes
