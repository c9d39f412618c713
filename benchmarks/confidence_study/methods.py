"""The methods compared: what each computes from one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bnengine as bn

from .cells import Cell
from .posteriors import POSTERIORS
from .tables import Compute, Method, Table, cell_of_ensemble, cell_of_probability


def _own(table: Table) -> Cell:
    return cell_of_probability(table.own.adjacency.astype(np.float64))


def _resampling(resampler: Callable[[int], Any], correction: str = "none") -> Compute:
    return lambda table: cell_of_ensemble(table.resampled(resampler(table.replicates), correction))


_RESAMPLING = (
    Method("own", "learned graph", "both", _own),
    Method("naive", "naive bootstrap", "both", lambda table: cell_of_ensemble(table.naive)),
    Method("leading", "corrected bootstrap", "found again", lambda table: cell_of_ensemble(table.leading)),
    Method("delete_d", "jackknife, delete d", "both", _resampling(lambda n: bn.DeleteD(None, n))),
    Method("parametric", "parametric bootstrap", "found again", _resampling(bn.ParametricBootstrap)),
    Method(
        "exact",
        "exact correction",
        "found again",
        _resampling(bn.Bootstrap, "exact"),
        most_variables=27,
        most_tables=2,
        delay=1,
    ),
    Method(
        "matched",
        "matched correction",
        "found again",
        _resampling(bn.Bootstrap, "matched"),
        most_variables=27,
        most_tables=2,
        delay=1,
    ),
)
METHODS: dict[str, Method] = {method.key: method for method in (*_RESAMPLING, *POSTERIORS)}
