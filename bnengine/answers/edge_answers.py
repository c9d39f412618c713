"""Two answers about each edge: how often it would be found again, and how probably it is real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, ReadOnlyArrays
from bnengine._core.display import Displayed
from bnengine._core.environment import pd
from bnengine._core.random_generators import share_interval
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import one_of, place_of, validated
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency, edge_frame
from bnengine.posterior import EdgePosterior
from bnengine.posterior.result import descendants, interval_of, markov_blanket, with_common_parent

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
    """*Found again* by a resampling method, and *real*, of every edge, in either direction.

    Attributes
    ----------
    method : str
        Key of the resampling method.
    found_again : ndarray of float, shape (V, V), read-only
        Estimate of π, symmetric as all that follows.
    learned : ndarray of bool, shape (V, V), read-only
        Edges of the graph learned from the data.
    real : ndarray of float, shape (V, V), read-only, or None
        Posterior probability; None without a posterior.
    real_interval, found_again_interval : ndarray of float, shape (2, V, V), read-only, or None
        Ends of 95 % intervals of what infinitely many resamples and chains, or replicates, would give.
    score : str
        Name of the score that the replicates' graphs were learned with; empty if there are none.
    real_range : ndarray of float, shape (2, V, V), read-only, or None
        The least and the greatest of the interval's ends and of *real* under either prior alone.
    """

    names: tuple[str, ...]
    method: str
    found_again: FloatArray = field(repr=False)
    learned: Adjacency = field(repr=False)
    real: FloatArray | None = field(repr=False, default=None)
    real_interval: FloatArray | None = field(repr=False, default=None)
    found_again_interval: FloatArray | None = field(repr=False, default=None)
    score: str = ""
    real_range: FloatArray | None = field(repr=False, default=None)

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
            parent, child, found_again, found_again_low and found_again_high (an interval of 95 %), with a posterior
            also real, real_low and real_high, and in_data_graph; in decreasing order of found_again, then of real;
            ties in column order. Each pair has one row.
        """
        shown = self.learned | (self.found_again > least)
        if self.real is not None:
            shown = shown | (self.real > max(least, _UNLIKELY))
        frame = edge_frame(self.names, np.triu(shown), **self.answers(), in_data_graph=self.learned)
        by = [name for name in ("found_again", "real") if name in frame]
        return frame.sort_values(by, ascending=False, kind="stable", ignore_index=True)

    to_frame = table

    def _shown(self) -> tuple[str, pd.DataFrame]:
        real = ", and how probably it is real, by the posterior" if self.has_posterior else ""
        text = f"Adjacencies: how often each would be found again, by the {TITLES[self.method]}"
        return f"{text}{real}.", self.table(_LISTED)

    def answers(self) -> dict[str, FloatArray]:
        """Return the columns of a table, (V, V) each: both answers with their intervals, as far as they are known."""
        columns = with_ends("found_again", self.found_again, self.found_again_interval)
        return columns if self.real is None else columns | with_ends("real", self.real, self.real_interval)


def with_ends(name: str, values: FloatArray, interval: FloatArray | None) -> dict[str, FloatArray]:
    """Return the columns of a number in a table, with the ends of its interval where it has one."""
    ends = () if interval is None else zip((f"{name}_low", f"{name}_high"), interval, strict=True)
    return {name: values, **dict(ends)}


@validated
def two_answers(study: Study, method: str, posterior: EdgePosterior | None = None) -> EdgeAnswers:
    """Set how often each edge, in either direction, would be found again beside the probability that it is real.

    Parameters
    ----------
    study : Study
    method : str
        Key of the method that says what is found again, such as ``"bootstrap_corrected"``.
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
    >>> answers = two_answers(study, "bootstrap_corrected", bn.edge_posterior(data))
    >>> list(answers.table())
    ['parent', 'child', 'found_again', 'found_again_low', 'found_again_high', 'real', 'real_low', 'real_high', \
'in_data_graph']
    """
    check_variables(study.reference.names, "the study's", posterior=posterior)
    again, drawn = study.confidence(method, "adjacency"), study.interval(method, "adjacency")
    score = study.ensembles[method].score if method in study.ensembles else ""
    real, interval, reach = None, None, None
    if posterior is not None:
        real, interval, under = posterior.pair_probability, posterior.pair_interval, posterior.under_each_prior
        every = np.concatenate([interval, under + under.transpose(0, 2, 1)])
        reach = np.array([every.min(axis=0), np.minimum(every.max(axis=0), 1.0)])
    learned = np.array(study.presence("adjacency"))
    return EdgeAnswers(study.reference.names, method, again, learned, real, interval, drawn, score, reach)


def check_variables(names: tuple[str, ...], whose: str, **given: Any) -> None:
    """Raise a ValueError unless what is given has these variables, in their order."""
    for argument, one in given.items():
        if one is not None and one.names != names:
            raise ValueError(f"{argument} must be of {whose} variables, {some_of(names)}; got {some_of(one.names)}")


# Both answers about a relation beyond an edge: a path, a Markov blanket, a parent in common.

#: Relations of one variable to each other one.
RELATIONS: dict[str, Callable[[Adjacency, int], BoolArray]] = {
    "path": descendants,
    "blanket": markov_blanket,
    "parent": with_common_parent,
}


def relation_table(study: Study, method: str, posterior: EdgePosterior, relation: str, variable: str) -> pd.DataFrame:
    """Tabulate both answers about a relation of one variable to each other one.

    Parameters
    ----------
    study : Study
    method : str
        Key of the resampling method that answers *found again*: the share of its graphs with the relation.
    posterior : EdgePosterior
    relation : {"path", "blanket", "parent"}
        A directed path from the variable, its Markov blanket, a parent in common with it.
    variable : str

    Returns
    -------
    DataFrame
        One row per other variable: variable, found_again, found_again_low, found_again_high, real, real_low, real_high
        (intervals of 95 %); in decreasing order of real, ties in column order.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap_corrected",)))
    >>> posterior = bn.edge_posterior(data)
    >>> list(relation_table(study, "bootstrap_corrected", posterior, "blanket", "Cancer").columns)
    ['variable', 'found_again', 'found_again_low', 'found_again_high', 'real', 'real_low', 'real_high']
    """
    place, holds = place_of(variable, "variable", posterior.names), RELATIONS[one_of(relation, "relation", RELATIONS)]
    ensemble = study.ensembles[one_of(method, "method", study.ensembles)]
    total = np.zeros(len(posterior.names))
    for graph, replicates in ensemble.distinct_graphs():
        total += replicates * holds(graph, place)
    again = total / max(int(ensemble.multiplicities.sum()), 1)
    real, error = posterior.mean_of(lambda graph: holds(graph, place).astype(np.float64))
    columns = with_ends("found_again", again, share_interval(again, ensemble.effective_replicates))
    columns |= with_ends("real", real, interval_of(real, error))
    table = pd.DataFrame({"variable": posterior.names, **columns})
    return table.drop(index=place).sort_values("real", ascending=False, kind="stable", ignore_index=True)
