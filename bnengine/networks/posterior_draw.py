"""Networks with probabilities drawn from their posterior distribution, given the graph and the data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.data.checked_frame import MISSING
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.row_columns import Experiments
from bnengine.graphs.dag import Adjacency
from bnengine.networks._families import Families, accumulate, add_counts, drawn_rows, families_of, normalize
from bnengine.networks.network import BayesianNetwork, configuration_numbers

# Rows drawn from a network like those of given data: as many, and as many of each experiment.


def sample_again(
    network: BayesianNetwork, data: Dataset, rng: np.random.Generator, n_observed: int | None = None
) -> Dataset:
    """Draw rows over the data's variables from a network that fits them (``check_states``).

    As many as the data have; or ``n_observed`` if all are observed.

    Of rows from experiments as many of each; a variable that was set there has each state with the share that it has in
    the given rows of that experiment. Each row has the missing cells of one given row, of the same experiment.
    """
    if data.experiments is None:
        drawn = network.sample_like(data, n_observed or data.n_rows, rng)
        return drawn if data.missing is None else with_holes_of(data, drawn)
    codes, of_row = [], []
    for number, (targets, n_rows) in enumerate(zip(data.targets, data.rows_of_experiments.tolist(), strict=True)):
        if n_rows:
            shares = {name: _shares(network, data, name, number) for name in targets}
            codes.append(under_experiment(network, shares).sample_like(data, n_rows, rng).codes)
            of_row.append(np.full(n_rows, number))
    experiments = Experiments(data.targets, np.concatenate(of_row))
    drawn = Dataset(data.names, data.states, np.concatenate(codes), experiments)
    return drawn if data.missing is None else with_holes_of(data, drawn)


def with_holes_of(data: Dataset, drawn: Dataset) -> Dataset:
    """Return rows drawn like given ones, each without the cells that one of these lacks, of the same experiment."""
    assert data.missing is not None
    rows = np.argsort(data.experiment_of_distinct[data.distinct_row_of], kind="stable")
    codes = np.where(data.missing[rows], MISSING, drawn.codes)
    return Dataset(data.names, data.states, codes, drawn.experiments, data.missing_way)


def under_experiment(network: BayesianNetwork, probabilities: Mapping[str, FloatArray]) -> BayesianNetwork:
    """Return the network under an experiment: what it sets has no parents, and states with the given probabilities.

    The truncated factorization (Pearl 2009, Eq. 3.10).
    """
    was_set = {network.names.index(name): given for name, given in probabilities.items()}
    parents = tuple(() if v in was_set else of for v, of in enumerate(network.parents))
    tables = tuple(was_set[v][None] if v in was_set else table for v, table in enumerate(network.tables))
    return BayesianNetwork(network.names, network.states, parents, tables, network.title)


def _shares(network: BayesianNetwork, data: Dataset, name: str, experiment: int) -> FloatArray:
    """Return the share of each of the network's states of a variable in the rows of an experiment."""
    v, own = data.index(name), data.experiment_of_distinct == experiment
    own &= data.distinct_codes[v] != MISSING
    rows = np.bincount(data.distinct_codes[v][own], data.multiplicities[own], len(data.states[v]))
    states = network.states[network.names.index(name)]
    shares: FloatArray = rows[[data.states[v].index(state) for state in states]] / rows.sum()
    return shares


#: The largest number of cells of all tables of one network: several arrays of that size are made for each draw.
MOST_CELLS = 4_000_000


class PosteriorDrawing:
    """Draws networks, and rows from them, for any graph over the variables of one data set.

    The probabilities of variable i given its parents' configuration j are Dirichlet(n_ijk + ess / (q r)), independent
    of all others: the posterior under BDeu's prior (Heckerman, Geiger & Chickering 1995, Eq. 22 and 28), whose mean is
    ``fit(data, edges, ess)``.

    Everything is drawn variable by variable in the order of their names, so that a seed means the same rows whichever
    the order of the columns.

    Parameters
    ----------
    data : Dataset
    ess : float
        Equivalent sample size, rows.
    """

    def __init__(self, data: Dataset, ess: float) -> None:
        self.data, self._ess = data, ess
        self._by_name = np.array(sorted(range(data.n_variables), key=data.names.__getitem__), dtype=np.int64)
        self._place = np.argsort(self._by_name)
        self._codes = np.ascontiguousarray(data.codes.T[self._by_name])
        self._arities = data.arities[self._by_name]

    def tables(self, adjacency: Adjacency, rng: np.random.Generator) -> tuple[Families, FloatArray]:
        """Return the families of a DAG over the data's columns, and their drawn probabilities, cell by cell."""
        adjacency = adjacency[self._by_name[:, None], self._by_name]
        self._check_size(adjacency)
        families = families_of(adjacency, self._arities)
        cells = families.first_cell[1:] - families.first_cell[:-1]
        alpha = np.repeat(self._ess / cells, cells)
        if self.data.experiments is None:
            add_counts(self._codes, families, alpha)
        else:
            self._add_counts_that_count(families, alpha)
        # Gamma(a) is Gamma(a + 1) times U^(1/a); in logarithms, not all states get 0 where a is small
        log_weights = np.log(rng.standard_gamma(alpha + 1.0)) + np.log1p(-rng.random(len(alpha))) / alpha
        normalize(log_weights, families.arities, families.first_cell)
        return families, log_weights

    def _add_counts_that_count(self, families: Families, alpha: FloatArray) -> None:
        """Add to each cell the rows that show it and count for its family."""
        codes = self.data.recorded[0][:, self._by_name]
        for v, of in enumerate(self._by_name.tolist()):
            parents = families.parents[families.first_parent[v] : families.first_parent[v + 1]]
            cells = configuration_numbers(codes, [*parents.tolist(), v], self._arities.tolist())
            alpha[families.first_cell[v] : families.first_cell[v + 1]] += np.bincount(
                cells, self.data.counts_for(of), int(families.first_cell[v + 1] - families.first_cell[v])
            )

    def rows(self, families: Families, cumulative: FloatArray, n_rows: int, rng: np.random.Generator) -> Dataset:
        """Draw rows with the given probabilities, in the data's order of columns."""
        return self.data.with_rows(drawn_rows(families, cumulative, n_rows, rng)[:, self._place])

    def posterior_rows(self, adjacency: Adjacency, rng: np.random.Generator, n_observed: int | None = None) -> Dataset:
        """Draw rows of a network whose probabilities are drawn first: as many as the data have.

        Or ``n_observed`` if all are observed.
        """
        families, probabilities = self.tables(adjacency, rng)
        if self.data.experiments is not None:
            return sample_again(self.network(families, probabilities), self.data, rng)
        cumulative = accumulate(probabilities, families.arities, families.first_cell)
        return self.rows(families, cumulative, n_observed or self.data.n_rows, rng)

    def network(self, families: Families, probabilities: FloatArray) -> BayesianNetwork:
        """Return the network with these probabilities, its variables in the data's order."""
        parents, tables = [], []
        for v in self._place.tolist():
            of = families.parents[families.first_parent[v] : families.first_parent[v + 1]]
            cells = probabilities[families.first_cell[v] : families.first_cell[v + 1]]
            parents.append(tuple(self._by_name[of].tolist()))
            tables.append(cells.reshape(-1, int(families.arities[v])).copy())
        return BayesianNetwork(self.data.names, self.data.states, tuple(parents), tuple(tables), "drawn")

    def _check_size(self, adjacency: Adjacency) -> None:
        log_arities = np.log(self._arities)
        with np.errstate(over="ignore"):
            cells = np.exp(log_arities @ adjacency + log_arities)
        if cells.sum() > MOST_CELLS * (1 + 1e-9):
            widest = int(cells.argmax())
            raise DataError(
                f"the tables of a network need {cells.sum():,.0f} probabilities, more than the {MOST_CELLS:,} allowed; "
                f"'{self.data.names[self._by_name[widest]]}' has {int(adjacency[:, widest].sum())} parents: set "
                "max_parents"
            )
