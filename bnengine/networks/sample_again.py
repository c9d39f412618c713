"""Rows drawn from a network like those of given data: as many, and as many of each experiment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.data.checked_frame import MISSING
from bnengine.data.dataset import Dataset
from bnengine.data.row_columns import Experiments
from bnengine.networks.network import BayesianNetwork


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
