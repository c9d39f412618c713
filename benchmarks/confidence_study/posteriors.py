"""Posterior probabilities of edges as methods of the study; none depends on the score that graphs are learned with."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

import bnengine as bn
from bnengine.posterior.edge_posterior import default_steps

from .cells import Cell, FloatArray
from .tables import Method, Table, cell_of_probability, one_thread

#: Up to so many variables posteriors are exact.
EXACT_UP_TO = 12
CHAINS = 4
#: Chains of each bag, and where only graphs to draw from are needed; how much shorter they are.
FEW_CHAINS, SHORTER = 2, 4
BAGS = 8


def probability(
    data: bn.Dataset, score: bn.scores.TableScore, table: Table, fair: bool = True, short: bool = False
) -> FloatArray:
    """Return the posterior probability of each directed edge, exact where that is cheap."""
    if data.n_variables <= EXACT_UP_TO:
        return bn.edge_posterior(data, score, uniform_parent_sizes=fair).probability
    how = (
        _short(data, table.seed, table.executor)
        if short
        else {"effort": bn.posterior.Effort(n_chains=CHAINS), "rng": table.seed, "executor": table.executor}
    )
    return bn.edge_posterior(data, score, uniform_parent_sizes=fair, **how).probability


def _short(data: bn.Dataset, seed: int, executor: Executor) -> dict[str, Any]:
    """Choose fewer and shorter chains, whose error is small beside that of a bag or of the graphs drawn."""
    n_steps = default_steps(data.n_variables) // SHORTER
    return {"effort": bn.posterior.Effort(n_chains=FEW_CHAINS), "n_steps": n_steps, "rng": seed, "executor": executor}


@lru_cache(maxsize=1)
def posterior_graphs(data: bn.Dataset, seed: int, n: int) -> npt.NDArray[np.bool_]:
    """Draw graphs from the posterior under fNML, evenly from all chains, shape (n, V, V); the same for all scores."""
    sampled = bn.edge_posterior(data, bn.FNML(), **_short(data, seed, one_thread()))
    return sampled.graphs()[np.linspace(0, sampled.n_graphs - 1, n).round().astype(int)]


def _of_table(score: bn.scores.TableScore, fair: bool, table: Table) -> FloatArray:
    """Return the posterior of the table itself, computed once for all methods that use it."""
    if (score.name, fair) not in table.posteriors:
        table.posteriors[score.name, fair] = probability(table.data, score, table, fair)
    return table.posteriors[score.name, fair]


def _one(score: bn.scores.TableScore, fair: bool, table: Table) -> Cell:
    return cell_of_probability(_of_table(score, fair, table))


def _bagged(score: bn.scores.TableScore, table: Table) -> Cell:
    rng, n = np.random.default_rng(table.seed), table.data.n_rows
    bags = [table.data.take(rng.integers(0, n, n)) for _ in range(BAGS)]
    return cell_of_probability(np.mean([probability(bag, score, table, short=True) for bag in bags], axis=0))


def _real(table: Table) -> Cell:
    return cell_of_probability(bn.edge_posterior(table.data, rng=table.seed, executor=table.executor).probability)


def _posterior(key: str, title: str, score: bn.scores.TableScore, fair: bool = True) -> Method:
    return Method(key, f"posterior, {title}", "real", partial(_one, score, fair), own_score=False)


def _bag(key: str, title: str, score: bn.scores.TableScore) -> Method:
    how = {"own_score": False, "most_tables": 2, "delay": 1}
    return Method(key, f"bagged posterior, {title}", "real", partial(_bagged, score), **how)


POSTERIORS = (
    Method("real", "corrected bagged posterior", "real", _real, own_score=False),
    _posterior("post_bic", "BIC", bn.BIC()),
    _posterior("post_bdeu1", "BDeu(1)", bn.BDeu(1.0)),
    _posterior("post_bdeu10", "BDeu(10)", bn.BDeu(10.0)),
    _posterior("post_fnml", "fNML", bn.FNML()),
    _posterior("post_qnml", "qNML", bn.QNML()),
    _posterior("post_fnml_flat", "fNML, flat prior", bn.FNML(), fair=False),
    _posterior("post_bdeu1_flat", "BDeu(1), flat prior", bn.BDeu(1.0), fair=False),
    _bag("bag_fnml", "fNML", bn.FNML()),
    _bag("bag_bdeu10", "BDeu(10)", bn.BDeu(10.0)),
)
