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
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.shared_progress import shared_progress
from bnengine._core.sizes import gigabytes
from bnengine._core.validation import Repeats, validated
from bnengine.bootstrap.edge_frame import edge_frame
from bnengine.bootstrap.edge_kinds import check_kind, each_once
from bnengine.bootstrap.ensemble import Ensemble, combined_status
from bnengine.bootstrap.resample import MOST_CELLS, resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import DataError, Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.score_form import TableScore
from bnengine.search import Search, learn
from bnengine.teaching.fixed_region import FixedRegion
from bnengine.teaching.multiscale_fit import FEWEST_SCALES, fit_multiscale

if TYPE_CHECKING:
    import pandas as pd

#: Rows of the resamples over rows of the data.
SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5)


@dataclass(frozen=True, eq=False)
class MultiscaleBootstrap(ReadOnlyArrays):
    """Bootstrap probabilities of all edges at several scales, and three probabilities from them.

    Matrices are of shape (V, V), ``[parent, child]``, read-only; symmetric for adjacencies.

    Attributes
    ----------
    names : tuple of str
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
    seed : int or None
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
        """One row per edge found at any scale, in decreasing order of the naive probability, then by name."""
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
    scales: Sequence[float] = SCALES,
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
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
    rng : int, Generator or None
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
            data, used, search, drawn, correction, constraints, rng, executor, next(shares),
            reference=reference, ties=ties,
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
    by_scale = np.array([_share(found[size], kind) for size in sizes]).reshape(-1, *shape)
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
    """Share of each ensemble's graphs with each edge and its binomial error, shape (3, V * V); NaN without a graph."""
    known = [ensemble if ensemble and ensemble.n_graphs else None for ensemble in ensembles]
    shares = np.array([_share(e, kind).ravel() if e else np.full(shape, np.nan).ravel() for e in known])
    n_graphs = np.array([[e.n_graphs if e else 1] for e in known])
    return shares, np.sqrt(shares * (1 - shares) / n_graphs)


def _share(ensemble: Ensemble, kind: str) -> FloatArray:
    """Share of the graphs with each edge, shape (V, V)."""
    if kind == "adjacency":
        return ensemble.adjacency_confidence
    return ensemble.compelled_confidence if kind == "compelled" else ensemble.confidence


def _check_memory(data: Dataset, n_scales: int) -> None:
    """Raise a DataError if the shares by scale need too much memory; the graphs themselves are not kept."""
    needed = 2 * 8 * n_scales * data.n_variables**2
    if needed > MOST_CELLS:
        raise DataError(
            f"{n_scales} scales of {data.n_variables:,} variables need about {gigabytes(needed)}, more than the "
            f"{gigabytes(MOST_CELLS)} allowed: use fewer variables or fewer scales"
        )


def _sizes(scales: Sequence[float], n_rows: int) -> list[int]:
    """Rows of the resamples, each size once; ValueError unless the scales can be used."""
    given = list(_numbers(scales))
    if 1.0 not in given:
        raise ValueError(f"scales must have 1 among them, resamples as large as the data; got {given}")
    sizes = sorted({max(round(scale * n_rows), 1) for scale in given})
    if len(sizes) < FEWEST_SCALES:
        raise ValueError(
            f"scales must give at least {FEWEST_SCALES} different numbers of rows; with {n_rows:,} rows these give "
            f"{', '.join(f'{size:,}' for size in sizes)}"
        )
    return sizes


def _numbers(scales: Sequence[float]) -> Iterator[float]:
    for scale in scales:
        if isinstance(scale, bool) or not isinstance(scale, int | float | np.number) or not 0.05 <= scale <= 20:
            raise ValueError(f"scales must be numbers from 0.05 to 20; got {scale!r}")
        yield float(scale)
