"""Which verdicts survive other reasonable preparations: *real* with numbers kept, and cut into 2, 3 and 5 states.

Every preparation errs in its own way: kept numbers are too sure where rows of several kinds are pooled, few states
leave dependence behind that other variables would explain, many states cost parameters. A verdict that all of them give
does not depend on the choice. That one of them gives another proves nothing yet; where kept numbers lack the edge,
cutting may have made it.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, ReadOnlyArrays
from bnengine._core.display import listed, probability
from bnengine._core.parallel import Progress, split_progress
from bnengine._core.random_generators import Seed
from bnengine._core.validation import ParentLimit, accepts, validated
from bnengine.answers.edge_answers import HALF
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.posterior import EdgePosterior, Effort, edge_posterior
from bnengine.posterior.bagging import PRIORS
from bnengine.posterior.chain import PARTS, scale_progress
from bnengine.posterior.representations import BINS

#: States that numbers are cut into besides those of *real* itself.
OTHER_BINS = (2, 5)
_BAGS = 8  # resamples of each size: the numbers are compared with one half only


@validated
@accepts(interventions=True, missing=True, numbers=True)
def other_preparations(
    data: Dataset,
    posterior: EdgePosterior | None = None,
    *,
    constraints: Constraints | None = None,
    max_parents: ParentLimit | None = 4,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Preparations:
    """Compute *real* with the numbers of a table kept, and cut into 2, 3 and 5 states of about as many rows.

    Parameters
    ----------
    data : Dataset
        With its numbers kept, whether or not the verdict is on them.
    posterior : EdgePosterior, optional
        *Real* of these data, if it is known: it has the kept numbers and three states.
    constraints, max_parents, rng, executor
        As for ``bn.edge_posterior``.
    progress : callable, optional
        Stopping keeps the preparations that are done.

    Returns
    -------
    Preparations
        For ``bn.verdict(…, preparations=…)``.

    Raises
    ------
    ValueError
        If no column is kept as numbers, or the posterior is not *real* of these data.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import bnengine as bn
    >>> x = np.random.default_rng(1).normal(size=(60, 2)) @ [[1, 1], [0, 1]]
    >>> data = bn.Dataset.from_frame(pd.DataFrame(x, columns=["dose", "pulse"]), numbers=["dose", "pulse"])
    >>> found = bn.answers.other_preparations(data)
    >>> found.labels
    ('kept', 'cut into 2', 'cut into 3', 'cut into 5')
    """
    if not data.numbers:
        raise ValueError("data must have columns of numbers, such as Dataset.from_frame(frame, numbers=…)")
    if posterior is not None and posterior.status == "stopped":
        posterior = None  # it lacks some of the preparations
    if posterior is not None and (posterior.names != data.names or len(posterior.under_each_prior) <= len(PRIORS)):
        raise ValueError("posterior must be bn.edge_posterior of these data without a score; leave it out")
    reports = iter(split_progress(progress, [PARTS] * (len(OTHER_BINS) + (posterior is None))))

    def real(rows: Dataset) -> EdgePosterior:
        report, given = next(reports), dict[str, Any](constraints=constraints, max_parents=max_parents, rng=rng)
        return edge_posterior(
            rows, effort=Effort(n_bags=_BAGS), executor=executor, progress=scale_progress(report), **given
        )

    first = real(data) if posterior is None else posterior
    found: dict[int, FloatArray] = {}  # by the number of states; 0 where numbers are kept
    if first.status != "stopped":
        kept, cut = first.under_each_prior[: -len(PRIORS)], first.under_each_prior[-len(PRIORS) :]
        found = {0: kept.mean(axis=0), BINS: cut.mean(axis=0)}
        for bins in OTHER_BINS:
            other = real(data.cut(bins))
            if other.status == "stopped":
                break
            found[bins] = np.asarray(other.probability)
    whole = len(found) == 2 + len(OTHER_BINS)
    v, labels = data.n_variables, tuple(f"cut into {bins}" if bins else _KEPT for bins in sorted(found))
    pairs = [np.minimum(found[bins] + found[bins].T, 1.0) for bins in sorted(found)]
    return Preparations(data.names, labels, np.array(pairs).reshape(-1, v, v), "converged" if whole else "stopped")


_KEPT = "kept"


@dataclass(frozen=True, eq=False)
class Preparations(ReadOnlyArrays):
    """*Real* of every pair under each preparation of the numbers.

    Attributes
    ----------
    names, labels : tuple of str
        Of the variables and of the preparations, P of them, fewer if it was stopped.
    real : ndarray of float, shape (P, V, V), symmetric, read-only
    status : {"converged", "stopped"}
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    real: FloatArray = field(repr=False)
    status: str

    def turned(self, real: FloatArray) -> BoolArray:
        """Return the pairs, (V, V), that some preparation puts on the other side of one half than these numbers."""
        return np.asarray(((self.real > HALF) != (real > HALF)).any(axis=0))

    def against(self, i: int, j: int, real: float) -> str:
        """Say which preparations put a pair on the other side of one half than this number; empty if none does."""
        numbers = dict(zip(self.labels, self.real[:, i, j].tolist(), strict=True))
        other = {label: p for label, p in numbers.items() if (p > HALF) != (real > HALF)}
        if not other:
            return ""
        made = " Cutting may have made this edge." if _KEPT in other and real > HALF else ""
        others = listed([f"{probability(p)} with numbers {label}" for label, p in other.items()])
        return f"Prepared otherwise, it is real with probability {others}.{made}"

    @property
    def in_words(self) -> str:
        """The preparations, after "with numbers"."""
        cut = [label.rpartition(" ")[2] for label in self.labels[1:]]
        return f"{_KEPT}, and cut into {listed(cut)} states" if cut else _KEPT
