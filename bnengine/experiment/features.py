"""Relations between variables in a graph beyond an edge, with both answers: found again, and real."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.standard_errors import share_error
from bnengine.bootstrap.study import Study
from bnengine.posterior import SampledPosterior

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 128  # graphs at a time, to bound memory


def descendants(graphs: BoolArray, variable: int) -> BoolArray:
    """The variables to which a directed path leads, for each graph; shape (m, V) from (m, V, V), [parent, child]."""
    reached = graphs[:, variable, :]
    while True:
        further = reached | _any(reached[:, None, :], graphs)[:, 0]
        if (further == reached).all():
            return further
        reached = further


def markov_blanket(graphs: BoolArray, variable: int) -> BoolArray:
    """Parents, children, and the children's other parents, for each graph; shape (m, V)."""
    children = graphs[:, variable, :]
    blanket = graphs[:, :, variable] | children | _any(graphs, children[:, :, None])[:, :, 0]
    blanket[:, variable] = False
    return blanket


def common_parent(graphs: BoolArray, variable: int) -> BoolArray:
    """The variables that have a parent in common with this one, for each graph; shape (m, V)."""
    parents = graphs[:, :, variable]
    siblings = _any(parents[:, None, :], graphs)[:, 0]
    siblings[:, variable] = False
    return siblings


def _any(one: BoolArray, other: BoolArray) -> BoolArray:
    """The boolean matrix product."""
    return np.asarray(np.matmul(one.astype(np.float32), other.astype(np.float32)) > 0)


#: Relations of one variable to each other one.
RELATIONS: dict[str, Callable[[BoolArray, int], BoolArray]] = {
    "path": descendants,
    "blanket": markov_blanket,
    "parent": common_parent,
}


def relation_table(
    study: Study, method: str, posterior: SampledPosterior, relation: str, variable: str
) -> pd.DataFrame:
    """Both answers about a relation of one variable to each other one.

    Parameters
    ----------
    study : Study
    method : str
        Key of the resampling method that answers *found again*: the share of its graphs with the relation.
    posterior : SampledPosterior
    relation : {"path", "blanket", "parent"}
        A directed path from the variable, its Markov blanket, a parent in common with it.
    variable : str

    Returns
    -------
    DataFrame
        One row per other variable: variable, found_again, found_again_error, real, real_error (Monte Carlo standard
        errors); in decreasing order of real, ties in column order.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.methods(20, keys=("boot_bc",)))
    >>> posterior = bn.sample_posterior(data, n_steps=20_000)
    >>> list(relation_table(study, "boot_bc", posterior, "blanket", "Cancer").columns)
    ['variable', 'found_again', 'found_again_error', 'real', 'real_error']
    """
    import pandas as pd

    place, holds = posterior.names.index(variable), RELATIONS[relation]
    ensemble = study.ensembles[method]
    found = _in_chunks(ensemble.adjacencies, holds, place)
    again = np.average(found, axis=0, weights=ensemble.multiplicities) if len(found) else np.zeros(found.shape[1])
    real, error = sampled_mean(_in_chunks(posterior.graphs(), holds, place), posterior.groups)
    error = np.fmax(error, posterior.least_error)  # what no graph drawn shows is not impossible
    drawn = share_error(again, ensemble.effective_replicates)
    columns = {"found_again": again, "found_again_error": drawn, "real": real, "real_error": error}
    table = pd.DataFrame({"variable": posterior.names, **columns})
    return table.drop(index=place).sort_values("real", ascending=False, kind="stable", ignore_index=True)


def _in_chunks(graphs: BoolArray, holds: Callable[[BoolArray, int], BoolArray], variable: int) -> FloatArray:
    pieces = [holds(graphs[a : a + _CHUNK], variable) for a in range(0, len(graphs), _CHUNK)]
    joined = np.concatenate(pieces) if pieces else np.zeros((0, graphs.shape[1]), dtype=np.bool_)
    return joined.astype(np.float64)


def sampled_mean(values: FloatArray, groups: IntArray) -> tuple[FloatArray, FloatArray]:
    """Means over draws, and their standard errors: from the means of batches and of chains, the larger of the two.

    Parameters
    ----------
    values : ndarray, shape (m, …)
        One row per graph drawn.
    groups : ndarray of int, shape (m, 2)
        Numbers of the draw's chain and batch.
    """
    chains, within = [], []
    for chain in np.unique(groups[:, 0]):
        mine = groups[:, 0] == chain
        batches = groups[mine, 1]
        means = np.array([values[mine][batches == batch].mean(axis=0) for batch in np.unique(batches)])
        chains.append(means.mean(axis=0))
        if len(means) > 1:
            within.append(means.var(axis=0, ddof=1) / len(means))
    mean: FloatArray = values.mean(axis=0)
    if len(chains) < 2 or not within:
        return mean, np.full(mean.shape, np.nan)
    variance = np.maximum(np.mean(within, axis=0), np.var(chains, axis=0, ddof=1))
    return mean, np.sqrt(variance / len(chains))
