"""Graphs and scores along a series of values: copies of the rows, equivalent sample sizes, growing samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, Step, run
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, Repeats, RowCount, WholeSeed, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, ancestors, dag_of, edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import mdl, n_parameters
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import BIC, BDeu, TableScore
from bnengine.search import LearnedGraph, learn
from bnengine.teaching.candidate_networks import check_columns

# Graphs learned along a series of values, several at a time, with progress and stop.


@dataclass(frozen=True, eq=False)
class GraphSeries:
    """Graphs learned along a series of values, such as equivalent sample sizes.

    Attributes
    ----------
    graphs : dict from float to LearnedGraph
        By value, in the order asked for; some are missing if the work was stopped.
    table : DataFrame
        One line per graph.
    status : {"converged", "stopped"}
    """

    graphs: dict[float, LearnedGraph] = field(repr=False)
    table: pd.DataFrame = field(repr=False)
    status: str

    @property
    def search(self) -> str:
        """The name of the search that learned them; of several, one after the other."""
        return ", ".join(dict.fromkeys(graph.search for graph in self.graphs.values()))


def learn_each(
    learned: Callable[[float, Flag], LearnedGraph], values: Sequence[float], progress: Progress | None
) -> tuple[list[tuple[float, LearnedGraph]], str]:
    """Return the graph of each value, and whether the work was stopped; a graph whose search a stop ended is left out.

    Parameters
    ----------
    learned : callable
        Gets a value and the flag that ends its search.
    values : sequence of float
    progress : callable, optional
        Called with (graphs learned, all graphs); returning False stops.
    """

    def prepared(stop: Flag | None) -> Step[tuple[float, LearnedGraph]]:
        def one(number: int, _: np.random.Generator) -> tuple[float, LearnedGraph] | None:
            assert stop is not None  # threads have one
            graph = learned(values[number], stop)
            return None if graph.status == "stopped" else (values[number], graph)

        return one

    if not len(values):
        return [], "converged"
    unused = [np.random.default_rng(0)] * len(values)  # the graphs differ by their values only
    found, stopped = run(prepared, unused, None, progress)
    return found, "stopped" if stopped else "converged"


@validated
def replicate_rows(data: Dataset, times: Repeats) -> Dataset:
    """Repeat all rows ``times`` times; the empirical distribution and the fitted parameters stay the same.

    Parameters
    ----------
    data : Dataset
    times : int

    Returns
    -------
    Dataset
        Of the distinct rows with their counts.

    Raises
    ------
    DataError
        If the copies have more rows than can be counted, 2,147,483,647.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("lecture_4"))
    >>> replicate_rows(data, 3).n_rows, bn.mdl(replicate_rows(data, 3), []).parameters == bn.mdl(data, []).parameters
    (12, True)
    """
    return Dataset(data.names, data.states, data.distinct_codes.T, counts=times * data.multiplicities)


@dataclass(frozen=True, eq=False)
class CopiesComparison(ReadOnlyArrays):
    """Description lengths of several networks on 1, 2, 3, … copies of the same rows.

    Attributes
    ----------
    n_rows : int
        Rows of one copy.
    times : ndarray of int, shape (K,)
        1, 2, …, K.
    mdl_bits : ndarray, shape (networks, K), read-only
        Bits, lower is better.
    parameters : tuple of int
        |theta| of each network.
    preferred : tuple of (int, str)
        The network with the shortest description, and the number of copies from which it is; starts at one copy.
    """

    networks: tuple[str, ...]
    n_rows: int
    times: IntArray
    mdl_bits: FloatArray
    parameters: tuple[int, ...]
    preferred: tuple[tuple[int, str], ...]

    @property
    def above_best(self) -> FloatArray:
        """Length in excess of the shortest description, bits per row of the replicated data, shape (networks, K)."""
        return np.asarray((self.mdl_bits - self.mdl_bits.min(axis=0)) / (self.times * self.n_rows))

    @validated
    def preferred_at(self, copies: Repeats) -> str:
        """Return the network with the shortest description at a number of copies.

        Parameters
        ----------
        copies : int
            At most as many as were compared.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If so many copies were not compared.
        """
        self._check(copies)
        return [name for start, name in self.preferred if start <= copies][-1]

    @validated
    def contenders(self, n: Repeats) -> list[str]:
        """Return up to ``n`` networks: those preferred at some number of copies, then those that come closest.

        Parameters
        ----------
        n : int

        Returns
        -------
        list of str
        """
        winners = list(dict.fromkeys(name for _, name in self.preferred))
        nearest = np.argsort(self.above_best.min(axis=1), kind="stable")
        others = [self.networks[i] for i in nearest if self.networks[i] not in winners]
        return (winners + others)[:n]

    @validated
    def at(self, copies: Repeats) -> pd.DataFrame:
        """Return the description lengths at a number of copies, shortest first.

        Parameters
        ----------
        copies : int
            At most as many as were compared.

        Returns
        -------
        DataFrame
            network, parameters, size_bits (|theta| log2(k N) / 2: doubling the rows adds |theta| / 2), misfit_bits,
            mdl_bits, above_best_bits.

        Raises
        ------
        ValueError
            If so many copies were not compared.
        """
        self._check(copies)
        size = np.array(self.parameters) * math.log2(copies * self.n_rows) / 2
        bits = self.mdl_bits[:, copies - 1]
        frame = pd.DataFrame(
            {
                "network": self.networks,
                "parameters": self.parameters,
                "size_bits": size,
                "misfit_bits": bits - size,
                "mdl_bits": bits,
                "above_best_bits": bits - bits.min(),
            }
        )
        return frame.sort_values("mdl_bits", kind="stable", ignore_index=True)

    def _check(self, copies: int) -> None:
        if not 1 <= copies <= len(self.times):
            raise ValueError(f"copies must be from 1 to the {len(self.times):,} that were compared; got {copies}")

    def table(self) -> pd.DataFrame:
        """Return one line per number of copies and one column per network, bits."""
        frame = pd.DataFrame(self.mdl_bits.T, columns=list(self.networks))
        frame.insert(0, "copies", self.times)
        return frame


@validated
def compare_copies(data: Dataset, networks: Mapping[str, Iterable[Edge]], most: Repeats = 1000) -> CopiesComparison:
    """Find which of several networks MDL prefers as the same rows are replicated.

    With k copies the log-likelihood is k times as large while the size |theta| / 2 log2(k N) hardly grows, so
    eventually the best-fitting network is preferred, however many parameters it has. The counts need not be recomputed.

    Parameters
    ----------
    data : Dataset
    networks : mapping from str to edges
        At least one; ties go to the first.
    most : int
        Largest number of copies, up to a million.

    Returns
    -------
    CopiesComparison

    Raises
    ------
    ValueError
        If there is no network, or the edges of one form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    >>> found = bn.teaching.compare_copies(data, {"empty": [], "one edge": [("Sex", "Survived")]}, most=3)
    >>> found.preferred
    ((1, 'one edge'),)
    """
    if not networks:
        raise ValueError("networks must hold at least one network to compare")
    times = np.arange(1, most + 1)
    log2_rows = np.log2(times * data.n_rows)
    lengths = [mdl(data, edges) for edges in networks.values()]
    bits = np.array([0.5 * b.parameters * log2_rows - times * b.log2_likelihood for b in lengths])
    margin = 1e-9 * data.n_rows * times
    best = (bits <= bits.min(axis=0) + margin).argmax(axis=0)
    starts = np.flatnonzero(np.diff(best, prepend=-1))
    names = tuple(networks)
    return CopiesComparison(
        names,
        data.n_rows,
        times,
        bits,
        tuple(length.parameters for length in lengths),
        tuple((int(times[s]), names[int(best[s])]) for s in starts),
    )


@validated
def graphs_from_copies(data: Dataset, times: Sequence[Repeats], *, progress: Progress | None = None) -> GraphSeries:
    """Learn a graph by BIC from each number of copies, several at a time.

    The table has one line per number of copies: copies, rows, edges, parameters, score (nats).

    Parameters
    ----------
    data : Dataset
    times : sequence of int
        Numbers of copies.
    progress : callable, optional
        Called with (graphs learned, all graphs); returning False stops and keeps what is done.

    Returns
    -------
    GraphSeries

    Raises
    ------
    DataError
        If the copies have more rows than can be counted, 2,147,483,647.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(100, rng=1)
    >>> found = bn.teaching.graphs_from_copies(data, [1, 8])
    >>> len(found.graphs[1].edges) < len(found.graphs[8].edges)
    True
    """
    found, status = learn_each(lambda k, stop: learn(replicate_rows(data, int(k)), BIC(), stop=stop), times, progress)
    lines = [(k, k * data.n_rows, len(graph.edges), n_parameters(data, graph.edges), graph.score) for k, graph in found]
    table = pd.DataFrame(lines, columns=["copies", "rows", "edges", "parameters", "score"])
    return GraphSeries(dict(found), table, status)


# Sensitivity of the learned graph to the equivalent sample size.

#: Equivalent sample sizes from 0.1 to 100, four per decade.
ESS_GRID = tuple(float(f"{ess:.2g}") for ess in np.geomspace(0.1, 100, 13))


@validated
def graphs_by_ess(
    data: Dataset, ess: Sequence[Ess] = ESS_GRID, *, rng: WholeSeed = 0, progress: Progress | None = None
) -> GraphSeries:
    """Learn a graph under BDeu with each equivalent sample size (Silander, Kontkanen & Myllymäki 2007).

    The table has one line per ess: ess, edges, possible (edges of a complete graph), parameters, log_evidence (nats).

    Parameters
    ----------
    data : Dataset
    ess : sequence of float
        Positive.
    rng : int
    progress : callable, optional
        Called with (graphs learned, all graphs); returning False stops and keeps what is done.

    Returns
    -------
    GraphSeries

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.teaching.graphs_by_ess(bn.load_network("asia").sample(300, rng=1), [0.1, 100])
    >>> [len(graph.edges) for graph in found.graphs.values()] == found.table["edges"].tolist()
    True
    """
    possible = data.n_variables * (data.n_variables - 1) // 2
    data.multiplicities.sum()  # rows are compared once, not by each thread
    found, status = learn_each(lambda value, stop: learn(data, BDeu(value), rng=rng, stop=stop), ess, progress)
    lines = [
        (value, len(graph.edges), possible, n_parameters(data, graph.edges), graph.score) for value, graph in found
    ]
    table = pd.DataFrame(lines, columns=["ess", "edges", "possible", "parameters", "log_evidence"])
    return GraphSeries(dict(found), table, status)


# Consistency: the scores of given graphs as the sample grows.


TRUE, SPURIOUS, MISSING = "true graph", "one spurious edge", "one missing edge"


@validated
def graphs_around(network: BayesianNetwork) -> dict[str, list[Edge]]:
    """Return the edges of the true graph, of the same with one spurious edge, and with one edge missing, by name.

    These are the first in column order that closes no cycle, and the network's first edge.

    Parameters
    ----------
    network : BayesianNetwork

    Returns
    -------
    dict from str to list of (parent, child)
        The second is left out if no edge can be added, the third if the network has no edge.

    Examples
    --------
    >>> import bnengine as bn
    >>> [len(edges) for edges in graphs_around(bn.load_network("cancer")).values()]
    [4, 5, 3]
    """
    graphs, adjacent = {TRUE: list(network.edges)}, network.adjacency | network.adjacency.T
    free = ~(adjacent | np.eye(len(adjacent), dtype=np.bool_) | ancestors(network.adjacency).T)
    if free.any():
        graphs[SPURIOUS] = [*network.edges, edges_of(network.names, free)[0]]
    if network.edges:
        graphs[MISSING] = network.edges[1:]
    return graphs


@validated
def score_growth(
    network: BayesianNetwork,
    graphs: Mapping[str, Sequence[Edge]],
    sizes: Sequence[RowCount],
    ess: Ess = 1.0,
    repeats: Repeats = 10,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Compute BDeu and BIC of given graphs on growing samples of a network.

    Parameters
    ----------
    network : BayesianNetwork
    graphs : mapping from str to edges
        The others are compared with the first one.
    sizes : sequence of int
        Numbers of rows; smaller samples are the first rows of the largest.
    ess : float
    repeats : int
        Independent samples to average over.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per number of rows and graph, means over the repeats in nats: rows, graph, bdeu, bic, bdeu_minus_bic,
        bdeu_ahead, bic_ahead (score minus that of the first graph); and first_wins, the fraction of repeats in which
        the first graph's BDeu is higher.

    Raises
    ------
    ValueError
        If there are no graphs or no sizes, or the edges of a graph form a cycle.

    Notes
    -----
    BDeu - BIC stays bounded where all probabilities are positive (Schwarz 1978; Haughton 1988). Each probability that
    is 0 adds up to ln(N) / 2, since BIC penalizes a parameter that does not have to be estimated.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), [100, 1000], repeats=2)
    >>> table["rows"].tolist()
    [100, 100, 100, 1000, 1000, 1000]
    """
    if not graphs or not sizes:
        raise ValueError("graphs and sizes must not be empty")
    for edges in graphs.values():
        dag_of(network.names, edges)  # checks them before the work
    values = np.empty((repeats, len(sizes), len(graphs), 2))
    used: tuple[TableScore, ...] = (BDeu(ess), BIC())
    for repeat, generator in enumerate(generator_of(rng).spawn(repeats)):
        rows = network.sample(max(sizes), generator)
        for s, size in enumerate(sizes):
            part = rows.take(range(size))
            for k, score in enumerate(used):
                values[repeat, s, :, k] = [score_of(part, edges, score) for edges in graphs.values()]
    ahead = values - values[:, :, :1]
    (bdeu, bic), (bdeu_ahead, bic_ahead) = (one.mean(axis=0).reshape(-1, 2).T for one in (values, ahead))
    table = pd.DataFrame({"rows": np.repeat(sizes, len(graphs)), "graph": [*graphs] * len(sizes), "bdeu": bdeu})
    table = table.assign(bic=bic, bdeu_minus_bic=bdeu - bic, bdeu_ahead=bdeu_ahead, bic_ahead=bic_ahead)
    return table.assign(first_wins=(ahead[..., 0] < 0).mean(axis=0).ravel())


@validated
def rows_until_first_wins(table: pd.DataFrame) -> int | None:
    """Return the smallest number of rows from which the first graph's mean BDeu exceeds that of all others.

    Parameters
    ----------
    table : DataFrame
        As returned by ``score_growth``.

    Returns
    -------
    int or None
        None if another graph is ahead at the largest number of rows.

    Raises
    ------
    ValueError
        If the table lacks a column, or has no rows.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> table = bn.teaching.score_growth(network, {"true": network.edges, "empty": []}, [20, 20_000], repeats=3)
    >>> bn.teaching.rows_until_first_wins(table)
    20000
    """
    check_columns(table, ("graph", "rows", "bdeu_ahead"), "score_growth")
    first = table["graph"].iloc[0]
    others = table[table["graph"] != first]
    lost = others[others["bdeu_ahead"] >= 0]["rows"]
    sizes = sorted(table["rows"].unique())
    later = [int(size) for size in sizes if not len(lost) or size > lost.max()]
    return later[0] if later else None


@validated
def n_impossible(network: BayesianNetwork) -> int:
    """Count the network's conditional probabilities that are 0.

    Parameters
    ----------
    network : BayesianNetwork

    Returns
    -------
    int

    Examples
    --------
    >>> import bnengine as bn
    >>> n_impossible(bn.load_network("cancer")), n_impossible(bn.load_network("asia"))
    (0, 4)
    """
    return int(sum((table == 0).sum() for table in network.tables))
