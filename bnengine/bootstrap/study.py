"""The paper's table and figure: edges by resampling method, and naive against corrected confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine.bootstrap.averaged_network import AveragedNetwork, averaged_network, strength_of
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resample import refuse_too_large, resample
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, RepeatedSearch, Resampler
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, cpdag, skeleton
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn
from bnengine.search.column_order import varies

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Method:
    """A way to resample together with a correction, under the name the paper's Table 1 gives it."""

    key: str
    title: str
    resampler: Resampler
    correction: str


#: What counts as an edge: parent → child as the search drew it; a pair joined either way; an edge whose direction all
#: graphs of the equivalence class share.
KINDS = ("directed", "adjacency", "compelled")
#: The methods of Table 1 below the data's own line, in its order.
TABLE1_KEYS = ("boot_bc", "boot", "jack_1", "jack_d")
#: All methods, in the order of tables. ``"data"``: the given data again and again, for a search that draws at random
#: or breaks ties in a drawn order.
METHOD_KEYS = ("data", "boot_bc", "boot_exact", "boot_matched", "boot", "para_bc", "para", "jack_1", "jack_d")


def methods(n: int = 200, d: int | None = None, keys: Sequence[str] = TABLE1_KEYS) -> list[Method]:
    """Resampling methods by key, in the order of ``METHOD_KEYS``; by default the rows of Table 1.

    Parameters
    ----------
    n : int
        Replicates of each method but the delete-1 jackknife, which has one a row.
    d : int, optional
        Rows that delete-d leaves out; None for a tenth.
    keys : sequence of str
        Among ``METHOD_KEYS``.
    """
    known = [
        Method("data", "data D", RepeatedSearch(n), "none"),
        Method("boot_bc", "boot BC", Bootstrap(n), "leading"),
        Method("boot_exact", "boot exact", Bootstrap(n), "exact"),
        Method("boot_matched", "boot matched", Bootstrap(n), "matched"),
        Method("boot", "boot", Bootstrap(n), "none"),
        Method("para_bc", "param BC", ParametricBootstrap(n), "leading"),
        Method("para", "param", ParametricBootstrap(n), "none"),
        Method("jack_1", "jack 1", Jackknife(), "none"),
        Method("jack_d", "jack d", DeleteD(d, n), "none"),
    ]
    unknown = [key for key in keys if key not in METHOD_KEYS]
    if unknown:
        raise ValueError(f"methods must be among {', '.join(METHOD_KEYS)}; got '{unknown[0]}'")
    return [method for method in known if method.key in keys]


@dataclass(frozen=True, eq=False)
class Study:
    """The data's own graph and one ensemble for each method that was run.

    Attributes
    ----------
    reference : LearnedGraph
    ensembles : mapping from method key (see ``METHOD_KEYS``) to Ensemble
        An ensemble under ``"data"``, many runs on the given data, stands in for the data's own graph as the reference,
        as in the second experiment of Steck & Jaakkola (2003): where the search draws at random or breaks ties in a
        drawn order, a single graph is one of many.
    stopped : bool
        Whether the run was stopped before all methods were done.
    """

    reference: LearnedGraph
    ensembles: Mapping[str, Ensemble]
    stopped: bool = False

    @property
    def status(self) -> str:
        """``"stopped"`` if any method was cut short, be it before its first graph."""
        met = {self.reference.status, *(e.status for e in self.ensembles.values()), *(["stopped"] * self.stopped)}
        return next((status for status in ("stopped", "max_iterations") if status in met), "converged")

    @property
    def keys(self) -> tuple[str, ...]:
        """What there are confidences for: ``"data"`` first, then the methods that were run."""
        return tuple(dict.fromkeys(["data", *self.ensembles]))

    def presence(self, kind: str = "directed") -> Adjacency:
        """What counts as an edge of the data's own graph, shape (V, V); see ``KINDS``."""
        return presence_of(self.reference.adjacency, kind)

    def mean_edges(self, key: str, kind: str = "directed") -> float:
        """Mean number of edges of a method's graphs; of the reference for the key ``"data"``."""
        if kind == "directed" and key in self.ensembles:
            return self.ensembles[key].mean_edges
        return float(each_once(self.confidence(key, kind), kind).sum())

    def confidence(self, key: str, kind: str = "directed") -> npt.NDArray[np.float64]:
        """Confidence of each edge under a method, ``[parent, child]``.

        For the key ``"data"`` 0 or 1, or the share of runs where the data were learned from many times.
        """
        if key == "data" and key not in self.ensembles:
            return self.presence(kind).astype(np.float64)
        ensemble = self.ensembles[key]
        if kind == "adjacency":
            return ensemble.adjacency_confidence
        return ensemble.compelled_confidence if kind == "compelled" else ensemble.confidence

    def strength(self, key: str, kind: str = "directed") -> npt.NDArray[np.float64]:
        """Share of a method's graphs that join each pair, in either direction; shape (V, V), each pair counts once.

        For the kind ``"compelled"``, that join it by a compelled edge.
        """
        confidence = self.confidence(key, kind)
        return np.triu(confidence if kind == "adjacency" else strength_of(confidence))

    def averaged(self, key: str, threshold: float, kind: str = "directed") -> AveragedNetwork:
        """The averaged network of a method's graphs; for the kind ``"compelled"``, of their compelled edges alone."""
        directed = self.confidence(key, "compelled" if kind == "compelled" else "directed")
        return averaged_network(directed, threshold, self.reference.names)

    def table1(self) -> pd.DataFrame:
        """Number of edges: mean and standard deviation, one line a method, the data's own graph first."""
        import pandas as pd

        titles = {method.key: method.title for method in methods(keys=METHOD_KEYS)}
        lines: list[tuple[str, float, float, int]] = []
        for key in self.keys:
            found = self.ensembles.get(key)
            sd, n = (found.sd_edges, int(found.multiplicities.sum())) if found else (0.0, 1)
            lines.append((titles[key], self.mean_edges(key), sd, n))
        return pd.DataFrame(lines, columns=["method", "mean", "sd", "replicates"]).set_index("method")

    def edge_table(self, kind: str = "directed") -> pd.DataFrame:
        """One line an edge: parent, child, in_data_graph, each method's confidence, and naive minus corrected.

        Every edge that the data's graph or any replicate has; most confident by the corrected bootstrap first where
        it was run, ties in column order. For adjacencies each pair has one line, in column order.
        """
        import pandas as pd

        keys = list(self.ensembles)
        shown = each_once(self.presence(kind), kind)
        for key in keys:
            shown = shown | (each_once(self.confidence(key, kind), kind) > 0)
        i, j = np.nonzero(shown)
        names = self.reference.names
        frame = pd.DataFrame({"parent": [names[v] for v in i], "child": [names[v] for v in j]})
        frame["in_data_graph"] = self.presence(kind)[i, j]
        for key in keys:
            frame[f"confidence_{key}"] = self.confidence(key, kind)[i, j]
        if {"boot", "boot_bc"} <= set(keys):
            frame["overstated"] = frame["confidence_boot"] - frame["confidence_boot_bc"]
        first = "confidence_boot_bc" if "boot_bc" in keys else f"confidence_{keys[0]}" if keys else "parent"
        return frame.sort_values(first, ascending=not keys, kind="stable", ignore_index=True)

    def overstated(self, naive: str = "boot", corrected: str = "boot_bc", kind: str = "directed") -> pd.DataFrame:
        """How much more confident one method is of each edge than another: parent, child, in_data_graph, difference.

        ``difference`` is the confidence by ``naive`` less that by ``corrected``; the largest first, ties by column.
        Edges that neither method shows are left out.
        """
        import pandas as pd

        matrices = [each_once(self.confidence(key, kind), kind) for key in (naive, corrected)]
        i, j = np.nonzero((matrices[0] > 0) | (matrices[1] > 0))
        names = self.reference.names
        frame = pd.DataFrame({"parent": [names[v] for v in i], "child": [names[v] for v in j]})
        frame["in_data_graph"] = self.presence(kind)[i, j]
        frame["difference"] = (matrices[0] - matrices[1])[i, j]
        return frame.sort_values("difference", ascending=False, kind="stable", ignore_index=True)

    def threshold(self, key: str, kind: str = "directed") -> float:
        """The confidence above which lie as many edges as the method's graphs have on average (the paper's Figure 1).

        Half-way between the last edge inside and the first outside; 1/2 for the data's own graph, where every
        confidence is 0 or 1.
        """
        if key == "data" and key not in self.ensembles:
            return 0.5
        confidence = each_once(self.confidence(key, kind), kind)
        return threshold_for(confidence, round(self.mean_edges(key, kind)))

    def strength_threshold(self, key: str, kind: str = "directed") -> float:
        """The strength above which lie as many pairs as the method's graphs have edges on average."""
        return threshold_for(self.strength(key, kind), round(self.mean_edges(key, kind)))


def presence_of(adjacency: Adjacency, kind: str) -> Adjacency:
    """What counts as an edge of a graph, shape (V, V); see ``KINDS``."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got '{kind}'")
    if kind == "adjacency":
        return skeleton(adjacency)
    if kind == "compelled":
        both = cpdag(adjacency)
        return both & ~both.T
    return adjacency


def each_once(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """A matrix in which each adjacency counts once."""
    return np.triu(matrix) if kind == "adjacency" else matrix


def threshold_for(confidence: npt.NDArray[np.float64], n_edges: int) -> float:
    """The threshold that leaves ``n_edges`` edges at or above it, as nearly as ties allow, in [0, 1].

    Half-way between the last confidence inside and the first outside; of two numbers equally near, the smaller.
    """
    levels, edges = np.unique(confidence[confidence > 0], return_counts=True)
    if n_edges <= 0 or not levels.size:
        return 1.0
    bounds = np.concatenate([[0.0], levels, [1.0] if levels[-1] < 1 else []])
    inside = np.append(np.cumsum(edges[::-1])[::-1], [0] if levels[-1] < 1 else [])  # edges above each bound
    nearest = int(np.lexsort((inside, np.abs(inside - n_edges)))[0])
    return float((bounds[nearest] + bounds[nearest + 1]) / 2)


def study(
    data: Dataset,
    score: TableScore,
    search: Search,
    methods: Sequence[Method],
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
    known: Mapping[str, Ensemble] | None = None,
    ties: str = "drawn",
) -> Study:
    """Run several resampling methods on one data set; the two bootstraps see the same resamples.

    ``progress`` counts the replicates of all methods that have to be run; stopping keeps the finished and the partial
    ensembles. Ensembles in ``known``, by method key, are taken as they are. ``ties`` is as of ``resample``.
    """
    seed = seed_of(rng)
    if seed is None:
        seed = int(generator_of(rng).integers(2**53))
    known = known or {}
    refuse_too_large(sum(method.resampler.n_replicates(data) for method in methods), data.n_variables)
    reference = learn(data, score, search, constraints, rng=seed, ties=ties)
    methods = sorted(methods, key=lambda method: method.key != "data")  # others are matched to it
    total = sum(method.resampler.n_replicates(data) for method in methods if method.key not in known)
    ensembles: dict[str, Ensemble] = {}
    before, stopped = 0, False
    for method in methods:
        if method.key in known:
            ensembles[method.key] = known[method.key]
            continue

        def told(done: int, _: int, before: int = before) -> bool | None:
            return progress(before + done, total) if progress else None

        ensemble = resample(
            data,
            score,
            search,
            method.resampler,
            method.correction,
            constraints,
            seed,
            executor,
            told,
            strength=strength,
            reference=reference,
            target_edges=ensembles["data"].mean_edges if "data" in ensembles else None,
            ties=ties,
        )
        if ensemble.n_graphs:
            ensembles[method.key] = ensemble
        stopped = ensemble.status == "stopped"
        if stopped:
            break
        before += ensemble.n_planned
    in_order = sorted(ensembles, key=lambda key: METHOD_KEYS.index(key) if key in METHOD_KEYS else len(METHOD_KEYS))
    return Study(reference, {key: ensembles[key] for key in in_order}, stopped)


def table1(
    data: Dataset,
    scores: Sequence[TableScore] | TableScore,
    search: Search,
    n: int = 200,
    rng: Seed = 0,
    *,
    runs_on_data: bool | None = None,
    constraints: Constraints | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """The paper's Table 1 for any data: number of edges, mean and sd, by method (rows) and score (columns).

    Parameters
    ----------
    data : Dataset
    scores : score or sequence of scores
    search : search
    n : int
        Replicates of each method but the delete-1 jackknife, which has one a row.
    rng : int, Generator or None
    runs_on_data : bool, optional
        Learn from the given data ``n`` times, too, as the paper's second experiment does, so that the line of the data
        is a mean. None does so where the search draws at random or breaks ties in a drawn order: one graph would leave
        the comparison to that draw.
    constraints, executor, progress, ties
        As of ``resample``; ``progress`` counts the replicates of all scores.

    Returns
    -------
    DataFrame
        Rows data D, boot BC, boot, jack 1, jack d; columns (score name, "mean" or "sd").
    """
    import pandas as pd

    several = list(scores) if isinstance(scores, Sequence) else [scores]
    names = [score.name for score in several]
    if len(set(names)) < len(names):
        raise ValueError(f"each score needs a name of its own; two are called {max(names, key=names.count)}")
    seed = seed_of(rng)
    if seed is None:  # every score is to see the same resamples
        seed = int(generator_of(rng).integers(2**53))
    if runs_on_data is None:
        runs_on_data = varies(search, ties)
    chosen = methods(n, keys=("data", *TABLE1_KEYS) if runs_on_data else TABLE1_KEYS)
    each = sum(method.resampler.n_replicates(data) for method in chosen)
    tables = {}
    for number, score in enumerate(several):

        def told(done: int, _: int, before: int = number * each) -> bool | None:
            return progress(before + done, each * len(several)) if progress else None

        found = study(data, score, search, chosen, constraints, seed, executor, told, ties=ties)
        tables[score.name] = found.table1()[["mean", "sd"]]
        if found.status == "stopped":
            break
    return pd.concat(tables, axis=1)
