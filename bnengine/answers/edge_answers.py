"""Two answers about each edge: how often it would be found again, and how probably it is real."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.display import Displayed
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import validated
from bnengine.bootstrap.ensemble import AveragedNetwork, check_kind, upper_triangle_if_undirected
from bnengine.bootstrap.resampling_methods import CORRECTED, EDGE_KIND_PLURAL, NAIVE, TITLES
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency, edge_frame, skeleton
from bnengine.posterior import EdgePosterior

#: What an edge is if it is (found again, real) with a probability above ``HALF``.
QUADRANTS = {
    (True, True): "found again and real",
    (True, False): "doubtful",
    (False, True): "too little data",
    (False, False): "neither",
}
HALF = 0.5
_LISTED = 0.01  # edges with both answers below are not listed in a notebook
_UNLIKELY = 0.005  # edges less probable are not listed: every edge has some probability


@dataclass(frozen=True, eq=False)
class EdgeAnswers(ReadOnlyArrays, Displayed):
    """Inclusion probability π by a resampling method, and posterior probability, of every edge.

    Attributes
    ----------
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    method : str
        Key of the resampling method.
    found_again : ndarray of float, shape (V, V), read-only
        ``[parent, child]``: estimate of π.
    learned : ndarray of bool, shape (V, V), read-only
        Edges of the graph learned from the data.
    real, real_error : ndarray of float, shape (V, V), read-only, or None
        Posterior probability and its Monte Carlo standard error; None without a posterior. For adjacencies that of
        either direction, for compelled edges that of the direction.
    found_again_error : ndarray of float, shape (V, V), read-only, or None
        Monte Carlo standard error of ``found_again``, from the number of replicates.
    score : str
        Name of the score that the replicates' graphs were learned with; empty if there are none.
    """

    names: tuple[str, ...]
    kind: str
    method: str
    found_again: FloatArray = field(repr=False)
    learned: Adjacency = field(repr=False)
    real: FloatArray | None = field(repr=False, default=None)
    real_error: FloatArray | None = field(repr=False, default=None)
    found_again_error: FloatArray | None = field(repr=False, default=None)
    score: str = ""

    @property
    def has_posterior(self) -> bool:
        """Whether there is a posterior."""
        return self.real is not None

    @validated
    def table(self, least: float = 0.0) -> pd.DataFrame:
        """Tabulate one row per edge with an answer above ``least``, or learned from the data; likely ones first.

        Returns
        -------
        DataFrame
            parent, child, found_again, found_again_error, with a posterior also real and real_error, and
            in_data_graph; in decreasing order of found_again, then of real; ties in column order. An adjacency has one
            row.
        """
        return self.rows(upper_triangle_if_undirected(self.shown(least), self.kind))

    def to_frame(self) -> pd.DataFrame:
        """Return all edges with an answer above 0; see ``table``."""
        return self.table()

    def _shown(self) -> tuple[str, pd.DataFrame]:
        real = ", and how probably it is real, by the posterior" if self.has_posterior else ""
        edges = EDGE_KIND_PLURAL[self.kind].capitalize()
        said = f"{edges}: how often each would be found again, by the {TITLES[self.method]}"
        return f"{said}{real}.", self.table(_LISTED)

    def shown(self, least: float) -> Adjacency:
        """Return the edges with an answer above ``least``, or learned from the data; shape (V, V)."""
        shown: Adjacency = self.learned | (self.found_again > least)
        return shown if self.real is None else shown | (self.real > max(least, _UNLIKELY))

    def rows(self, shown: Adjacency, **further: FloatArray) -> pd.DataFrame:
        """Return the chosen edges with both answers, whether they were learned from the data, and further columns."""
        frame = edge_frame(self.names, shown, **self.answers(), in_data_graph=self.learned, **further)
        by = [name for name in ("found_again", "real") if name in frame]
        return frame.sort_values(by, ascending=False, kind="stable", ignore_index=True)

    def beside(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table of edges, with columns parent and child, with both answers added on the right."""
        place = {name: v for v, name in enumerate(self.names)}
        i, j = ([place[name] for name in table[end]] for end in ("parent", "child"))
        return table.assign(**{name: matrix[i, j] for name, matrix in self.answers().items()})

    def answers(self) -> dict[str, FloatArray]:
        """Return the columns of a table, (V, V) each: both answers with their errors, as far as they are known."""
        columns = {
            "found_again": self.found_again,
            "found_again_error": self.found_again_error,
            "real": self.real,
            "real_error": self.real_error,
        }
        return {name: matrix for name, matrix in columns.items() if matrix is not None}

    def counts(self) -> dict[tuple[bool, bool], int]:
        """Count the edges by quadrant: (found again, real), each with a probability above one half."""
        if self.real is None:
            return {}
        possible = upper_triangle_if_undirected(~np.eye(len(self.names), dtype=np.bool_), self.kind)
        again, real = self.found_again[possible] > HALF, self.real[possible] > HALF
        return {key: int(((again == key[0]) & (real == key[1])).sum()) for key in QUADRANTS}


@validated
def two_answers(study: Study, method: str, kind: str, posterior: EdgePosterior | None = None) -> EdgeAnswers:
    """Set how often each edge would be found again beside the probability that it is real.

    Parameters
    ----------
    study : Study
    method : str
        Key of the method that says what is found again, such as ``"bootstrap_corrected"``.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    posterior : EdgePosterior, optional
        Of the same data; it says what is real.

    Returns
    -------
    EdgeAnswers

    Raises
    ------
    ValueError
        If the posterior is of other variables, or the study was run without the method.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(400, rng=1)
    >>> methods = bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    >>> study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods)
    >>> answers = two_answers(study, "bootstrap_corrected", "adjacency", bn.edge_posterior(data))
    >>> list(answers.table())
    ['parent', 'child', 'found_again', 'found_again_error', 'real', 'real_error', 'in_data_graph']
    """
    check_kind(kind)
    if posterior is not None and posterior.names != study.reference.names:
        raise ValueError(
            f"posterior must be of the study's variables, {some_of(study.reference.names)}; got one of "
            f"{some_of(posterior.names)}"
        )
    real, error = (None, None) if posterior is None else real_probability(posterior, kind)
    found_again, learned = np.array(study.confidence(method, kind)), np.array(study.presence(kind))
    drawn = study.standard_error(method, kind)
    score = _score_name(study, method)
    return EdgeAnswers(study.reference.names, kind, method, found_again, learned, real, error, drawn, score)


def pair_answers(study: Study, method: str, kind: str, posterior: EdgePosterior | None = None) -> EdgeAnswers:
    """Return the answers about each edge of an averaged network: pairs in their more frequent direction.

    A pair is found again if it is adjacent in either direction, for ``kind="compelled"`` by a compelled edge. It is
    real if the network has it in either direction, a compelled edge if in its own.
    """
    real, error = (None, None)
    if posterior is not None:
        real, error = real_probability(posterior, "compelled" if kind == "compelled" else "adjacency")
    strength, drawn = study.strength(method, kind), study.strength_error(method, kind)
    learned = np.array(study.presence("adjacency"))
    either, errors = strength + strength.T, drawn + drawn.T
    score = _score_name(study, method)
    return EdgeAnswers(study.reference.names, "adjacency", method, either, learned, real, error, errors, score)


def _score_name(study: Study, method: str) -> str:
    return study.ensembles[method].score if method in study.ensembles else ""


def with_all_methods(study: Study, answers: EdgeAnswers) -> pd.DataFrame:
    """Tabulate every edge that a method or the posterior shows: both answers, and the confidences by all methods.

    Returns
    -------
    DataFrame
        The columns of ``EdgeAnswers.table``, then ``confidence_<key>`` for each method, and overstated (naive minus
        corrected bootstrap) if both were run.
    """
    matrices = {f"confidence_{key}": study.confidence(key, answers.kind) for key in study.ensembles}
    shown = np.any([answers.shown(0.0), *(matrix > 0 for matrix in matrices.values())], axis=0)
    if {NAIVE, CORRECTED} <= set(study.ensembles):
        matrices["overstated"] = matrices[f"confidence_{NAIVE}"] - matrices[f"confidence_{CORRECTED}"]
    return answers.rows(upper_triangle_if_undirected(shown, answers.kind), **matrices)


def real_probability(posterior: EdgePosterior, kind: str) -> tuple[FloatArray, FloatArray]:
    """Return the probability that each edge of the kind is real, and its standard error, both of shape (V, V).

    No graph has both directions of an edge, so that of an adjacency is the sum of both. The error is 0 only for what
    was summed exactly under one score, or is decided by constraints.
    """
    if kind == "adjacency":
        return posterior.pair_probability, np.nan_to_num(posterior.pair_error)
    return np.array(posterior.probability), np.nan_to_num(posterior.error)


def expected_false(posterior: EdgePosterior, shown: Adjacency, kind: str) -> tuple[float, float]:
    """Return the expected number of edges among ``shown``, (V, V), that are not real, and its standard error.

    The sum of 1 − P(real); for adjacencies an edge is real in either direction. ``false_remark`` in ``thresholds.py``
    says what it was in simulated worlds.
    """
    false = float((1.0 - real_probability(posterior, kind)[0][shown]).sum())
    if posterior.is_exact:
        return false, 0.0

    def missing(graph: Adjacency) -> float:
        return float((shown & ~(skeleton(graph) if kind == "adjacency" else graph)).sum())

    return false, posterior.feature(missing).error


def disagreements(learned: Adjacency, network: AveragedNetwork, pairs: EdgeAnswers) -> pd.DataFrame:
    """Tabulate the pairs adjacent in one of two graphs only: that learned from the data, and the averaged network.

    Parameters
    ----------
    learned : ndarray of bool, shape (V, V), [parent, child]
    network : AveragedNetwork
    pairs : EdgeAnswers
        Of adjacencies.

    Returns
    -------
    DataFrame
        parent and child as in the graph that has the edge, only_in ("data" or "averaged"), found_again and
        found_again_error, and with a posterior real and real_error; in decreasing order of found_again.
    """
    answers = pairs.answers()
    averaged = np.asarray(network.adjacency)
    parts = {"data": learned & ~skeleton(averaged), "averaged": averaged & ~skeleton(learned)}
    frames = [edge_frame(pairs.names, shown, **answers).assign(only_in=where) for where, shown in parts.items()]
    frame = pd.concat(frames, ignore_index=True)[["parent", "child", "only_in", *answers]]
    return frame.sort_values("found_again", ascending=False, kind="stable", ignore_index=True)


def n_reversed(learned: Adjacency, network: AveragedNetwork) -> int:
    """Count the pairs that both graphs join, in opposite directions."""
    return int((learned & np.asarray(network.adjacency).T).sum())
