"""What binning does to the edges: with finer bins, some go although their two variables still depend.

Two variables that are independent given a third one are dependent given only which bin the third one is in. With enough
rows such an edge is certain, and still not real. With finer bins the dependence left over shrinks, and the edge goes;
an edge that goes although its two variables still depend is therefore a suspect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bnengine._core.display import counted
from bnengine._core.parallel import Progress
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph

Pair = tuple[str, str]
_NAMED = 4  # in a sentence


def finer_bins(
    edges: Sequence[Edge],
    tables: Mapping[int, Dataset],
    score: TableScore,
    learn: Callable[[Dataset], LearnedGraph],
    progress: Progress | None = None,
) -> FinerBins:
    """Learn again from the same table with finer bins, and compare the adjacencies.

    Parameters
    ----------
    edges : sequence of (parent, child)
        Of the graph learned with the bins in use.
    tables : mapping from int to Dataset
        The same rows cut finer, by the number of bins.
    score : score
        The one that graphs are learned with.
    learn : callable
        Learns a graph from one of the tables.
    progress : callable, optional
        Called with (graphs learned, graphs to learn); returning False stops the work.

    Returns
    -------
    FinerBins

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import bnengine as bn
    >>> rng = np.random.default_rng(1)
    >>> plan = rng.choice(3, 4000)
    >>> minutes = rng.gamma(4, 10, 4000) * 2.0**plan  # the plan decides on the minutes, the minutes on the cost
    >>> frame = pd.DataFrame({"plan": plan, "minutes": minutes, "cost": minutes * rng.uniform(0.8, 1.2, 4000)})
    >>> def cut(bins):
    ...     return bn.Dataset.from_frame(bn.discretize(frame, "quantile", bins, columns=["minutes", "cost"]))
    >>> finer_bins(bn.learn(cut(2)).edges, {4: cut(4), 6: cut(6)}, bn.BIC(), bn.learn).suspects
    {('cost', 'plan'): (4, 6)}
    """
    pairs = sorted({_pair(parent, child) for parent, child in edges})
    found: dict[Pair, list[int]] = {pair: [] for pair in pairs}
    gone: dict[Pair, list[int]] = {}
    tried: list[int] = []
    for bins, data in tables.items():
        if progress is not None and progress(len(tried), len(tables)) is False:
            break
        again = {_pair(*edge) for edge in learn(data).edges}
        tried.append(bins)
        for pair in pairs:
            if pair in again:
                found[pair].append(bins)
            elif _gain(data, pair, score) > 0:
                gone.setdefault(pair, []).append(bins)
    return FinerBins(
        tuple(tried),
        {pair: tuple(numbers) for pair, numbers in found.items()},
        {pair: tuple(numbers) for pair, numbers in gone.items()},
        "converged" if len(tried) == len(tables) else "stopped",
    )


@dataclass(frozen=True)
class FinerBins:
    """What became of each adjacency with finer bins.

    Attributes
    ----------
    bins : tuple of int
        The numbers of bins that were tried, in place of the default one.
    found : dict from (str, str) to tuple of int
        With which of them each adjacency was found again; the names of each pair are in alphabetical order.
    suspects : dict from (str, str) to tuple of int
        Adjacencies that are gone with these numbers of bins, although the score still gains from the edge alone:
        other variables explain the dependence, so that binning may have made the edge.
    status : str
        "converged", or "stopped" before all numbers of bins were tried.
    """

    bins: tuple[int, ...]
    found: dict[Pair, tuple[int, ...]]
    suspects: dict[Pair, tuple[int, ...]]
    status: str = "converged"

    def about(self, one: str, other: str) -> str:
        """Say what became of an adjacency; empty if it was not tried."""
        pair = _pair(one, other)
        if pair not in self.found or not self.bins:
            return ""
        if pair in self.suspects:
            return f"gone with {_bins(self.suspects[pair])}: perhaps by binning alone"
        if self.found[pair] == self.bins:
            return f"also with {_bins(self.bins)}"
        return f"too weak for {_bins([one for one in self.bins if one not in self.found[pair]])}"

    def suspected(self, one: str, other: str) -> bool:
        """Whether binning alone may have made an adjacency."""
        return _pair(one, other) in self.suspects

    @property
    def sentence(self) -> str:
        """Name the adjacencies that binning may have made, or say how many are found with finer bins, too."""
        if not self.suspects:
            again = sum(numbers == self.bins for numbers in self.found.values())
            return f"{again} of {counted(len(self.found), 'edge')} are found with {_bins(self.bins)}, too."
        named = [f"{one} – {other} (gone with {_bins(numbers)})" for (one, other), numbers in self.suspects.items()]
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        return (
            f"{counted(len(named), 'edge')} may exist by binning alone: {', '.join(named[:_NAMED])}{more}. With finer "
            "bins, other variables explain that dependence."
        )


def _gain(data: Dataset, pair: Pair, score: TableScore) -> float:
    """Return the gain in score of the edge between two variables without other parents, nats."""
    scores, (i, j) = LocalScores(data, score), map(data.index, pair)
    return max(scores(b, [a]) - scores(b) for a, b in ((i, j), (j, i)))


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _bins(numbers: Sequence[int]) -> str:
    """Write numbers of bins.

    >>> _bins([5, 8])
    '5 and 8 bins'
    """
    return f"{' and '.join(map(str, numbers))} bins"
