"""Resampling: which rows a replicate consists of, as row weights. No row of the data is ever copied.

Each replicate has a random generator of its own, spawned from the seed by the replicate's number, so that a
replicate is the same whichever worker learns from it and however many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from pydantic import BeforeValidator

from bnengine._core.arrays import Int32Array, IntArray
from bnengine._core.display import counted, gigabytes
from bnengine._core.limits import free_bytes
from bnengine._core.parallel import processors
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.setting_kinds import Kind, shown
from bnengine._core.settings import Whole, field, label_of, setting
from bnengine._core.validation import accepts, validated
from bnengine.bootstrap.ensemble import Ensemble, Graphs, graphs_from, listed, matrix_of
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with, drawn_without, weights_of_rows
from bnengine.graphs.dag import Adjacency, blankets, is_dag
from bnengine.networks.block_drawing import BlockDrawing
from bnengine.networks.inference import posterior_network, sample_again, with_holes_of
from bnengine.networks.matched_cells import matched_cells
from bnengine.networks.missing_cells import draw_missing
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.search._gain_rows import bytes_of_search

#: The largest number of replicates of one method.
MOST_REPLICATES = 1_000_000
#: No graph of the delete-1 jackknife stands for more than one in so many rows.
_FEWEST_GRAPHS = 200
_ESS = 1.0  # of the prior of the probabilities that the predictive bootstrap draws


class Replicate(NamedTuple):
    """One resample: how often each distinct row of the data occurs, and how many equal replicates it represents.

    The weights are whole numbers of 0 or more; they may add up to fewer or more rows than the data have. Rows that the
    data do not have come as a data set of their own.
    """

    weights: Int32Array  # (D,)
    multiplicity: int
    data: Dataset | None = None


@runtime_checkable
class Resampler(Protocol):
    """The interface of a resampling method."""

    @property
    def name(self) -> str:
        """The method's name in tables and figures."""

    def n_replicates(self, data: Dataset) -> int:
        """Return the number of replicates to learn from."""

    def check(self, data: Dataset) -> None:
        """Raise a ValueError if the method cannot be applied to these data."""

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        """Return the replicate of that number."""


def replicates_of(default: int = 200) -> Any:
    """Declare the number of replicates of a method."""
    return field(
        default=default,
        ge=1,
        le=MOST_REPLICATES,
        label="Replicates",
        unit="replicates",
        help="Replicates of each method but the delete-1 jackknife, which has one for each row.",
    )


def rows_left_out() -> Any:
    """Declare the d of the delete-d jackknife."""
    return field(
        default=None,
        ge=1,
        le=1_000_000_000,
        none="a tenth of the rows",
        label="Rows left out",
        unit="rows",
        help="Rows that delete-d leaves out, fewer than the data have.",
    )


def rows_drawn(samples: str = "each sample of the naive and the corrected bootstrap") -> Any:
    """Declare the rows of a sample."""
    return field(
        default=None,
        ge=1,
        le=100_000_000,
        none="as many as the data have",
        label="Rows of each sample",
        unit="rows",
        help=f"Rows of {samples}, fewer or more than the data have.",
    )


class SimpleResampler:
    """What most methods have in common: ``n`` replicates of any data, and their label as a name."""

    n: int

    @property
    def name(self) -> str:
        return label_of(self).lower()

    def n_replicates(self, data: Dataset) -> int:
        return self.n

    def check(self, data: Dataset) -> None:
        """Accept any data."""


@setting(tag="bootstrap", label="Bootstrap")
class Bootstrap(SimpleResampler):
    """``n`` samples drawn with replacement from the data (Efron 1979).

    With ``size`` below the number of rows it is the m-out-of-n bootstrap (Bickel, Götze & van Zwet 1997): its
    confidence is about tables of ``size`` = m rows. Rows from experiments are drawn within each experiment.

    Whatever m is, the score of a graph is higher on a resample than m / N times that on the data, by 1/2 nat per
    parameter to leading order; this is what the leading correction takes off. Compared with fresh tables of m rows it
    is higher by m / (2 N), as fresh tables fit themselves too well in their turn: a ``strength`` of m / (2 N)
    estimates inclusion probabilities in tables of m rows. With m = N both are 1/2.
    """

    n: Whole = replicates_of()
    size: Whole | None = rows_drawn()

    @property
    def name(self) -> str:
        return "bootstrap" if self.size is None else f"bootstrap, {self.size:,} rows"

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        return Replicate(drawn_with(data, data.n_rows if self.size is None else self.size, rng), 1)


@setting(tag="parametric", label="Parametric bootstrap")
class ParametricBootstrap(SimpleResampler):
    """``n`` samples of N rows each, drawn from a network (Efron & Tibshirani 1993, Sec. 6.5).

    Rows from experiments are drawn anew under each: what was set there keeps its states, without its parents. Each
    row has the missing cells of one given row. Where there are numbers, each child is drawn from the regression on its
    parents' blocks that is fitted to the data (``bnengine.networks.block_drawing``).
    """

    n: Whole = replicates_of()
    network: Annotated[BayesianNetwork, Kind("network", "a network")] | None = field(
        default=None,
        none="the graph learned from the data, with maximum-likelihood probabilities",
        label="Network",
        help="The network to draw from; it has at least the data's variables, with the same states.",
    )

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def check(self, data: Dataset) -> None:
        """Raise a ValueError unless the network has the data's variables, with the same states."""
        if self.network is None:
            return
        if data.numbers:
            raise ValueError(
                "a network of states cannot draw numbers; leave out network, or cut the numbers with data.cut(3)"
            )
        self.network.check_states(data)

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        if self.network is None:
            raise ValueError("network must be given to draw from; resample fits one to the graph learned from the data")
        drawn = sample_again(self.network, data, rng)
        return Replicate(drawn.multiplicities.astype(np.int32), 1, drawn)


@dataclass(frozen=True)
class FittedBlocks(SimpleResampler):
    """The parametric bootstrap of a table with numbers, from the graph learned from it, shape (V, V)."""

    graph: Adjacency

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        drawn = drawn_by_blocks(data, self.graph, rng, None, fitted=True)
        return Replicate(drawn.multiplicities.astype(np.int32), 1, drawn)


def drawn_by_blocks(
    data: Dataset, graph: Adjacency, rng: np.random.Generator, n_rows: int | None, fitted: bool
) -> Dataset:
    """Return rows drawn from a graph over a table with numbers; each with the missing cells of one given row."""
    complete = data if data.holes is None else matched_cells(data, blankets(graph), rng)
    drawn = BlockDrawing(complete.sorted_rows).rows(graph, rng, n_rows, fitted)
    return drawn if data.holes is None else with_holes_of(data, drawn)


@setting(tag="repeated", label="Given data")
class RepeatedSearch(SimpleResampler):
    """The given data ``n`` times: only the search varies.

    A random search ends at another local optimum each time; the ensemble of them is the reference of Steck &
    Jaakkola's second experiment (2003).
    """

    n: Whole = replicates_of()

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        return Replicate(data.multiplicities.astype(np.int32), 1)


@setting(tag="jackknife", label="Jackknife, delete 1")
class Jackknife(SimpleResampler):
    """Delete-1 jackknife: the data without each row in turn; without each cluster or block, where rows depend.

    Equal rows give equal replicates, so one graph may stand for many of them. But each graph breaks ties in an order
    that it draws: none stands for more than 1/200 of the rows, or the draw for one frequent row would decide alone.
    Which order a replicate draws depends on the row left out, not on its place in the table.
    """

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def n_replicates(self, data: Dataset) -> int:
        return int(_graphs_of_each_row(data).sum()) if data.dependent is None else data.dependent.n_units

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def check(self, data: Dataset) -> None:
        if data.n_rows < 2:
            raise ValueError("the jackknife needs at least two rows")

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        order, weights = data.distinct_rows_in_order, data.multiplicities.astype(np.int32)
        if data.dependent is not None:
            left_out = (data.dependent.of_row == number).astype(np.int64)
            return Replicate(weights - weights_of_rows(data, left_out), 1)
        after = np.cumsum(_graphs_of_each_row(data)[order])  # the first replicate after those of each row
        place = int(np.searchsorted(after, number, side="right"))
        row, times = int(order[place]), int(weights[order[place]])
        n_graphs = int(after[place] - (after[place - 1] if place else 0))
        weights[row] -= 1
        return Replicate(weights, times // n_graphs + (after[place] - 1 - number < times % n_graphs))


@setting(tag="delete_d", label="Jackknife, delete d")
class DeleteD(SimpleResampler):
    """Delete-d jackknife: ``n`` times the data without ``d`` rows drawn at random (Shao & Wu 1989).

    ``d`` should be well above the square root of the number of rows N and well below N.
    """

    d: Whole | None = rows_left_out()
    n: Whole = replicates_of()

    @property
    def name(self) -> str:
        return "jackknife, delete d" if self.d is None else f"jackknife, delete {self.d}"

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def rows_left_out(self, data: Dataset) -> int:
        """Return d for these data."""
        return max(1, data.n_rows // 10) if self.d is None else self.d

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def advice(self, data: Dataset) -> str | None:
        """Return a sentence if d lies outside sqrt(N) < d < N / 2, where the method's theory holds; else None."""
        d, root = self.rows_left_out(data), math.sqrt(data.n_rows)
        if root < d <= data.n_rows / 2:
            return None
        return (
            f"d = {d} lies outside √N < d ≪ N (√N = {root:.3g}, N = {data.n_rows:,}): with fewer rows left out the "
            "replicates are too similar for a discrete quantity, such as an edge; with more they are too small."
        )

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def check(self, data: Dataset) -> None:
        if self.rows_left_out(data) >= data.n_rows:
            raise ValueError(
                f"d must be smaller than the number of rows, {data.n_rows}; got {self.rows_left_out(data)}"
            )

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        return Replicate(data.multiplicities.astype(np.int32) - drawn_without(data, self.rows_left_out(data), rng), 1)


def replicate_generators(rng: Seed, n: int) -> list[np.random.Generator]:
    """Return one independent generator per replicate; the first ones do not depend on how many there are."""
    return generator_of(rng).spawn(n)


def replicates_planned(resampler: Resampler, data: Dataset) -> int:
    """Return the number of replicates, after a check of what a resampler of the caller's says."""
    n = resampler.n_replicates(data)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MOST_REPLICATES:
        raise ValueError(
            f"resampler must have from 1 to {MOST_REPLICATES:,} replicates; '{resampler.name}' says {shown(n)}"
        )
    return int(n)


def checked_replicate(replicate: Replicate, data: Dataset) -> Replicate:
    """Return the replicate, after a check of what a resampler of the caller's returned.

    The weights are checked where they are used (``LocalScores.reweigh``).
    """
    if not isinstance(replicate, Replicate):
        raise ValueError(f"resampler must make objects of type Replicate; got {shown(replicate)}")
    if not isinstance(replicate.multiplicity, int | np.integer) or replicate.multiplicity < 1:
        raise ValueError(
            f"a replicate's multiplicity must be a whole number of 1 or more; got {replicate.multiplicity!r}"
        )
    other = replicate.data
    if other is not None and (other.names, other.states) != (data.names, data.states):
        raise ValueError(
            "a replicate's data must have the variables and states of the given data, in the same order; "
            "make them with Dataset(data.names, data.states, codes)"
        )
    return replicate


def _graphs_of_each_row(data: Dataset) -> IntArray:
    """Return how many graphs the delete-1 jackknife learns without each distinct row, shape (D,)."""
    most = -(-data.n_rows // _FEWEST_GRAPHS)
    return -(-data.multiplicities // most)


# The posterior-predictive bootstrap: each sample from another network that the data leave possible.


def check_graphs(graphs: Graphs, data: Dataset) -> None:
    """Raise a ValueError if the data's variables are not those of the graphs."""
    if graphs.names is None and graphs.n_variables != data.n_variables:
        shape = (len(graphs), graphs.n_variables, graphs.n_variables)
        raise ValueError(
            f"graphs must have shape (m, {data.n_variables}, {data.n_variables}) for these data; got {shape}"
        )
    if graphs.names is not None and sorted(graphs.names) != sorted(data.names):
        other = sorted(set(graphs.names) ^ set(data.names))[0]
        raise ValueError(f"graphs must be over the data's variables; '{other}' is in one of them only")


def graph_over(graphs: Graphs, number: int, data: Dataset) -> Adjacency:
    """Return one of the graphs, taken in turn, over the data's columns, shape (V, V)."""
    graph = matrix_of(graphs[number % len(graphs)], True, graphs.n_variables)
    if graphs.names is None or graphs.names == data.names:
        return graph
    columns = np.array([graphs.names.index(name) for name in data.names])
    return np.asarray(graph[columns[:, None], columns])


def graphs_of(value: Any) -> Graphs | None:
    """Return the graphs given as an ensemble or an array; a ValueError says what is wrong with them."""
    if value is None or isinstance(value, Graphs):
        return value
    if isinstance(value, Ensemble):
        if not value.n_graphs:
            raise ValueError("graphs must be at least one graph; this ensemble was stopped before the first")
        return value.graphs
    try:
        given = np.array(value)
    except Exception:  # whatever an object does that has to be an array
        given = np.array(None)
    if given.ndim != 3 or given.shape[1] != given.shape[2] or not given.size or given.dtype.kind not in "biu":
        raise ValueError(
            "graphs must be an Ensemble, or an array of DAGs of shape (m, V, V), [graph, parent, child]; got an array "
            f"of shape {given.shape} and type {given.dtype}"
        )
    cyclic = next((m for m, one in enumerate(given) if not is_dag(one != 0)), None)
    if cyclic is not None:
        raise ValueError(f"graphs must be acyclic; graph {cyclic} has a directed cycle")
    return graphs_from(map(listed, given != 0), given.shape[1])


@setting(tag="predictive", label="Predictive bootstrap")
class PredictiveBootstrap(SimpleResampler):
    """``n`` samples of N rows, each from a network of its own that the data leave possible.

    For replicate b, G_b is the b-th of ``graphs``, theta_b is drawn from the posterior of its probabilities,
    Dirichlet(n_ijk + 1 / (q r)), and N rows are drawn from (G_b, theta_b). The share of the samples from which an
    edge is learned approximates the posterior mean of its inclusion probability, E[pi | data]: that of fresh tables,
    averaged over the networks that may have generated these data (Rubin 1984; Gelman, Meng & Stern 1996, on posterior
    predictive replications). With one graph and its probabilities fixed it is ``ParametricBootstrap``. With ``n_rows``
    it is about fresh tables of so many rows.

    The b-th sample is drawn from a child of the b-th generator, since the b-th graph of an ensemble with the same seed
    was learned from rows that were drawn with that generator.

    Where cells are missing, theta_b is that of a draw of them under G_b, and each row drawn lacks those of a given row.
    Where rows depend on each other, so do those of fresh tables: what is drawn are the independent rows that these are
    worth.
    """

    n: Whole = replicates_of()
    graphs: Annotated[Any, BeforeValidator(graphs_of), Kind("graphs", "an ensemble, or an array of graphs")] = field(
        default=None,
        none="as many graphs as replicates, learned from resamples with the leading correction",
        label="Graphs",
        help="An ensemble, or an array of DAGs of shape (m, V, V), such as draws from a posterior; taken in turn.",
    )
    n_rows: Whole | None = rows_drawn("each sample")

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def check(self, data: Dataset) -> None:
        """Raise a ValueError unless the graphs are over the data's variables."""
        if self.n_rows is not None and data.experiments is not None:
            raise DataError("n_rows must be None for rows from experiments: how many rows each would have is not known")
        if self.n_rows is not None and data.holes is not None:
            raise DataError("n_rows must be None where cells are missing: each row drawn has those of a given row")
        if self.graphs is not None:
            check_graphs(self.graphs, data)

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        if self.graphs is None:
            raise ValueError("graphs must be given to draw from; resample learns them from resamples")
        check_graphs(self.graphs, data)
        graph, (own,) = graph_over(self.graphs, number, data), rng.spawn(1)
        n_rows = None if self.n_rows is None else max(1, round(self.n_rows / data.design_effect))
        if data.numbers:
            drawn = drawn_by_blocks(data, graph, own, n_rows, fitted=False)
        elif data.holes is None:
            drawn = sample_again(posterior_network(data, graph, own, _ESS), data, own, n_rows)
        else:
            edges = [(data.names[i], data.names[j]) for i, j in np.argwhere(graph)]
            completed = draw_missing(fit(data, edges, _ESS), data, own)
            drawn = sample_again(posterior_network(completed, graph, own, _ESS), completed, own)
            drawn = with_holes_of(data, drawn)
        return Replicate(drawn.multiplicities.astype(np.int32), 1, drawn)


def n_graphs_learned(resampler: Resampler, data: Dataset) -> int:
    """Return the number of graphs that a method learns, with those that it draws from."""
    return replicates_planned(resampler, data) * (1 + learns_graphs_first(resampler))


def learns_graphs_first(resampler: Resampler) -> bool:
    """Return whether the graphs to draw from are still to be learned, as many as replicates."""
    return isinstance(resampler, PredictiveBootstrap) and resampler.graphs is None


#: Largest number of bytes that the graphs of a run may take.
MOST_BYTES = 8 * 2**30
_OF_GRAPH = 256  # bytes of a graph without edges
_OF_SCORES = 2**24  # bytes of a worker's scores: remembered families and buffers
_OF_RESULTS = 8 * 8  # bytes a pair of variables: the matrices that answers are computed with and given as


def check_memory(data: Dataset, resamplers: Sequence[Resampler]) -> None:
    """Raise a DataError if the graphs of these resampling methods need too much memory; it says how many would fit.

    Counted are 4 bytes for each edge, what the workers of this machine hold, and matrices of results. For the edges, a
    variable is taken to have log2 N parents at most: k parents make 2^k configurations or more, for each of which BIC
    and AIC charge more than one of the N rows can gain. Scores that charge less may give more edges.
    """
    n = data.n_variables
    each = _OF_GRAPH + 4 * n * min(n // 2, data.n_rows.bit_length())
    n_graphs = sum(n_graphs_learned(resampler, data) for resampler in resamplers)
    n_workers, free = min(processors(), n_graphs), free_bytes()
    beside = n_workers * (_OF_SCORES + bytes_of_search(n)) + _OF_RESULTS * n**2
    room = MOST_BYTES if free is None else max(0, min(MOST_BYTES, free - beside))
    if n_graphs * each > room:
        where = "allowed" if room == MOST_BYTES else "that are free on this machine"
        raise DataError(
            f"{n_graphs:,} graphs of {n:,} variables need up to {gigabytes(n_graphs * each)}, more than the "
            f"{gigabytes(room)} {where} beside the {gigabytes(beside)} for {counted(n_workers, 'worker')} and the "
            f"confidences; {room // each:,} would fit, those of all methods together: use fewer variables or fewer "
            "replicates, or omit the delete-1 jackknife, which has at least one replicate per distinct row"
        )
