"""The check against noise: how many edges copies of the table show as found again and real that can have none."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from bnengine._core.parallel import Progress, to_the_end
from bnengine._core.random_generators import Seed
from bnengine._core.validation import ParentLimit, accepts, validated
from bnengine.answers.edge_answers import HALF
from bnengine.answers.verdict import verdict
from bnengine.bootstrap.permutation_threshold import NoiseCheck, check_copies
from bnengine.bootstrap.resampling_methods import resampling_methods
from bnengine.bootstrap.study import study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import skeleton
from bnengine.posterior import Effort, edge_posterior
from bnengine.scores.local_score import default_score
from bnengine.scores.scores import TableScore
from bnengine.search import IteratedLocalSearch, Search
from bnengine.search.drawn_cells import drawn_once

#: Copies of each kind, of tables with at most so many variables; of larger ones, whose posterior takes seconds, fewer.
COPIES, SMALL, FEWER = 30, 12, 6
#: Replicates and resamples of a copy: the mean over copies does not depend on how many there are of either.
_REPLICATES, _BAGS = 50, 8


@to_the_end
@validated
@accepts(missing=True, numbers=True)
def noise_check(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    *,
    constraints: Constraints | None = None,
    max_parents: ParentLimit | None = 4,
    rng: Seed = 0,
    ties: str = "drawn",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> NoiseCheck:
    """Count the edges that are found again and real in copies of a table in which no column depends on another.

    Shuffled columns keep their frequencies only. That also removes what rows have in common, for which every method
    here assumes independence: so columns are also rotated, each by another number of rows. A copy gets both numbers of
    the verdict as any table does, *found again* from 50 replicates of the predictive bootstrap, and *real*, where
    anything is found again, from 8 resamples of each size. Tables of up to 12 variables have 30 copies of each kind,
    larger ones 6, of 5,000 consecutive rows at most. Missing cells are drawn once.

    Dependent rows in a random order, such as the shuffled visits of patients, go unnoticed.

    Parameters
    ----------
    data : Dataset
    score, search, constraints, ties
        As of the study: those of pages without them.
    max_parents : int, optional
        Of *real*.
    rng, executor
        As for ``bn.study``.
    progress : callable, optional
        Counts copies. Stopping keeps those that are done.

    Returns
    -------
    NoiseCheck
        For ``bn.verdict(…, noise=…)``.

    Raises
    ------
    DataError
        If rows are of experiments, whose columns depend on what was set.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(100, rng=1)
    >>> check = bn.answers.noise_check(data)
    >>> check.summary
    'Checked on 30 shuffled and 30 rotated copies of 100 rows: no edge of any copy is found again and real.'
    >>> check.sentences(1)
    []
    """
    rule, way, given = score or default_score(data), search or IteratedLocalSearch(), constraints or Constraints()
    methods = resampling_methods(_REPLICATES, keys=("predictive",))
    required = skeleton(given.resolve(data.names).required)

    def n_edges(copy: Dataset, seed: int, share: Progress | None) -> int | None:
        how: dict[str, Any] = {"constraints": given, "rng": seed, "executor": executor, "progress": share}
        found = study(copy, rule, way, methods, ties=ties, **how)
        if found.status == "stopped":
            return None
        if not (found.confidence("predictive", "adjacency") * ~required > HALF).any():
            return 0
        real = edge_posterior(copy, max_parents=max_parents, effort=Effort(n_bags=_BAGS), **how)
        if real.status == "stopped":
            return None
        return verdict(found, real, constraints=given).n_both_high

    n_copies = COPIES if data.n_variables <= SMALL else FEWER
    rows = drawn_once(data.with_missing("drawn"), rng, progress=progress)
    return check_copies(rows, n_edges, n_copies, rng=rng, progress=progress)
