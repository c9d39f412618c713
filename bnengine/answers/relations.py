"""Both answers about a relation beyond an edge: a path, a Markov blanket, a parent in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnengine._core.arrays import BoolArray
from bnengine._core.environment import pd
from bnengine._core.random_generators import share_error
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency
from bnengine.posterior import EdgePosterior
from bnengine.posterior.result import descendants, markov_blanket, with_common_parent

#: Relations of one variable to each other one.
RELATIONS: dict[str, Callable[[Adjacency, int], BoolArray]] = {
    "path": descendants,
    "blanket": markov_blanket,
    "parent": with_common_parent,
}


def relation_table(study: Study, method: str, posterior: EdgePosterior, relation: str, variable: str) -> pd.DataFrame:
    """Tabulate both answers about a relation of one variable to each other one.

    Parameters
    ----------
    study : Study
    method : str
        Key of the resampling method that answers *found again*: the share of its graphs with the relation.
    posterior : EdgePosterior
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
    >>> study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap_corrected",)))
    >>> posterior = bn.edge_posterior(data)
    >>> list(relation_table(study, "bootstrap_corrected", posterior, "blanket", "Cancer").columns)
    ['variable', 'found_again', 'found_again_error', 'real', 'real_error']
    """
    place, holds = posterior.names.index(variable), RELATIONS[relation]
    ensemble = study.ensembles[method]
    total = np.zeros(len(posterior.names))
    for graphs, times in ensemble.batches():
        total += sum(n * holds(graph, place) for graph, n in zip(graphs, times.tolist(), strict=True))
    again = total / max(int(ensemble.multiplicities.sum()), 1)
    real, error = posterior.mean_of(lambda graph: holds(graph, place).astype(np.float64))
    drawn = share_error(again, ensemble.effective_replicates)
    columns = {"found_again": again, "found_again_error": drawn, "real": real, "real_error": error}
    table = pd.DataFrame({"variable": posterior.names, **columns})
    return table.drop(index=place).sort_values("real", ascending=False, kind="stable", ignore_index=True)
