"""Table 1 of Steck & Jaakkola (2003) for any data: number of edges by resampling method and score."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed
from bnengine._core.shared_progress import shared_progress
from bnengine._core.validation import Repeats, validated
from bnengine.bootstrap.methods import TABLE1_KEYS, methods
from bnengine.bootstrap.run_study import fixed_seed, study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.column_order import varies

if TYPE_CHECKING:
    import pandas as pd


@validated
def table1(
    data: Dataset,
    scores: Sequence[TableScore] | TableScore,
    search: Search,
    n: Repeats = 200,
    rng: Seed = 0,
    *,
    runs_on_data: bool | None = None,
    constraints: Constraints | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """Mean and standard deviation of the number of edges by method (rows) and score (columns).

    Parameters
    ----------
    data : Dataset
    scores : score or sequence of scores
        All scores see the same resamples.
    search : search
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    rng : int, Generator or None
    runs_on_data : bool, optional
        Also learn from the given data ``n`` times, as in the paper's second experiment, so that the row of the data is
        a mean. None does so if the search draws at random or breaks ties in a drawn order: the comparison would
        otherwise depend on a single draw.
    constraints, executor, ties
        As for ``resample``.
    progress : callable, optional
        Counts the replicates of all scores.

    Returns
    -------
    DataFrame
        Rows data D, boot BC, boot, jack 1, jack d; columns (score name, "mean" or "sd").

    Raises
    ------
    ValueError
        If two scores have the same name.
    """
    import pandas as pd

    several = list(scores) if isinstance(scores, Sequence) else [scores]
    names = [score.name for score in several]
    if len(set(names)) < len(names):
        raise ValueError(f"scores must have different names; two are called {max(names, key=names.count)}")
    if runs_on_data is None:
        runs_on_data = varies(search, ties)
    chosen = methods(n, keys=("data", *TABLE1_KEYS) if runs_on_data else TABLE1_KEYS)
    n_replicates = sum(method.resampler.n_replicates(data) for method in chosen)
    seed = fixed_seed(rng)
    tables = {}
    for score, share in zip(several, shared_progress(progress, [n_replicates] * len(several)), strict=True):
        result = study(data, score, search, chosen, constraints, seed, executor, share, ties=ties)
        tables[score.name] = result.table1()[["mean", "sd"]]
        if result.status == "stopped":
            break
    return pd.concat(tables, axis=1)
