"""Everything that is known of one edge: both answers, direction, what it adds to the score, counts, and rivals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, probability
from bnengine._core.environment import pd
from bnengine._core.random_generators import share_interval
from bnengine._core.validation import accepts, validated
from bnengine.answers import edge_sentences as words
from bnengine.answers.edge_answers import check_variables
from bnengine.answers.edge_sentences import EdgeGain, MethodAnswer, Rival
from bnengine.answers.verdict import Verdict, effect_in_graph, one_way, verdict
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resampling_methods import default_method
from bnengine.bootstrap.study import Study
from bnengine.data.blocks import features_of
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, ancestors
from bnengine.posterior import EdgePosterior
from bnengine.scores.dependence import conditional_g_squared
from bnengine.scores.edge_effect import EdgeEffect
from bnengine.scores.evaluation import likelihood_of
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.scores.pair_rows import PairRows, pair_rows
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, learn
from bnengine.search.drawn_cells import drawn_once

_REQUIRES = "a constraint requires"
_SURE = 2.0  # standard errors by which a rival's share must differ
_MOST_RIVALS = 5


@validated
@accepts(interventions=True, missing=True, numbers=True)
def explain_edge(
    data: Dataset,
    parent: str,
    child: str,
    score: TableScore | None = None,
    study: Study | None = None,
    posterior: EdgePosterior | None = None,
    *,
    constraints: Constraints | None = None,
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
    score : score, default BIC(), of numbers GaussianBIC()
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
    score, constraints = score or default_score(data), constraints or Constraints()
    graph = learn(data, score, constraints=constraints) if study is None else study.reference
    check_variables(data.names, "the data's", study=graph, posterior=posterior)
    if graph.adjacency[j, i]:
        i, j = j, i
    judged, key = None, ""
    if study is not None and any(one != "data" for one in study.ensembles):
        key = method or default_method([one for one in study.ensembles if one != "data"])
        judged = verdict(study, posterior, method=key, constraints=constraints, data=data)
    complete = drawn_once(data, graph.seed or 0)
    gains = _gains(complete, score, graph.adjacency, i, j)
    rows = pair_rows(data, complete, i, j, [data.index(name) for name in gains[0].others])
    observed = np.zeros((0, 0), dtype=np.int64) if rows is not None else _counted(data, i, j)
    ratio = partial(_by_blocks, complete, score) if data.numbers else partial(_tested, data)
    tested = [ratio(i, j, given) for given in ((), gains[0].others)]
    ensemble = study.ensembles[key] if study is not None and judged is not None else None
    if judged is None:
        effect = effect_in_graph(data, graph.adjacency, graph.cpdag & ~graph.cpdag.T, i, j)
    else:
        effect = judged.effect(data.names[i], data.names[j])
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
        (len(data.names), data.n_rows),
        *((0, 0, ()) if ensemble is None else _without_it(ensemble, i, j)),
        effect=effect,
        missing_way=data.missing_way,
        rows=rows,
    )


@dataclass(frozen=True, eq=False)
class EdgeExplanation(ReadOnlyArrays, Displayed):
    """Everything that is known of one edge.

    Attributes
    ----------
    parent, child : str
        In the direction of the learned graph, if it has the edge.
    in_data_graph : bool
    verdict : Verdict or None
        The verdict on all pairs, by the method that answers *found again*; None without a study.
    answers : tuple of MethodAnswer
        Every method's confidence in the edge, in either direction, then the posterior's probability.
    compelled : tuple of float
        Share of the joining replicates in which parent → child, and child → parent, is compelled; empty without a
        study.
    alternative : {"absent", "compelled", "reversible alone", "reversible with others"}
        Whether an equivalent graph has the edge the other way round, by reversing it alone (a covered edge, Chickering
        1995) or only together with others.
    decided : str
        Which constraint or experiment decides the edge, as a clause; empty if none does.
    gains : tuple of two EdgeGain
        parent → child, and child → parent.
    observed, expected : ndarray of shape (states of parent, states of child), read-only
        Counts of the rows that count for the child, and those expected if the two were independent; empty for a number.
    g_squared, freedom : tuple of float, tuple of int
        G² of the two variables and its degrees of freedom, without conditions and given the child's other parents. Of a
        table with numbers it is twice the gain in log-likelihood by blocks, in the degree of the score.
    size : tuple of int
        Numbers of variables and of rows of the table.
    n_with, n_without : int
        Replicates with and without the edge.
    rivals : tuple of Rival
        What takes the edge's place in replicates without it, the largest difference first.
    effect : EdgeEffect or None
        Strength and sign of the association; None where the rows in which the two are seen show none, as of a constant.
    missing_way : str or None
        How missing cells were dealt with; None if none is missing. Where they are ``"drawn"``, gains are those of one
        draw; counts and G² are those of the rows in which the variables are seen.
    rows : PairRows or None
        Where one of the two is a number: their rows, and of two numbers the fitted curve, in the place of counts.
    """

    parent: str
    child: str
    in_data_graph: bool
    verdict: Verdict | None = field(repr=False)
    answers: tuple[MethodAnswer, ...] = field(repr=False)
    compelled: tuple[float, ...]
    alternative: str
    decided: str
    gains: tuple[EdgeGain, EdgeGain] = field(repr=False)
    observed: IntArray = field(repr=False)
    expected: FloatArray = field(repr=False)
    states: tuple[tuple[str, ...], tuple[str, ...]] = field(repr=False)
    g_squared: tuple[float, ...]
    freedom: tuple[int, ...]
    size: tuple[int, int]
    n_with: int
    n_without: int
    rivals: tuple[Rival, ...] = field(repr=False)
    effect: EdgeEffect | None = None
    missing_way: str | None = None
    rows: PairRows | None = field(repr=False, default=None)

    @property
    def sentences(self) -> dict[str, str]:
        """What is known, a plain sentence or two on each point, by topic."""
        ends, gain, tested = (self.parent, self.child), self.gains[0], (self.g_squared, self.freedom)
        score, is_required = "", self.decided.startswith(_REQUIRES)
        again, real = None, next((one for one in self.answers if one.is_posterior), None)
        answer = "" if real is None else f"Real with probability {probability(real.joined, real.interval)}."
        if self.verdict is not None:
            answer, score = self.verdict.sentence(*ends), self.verdict.answers.score
            again = next(one for one in self.answers if one.method == self.verdict.answers.method)
        counts = [words.dependence_sentence(*tested, gain.others)]
        counts += [] if real is None or is_required else [words.disagreement(real.joined, *tested, gain)]
        counts += ["Based on the rows in which these variables are observed."] if self.missing_way else []
        by_topic = {
            "answer": answer,
            "effect": words.effect_sentence(self.effect),
            "direction": words.direction_sentence(*ends, self.alternative, again, self.compelled),
            "score": words.gain_sentence(self.gains, self.in_data_graph, self.missing_way == "drawn"),
            "counts": " ".join(filter(None, counts)),
            "rivals": words.rivals_sentence(*ends, self.n_with, self.n_without, self.rivals),
            "measured": words.measured_sentences(again, score, real, self.size),
            "decided": self.decided and f"{self.decided[0].upper()}{self.decided[1:]}.",
        }
        silent = ("answer", "direction", "rivals", "measured") if is_required else ()
        return {topic: text for topic, text in by_topic.items() if text and topic not in silent}

    def to_frame(self) -> pd.DataFrame:
        """Tabulate one row per method, and the posterior: method, joined, low and high (its interval), forward."""
        lines = [(one.method, one.joined, *one.interval, one.forward) for one in self.answers]
        return pd.DataFrame(lines, columns=["method", "joined", "low", "high", "forward"])

    def _shown(self) -> tuple[str, pd.DataFrame]:
        return " ".join([f"{self.parent} – {self.child}.", *self.sentences.values()]), self.to_frame()


# What is gathered: from the data, the learned graph, the replicates and the posterior.


def _by_methods(study: Study | None, i: int, j: int) -> list[MethodAnswer]:
    found = []
    for key, ensemble in ({} if study is None else study.ensembles).items():
        if key == "data":
            continue  # it concerns the search only
        directed, joined = ensemble.confidence, ensemble.adjacency_confidence[i, j]
        low, high = share_interval(joined, ensemble.effective_replicates).tolist()
        found.append(MethodAnswer(key, float(joined), (low, high), float(_part(directed[i, j], directed[j, i]))))
    return found


def _by_posterior(posterior: EdgePosterior | None, i: int, j: int) -> list[MethodAnswer]:
    if posterior is None:
        return []
    real, (low, high) = posterior.pair_probability, posterior.pair_interval
    forward = _part(float(posterior.probability[i, j]), float(posterior.probability[j, i]))
    pair = posterior.under_each_prior[:, i, j] + posterior.under_each_prior[:, j, i]
    of_priors = tuple(np.minimum(pair, 1.0).tolist()) if posterior.n_bags else ()
    return [MethodAnswer(words.POSTERIOR, float(real[i, j]), (float(low[i, j]), float(high[i, j])), forward, of_priors)]


def _part(one: float, other: float) -> float:
    return one / (one + other) if one + other > 0 else math.nan


def _alternative(graph: LearnedGraph, i: int, j: int) -> str:
    if not graph.adjacency[i, j]:
        return words.ABSENT
    if not graph.cpdag[j, i]:
        return words.COMPELLED
    of_child = graph.adjacency[:, j].copy()
    of_child[i] = False
    return words.ALONE if (of_child == graph.adjacency[:, i]).all() else words.TOGETHER


def _decided(graph: LearnedGraph, constraints: Constraints, i: int, j: int) -> str:
    """Return the clause that says what decides the edge or its direction."""
    names, space = graph.names, constraints.resolve(graph.names)
    for a, b in ((i, j), (j, i)):
        if space.required[a, b]:
            return f"{_REQUIRES} {names[a]} → {names[b]}, so its numbers carry no information"
    if not (space.allowed[i, j] or space.allowed[j, i]):
        return "constraints forbid this edge in both directions"
    for a, b in ((i, j), (j, i)):
        if one_way(space)[a, b]:
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
    if data.dependent is not None and kept.any():
        return Dataset(data.names, data.states, codes[kept], dependent=data.dependent.take(np.flatnonzero(kept)))
    return Dataset(data.names, data.states, codes[kept], counts=times[kept]) if kept.any() else None


def _counted(data: Dataset, i: int, j: int) -> IntArray:
    """Count the rows that count for the child with each pair of states."""
    table = np.zeros((len(data.states[i]), len(data.states[j])))
    rows = _rows_for(data.select([data.names[i], data.names[j]]), 1)
    if rows is not None:
        codes, counts = rows.recorded[0], rows.counts_for(1)
        np.add.at(table, (codes[:, 0].astype(np.int64), codes[:, 1].astype(np.int64)), 1 if counts is None else counts)
    return np.rint(table).astype(np.int64)


def _tested(data: Dataset, i: int, j: int, given: tuple[str, ...]) -> tuple[float, int]:
    """Return G² of the two variables given others, and its degrees of freedom."""
    rows = _rows_for(data.select([data.names[i], data.names[j], *given]), 1)
    if rows is None:
        return 0.0, 0
    return conditional_g_squared(rows, data.names[j], data.names[i], given)


def _by_blocks(data: Dataset, score: TableScore, i: int, j: int, given: tuple[str, ...]) -> tuple[float, int]:
    """Return twice the gain in log-likelihood by blocks beside others, and its degrees of freedom."""
    scores, others = LocalScores(data, likelihood_of(score, data.effective_rows)), [data.index(name) for name in given]
    size = features_of(data, max(1, score.form(data.effective_rows).degree)).size
    return max(2 * (scores(j, [*others, i]) - scores(j, others)), 0.0), int(size[i] * size[j])


def _without_it(ensemble: Ensemble, i: int, j: int) -> tuple[int, int, tuple[Rival, ...]]:
    """Return the numbers of replicates with and without the edge, and what is joined to an end clearly more often."""
    joined_to, weights = list(map(ensemble.graphs.joined_to, (i, j))), ensemble.multiplicities.astype(np.float64)
    joined, found = joined_to[0][:, j], []
    n_with, n_without = int(weights[joined].sum()), int(weights[~joined].sum())
    if min(n_with, n_without) < words.FEWEST:
        return n_with, n_without, ()
    for near, end in zip(joined_to, (i, j), strict=True):
        absent, present = (np.average(near[part], axis=0, weights=weights[part]) for part in (~joined, joined))
        error = np.sqrt(absent * (1 - absent) / n_without + present * (1 - present) / n_with)
        for v in np.flatnonzero(absent - present > _SURE * error).tolist():
            if v not in (i, j):
                names = ensemble.names[v], ensemble.names[end]
                found.append(Rival(*names, float(absent[v]), float(present[v]), float(error[v])))
    found.sort(key=lambda one: (one.with_edge - one.without_edge, one.variable, one.end))
    return n_with, n_without, tuple(found[:_MOST_RIVALS])
