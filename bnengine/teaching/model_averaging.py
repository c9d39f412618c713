"""Prediction of new rows by the best graph, by a bootstrap ensemble, and by the average over all graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, UInt8Array
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.validation import Ess, Ge, Le, Repeats, RowCount, validated
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import edges_of
from bnengine.networks.network import family_predictions, fit, log_probabilities
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDeu
from bnengine.search import HillClimbing
from bnengine.teaching.checked_input import same_variables
from bnengine.teaching.overfitting import split_rows

if TYPE_CHECKING:
    import pandas as pd

#: 29,281 graphs; one variable more has 3,781,503.
MOST_FOR_ALL_GRAPHS = 5

BEST, BOOTSTRAP, EXACT = "best graph", "bootstrap average", "posterior average"


@validated
@lru_cache(maxsize=MOST_FOR_ALL_GRAPHS + 1)
def all_dags(n_variables: Annotated[int, Ge(1), Le(MOST_FOR_ALL_GRAPHS)]) -> UInt8Array:
    """Return every DAG on up to five labelled variables, once each: shape (graphs, V).

    Entry [g, v] is the parent set of v as a bit mask: bit i stands for variable i.

    Examples
    --------
    >>> [len(all_dags(n)) for n in range(1, 6)]
    [1, 3, 25, 543, 29281]
    """
    if not 1 <= n_variables <= MOST_FOR_ALL_GRAPHS:
        raise ValueError(f"all graphs are listed for 1 to {MOST_FOR_ALL_GRAPHS} variables; got {n_variables}")
    sets = [[s for s in range(1 << n_variables) if not s >> v & 1] for v in range(n_variables)]
    graphs = np.array(np.meshgrid(*sets, indexing="ij"), dtype=np.uint8).reshape(n_variables, -1).T
    remaining = np.full(len(graphs), (1 << n_variables) - 1, dtype=np.uint8)
    for _ in range(n_variables):  # remove variables without remaining parents; only cycles remain
        for v in range(n_variables):
            free = graphs[:, v] & remaining == 0
            remaining[free] &= np.uint8(~(1 << v) & 0xFF)
    dags = np.ascontiguousarray(graphs[remaining == 0])
    dags.setflags(write=False)
    return dags


@validated
def graph_posterior(data: Dataset, ess: Ess = 1.0) -> FloatArray:
    """Return the exact posterior probability of each DAG of ``all_dags`` under BDeu(ess) and a uniform prior."""
    dags = all_dags(data.n_variables)
    scores, local = LocalScores(data, BDeu(ess)), np.full((data.n_variables, 1 << data.n_variables), np.nan)
    for child, mask, parents in _families(data.n_variables):
        local[child, mask] = scores(child, parents)
    log_weights = local[np.arange(data.n_variables), dags].sum(axis=1)
    weights: FloatArray = np.exp(log_weights - log_weights.max())
    posterior: FloatArray = weights / weights.sum()
    return posterior


@validated
def predict_rows(train: Dataset, test: Dataset, ess: Ess = 1.0, n: Repeats = 100, rng: Seed = 0) -> pd.DataFrame:
    """Return the log-probability of each new row by three treatments of the unknown graph.

    Parameters
    ----------
    train, test : Dataset
        Over the same one to five variables and states.
    ess : float
        Equivalent sample size of BDeu and of the Dirichlet mean that each graph predicts with.
    n : int
        Number of bootstrap replicates, each learned by hill climbing under BDeu(ess).
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per test row, nats: ``best graph`` (the most probable one), ``bootstrap average`` (mean over the
        replicates' graphs, each fitted to the training rows) and ``posterior average`` (mean over all graphs weighted
        by their posterior probability: the Bayesian answer).
    """
    import pandas as pd

    same_variables(train, test)
    n_variables = train.n_variables
    dags, posterior = all_dags(n_variables), graph_posterior(train, ess)
    rows = Dataset(test.names, test.states, test.distinct_codes.T)  # equal rows have equal predictions
    by_family = _predicted_families(train, rows, ess)
    mixture, best = np.zeros(rows.n_rows), int(np.argmax(posterior))
    for start in range(0, len(dags), 4096):  # in pieces, to bound the memory
        piece = dags[start : start + 4096]
        logs = by_family[np.arange(n_variables)[:, None], piece.T].sum(axis=0)
        mixture += posterior[start : start + 4096] @ np.exp(logs)
    ensemble = resample(train, BDeu(ess), HillClimbing(), Bootstrap(n), rng=rng)
    share = ensemble.multiplicities / ensemble.multiplicities.sum()
    graphs, inverse = np.unique(ensemble.packed_graphs, axis=0, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), weights=share)
    bits = np.unpackbits(graphs, axis=1, count=n_variables**2).reshape(-1, n_variables, n_variables).astype(np.bool_)
    learned = [log_probabilities(fit(train, edges_of(train.names, graph), ess), rows) for graph in bits]
    columns = {
        BEST: by_family[np.arange(n_variables), dags[best]].sum(axis=0),
        BOOTSTRAP: np.log(weights @ np.exp(learned)),
        EXACT: np.log(mixture),
    }
    return pd.DataFrame({name: values[test.distinct_row_of] for name, values in columns.items()})


@validated
def predicted_against_observed(
    data: Dataset, size: RowCount, ess: Ess = 1.0, n: Repeats = 100, rng: Seed = 0
) -> pd.DataFrame:
    """Compare the frequency of each distinct held-out row with its predicted probabilities, given ``size`` rows.

    Returns
    -------
    DataFrame
        One line per distinct held-out row, most frequent first: row (its states joined by commas), observed
        (relative frequency among the held-out rows), and its probability by ``best graph``, ``bootstrap average`` and
        ``posterior average``.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1).select(["Smoker", "Cancer", "Xray"])
    >>> table = bn.teaching.predicted_against_observed(data, 50)
    >>> round(float(table["observed"].sum()), 9)
    1.0
    """
    import pandas as pd

    if not 1 <= size < data.n_rows:
        raise ValueError(f"size must lie between 1 and {data.n_rows - 1}, so that rows are left to predict; got {size}")
    train, test = split_rows(data, size / data.n_rows, rng)
    rows = Dataset(test.names, test.states, test.distinct_codes.T)
    table = np.exp(predict_rows(train, rows, ess, n, rng))
    written = [", ".join(test.states[v][code] for v, code in enumerate(row)) for row in rows.codes]
    observed = pd.DataFrame({"row": written, "observed": test.multiplicities / test.n_rows})
    joined = pd.concat([observed, table], axis=1)
    return joined.sort_values("observed", ascending=False, kind="stable", ignore_index=True)


@validated
def averaging_by_rows(
    data: Dataset,
    sizes: Sequence[RowCount],
    repeats: Repeats = 10,
    ess: Ess = 1.0,
    n: Repeats = 50,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Measure how much averaging over graphs improves the prediction of held-out rows, by number of training rows.

    Each repeat shuffles the rows: the first ``sizes`` of them are for training; those beyond the largest size are
    predicted.

    Returns
    -------
    DataFrame
        One line per number of training rows and method: rows, method, log2_probability (mean, bits per row), gain_bits
        (mean over the repeats of the excess over the best graph) and gain_error (standard error of gain_bits).
    """
    return averaging_gains(data, sizes, repeats, ess, n, rng=rng).table


@dataclass(frozen=True, eq=False)
class AveragingGains:
    """What averaging over graphs gains in predicting held-out rows.

    Attributes
    ----------
    table : DataFrame
        See ``averaging_by_rows``; empty if fewer than two repeats were done.
    repeats : int
        How many were done.
    status : {"converged", "stopped"}
    """

    table: pd.DataFrame = field(repr=False)
    repeats: int
    status: str


@validated
def averaging_gains(
    data: Dataset,
    sizes: Sequence[RowCount],
    repeats: Repeats = 10,
    ess: Ess = 1.0,
    n: Repeats = 50,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> AveragingGains:
    """Do the work of ``averaging_by_rows``, which can be stopped.

    Parameters
    ----------
    data, sizes, repeats, ess, n, rng
        See ``averaging_by_rows``.
    progress : callable, optional
        Called with (predictions made, predictions in all), one for each repeat and size; returning False stops and
        keeps the repeats that are done.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(60, rng=1).select(["Smoker", "Cancer"])
    >>> found = bn.teaching.averaging_gains(data, [10, 20], n=5, progress=lambda done, total: done < 7)
    >>> found.status, found.repeats
    ('stopped', 3)
    """
    if not sizes or min(sizes) < 1 or max(sizes) >= data.n_rows or repeats < 2:
        raise ValueError(
            f"sizes must lie between 1 and {data.n_rows - 1}, so that rows are left to predict, and repeats be 2 or "
            f"more; got {list(sizes)} and {repeats}"
        )
    total, done = repeats * len(sizes), 0
    values, stopped = np.empty((repeats, len(sizes), 3)), False
    for repeat, generator in enumerate(generator_of(rng).spawn(repeats)):
        train, test = split_rows(data, max(sizes) / data.n_rows, generator)
        for s, size in enumerate(sizes):
            stopped = stopped or (progress is not None and progress(repeat * len(sizes) + s, total) is False)
            if stopped:
                break
            found = predict_rows(train.take(np.arange(size)), test, ess, n, generator)
            values[repeat, s] = found.to_numpy().mean(axis=0) / np.log(2)
        if stopped:
            break
        done = repeat + 1
    table = _gains(values[:done], sizes)
    return AveragingGains(table, done, "stopped" if stopped else "converged")


def _gains(values: FloatArray, sizes: Sequence[int]) -> pd.DataFrame:
    """Return the lines of ``averaging_by_rows`` from log2-probabilities: shape (repeats, sizes, methods)."""
    import pandas as pd

    columns = ["rows", "method", "log2_probability", "gain_bits", "gain_error"]
    if len(values) < 2:
        return pd.DataFrame([], columns=columns)
    gains = values - values[:, :, :1]
    errors = standard_error(gains)
    lines = [
        (size, method, values[:, s, m].mean(), gains[:, s, m].mean(), errors[s, m])
        for s, size in enumerate(sizes)
        for m, method in enumerate((BEST, BOOTSTRAP, EXACT))
    ]
    return pd.DataFrame(lines, columns=columns)


def _families(n_variables: int) -> Iterator[tuple[int, int, list[int]]]:
    """Yield each child with each parent set, as a bit mask and as a list."""
    for child in range(n_variables):
        for mask in range(1 << n_variables):
            if not mask >> child & 1:
                yield child, mask, [i for i in range(n_variables) if mask >> i & 1]


def _predicted_families(train: Dataset, rows: Dataset, ess: float) -> FloatArray:
    """Return ln P(child | parents) by the Dirichlet mean for every child, parent set and row: (V, 2**V, rows)."""
    n = train.n_variables
    predicted = np.full((n, 1 << n, rows.n_rows), np.nan)
    for child, mask, parents in _families(n):
        predicted[child, mask], _ = family_predictions(train, rows, child, parents, ess)
    return predicted
