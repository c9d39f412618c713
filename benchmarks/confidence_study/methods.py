"""The methods compared: what each computes from one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bnengine as bn

from .cells import Cell
from .posteriors import POSTERIORS, posterior_graphs
from .tables import Compute, Method, Table, cell_of_ensemble, cell_of_probability

#: Searches of the same table, each with a seed of its own.
REPEATS = 4


def _own(table: Table) -> Cell:
    return cell_of_probability(table.own.adjacency.astype(np.float64))


def _resampling(resampler: Callable[[int], Any], correction: str = "none") -> Compute:
    return lambda table: cell_of_ensemble(table.resampled(resampler(table.replicates), correction))


def _predictive(table: Table) -> Cell:
    """Draw from the corrected bootstrap's graphs."""
    return cell_of_ensemble(table.resampled(bn.PredictiveBootstrap(table.replicates, table.leading)))


def _predictive_of_posterior(table: Table) -> Cell:
    """Draw from the posterior's graphs, under fNML."""
    graphs = posterior_graphs(table.data, table.seed, table.replicates)
    return cell_of_ensemble(table.resampled(bn.PredictiveBootstrap(table.replicates, graphs)))


_RESAMPLING = (
    Method("own", "learned graph", "both", _own),
    Method("naive", "naive bootstrap", "both", lambda table: cell_of_ensemble(table.naive)),
    Method("leading", "corrected bootstrap", "found again", lambda table: cell_of_ensemble(table.leading)),
    Method("delete_d", "jackknife, delete d", "both", _resampling(lambda n: bn.DeleteD(None, n))),
    Method("parametric", "parametric bootstrap", "found again", _resampling(bn.ParametricBootstrap)),
    Method("predictive", "predictive bootstrap", "found again", _predictive),
    Method("predictive_post", "predictive bootstrap, graphs of the posterior", "found again", _predictive_of_posterior),
    Method(
        "repeated", "the same table again", "the search", _resampling(lambda n: bn.teaching.RepeatedSearch(REPEATS))
    ),
    Method(
        "matched",
        "matched correction",
        "found again",
        _resampling(bn.Bootstrap, "matched"),
        most_variables=27,
        most_tables=1,
        delay=2,
    ),
)


def _mean(key: str, title: str, target: str, *parts: str) -> Method:
    first, *_ = known = [_KNOWN[part] for part in parts]
    return Method(key, title, target, first.compute, any(part.own_score for part in known), mean_of=parts)


_KNOWN = {method.key: method for method in (*_RESAMPLING, *POSTERIORS)}
_MEANS = (
    _mean("mean_pi", "mean of parametric and corrected bootstrap", "found again", "parametric", "leading"),
    _mean("mean_predictive", "mean of predictive and corrected bootstrap", "found again", "predictive", "leading"),
    _mean("mean_posteriors", "mean of posteriors, fNML and BDeu(10)", "real", "post_fnml", "post_bdeu10"),
    _mean("mean_real", "mean of posterior, fNML, and corrected bootstrap", "real", "post_fnml", "leading"),
)
METHODS: dict[str, Method] = {**_KNOWN, **{method.key: method for method in _MEANS}}
#: The methods among which one is chosen.
COMPARED = tuple(key for key, method in METHODS.items() if method.target != "the search")
#: The methods that searches are compared by.
CORE = ("naive", "leading", "predictive", "predictive_post", "post_fnml", "repeated")
