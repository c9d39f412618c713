"""Bayesian networks: a DAG with a conditional probability table for each variable; fitting, sampling, probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, UInt16Array
from bnengine._core.display import Displayed, counted
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.setting_kinds import checked_names, some_of
from bnengine._core.validation import Ess, RowCount, accepts, validated
from bnengine.data.checked_frame import DataError, recoded
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Adjacency, Edge, Graph, dag_of, refuse_cycle, topological_order

_LARGEST_TABLE = 50_000_000  # cells of one conditional probability table
_SUMS_TO_1 = 0.01  # how far off a distribution in a file may be


#: Cells of a sample: two gigabytes of codes.
MOST_CELLS_DRAWN = 2**30


@dataclass(frozen=True, eq=False)
class BayesianNetwork(Graph, Displayed):
    """A Bayesian network over discrete variables.

    Attributes
    ----------
    parents : tuple of tuple of int
        Column numbers of each variable's parents; their order is that of the table's rows.
    tables : tuple of ndarray, shape (q, r), read-only
        ``tables[v][j, k]`` is the probability of state k given the parent configuration with mixed-radix number j,
        the first parent most significant. Rows sum to 1.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...] = field(repr=False)
    parents: tuple[tuple[int, ...], ...] = field(repr=False)
    tables: tuple[FloatArray, ...] = field(repr=False)
    title: str = "network"

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names, "names"))
        states = (checked_names(each, "states", '["no", "yes"]') for each in self.states)
        object.__setattr__(self, "states", tuple(states))
        tables = []
        for v, table in enumerate(self.tables):
            q, r = math.prod(len(self.states[p]) for p in self.parents[v]), len(self.states[v])
            if table.shape != (q, r):
                raise ValueError(
                    f"the table of '{self.names[v]}' has shape {table.shape}; its parents require {(q, r)}"
                )
            sums = table.sum(axis=1, keepdims=True)
            off = np.abs(sums - 1)
            farthest = off.max()
            if not (table.min() >= 0 and farthest <= _SUMS_TO_1):  # not a number is neither
                wrong = ~(table >= 0).all(axis=1) | ~(off[:, 0] <= _SUMS_TO_1)
                raise self._not_a_distribution(v, int(np.argmax(wrong)))
            exact = np.array(table, np.float64)
            tables.append(np.where(off > 1e-12, table / sums, exact) if farthest > 1e-12 else exact)  # files round
            tables[-1].setflags(write=False)
        object.__setattr__(self, "tables", tuple(tables))
        refuse_cycle(self.edges, "the network's edges")

    def _not_a_distribution(self, v: int, row: int) -> DataError:
        """Return the error for a row of the table of variable v."""
        arities = [len(self.states[p]) for p in self.parents[v]]
        codes = np.unravel_index(row, arities) if arities else ()
        given = [f"{self.names[p]}={self.states[p][code]}" for p, code in zip(self.parents[v], codes, strict=True)]
        where = f", given {', '.join(given)}," if given else ""
        return DataError(
            f"the table of '{self.names[v]}' has a row that is not a distribution: row {row + 1}{where} sums to "
            f"{self.tables[v][row].sum():.6g}; probabilities are 0 or more and sum to 1"
        )

    def __eq__(self, other: object) -> bool:
        """Compare names, states, parents, title and every probability."""
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        same = all(getattr(self, name) == getattr(other, name) for name in ("names", "states", "parents", "title"))
        return same and all(np.array_equal(a, b) for a, b in zip(self.tables, other.tables, strict=True))

    def __hash__(self) -> int:
        return hash((self.names, self.states, self.parents, self.title))

    @validated
    @accepts(interventions=True, missing=True)
    def check_states(self, data: Dataset, what: str = "network") -> None:
        """Raise a ValueError that names a variable of the data which the network lacks or has with other states."""
        own = dict(zip(self.names, self.states, strict=True))
        for name, states in zip(data.names, data.states, strict=True):
            if name not in own:
                raise ValueError(f"the {what} has no variable '{name}'; it has {some_of(self.names)}")
            declared = own[name]
            if set(declared) != set(states):
                raise ValueError(
                    f"'{name}' has the states {', '.join(states)} in the data but {', '.join(declared)} in the {what}; "
                    "declare the same states in both"
                )

    @cached_property
    def adjacency(self) -> Adjacency:
        """``A[parent, child]``, shape (V, V)."""
        adjacency = np.zeros((len(self.names), len(self.names)), dtype=np.bool_)
        for child, parents in enumerate(self.parents):
            adjacency[list(parents), child] = True
        adjacency.setflags(write=False)
        return adjacency

    @property
    def ordering(self) -> list[str]:
        """A topological order of the variables; of several candidates the lowest column comes first."""
        return [self.names[v] for v in topological_order(self.adjacency) or []]

    @property
    def by_name(self) -> BayesianNetwork:
        """The network with its variables in alphabetical order; its samples do not depend on the order of ours."""
        return self if [*self.names] == sorted(self.names) else self._by_name

    @cached_property
    def _by_name(self) -> BayesianNetwork:  # never this one, whose tables would outlive their use in a cycle
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        place = {v: at for at, v in enumerate(order)}
        return BayesianNetwork(
            tuple(self.names[v] for v in order),
            tuple(self.states[v] for v in order),
            tuple(tuple(place[parent] for parent in self.parents[v]) for v in order),
            tuple(self.tables[v] for v in order),
            self.title,
        )

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: the sum of (r - 1) q over the variables."""
        return sum(table.shape[0] * (table.shape[1] - 1) for table in self.tables)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        size = f"{counted(len(self.names), 'variable')}, {counted(len(self.edges), 'edge')}"
        parents = [", ".join(self.names[p] for p in own) for own in self.parents]
        table = {"variable": self.names, "states": [", ".join(own) for own in self.states], "parents": parents}
        return f"{self.title}: {size} and {counted(self.n_parameters, 'free parameter')}.", pd.DataFrame(table)

    @validated
    def sample(self, n_rows: RowCount, rng: Seed = 0) -> Dataset:
        """Draw rows from the network; the sample has its full state space.

        Parameters
        ----------
        n_rows : int
        rng : int, Generator or None, default 0; None draws anew at each call

        Examples
        --------
        >>> import bnengine as bn
        >>> bn.load_network("asia").sample(1000, rng=7).codes.shape
        (1000, 8)
        """
        if n_rows * len(self.names) > MOST_CELLS_DRAWN:
            raise ValueError(
                f"n_rows must be at most {MOST_CELLS_DRAWN // len(self.names):,} for {len(self.names)} variables; "
                f"got {n_rows:,}"
            )
        return Dataset(self.names, self.states, self._drawn(n_rows, generator_of(rng)))

    def sample_like(self, data: Dataset, n_rows: int, rng: np.random.Generator) -> Dataset:
        """Draw rows over the data's variables, which the network must have with the same states (``check_states``).

        They are the rows of ``by_name.sample``, with columns and states in the data's order, and not checked again.
        """
        network = self.by_name
        place = {name: v for v, name in enumerate(network.names)}
        columns = [place[name] for name in data.names]
        codes = network._drawn(n_rows, rng)[:, columns]
        return data.with_rows(recoded(codes, [network.states[v] for v in columns], data.states))

    def _drawn(self, n_rows: int, rng: np.random.Generator) -> UInt16Array:
        """Draw rows, shape (n_rows, V), variable by variable, parents first; each cell takes one uniform number."""
        uniforms, arities = rng.random((len(self.names), n_rows)), [len(states) for states in self.states]
        codes = np.zeros((n_rows, len(self.names)), dtype=np.uint16, order="F")
        for v, uniform in zip(topological_order(self.adjacency) or [], uniforms, strict=True):
            configurations = configuration_numbers(codes, self.parents[v], arities)
            for below in self.tables[v].cumsum(axis=1).T[:-1]:
                codes[:, v] += uniform >= below[configurations]
        return codes


def drawn_network(
    names: tuple[str, ...],
    states: tuple[tuple[str, ...], ...],
    parents: tuple[tuple[int, ...], ...],
    tables: tuple[FloatArray, ...],
) -> BayesianNetwork:
    """Make a network of parts that the engine drew itself, unchecked: the check takes as long as drawing them."""
    made = object.__new__(BayesianNetwork)
    vars(made).update(names=names, states=states, parents=parents, tables=tables, title="drawn")
    return made


@validated
@accepts(interventions=True, missing=True)
def fit(data: Dataset, edges: Iterable[Edge], ess: Ess | None = None) -> BayesianNetwork:
    """Estimate the probabilities of the network with the given edges from data.

    Those of a variable are estimated from the rows in which no experiment set it, and in which it and all its parents
    are seen.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    ess : float, optional
        Equivalent sample size. None gives maximum likelihood, and the uniform distribution for parent configurations
        that do not occur. A positive number gives the posterior mean under BDeu's Dirichlet prior,
        (n_jk + ess/(q r)) / (n_j + ess/q).

    Returns
    -------
    BayesianNetwork

    Raises
    ------
    ValueError
        If a name is unknown, the edges have a cycle, or ``ess`` is not positive.
    DataError
        If a table would have more than 50 million cells.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    >>> bn.fit(data, [("Sex", "Survived")]).tables[data.index("Survived")].round(3).tolist()
    [[0.268, 0.732], [0.788, 0.212]]
    """
    adjacency, tables = dag_of(data.names, edges), []
    parents = tuple(tuple(np.flatnonzero(column).tolist()) for column in adjacency.T)
    for counts in counts_of_families(data, enumerate(parents)):
        if ess is not None:
            counts += ess / counts.size
        totals = counts.sum(axis=1, keepdims=True)
        tables.append(np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1.0 / counts.shape[1]))
    return BayesianNetwork(data.names, data.states, parents, tuple(tables), "fitted")


def counts_of_families(data: Dataset, families: Iterable[tuple[int, Sequence[int]]]) -> Iterator[FloatArray]:
    """Yield how often each state of a variable occurs under each configuration of its parents, shape (q, r).

    Rows count in which no experiment set the variable, and in which it and all its parents are seen. A DataError for a
    table of more than 50 million cells.
    """
    codes, arities = np.asarray(data.recorded[0], dtype=np.int64, order="F"), data.arities.tolist()
    seen = None if data.holes is None else np.ascontiguousarray(~data.holes.T)
    of_all = data.counts_for(0) if data.experiments is None else None
    for v, parents in families:
        q, r = math.prod(arities[p] for p in parents), arities[v]
        if q * r > _LARGEST_TABLE:
            raise DataError(
                f"'{data.names[v]}' with its {len(parents)} parents needs a table of {q * r:,} probabilities; "
                f"at most {_LARGEST_TABLE:,} are allowed: give it fewer parents"
            )
        cells = configuration_numbers(codes, (*parents, v), arities)
        counted = of_all if data.experiments is None else data.counts_for(v)
        if seen is not None:
            here = seen[[v, *parents]].all(axis=0)
            cells, counted = cells[here], None if counted is None else counted[here]
        yield np.bincount(cells, counted, minlength=q * r).reshape(q, r).astype(np.float64)


def configuration_numbers(
    codes: npt.NDArray[np.integer[Any]], members: Sequence[int], arities: Sequence[int]
) -> IntArray:
    """Encode each row's joint state of the members in mixed radix, the first most significant; shape (N,)."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    for member in members:
        numbers *= arities[member]
        numbers += codes[:, member]
    return numbers


# Probabilities of rows under a network, and predictive probabilities of new rows given others.


@validated
def log_probabilities(network: BayesianNetwork, data: Dataset) -> FloatArray:
    """Return the natural logarithm of each row's joint probability under the network, shape (N,).

    The sum over variables of ln P(state | states of the parents); minus infinity for a row of probability 0.

    Parameters
    ----------
    network : BayesianNetwork
    data : Dataset
        Over the network's variables and states.

    Returns
    -------
    ndarray of float, shape (N,)
        Nats.

    Raises
    ------
    DataError
        If the rows are not over the network's variables and states.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("lecture_4"))
    >>> round(float(bn.prediction.log_probabilities(bn.fit(data, [("X", "Y")]), data).sum() / np.log(2)), 9)
    -6.0
    """
    if (network.names, network.states) != (data.names, data.states):
        raise DataError(
            "the rows must have the network's variables and states, in its order: "
            f"the network has {', '.join(network.names)}, the data have {', '.join(data.names)}"
        )
    total, arities = np.zeros(data.n_rows), data.arities.tolist()
    for v, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        numbers = configuration_numbers(data.codes, parents, arities)
        with np.errstate(divide="ignore"):
            total += np.log(table[numbers, data.codes[:, v]])
    return total


@validated
def row_probabilities(data: Dataset, networks: dict[str, BayesianNetwork]) -> pd.DataFrame:
    """Return the rows of the data with their joint probability under each network, one column per network.

    Parameters
    ----------
    data : Dataset
    networks : mapping from title of a column to BayesianNetwork

    Returns
    -------
    DataFrame
        The data's columns, then one of probabilities for each network.

    Raises
    ------
    DataError
        If the rows are not over a network's variables and states.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> list(bn.prediction.row_probabilities(network.sample(3, rng=1), {"cancer": network}))[-2:]
    ['Dyspnoea', 'cancer']
    """
    frame = data.to_frame().astype(str)
    for name, network in networks.items():
        frame[name] = np.exp(log_probabilities(network, data))
    return frame
