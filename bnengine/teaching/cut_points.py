"""What learning cut points anew in every resample does to confidence (Steck & Jaakkola 2003, footnote 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress, shared_progress
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Repeats, RowCount, validated
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import Dataset
from bnengine.discretization.joint import LearnedDiscretization, learn_discretization
from bnengine.scores.scores import BIC
from bnengine.search import HillClimbing

if TYPE_CHECKING:
    import pandas as pd

#: The edges of the model that rows of numbers are drawn from, with their coefficients; each noise has variance 1.
MODEL = {("a", "b"): 0.6, ("b", "d"): 0.4, ("c", "d"): 0.4, ("d", "e"): 0.3, ("b", "f"): 0.25}
_NAMES = ("a", "b", "c", "d", "e", "f")


@dataclass(frozen=True, eq=False)
class CutPointConfidence:
    """Confidence with cut points fixed and learned anew, and how often edges are learned from fresh tables.

    Attributes
    ----------
    discretization : LearnedDiscretization
        Cut points and graph of one table.
    ensembles : mapping from str to Ensemble
        ``"fixed"``, ``"fixed, corrected"``, ``"anew"`` and ``"anew, corrected"``; fewer if the run was stopped.
    fresh : list of ndarray of bool, shape (V, V)
        For each fresh table, which pairs the graph joins that is learned from it jointly with its cut points.
    status : {"converged", "stopped"}
    """

    discretization: LearnedDiscretization
    ensembles: dict[str, Ensemble]
    fresh: list[np.ndarray] = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """Tabulate one line per pair of variables: pair, true, ``pi`` (of fresh tables), confidence by ensemble."""
        import pandas as pd

        pairs = [(i, j) for i in range(len(_NAMES)) for j in range(i + 1, len(_NAMES))]
        places = tuple(np.array(pairs).T)
        lines = {"pair": [f"{_NAMES[i]} – {_NAMES[j]}" for i, j in pairs]}
        frame = pd.DataFrame(lines).assign(true=[(_NAMES[i], _NAMES[j]) in MODEL for i, j in pairs])
        frame["pi"] = np.mean(self.fresh, axis=0)[places] if self.fresh else np.nan
        for kind, ensemble in self.ensembles.items():
            frame[kind] = ensemble.adjacency_confidence[places]
        return frame


def numbers(n_rows: int, rng: Seed = 0) -> pd.DataFrame:
    """Draw rows of numbers from a linear model with normal noise: six variables, the five edges of ``MODEL``."""
    import pandas as pd

    generator = generator_of(rng)
    columns: dict[str, np.ndarray] = {}
    for name in _NAMES:
        columns[name] = generator.normal(size=n_rows)
        for (parent, child), weight in MODEL.items():
            if child == name:
                columns[name] += weight * columns[parent]
    return pd.DataFrame(columns).round(3)


@validated
def cut_point_confidence(
    n_rows: RowCount = 200,
    n: Repeats = 40,
    n_fresh: Repeats = 60,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> CutPointConfidence:
    """Compare confidence with fixed cut points to confidence with cut points learned anew in every replicate.

    Parameters
    ----------
    n_rows : int
        Rows of the table, drawn from a linear model.
    n, n_fresh : int
        Replicates of each of four ensembles (naive and corrected, of BIC by hill climbing), and fresh tables.
    rng : int, Generator or None, default 0; None draws anew at each call
    progress : callable, optional
        Called with (tables done, all tables); returning False stops and keeps what is done.

    Examples
    --------
    >>> import bnengine as bn
    >>> made = bn.teaching.cut_point_confidence(150, n=4, n_fresh=4)
    >>> made.table().columns.tolist()
    ['pair', 'true', 'pi', 'fixed', 'fixed, corrected', 'anew', 'anew, corrected']
    """
    table_rng, resample_rng, *fresh_rngs = generator_of(rng).spawn(2 + n_fresh)
    found = learn_discretization(numbers(n_rows, table_rng))
    data, seed = Dataset.from_frame(found.frame), int(resample_rng.integers(2**31))
    ensembles: dict[str, Ensemble] = {}
    kinds = [(cut, correction) for cut in (None, found) for correction in ("none", "leading")]
    *tells, tell_fresh = shared_progress(progress, [*[n] * len(kinds), n_fresh])
    for (discretize, correction), tell in zip(kinds, tells, strict=True):
        kind = ("fixed" if discretize is None else "anew") + (", corrected" if correction == "leading" else "")
        learning = (data, BIC(), HillClimbing(), Bootstrap(n), correction)
        ensembles[kind] = resample(*learning, rng=seed, progress=tell, reference=found.graph, discretize=discretize)
        if ensembles[kind].status == "stopped":
            return CutPointConfidence(found, ensembles, [], "stopped")
    fresh = []
    for number, generator in enumerate(fresh_rngs, start=1):
        graph = learn_discretization(numbers(n_rows, generator), rng=generator).graph
        fresh.append(graph.adjacency | graph.adjacency.T)
        if tell_fresh is not None and tell_fresh(number, n_fresh) is False and number < n_fresh:
            return CutPointConfidence(found, ensembles, fresh, "stopped")
    return CutPointConfidence(found, ensembles, fresh, "converged")
