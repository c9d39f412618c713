"""What is known of one edge: from data, learned graph, replicates and posterior."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import accepts, validated
from bnengine.answers.edge_answers import real_probability
from bnengine.answers.edge_explanation import (
    ABSENT,
    ALONE,
    COMPELLED,
    FEWEST,
    POSTERIOR,
    TOGETHER,
    EdgeExplanation,
    EdgeGain,
    MethodAnswer,
    Rival,
)
from bnengine.answers.verdict import effect_in_graph, one_way, verdict
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resampling_methods import default_method
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, ancestors
from bnengine.posterior import EdgePosterior
from bnengine.scores.dependence import conditional_g_squared
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import LearnedGraph, learn
from bnengine.search.learning import drawn_once

_SURE = 2.0  # standard errors by which a rival's share must differ
_MOST_RIVALS = 5


@validated
@accepts(interventions=True, missing=True)
def explain_edge(
    data: Dataset,
    parent: str,
    child: str,
    score: TableScore | None = None,
    study: Study | None = None,
    posterior: EdgePosterior | None = None,
    constraints: Constraints | None = None,
    *,
    method: str | None = None,
) -> EdgeExplanation:
    """Gather everything that is known of one edge, whether or not it was learned.

    Where missing cells are to be drawn, gains in score are those of one draw, that from which ``learn`` learned the
    graph if its seed is known. Rows are counted in which the two variables, and those that are conditioned on, are
    seen.

    Parameters
    ----------
    data : Dataset
    parent, child : str
        In either direction.
    score : score, default BIC()
        The one that the graph was learned with.
    study : Study, optional
        It has the graph of the data, says how often the edge is found again, and what replicates have in its place.
        Without it a graph is learned.
    posterior : EdgePosterior, optional
        It says whether the edge is real.
    constraints : Constraints, optional
        Those that graphs were learned with.
    method : str, optional
        Key of the method that says what is found again; by default the first that pages show.

    Returns
    -------
    EdgeExplanation

    Raises
    ------
    ValueError
        If the variables are not two different ones of the data, or something is of other variables.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2_000, rng=1)
    >>> found = bn.answers.explain_edge(data, "Smoker", "Cancer")
    >>> found.alternative, found.observed.tolist()
    ('reversible alone', [[13, 2], [616, 1369]])
    """
    i, j = data.index(parent), data.index(child)
    if i == j:
        raise ValueError(f"parent and child must be different variables; got '{parent}' twice")
    score, constraints = score or BIC(), constraints or Constraints()
    graph = learn(data, score, constraints=constraints) if study is None else study.reference
    _check_names(data.names, study=graph, posterior=posterior)
    if graph.adjacency[j, i]:
        i, j = j, i
    judged, key = None, ""
    if study is not None and any(one != "data" for one in study.ensembles):
        key = method or default_method([one for one in study.ensembles if one != "data"])
        judged = verdict(study, key, posterior, constraints)
    gains = _gains(drawn_once(data, graph.seed or 0), score, graph.adjacency, i, j)
    observed, tested = _counted(data, i, j), [_tested(data, i, j, given) for given in ((), gains[0].others)]
    ensemble = study.ensembles[key] if study is not None and judged is not None else None
    arrows = graph.cpdag & ~graph.cpdag.T if judged is None else judged.settled
    return EdgeExplanation(
        data.names[i],
        data.names[j],
        bool(graph.adjacency[i, j]),
        judged,
        (*_by_methods(study, i, j), *_by_posterior(posterior, i, j)),
        () if judged is None else (float(judged.compelled[i, j]), float(judged.compelled[j, i])),
        _alternative(graph, i, j),
        _decided(graph, constraints, i, j),
        gains,
        observed,
        np.outer(observed.sum(axis=1), observed.sum(axis=0)) / max(int(observed.sum()), 1),
        (data.states[i], data.states[j]),
        tuple(g for g, _ in tested),
        tuple(freedom for _, freedom in tested),
        *((0, 0, ()) if ensemble is None else _without_it(ensemble, i, j)),
        effect=effect_in_graph(data, graph.adjacency, arrows, i, j),
        missing_way=data.missing_way,
    )


def _check_names(names: tuple[str, ...], **given: Any) -> None:
    for argument, one in given.items():
        if one is not None and one.names != names:
            raise ValueError(f"{argument} must be of the data's variables, {some_of(names)}; got {some_of(one.names)}")


def _by_methods(study: Study | None, i: int, j: int) -> list[MethodAnswer]:
    found = []
    for key, ensemble in ({} if study is None else study.ensembles).items():
        if key == "data":
            continue  # it tells of the search only
        forward, backward = float(ensemble.confidence[i, j]), float(ensemble.confidence[j, i])
        error = 0.0 if study is None else float(study.standard_error(key, "adjacency")[i, j])
        found.append(MethodAnswer(key, float(ensemble.adjacency_confidence[i, j]), error, _part(forward, backward)))
    return found


def _by_posterior(posterior: EdgePosterior | None, i: int, j: int) -> list[MethodAnswer]:
    if posterior is None:
        return []
    real, error = real_probability(posterior, "adjacency")
    forward = _part(float(posterior.probability[i, j]), float(posterior.probability[j, i]))
    pair = posterior.under_each_prior[:, i, j] + posterior.under_each_prior[:, j, i]
    of_priors = tuple(np.minimum(pair, 1.0).tolist()) if posterior.n_bags else ()
    return [MethodAnswer(POSTERIOR, float(real[i, j]), float(error[i, j]), forward, of_priors)]


def _part(one: float, other: float) -> float:
    return one / (one + other) if one + other > 0 else math.nan


def _alternative(graph: LearnedGraph, i: int, j: int) -> str:
    if not graph.adjacency[i, j]:
        return ABSENT
    if not graph.cpdag[j, i]:
        return COMPELLED
    of_child = graph.adjacency[:, j].copy()
    of_child[i] = False
    return ALONE if (of_child == graph.adjacency[:, i]).all() else TOGETHER


def _decided(graph: LearnedGraph, constraints: Constraints, i: int, j: int) -> str:
    """Return the clause that says what decides the edge or its direction."""
    names, space = graph.names, constraints.resolve(graph.names)
    for a, b in ((i, j), (j, i)):
        if space.required[a, b]:
            return f"a constraint requires {names[a]} → {names[b]}, so that no number tells anything about it"
    if not (space.allowed[i, j] or space.allowed[j, i]):
        return "constraints forbid this edge in both directions"
    for a, b in ((i, j), (j, i)):
        if one_way(constraints, names)[a, b]:
            return f"constraints leave the direction {names[a]} → {names[b]} only"
    if (names[i], names[j]) in graph.decided:
        return "experiments decide the direction: without them it could be reversed"
    return ""


def _gains(data: Dataset, score: TableScore, adjacency: Adjacency, i: int, j: int) -> tuple[EdgeGain, EdgeGain]:
    names, scores, without = data.names, LocalScores(data, score), np.array(adjacency)
    without[i, j] = without[j, i] = False
    reach = ancestors(without)

    def gain(parent: int, child: int) -> EdgeGain:
        others = np.flatnonzero(without[:, child]).tolist()
        alone = _difference(scores(child, [parent]), scores(child))
        beside = _difference(scores(child, [*others, parent]), scores(child, others)) if others else alone
        named = tuple(names[other] for other in others)
        return EdgeGain(names[parent], names[child], alone, named, beside, bool(reach[child, parent]))

    return gain(i, j), gain(j, i)


def _difference(after: float, before: float) -> float:
    """Return the gain; NaN where the prior network makes both families impossible."""
    return after - before if math.isfinite(after) or math.isfinite(before) else math.nan


def _rows_for(data: Dataset, child: int) -> Dataset | None:
    """Return the rows that count for the child's family, not set and all cells seen; None if there are none."""
    codes, counts = data.recorded[0], data.counts_for(child)
    times = np.ones(len(codes), dtype=np.int64) if counts is None else counts
    kept = times > 0 if data.holes is None else (times > 0) & ~data.holes.any(axis=1)
    return Dataset(data.names, data.states, codes[kept], counts=times[kept]) if kept.any() else None


def _counted(data: Dataset, i: int, j: int) -> IntArray:
    """Count the rows that count for the child with each pair of states."""
    table = np.zeros((len(data.states[i]), len(data.states[j])), dtype=np.int64)
    rows = _rows_for(data.select([data.names[i], data.names[j]]), 1)
    if rows is not None:
        codes, counts = rows.recorded
        np.add.at(table, (codes[:, 0].astype(np.int64), codes[:, 1].astype(np.int64)), 1 if counts is None else counts)
    return table


def _tested(data: Dataset, i: int, j: int, given: tuple[str, ...]) -> tuple[float, int]:
    """Return G² of the two variables given others, and its degrees of freedom."""
    rows = _rows_for(data.select([data.names[i], data.names[j], *given]), 1)
    if rows is None:
        return 0.0, 0
    return conditional_g_squared(rows, data.names[j], data.names[i], given)


def _without_it(ensemble: Ensemble, i: int, j: int) -> tuple[int, int, tuple[Rival, ...]]:
    """Return the numbers of replicates with and without the edge, and what is joined to an end clearly more often."""
    parts = [graphs[:, [i, j]] | graphs[:, :, [i, j]].mT for graphs, _ in ensemble.batches()]
    if not parts:
        return 0, 0, ()
    joined_to, weights, found = np.concatenate(parts), ensemble.multiplicities.astype(np.float64), []
    joined = joined_to[:, 0, j]
    n_with, n_without = int(weights[joined].sum()), int(weights[~joined].sum())
    if min(n_with, n_without) < FEWEST:
        return n_with, n_without, ()
    for number, end in enumerate((i, j)):
        near = joined_to[:, number].astype(np.float64)
        absent, present = (np.average(near[part], axis=0, weights=weights[part]) for part in (~joined, joined))
        error = np.sqrt(absent * (1 - absent) / n_without + present * (1 - present) / n_with)
        for v in np.flatnonzero(absent - present > _SURE * error).tolist():
            if v not in (i, j):
                names = ensemble.names[v], ensemble.names[end]
                found.append(Rival(*names, float(absent[v]), float(present[v]), float(error[v])))
    found.sort(key=lambda one: (one.with_edge - one.without_edge, one.variable, one.end))
    return n_with, n_without, tuple(found[:_MOST_RIVALS])
