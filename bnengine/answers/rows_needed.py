"""How many rows an edge needs to be found again: the share of fresh tables of growing size that show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, counted, percent
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, split_progress, stoppable, to_the_end
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Gt, Lt, Repeats, accepts, validated
from bnengine.bootstrap.ensemble import Ensemble, Graphs, graphs_from, listed
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.bootstrap.resamplers import PredictiveBootstrap
from bnengine.bootstrap.study import offset_progress
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Edge, adjacency_of, skeleton
from bnengine.posterior import EdgePosterior, edge_posterior
from bnengine.posterior.bagging import priors_of
from bnengine.posterior.chain import scale_progress
from bnengine.scores.local_score import default_score
from bnengine.scores.scores import TableScore
from bnengine.search import IteratedLocalSearch, LearnedGraph, Search, learn
from bnengine.search.drawn_cells import drawn_once

#: Rows of the fresh tables by default, as multiples of the rows of the data.
SIZE_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Fresh tables of each size by default, at most; a quarter of them at a time, until shares are known this well.
N_TABLES = 100
ERROR = 0.03
_PIECES = 4
#: The largest number of cells of a fresh table.
MOST_CELLS = 100_000_000
_FEWEST_ROWS = 10
_QUANTILE = 1.644854  # 95 % of a normal distribution: two ends leave 90 %


@to_the_end
@validated
@accepts(missing=True, numbers=True)
def rows_needed(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    wanted: Annotated[float, Gt(0), Lt(1)] = 0.8,
    *,
    constraints: Constraints | None = None,
    posterior: EdgePosterior | None = None,
    sizes: Sequence[int] | None = None,
    n: Repeats = N_TABLES,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> RowsNeeded:
    """Estimate how many rows each edge needs to be found again with a given probability.

    Fresh tables of each size are drawn from networks that the data leave possible, as ``PredictiveBootstrap`` draws
    them, and a graph is learned from each. Those networks are graphs of a posterior, that bootstrap's by default graphs
    of resamples, which lack the weak edges that larger tables show: at the data's own number of rows the shares differ
    from its confidence, unless the result is led through that (``RowsNeeded.through``).

    Where cells are missing, the networks are those of one draw of them, that of ``learn`` with the same seed. The fresh
    tables have no missing cells: tables that lack as many need more rows.

    Parameters
    ----------
    data : Dataset
    score, search
        How graphs are learned from the data and from the fresh tables.
    wanted : float
        The share of fresh tables, between 0 and 1.
    constraints : Constraints, optional
    posterior : EdgePosterior, optional
        Tables are drawn from ``n`` of its graphs that are not of resamples. By default from those of the posteriors
        under BDeu(1) and BDeu(10), of a table with numbers by blocks, which also have edges too weak to be learned from
        the data's rows.
    sizes : sequence of int, optional
        Rows of the fresh tables; by default ¼, ½, 1, 2, 4 and 8 times those of the data.
    n : int
        Most fresh tables of each size. A size is done before that, after each quarter, if the mean Monte Carlo error of
        the shares of the network's edges is at most 0.03.
    rng : int, Generator or None, default 0; None draws anew at each call
    executor : concurrent.futures.Executor, optional
    progress : callable, optional
        Called with (graphs learned, all graphs); if it returns False, the sizes that are finished are the result.

    Returns
    -------
    RowsNeeded

    Raises
    ------
    ValueError
        If sizes are not different whole numbers of 10 or more.
    DataError
        If a fresh table would have more than 100 million cells, or experiments set variables in some rows.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(200, rng=1)
    >>> found = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), sizes=[100, 200, 800], n=20)
    >>> found.sizes.tolist(), found.found_again.shape
    ([100, 200, 800], (3, 8, 8))
    """
    score, search = score or default_score(data), search or IteratedLocalSearch()
    odd = sorted(set(data.names) ^ set(data.names if posterior is None else posterior.names))
    if odd:
        raise ValueError(f"posterior must be of these data's variables; '{odd[0]}' is in one of the two only")
    given_data, missing = data, 0.0 if data.missing is None else float(data.missing.mean())
    ladder = _checked_sizes(data, sizes)
    runs = [0 if posterior is not None else n, *[n] * len(ladder)]
    first, *each = split_progress(progress, runs)
    seeds = generator_of(rng).spawn(len(ladder) + 2)

    def first_graph(stop: Flag) -> tuple[Dataset, LearnedGraph]:
        rows = drawn_once(given_data.with_missing("drawn"), rng, stop)
        return rows, learn(rows, score, search, constraints=constraints, rng=seeds[-1], stop=stop)

    data, reference = stoppable(first_graph, progress, sum(runs))
    pairs, graphs = skeleton(reference.adjacency), None
    if reference.status != "stopped":
        graphs = _posterior_graphs(given_data, posterior, constraints, n, seeds[-2], executor, first)
    stopped = graphs is None
    found: list[FloatArray] = []
    tables: list[int] = []
    for size, seed, report in zip(ladder, seeds, each, strict=False):
        shares, done = np.zeros(pairs.shape), 0
        while graphs is not None and not stopped and done < n and not _is_known(shares, done, pairs):
            numbers = range(done, min(n, done + math.ceil(n / _PIECES)))
            drawn = graphs_from((graphs[number] for number in numbers), graphs.n_variables, graphs.names)
            piece = PredictiveBootstrap(len(numbers), drawn, n_rows=size)
            task = ResampleTask(data, score, search, piece, constraints=constraints)
            counted = offset_progress(done, report)
            learned = learn_ensemble(task, reference, rng=seed.spawn(1)[0], executor=executor, progress=counted)
            stopped = learned.status == "stopped"
            shares = (shares * done + learned.adjacency_confidence * piece.n) / (done + piece.n)
            done += piece.n
        if stopped:
            break
        found.append(shares)
        tables.append(done)
    v = data.n_variables
    return RowsNeeded(
        data.names,
        data.n_rows,
        np.array(ladder[: len(found)], dtype=np.int64),
        np.array(found).reshape(len(found), v, v),
        np.array(tables, dtype=np.int64),
        wanted,
        pairs,
        "stopped" if stopped else "converged",
        missing,
    )


@dataclass(frozen=True, eq=False)
class RowsNeeded(ReadOnlyArrays, Displayed):
    """How often each edge is learned from fresh tables of K sizes, and the size at which it is often enough.

    Attributes
    ----------
    names : tuple of str
        The V variables.
    n_rows : int
        Rows of the data. Results for larger tables are extrapolated from them.
    sizes : ndarray of int, shape (K,)
        Rows of the fresh tables, ascending.
    found_again : ndarray, shape (K, V, V)
        Share of the tables of each size from which each edge is learned; symmetric.
    tables : ndarray of int, shape (K,)
        Fresh tables of each size.
    wanted : float
        The share at which an edge counts as found again.
    edges : ndarray of bool, shape (V, V)
        Edges of the network learned from the data, which is asked about.
    status : {"converged", "stopped"}
        A stopped run has the sizes that were finished.
    missing : float
        Share of the data's cells that are missing; the fresh tables have no missing cells.
    """

    names: tuple[str, ...]
    n_rows: int
    sizes: IntArray
    found_again: FloatArray = field(repr=False)
    tables: IntArray
    wanted: float
    edges: BoolArray = field(repr=False)
    status: str
    missing: float = 0.0

    @validated
    def through(self, again: Ensemble) -> RowsNeeded:
        """Return the shares with those of an ensemble at the data's own number of rows.

        So an edge has one number there, the share found again. Shares of larger tables are raised to it where they are
        lower, those of smaller ones lowered. Predictions for two and four times the rows stay about as good
        (benchmarks/rows_needed.py).

        Parameters
        ----------
        again : Ensemble
            Of the predictive bootstrap of the same data, score and search.

        Returns
        -------
        RowsNeeded

        Raises
        ------
        ValueError
            If the ensemble is of another method, other variables or another number of rows, or has no graphs.
        """
        of = again.resampler, again.names, again.n_rows
        if of != (PredictiveBootstrap(1).name, self.names, self.n_rows) or not again.n_graphs:
            raise ValueError(
                f"again must be of the predictive bootstrap of the same data, and have graphs; got {again!r}"
            )
        here, larger = again.adjacency_confidence, self.sizes > self.n_rows
        smaller = self.sizes < self.n_rows
        parts = [np.minimum(self.found_again[smaller], here), here[None], np.maximum(self.found_again[larger], here)]
        return replace(
            self,
            sizes=np.array([*self.sizes[smaller], self.n_rows, *self.sizes[larger]]),
            found_again=np.concatenate(parts),
            tables=np.array([*self.tables[smaller], again.multiplicities.sum(), *self.tables[larger]]),
        )

    @validated
    def of(self, edges: Iterable[Edge]) -> RowsNeeded:
        """Return the same shares, asked about other edges, such as a verdict's, in either direction.

        Raises
        ------
        ValueError
            If an edge has a variable that is unknown.
        """
        return replace(self, edges=skeleton(adjacency_of(self.names, edges)))

    def curves(self) -> pd.DataFrame:
        """Return one row per edge and size.

        Returns
        -------
        DataFrame
            ``parent``, ``child``, ``rows``, ``found_again``, and ``low`` and ``high``, a 90 % interval of that share in
            fresh tables of the network that the data came from; for the network's edges and those found again often
            enough at any size.
        """
        parents, children = self._asked
        shares = self.found_again[:, parents, children]
        names, n_sizes, n_edges = np.array(self.names), len(self.sizes), len(parents)
        low, high = self._bands(shares)
        columns = {
            "parent": np.repeat(names[parents], n_sizes),
            "child": np.repeat(names[children], n_sizes),
            "rows": np.tile(self.sizes, n_edges),
            "found_again": shares.T.ravel(),
            "low": low.T.ravel(),
            "high": high.T.ravel(),
        }
        return pd.DataFrame(columns)

    def table(self) -> pd.DataFrame:
        """Return one row per edge, those that need the fewest rows first.

        Returns
        -------
        DataFrame
            ``parent``, ``child``; ``in_network``; ``found_again``, the share at the size nearest to that of the data;
            ``rows``, the size at which an increasing curve through the shares reaches ``wanted``, and ``fewest`` and
            ``most``, where curves through the ends of their 90 % intervals do (see ``curves``). Missing where a curve
            does not reach it at the largest size; at most the smallest size where it has reached it there.
            ``extrapolated`` : whether ``rows`` is missing or more than the data have.

        Notes
        -----
        The interval covers what the data leave open about the strength of an edge. Suppose a fresh table of n rows
        shows an edge if its evidence, which has a standard deviation of 1, exceeds a limit by chance or strength. Of N
        rows the strength is known with a standard deviation of √(n/N) on this scale. So a share Φ(a) over networks that
        the data leave possible has a = m / √(1 + n/N), and for the one that they came from the share is Φ(b), where b
        is normal with mean m and variance n/N. Coverage: benchmarks/RESULTS.md.
        """
        parents, children = self._asked
        names, shares = np.array(self.names), self.found_again[:, parents, children]
        low, high = self._bands(shares)
        here = int(np.abs(np.log(self.sizes / self.n_rows)).argmin()) if len(self.sizes) else None
        rows, fewest, most = (
            np.array([_rows_at(self.sizes, one, self.wanted) for one in curves.T]) for curves in (shares, high, low)
        )
        columns = {
            "parent": names[parents],
            "child": names[children],
            "in_network": self.edges[parents, children],
            "found_again": np.nan if here is None else shares[here],
            "rows": rows,
            "fewest": fewest,
            "most": most,
            "extrapolated": ~(rows <= self.n_rows),
        }
        return pd.DataFrame(columns).sort_values(["rows", "found_again"], ascending=[True, False], ignore_index=True)

    to_frame = table

    def _shown(self) -> tuple[str, pd.DataFrame]:
        return self.sentence, self.table()

    def _bands(self, shares: FloatArray) -> FloatArray:
        """Return the ends, (2, K, edges), of intervals of these shares in fresh tables of the data's own network."""
        tables, unknown = self.tables[:, None], np.sqrt(self.sizes / self.n_rows)[:, None]  # shares of 0 and 1 are not
        middle = ndtri((shares * tables + 0.5) / (tables + 1.0)) * np.sqrt(1.0 + unknown**2)
        return np.asarray(ndtr([middle - _QUANTILE * unknown, middle + _QUANTILE * unknown]))

    @property
    def _asked(self) -> tuple[IntArray, IntArray]:
        """The pairs of the network, and those found again often enough at any size."""
        one, other = np.nonzero(np.triu(self.edges | (self.found_again >= self.wanted).any(axis=0)))
        return one, other

    def network_curve(self) -> pd.DataFrame:
        """Return one row per size: ``rows``, ``found_again``, the mean share over the network's edges, and ``others``.

        ``others`` is the mean number of other edges learned from a table of that size.
        """
        inside, outside = np.triu(self.edges, 1), np.triu(~self.edges, 1)
        mean = self.found_again[:, inside].mean(axis=1) if inside.any() else np.full(len(self.sizes), np.nan)
        return pd.DataFrame(
            {"rows": self.sizes, "found_again": mean, "others": self.found_again[:, outside].sum(axis=1)}
        )

    @property
    def sentence(self) -> str:
        """The finding in one sentence or two."""
        return self._finding() + (
            f" The fresh tables have no missing cells; of yours {percent(self.missing)} are missing."
            if self.missing
            else ""
        )

    def _finding(self) -> str:
        table = self.table()
        own = table[table["in_network"]]
        if not len(own):
            return "The network has no edges to be found again."
        now, later = int((own["rows"] <= self.n_rows).sum()), int(own["rows"].notna().sum())
        share, largest = percent(self.wanted), f"{counted(int(self.sizes[-1]), 'row')}"
        if now == len(own):
            every = {1: "The only edge is", 2: "Both edges are"}.get(now, f"All {now} edges are")
            return f"{every} found again in {share} of fresh tables of {self.n_rows:,} rows or fewer."
        some = f"{now} of {counted(len(own), 'edge')} {'is' if now == 1 else 'are'} found again in {share}"
        return f"{some} of fresh tables of {self.n_rows:,} rows, {later} in {share} of tables of {largest}."


def _rows_at(sizes: IntArray, shares: FloatArray, wanted: float) -> float:
    """Return where an increasing curve through the shares, linear in log rows, reaches ``wanted``; else NaN."""
    if not len(sizes) or np.isnan(shares).any():
        return np.nan
    curve = isotonic_regression(shares).x
    if curve[-1] < wanted:
        return np.nan
    after = int((curve >= wanted).argmax())
    if not after:
        return float(sizes[0])
    low, high = curve[after - 1], curve[after]
    a, b = np.log(sizes[after - 1 : after + 1])
    return float(np.exp(a + (b - a) * (wanted - low) / (high - low)))


def _is_known(shares: FloatArray, n: int, pairs: BoolArray) -> bool:
    """Return whether the mean Monte Carlo error of the shares of n tables, over the pairs asked about, is small.

    Shares of 0 and 1 have an error, too (Agresti & Coull 1998).
    """
    own = np.triu(pairs)
    adjusted = (shares[own] * n + 2.0) / (n + 4.0)
    return bool(n and own.any() and np.sqrt(adjusted * (1.0 - adjusted) / (n + 4.0)).mean() <= ERROR)


def _posterior_graphs(
    data: Dataset,
    posterior: EdgePosterior | None,
    constraints: Constraints | None,
    n: int,
    rng: np.random.Generator,
    executor: Executor | None,
    progress: Progress | None,
) -> Graphs | None:
    """Return n graphs of the data's posterior, evenly from all chains, in random order; None if the caller stopped.

    Of a posterior without a score, those of resamples are left out: a network that explains a resample is not one that
    the data leave possible.
    """
    order, report = rng.spawn(1)[0], scale_progress(progress, n)
    given = [posterior] if posterior is not None else []
    for score in priors_of(data) if posterior is None else ():
        given.append(edge_posterior(data, score, constraints=constraints, rng=rng, executor=executor, progress=report))
        if given[-1].status == "stopped":
            return None
    graphs = np.concatenate([one.of_data() for one in given])
    if not len(graphs):
        raise ValueError("posterior must have at least one graph; this one was stopped before the first")
    chosen = order.permutation(np.linspace(0, len(graphs) - 1, n).round().astype(int))
    return graphs_from(map(listed, graphs[chosen]), data.n_variables, given[0].names)


def _checked_sizes(data: Dataset, sizes: Sequence[int] | None) -> list[int]:
    """Return the sizes in ascending order, each once."""
    wanted = [max(_FEWEST_ROWS, round(times * data.n_rows)) for times in SIZE_FACTORS] if sizes is None else list(sizes)
    ladder = sorted(set(wanted))
    if not ladder or ladder[0] < _FEWEST_ROWS:
        raise ValueError(f"sizes must be at least one whole number, each {_FEWEST_ROWS} or more; got {wanted}")
    most = MOST_CELLS // data.n_variables
    if ladder[-1] > most:
        if sizes is None:
            return [size for size in ladder if size <= max(most, ladder[0])]
        raise DataError(
            f"a table of {ladder[-1]:,} rows and {counted(data.n_variables, 'variable')} has more than the "
            f"{MOST_CELLS:,} cells allowed; ask for at most {most:,} rows"
        )
    return ladder
