"""The methods compared: the probability that each gives to every possible edge, from one table."""

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import bnengine as bn
from benchmarks.methods import ONE_THREAD
from benchmarks.running import once
from benchmarks.worlds import network_of
from bnengine.bootstrap.ensemble import Ensemble, possible_edges
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.posterior.edge_posterior import default_steps
from bnengine.search import LearnedGraph

FloatArray = npt.NDArray[np.float64]
SEED = 0
SCORES: dict[str, Any] = {score.name: score for score in (bn.BIC(), bn.BDeu(1.0), bn.BDeu(10.0), bn.QNML())}
SEARCHES: dict[str, Any] = {search.name: search for search in (bn.HillClimbing(), bn.IteratedLocalSearch())}
CLIMB, BEST = SEARCHES
#: The number of the table that π is estimated with.
FRESH = -1
#: Searches of the same table, each with a seed of its own.
REPEATS = 4
#: Up to so many variables posteriors are exact.
EXACT_UP_TO = 12
CHAINS = 4
#: Chains of each bag, and where only graphs to draw from are needed; how much shorter they are.
FEW_CHAINS, SHORTER = 2, 4
BAGS = 8


@dataclass(frozen=True)
class Confidence:
    """A method's probabilities of all possible edges, from one table."""

    adjacency: FloatArray  # of each pair of variables, in column order: (V (V − 1) / 2,)
    directed: FloatArray  # of each ordered pair: (V (V − 1),)
    n: int = 0  # replicates
    seconds: float = 0.0  # processor time


def of_ensemble(ensemble: Ensemble) -> Confidence:
    """Return the confidence of each possible edge."""
    directed = possible_edges(ensemble.confidence, "directed")
    return Confidence(possible_edges(ensemble.adjacency_confidence, "adjacency"), directed, ensemble.n_graphs)


def of_probability(probability: FloatArray) -> Confidence:
    """Return those of a (V, V) matrix of probabilities of directed edges, of which a pair has one at most."""
    joined = np.minimum(probability + probability.T, 1.0)
    return Confidence(possible_edges(joined, "adjacency"), possible_edges(probability, "directed"))


def mean_of(parts: Sequence[Confidence]) -> Confidence:
    """Return the mean of several methods' probabilities."""
    adjacency, directed = (np.mean([getattr(one, kind) for one in parts], axis=0) for kind in ("adjacency", "directed"))
    return Confidence(adjacency, directed, min(part.n for part in parts), sum(part.seconds for part in parts))


@dataclass
class Table:
    """One table of a network with what several methods need of it, computed when first asked for."""

    network: str
    rows: int
    number: int
    score: Any
    search: Any
    replicates: int

    @cached_property
    def seed(self) -> int:
        """That of the methods: the same for every score and method, so that their differences are paired."""
        words = [SEED, zlib.crc32(self.network.encode()), self.rows, self.number - FRESH]
        return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> 12) + 1

    @cached_property
    def data(self) -> bn.Dataset:
        """The rows, with the columns in the network's order."""
        truth = network_of(self.network)
        return truth.by_name.sample(self.rows, self.seed - 1).select(truth.names)

    @cached_property
    def own(self) -> LearnedGraph:
        """The graph learned from the table."""
        return bn.learn(self.data, self.score, self.search, rng=self.seed)

    def resampled(self, resampler: Any, correction: str = "none") -> Ensemble:
        """Learn graphs from resamples; methods with the same resampler see the same resamples."""
        task = ResampleTask(self.data, self.score, self.search, resampler, correction)
        return learn_ensemble(task, self.own, rng=self.seed, executor=ONE_THREAD)

    @cached_property
    def leading(self) -> Ensemble:
        """The corrected bootstrap."""
        return self.resampled(bn.Bootstrap(self.replicates), "leading")


def graphs_of_posterior(network: str, rows: int, table: int, n: int) -> npt.NDArray[np.bool_]:
    """Draw graphs from the posterior of a table under fNML, evenly from all chains, shape (n, V, V)."""
    given = Table(network, rows, table, bn.FNML(), SEARCHES[CLIMB], n)
    sampled = bn.edge_posterior(given.data, bn.FNML(), **_chains(given, short=True))
    return sampled.graphs()[np.linspace(0, sampled.n_graphs - 1, n).round().astype(int)]


def _chains(table: Table, short: bool) -> dict[str, Any]:
    """Choose the chains; fewer and shorter ones where their error is small beside that of a bag or of graphs drawn."""
    effort = {"effort": bn.posterior.Effort(n_chains=FEW_CHAINS if short else CHAINS)}
    shorter = {"n_steps": default_steps(table.data.n_variables) // SHORTER} if short else {}
    return effort | shorter | {"rng": table.seed, "executor": ONE_THREAD}


# The methods


@dataclass(frozen=True)
class Method:
    """A method, and for how much of the study it is affordable."""

    title: str
    target: str  # what it claims to estimate: "found again", "real" or "both"; "the search": how far the search varies
    compute: Callable[[Table], Confidence] | None  # None of a mean of other methods, its ``parts``
    own_score: bool = True  # whether it depends on the score that a person learns with
    most_variables: int = 10_000
    most_tables: int = 10_000
    parts: tuple[str, ...] = ()


def _resampled(resampler: Callable[[int], Any], correction: str = "none") -> Callable[[Table], Confidence]:
    return lambda table: of_ensemble(table.resampled(resampler(table.replicates), correction))


def _own(table: Table) -> Confidence:
    return of_probability(table.own.adjacency.astype(np.float64))


def _predictive(table: Table) -> Confidence:
    return of_ensemble(table.resampled(bn.PredictiveBootstrap(table.replicates, table.leading)))


def _predictive_of_posterior(table: Table) -> Confidence:
    """Draw from graphs that are the same for all scores and searches."""
    where = {"network": table.network, "rows": table.rows, "table": table.number}
    graphs = once("graphs of the posterior", graphs_of_posterior, **where, n=table.replicates)
    return of_ensemble(table.resampled(bn.PredictiveBootstrap(table.replicates, graphs)))


def _probability(table: Table, data: bn.Dataset, score: Any, fair: bool = True, short: bool = False) -> FloatArray:
    """Return the posterior probability of each directed edge, exact where that is cheap."""
    how = {} if data.n_variables <= EXACT_UP_TO else _chains(table, short)
    return bn.edge_posterior(data, score, uniform_parent_sizes=fair, **how).probability


def _posterior(title: str, score: Any, fair: bool = True) -> Method:
    def compute(table: Table) -> Confidence:
        return of_probability(_probability(table, table.data, score, fair))

    return Method(f"posterior, {title}", "real", compute, own_score=False)


def _bagged(title: str, score: Any) -> Method:
    def compute(table: Table) -> Confidence:
        rng, n = np.random.default_rng(table.seed), table.data.n_rows
        bags = [table.data.take(rng.integers(0, n, n)) for _ in range(BAGS)]
        return of_probability(np.mean([_probability(table, bag, score, short=True) for bag in bags], axis=0))

    return Method(f"bagged posterior, {title}", "real", compute, own_score=False, most_tables=2)


def _real(table: Table) -> Confidence:
    return of_probability(bn.edge_posterior(table.data, rng=table.seed, executor=ONE_THREAD).probability)


def _mean(title: str, target: str, *parts: str) -> Method:
    return Method(f"mean of {title}", target, None, parts=parts)


_MATCHED = _resampled(bn.Bootstrap, "matched")
METHODS = {
    "own": Method("learned graph", "both", _own),
    "naive": Method("naive bootstrap", "both", _resampled(bn.Bootstrap)),
    "leading": Method("corrected bootstrap", "found again", lambda table: of_ensemble(table.leading)),
    "delete_d": Method("jackknife, delete d", "both", _resampled(lambda n: bn.DeleteD(None, n))),
    "parametric": Method("parametric bootstrap", "found again", _resampled(bn.ParametricBootstrap)),
    "predictive": Method("predictive bootstrap", "found again", _predictive),
    "predictive_post": Method("predictive bootstrap, graphs of the posterior", "found again", _predictive_of_posterior),
    "repeated": Method("the same table again", "the search", _resampled(lambda _: bn.teaching.RepeatedSearch(REPEATS))),
    "matched": Method("matched correction", "found again", _MATCHED, most_variables=27, most_tables=1),
    "real": Method("corrected bagged posterior", "real", _real, own_score=False),
    "post_bic": _posterior("BIC", bn.BIC()),
    "post_bdeu1": _posterior("BDeu(1)", bn.BDeu(1.0)),
    "post_bdeu10": _posterior("BDeu(10)", bn.BDeu(10.0)),
    "post_fnml": _posterior("fNML", bn.FNML()),
    "post_qnml": _posterior("qNML", bn.QNML()),
    "post_fnml_flat": _posterior("fNML, flat prior", bn.FNML(), fair=False),
    "post_bdeu1_flat": _posterior("BDeu(1), flat prior", bn.BDeu(1.0), fair=False),
    "bag_fnml": _bagged("fNML", bn.FNML()),
    "bag_bdeu10": _bagged("BDeu(10)", bn.BDeu(10.0)),
    "mean_pi": _mean("parametric and corrected bootstrap", "found again", "parametric", "leading"),
    "mean_predictive": _mean("predictive and corrected bootstrap", "found again", "predictive", "leading"),
    "mean_posteriors": _mean("posteriors, fNML and BDeu(10)", "real", "post_fnml", "post_bdeu10"),
    "mean_real": _mean("posterior, fNML, and corrected bootstrap", "real", "post_fnml", "leading"),
}
#: The methods among which one is chosen, and those that searches are compared by.
COMPARED = tuple(key for key, method in METHODS.items() if method.target != "the search")
CORE = ("naive", "leading", "predictive", "predictive_post", "post_fnml", "repeated")


def computed(
    table: Table, methods: Sequence[str], own_score: bool, known: dict[str, Confidence] | None = None
) -> dict[str, Confidence]:
    """Return what is known, and what affordable methods find that do, or do not, depend on the score."""
    found = dict(known or {})
    for key in methods:
        method, start = METHODS[key], time.process_time()
        affordable = table.number < method.most_tables and table.data.n_variables <= method.most_variables
        if method.compute is not None and method.own_score == own_score and affordable:
            found[key] = replace(method.compute(table), seconds=time.process_time() - start)
        elif method.parts and found.keys() >= set(method.parts):
            found[key] = mean_of([found[part] for part in method.parts])
    return found
