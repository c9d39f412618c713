"""Missing cells drawn from their exact distribution given the cells that are seen in the same row.

Given the seen cells, what is left of a row is a product of tables over its missing variables. These are eliminated one
after the other, the cheapest first; then each is drawn given those that were eliminated after it (Dechter 1999; the
forward filtering, backward sampling of Frühwirth-Schnatter 1994 is the same for a chain). So missing variables that
seen ones separate never meet in a table, and what is missing without anything seen among its descendants is drawn
from its parents, as in sampling from the network.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import UInt16Array
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, Repeats, accepts, validated
from bnengine._jit.records import allocate, handle_of, random_state
from bnengine.data.checked_frame import recoded
from bnengine.data.dataset import Dataset, worth_as
from bnengine.data.interventions import Experiments
from bnengine.graphs.dag import Edge, topological_order
from bnengine.networks._elimination import ABSENT, MOST_MEMBERS, MOST_ROOM, SET, Drawing, draw_rows
from bnengine.networks.inference import EvidenceError
from bnengine.networks.network import BayesianNetwork, fit


@validated
@accepts(interventions=True, missing=True)
def draw_missing(network: BayesianNetwork, data: Dataset, rng: Seed = 0) -> Dataset:
    """Draw each row's missing cells from their joint distribution under a network, given the row's seen cells.

    The draw is exact, but for rows in which some seventeen or more missing variables depend on each other all at once:
    those are drawn by 100 Gibbs sweeps. It is one completion of many; what depends on the missing cells differs from
    draw to draw.

    Parameters
    ----------
    network : BayesianNetwork
        Over the data's variables and states, in any order.
    data : Dataset
        With missing cells (``missing="keep"``). Where an experiment set a variable, its parents carry no information
        about it in that row (Pearl 2009, Eq. 3.10); a state that was set and is missing is uniform a priori.
    rng : int, Generator or None, default 0; None draws anew at each call
        The draw depends neither on the order of the columns nor, as a table, on that of the rows.

    Returns
    -------
    Dataset
        The same rows and experiments, with no cell missing.

    Raises
    ------
    ValueError
        If the network has other variables or states.
    EvidenceError
        If the seen cells of a row have probability 0 under the network.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("asia")
    >>> frame = network.sample(1000, rng=1).to_frame().astype(object)
    >>> frame.loc[::2, "either"] = None
    >>> data = bn.Dataset.from_frame(frame, missing="keep")
    >>> completed = bn.prediction.draw_missing(network, data)
    >>> completed.missing is None
    True
    """
    missing = data.missing
    if missing is None:
        return data
    network.check_states(data)
    if len(network.names) > data.n_variables:
        lacking = next(name for name in network.names if name not in data.names)
        raise ValueError(f"the data have no variable '{lacking}', which the network has; use a network of the data's")
    named, rows = network.by_name, np.argsort(data.rank_of_row, kind="stable")
    columns = [data.names.index(name) for name in named.names]
    absent = np.uint8(ABSENT) * missing[rows][:, columns]
    if data.experiments is not None:
        was_set = ~data.experiments.counts_for(named.names).T[data.experiment_of_distinct[data.distinct_row_of]]
        absent += np.uint8(SET) * was_set[rows]
    states = [data.states[v] for v in columns]
    codes = recoded(data.codes[rows][:, columns], states, named.states)
    drawing = _drawing(named, codes, absent, generator_of(rng))
    impossible = draw_rows(handle_of(drawing), len(codes))
    if impossible >= 0:
        raise EvidenceError(
            f"row {rows[impossible] + 1:,}: its seen cells cannot occur together under the network; fit it with "
            "ess=1, which gives no state probability 0"
        )
    made = np.empty_like(data.codes)
    made[rows[:, None], columns] = recoded(drawing.codes, named.states, states)
    return with_cells(data, made)


def with_cells(data: Dataset, made: UInt16Array) -> Dataset:
    """Return the data with these complete rows, (N, V), in the place of their own."""
    if data.experiments is None:
        return data.with_rows(made, completed=True)
    experiments = Experiments(data.targets, data.experiment_of_distinct[data.distinct_row_of])
    return worth_as(data, Dataset(data.names, data.states, made, experiments, dependent=data.dependent))


@validated
@accepts(interventions=True, missing=True)
def fit_drawn(
    data: Dataset, edges: Iterable[Edge], ess: Ess = 1.0, *, n: Repeats = 20, rng: Seed = 0
) -> BayesianNetwork:
    """Estimate the probabilities of a network from all rows, with missing cells drawn from the network itself.

    ``bn.fit`` takes the rows in which a family is seen, which are other rows than the rest where cells are missing for
    a reason. Here, from there on, missing cells are drawn given the seen ones and probabilities are estimated from the
    completed rows, in turn (stochastic EM: Celeux & Diebolt 1985). The first ``n`` rounds are left out, and the tables
    of the next ``n`` averaged.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    ess : float
        Equivalent sample size of the prior counts, as for ``bn.fit``.
    n : int
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    BayesianNetwork
        That of ``bn.fit`` if no cell is missing, or the data are learned from in another way (``data.missing_way``).

    Raises
    ------
    ValueError
        If a name is unknown, or the edges have a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> frame = network.sample(4000, rng=1).to_frame().astype(object)
    >>> true = (frame["Cancer"] == "True").mean()
    >>> frame.loc[(frame["Xray"] == "negative") & (frame.index % 10 > 0), "Cancer"] = None  # few healthy were tested
    >>> data = bn.Dataset.from_frame(frame, missing="drawn")
    >>> estimates = [fitted(data, network.edges, ess=1.0) for fitted in (bn.fit, bn.prediction.fit_drawn)]
    >>> found = [bn.prediction.posteriors(one)["Cancer"][1] for one in estimates]
    >>> f"{true:.3f} {found[0]:.3f} {found[1]:.3f}"
    '0.009 0.029 0.010'
    """
    pairs = list(edges)
    network = fit(data, pairs, ess)
    if data.missing_way != "drawn":
        return network
    generator, kept = generator_of(rng), []
    for turn in range(2 * n):
        network = fit(draw_missing(network, data, generator), pairs, ess)
        kept += [network.tables] if turn >= n else []
    tables = tuple(np.mean(of_variable, axis=0) for of_variable in zip(*kept, strict=True))
    return dataclasses.replace(network, tables=tables)


def _drawing(
    network: BayesianNetwork, codes: npt.NDArray[Any], absent: npt.NDArray[Any], rng: np.random.Generator
) -> Drawing:
    """Return a network and rows, (N, V), as compiled code reads them, and room for one row."""
    n, sizes = len(network.names), [table.size for table in network.tables]
    children, cells = [np.flatnonzero(row) for row in network.adjacency], np.empty(sum(sizes) + MOST_ROOM)
    cells[: sum(sizes)] = np.concatenate([*map(np.ravel, network.tables)])  # the rest is room, whose pages stay unused
    return allocate(
        Drawing,
        codes=np.array(codes, dtype=np.uint16, order="C"),
        absent=np.ascontiguousarray(absent),
        random=random_state(rng),
        order=np.array(topological_order(network.adjacency), dtype=np.int64),
        arities=np.array([len(states) for states in network.states], dtype=np.int64),
        parents=np.array([p for of in network.parents for p in of], dtype=np.int64),
        first_parent=np.cumsum([0, *map(len, network.parents)], dtype=np.int64),
        first_cell=np.cumsum([0, *sizes], dtype=np.int64),
        children=np.concatenate(children).astype(np.int64),
        first_child=np.cumsum([0, *map(len, children)], dtype=np.int64),
        cells=cells,
        n_variables=n,
        n_probabilities=sum(sizes),
        V=n,
        E=sum(map(len, network.parents)) + n * (1 + MOST_MEMBERS),
        R=max(map(len, network.states)),
        MOST_MEMBERS=MOST_MEMBERS,
    )
