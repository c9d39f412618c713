"""Missing cells of a table with numbers, drawn by predictive mean matching.

A cell becomes that of a donor: of the rows that have it, one of the five nearest by what the other variables predict
of this one (Rubin 1986; of several features at once Little 1988). So only values that occur are filled in, with the
spread and the shape that they have there. What is predicted comes from regressions on blocks of features (see
``data.blocks``): for donors with equal weights, for the others with random ones (the Bayesian bootstrap, Rubin 1981),
so that the doubt about the regression is in the draws. Variables take turns, each given what is in the others (chained
equations: van Buuren & Groothuis-Oudshoorn 2011).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine.data.blocks import block_of
from bnengine.data.dataset import Dataset
from bnengine.networks.missing_cells import with_cells

_DONORS = 5  # as in R's mice
_MOST_ROWS = 5_000  # among which donors are looked for
_TURNS = 3
_DEGREE = 2
_LEAST_VARIANCE = 1e-6  # of features given what predicts them


def matched_cells(
    data: Dataset,
    near: BoolArray,
    rng: np.random.Generator,
    present: Dataset | None = None,
    stop: UInt8Array | None = None,
) -> Dataset:
    """Return the rows with every missing cell drawn given the rest of its row.

    Parameters
    ----------
    data : Dataset
    near : ndarray of bool, shape (V, V)
        Which variables predict each, ``[which, of]``: those in its Markov blanket, or all.
    rng : Generator
        The draw depends neither on the order of the columns nor, as a table, on that of the rows.
    present : Dataset, optional
        A completion to go on from; None begins with cells of any rows that have them.
    stop : ndarray of uint8, shape (1,), optional
        Once another thread sets it, cells stay as they are by then.
    """
    assert data.missing is not None
    order = np.argsort(data.rank_of_row, kind="stable")
    missing, codes = data.missing[order], data.codes[order].astype(np.int64)
    was_set = np.zeros_like(missing)
    if data.experiments is not None:
        was_set = ~data.experiments.counts_for(data.names).T[data.experiment_of_distinct[data.distinct_row_of]][order]
    by_name = sorted(np.flatnonzero(missing.any(axis=0)).tolist(), key=data.names.__getitem__)
    for v in by_name:
        here = missing[:, v]
        seen = np.arange(len(data.states[v])) if here.all() else codes[~here, v]  # a resample may have no cell of it
        codes[here, v] = rng.choice(seen, int(here.sum())) if present is None else present.codes[order][here, v]
    tables = [
        block_of(own, np.bincount(codes[:, v], minlength=len(own)).astype(np.float64), _DEGREE)[0]
        for v, own in enumerate(data.states)
    ]
    for _ in range(_TURNS):
        for v in by_name:
            if stop is not None and stop[0]:
                break
            others = [u for u in sorted(np.flatnonzero(near[:, v]).tolist(), key=data.names.__getitem__) if u != v]
            given = np.hstack([np.zeros((len(codes), 0)), *(tables[u][codes[:, u]] for u in others)])
            for of_set in (False, True):
                here = missing[:, v] & (was_set[:, v] == of_set)
                donors = np.flatnonzero(~missing[:, v] & (was_set[:, v] == of_set))
                donors = donors if donors.size else np.flatnonzero(~missing[:, v])
                if not here.any() or not donors.size or not tables[v].shape[1]:
                    continue  # without a donor, or of a single state, cells stay as they were begun
                if len(donors) > _MOST_ROWS:
                    donors = rng.choice(donors, _MOST_ROWS, replace=False)
                chosen = _matched(given * (not of_set), tables[v][codes[donors, v]], donors, np.flatnonzero(here), rng)
                codes[here, v] = codes[chosen, v]
    made = np.empty_like(data.codes)
    made[order] = codes
    return with_cells(data, made)


def _matched(
    given: FloatArray, target: FloatArray, donors: IntArray, rows: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return a donor for each of the rows: one of the nearest by what their features predict of the target."""
    of_donors, of_rows = given[donors] - given[donors].mean(axis=0), given[rows] - given[donors].mean(axis=0)
    weights = rng.standard_gamma(1.0, len(donors))
    found, drawn = (_slopes(of_donors, target - target.mean(axis=0), of) for of in (np.ones(len(donors)), weights))
    residual = target - target.mean(axis=0) - of_donors @ found
    covariance = residual.T @ residual / len(donors) + _LEAST_VARIANCE * np.eye(target.shape[1])
    unit = np.linalg.inv(np.linalg.cholesky(covariance)).T
    there, here = of_donors @ found @ unit, of_rows @ drawn @ unit
    there = there + 1e-6 * rng.standard_normal(there.shape)  # of equal ones any
    k = min(_DONORS, len(donors))
    nearest = np.asarray(cKDTree(there).query(here, k)[1]).reshape(len(rows), k)
    return np.asarray(donors[nearest[np.arange(len(rows)), rng.integers(k, size=len(rows))]])


def _slopes(given: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the coefficients of weighted regressions, shrunk the more the fewer rows there are for each feature."""
    scaled = given * (weights / weights.sum())[:, None]
    ridge = given.shape[1] / len(given) + _LEAST_VARIANCE
    return np.asarray(np.linalg.solve(scaled.T @ given + ridge * np.eye(given.shape[1]), scaled.T @ target))
