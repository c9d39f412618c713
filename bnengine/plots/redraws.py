"""The study drawn again: bootstrap replicates one after the other, laid over the graph learned from the data.

A share such as 74 % is easier to judge for a reader who has seen the replicates that it counts: which rows each one
repeats and leaves out, which edges it loses and which it adds (Hullman, Resnick & Adar 2015).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.arrays import IntArray, UInt8Array
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resamplers import Bootstrap, replicate_generators
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.plots.palette import method_color

#: Replicates that are shown of each method, and rows of the table.
MOST_SHOWN, MOST_ROWS = 200, 300
_MOST_DRAWN = 100_000  # rows of a replicate; larger ones are not drawn again
_MOST_TIMES = 9  # one digit
Pair = tuple[str, str]


@dataclass(frozen=True)
class Redraws:
    """Replicates of a study, in the order in which they were drawn.

    Attributes
    ----------
    learned : frozenset of pairs of names
        The edges of the graph learned from the data, the name that comes first in the alphabet first.
    graphs : dict
        By method, the edges of each replicate's graph.
    rows : ndarray of uint8, shape (R, n)
        How often each of the first n rows of the table is in each replicate; without columns where it is not known.
    n_rows : int
        Rows of the table.
    colors : dict
        By method.
    known : frozenset of pairs of names, optional
        The edges of a network that the data are known to come from, with its name.
    """

    learned: frozenset[Pair]
    graphs: Mapping[str, Sequence[frozenset[Pair]]]
    rows: UInt8Array
    n_rows: int
    colors: Mapping[str, str]
    known: tuple[str, frozenset[Pair]] | None = None

    def spec(self, names: Sequence[str]) -> dict[str, Any]:
        """Return them as the view reads them; only pairs of these names are drawn, all are counted.

        A graph is the set of its pairs' numbers: see ``_packed``.
        """
        every = sorted(self.learned.union(*(graph for graphs in self.graphs.values() for graph in graphs)))
        place, number = {name: v for v, name in enumerate(names)}, {pair: k for k, pair in enumerate(every)}
        return {
            "pairs": [[place.get(one, -1), place.get(other, -1)] for one, other in every],
            "learned": [number[pair] for pair in sorted(self.learned)],
            "methods": [
                {"key": key, "color": self.colors[key], "graphs": [_packed(map(number.__getitem__, g)) for g in graphs]}
                for key, graphs in self.graphs.items()
            ],
            "rows": ["".join(map(str, times)) for times in self.rows.tolist()],
            "n_rows": self.n_rows,
            "known": None if self.known is None else self.known[0],
            "true": [] if self.known is None else [number[pair] for pair in every if pair in self.known[1]],
        }


def redraws(study: Study, data: Dataset, dark: bool, known: tuple[str, Sequence[Pair]] | None = None) -> Redraws | None:
    """Return the replicates of the naive and the corrected bootstrap; None before both have any.

    Both learn from the same rows: only the correction differs.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("lecture_8"))
    >>> methods = bn.resampling_methods(5, keys=["bootstrap", "bootstrap_corrected"])
    >>> study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods, rng=1)
    >>> again = redraws(study, data, dark=False)
    >>> again.rows.shape, again.rows.sum(axis=1).tolist()
    ((5, 8), [8, 8, 8, 8, 8])
    """
    methods = {key: study.ensembles[key] for key in (NAIVE, CORRECTED) if key in study.ensembles}
    if len(methods) < 2 or not all(one.n_graphs for one in methods.values()):
        return None
    n = min(MOST_SHOWN, *(one.n_graphs for one in methods.values()))
    return Redraws(
        frozenset(map(_pair, study.reference.edges)),
        {key: [_pairs(one, number) for number in range(n)] for key, one in methods.items()},
        _rows(methods[NAIVE], data, n),
        data.n_rows,
        {key: method_color(key, dark) for key in methods},
        None if known is None else (known[0], frozenset(map(_pair, known[1]))),
    )


def _packed(numbers: Iterable[int]) -> str:
    """Write a set of numbers as bits, four in each hexadecimal digit, the lowest first."""
    return f"{sum(1 << number for number in numbers):x}"[::-1]


def _pair(edge: Sequence[str]) -> Pair:
    one, other = sorted(edge)
    return one, other


def _pairs(ensemble: Ensemble, number: int) -> frozenset[Pair]:
    names, (parents, children) = ensemble.names, np.divmod(ensemble.graphs[number], len(ensemble.names))
    return frozenset(_pair((names[i], names[j])) for i, j in zip(parents.tolist(), children.tolist(), strict=True))


def _rows(ensemble: Ensemble, data: Dataset, n: int) -> UInt8Array:
    """Return how often each of the first rows is in each of the first n replicates, drawn again from the seed.

    A replicate knows how often each *distinct* row occurs: which of several equal rows it drew is drawn here.
    """
    resampler = Bootstrap(ensemble.n_planned)
    if ensemble.seed is None or ensemble.resampler != resampler.name or data.n_rows > _MOST_DRAWN:
        return np.zeros((n, 0), dtype=np.uint8)
    in_order, sizes = np.argsort(data.distinct_row_of, kind="stable"), np.bincount(data.distinct_row_of)
    starts = np.cumsum(sizes) - sizes
    times = np.zeros((n, min(data.n_rows, MOST_ROWS)), dtype=np.uint8)
    for number, generator in enumerate(replicate_generators(ensemble.seed, n)):
        weights = resampler.replicate(data, number, generator).weights
        drawn = weights * sizes // data.multiplicities  # a row with a sampling weight is drawn with all of it
        distinct = np.repeat(np.arange(weights.size), drawn)
        among: IntArray = starts[distinct] + generator.integers(0, sizes[distinct])
        counts = np.bincount(in_order[among], minlength=data.n_rows)
        times[number] = np.minimum(counts[: times.shape[1]], _MOST_TIMES)
    return times
