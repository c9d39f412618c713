"""The experiments of Steck & Jaakkola (NIPS 2003, Table 1): ready to run, the paper's values, and fresh samples."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, Step, processors, run, split_progress
from bnengine._core.random_generators import generator_of
from bnengine._core.validation import Ess, Repeats, Samples, WholeSeed, validated
from bnengine.bootstrap import resampling_methods as registry
from bnengine.bootstrap.resampling_methods import TITLES, resampling_methods
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.dag import places_of
from bnengine.networks.bundled import load_network
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.scores import BIC, BDeu
from bnengine.search import K2, SimulatedAnnealing

__all__ = [
    "PUBLISHED",
    "alarm_experiments",
    "annealing_experiment",
    "expected_seconds",
    "figure1_panels",
    "fresh_samples",
    "paper_table",
    "run_experiments",
]

_KEYS = ("data", *registry.TABLE1_KEYS)
#: The second experiment's title, by the paper's table.
SECOND = "pheromone, N = 320, BDeu"
_ROWS = {
    "ALARM, N = 300, BIC": ((41, 0), (40.7, 4.9), (49.1, 11.5), (41.0, 0.0), (41.1, 0.9)),
    "ALARM, N = 300, BDeu": ((40, 0), (40.5, 3.5), (47.8, 10.9), (40.0, 0.0), (40.1, 0.3)),
    "ALARM, N = 1,000, BIC": ((43, 0), (44.2, 2.6), (47.3, 4.6), (43.0, 0.0), (43.1, 0.3)),
    "ALARM, N = 1,000, BDeu": ((44, 0), (44.1, 2.9), (47.9, 4.8), (44.0, 0.0), (43.7, 0.4)),
    SECOND: ((63.0, 1.5), (57.8, 3.5), (135.7, 51.1), (63.2, 1.5), (63.1, 2.3)),
}
#: Number of edges in the paper's Table 1: by experiment and method key, mean and standard deviation.
PUBLISHED: dict[str, dict[str, tuple[float, float]]] = {
    title: dict(zip(_KEYS, row, strict=True)) for title, row in _ROWS.items()
}


@validated
def alarm_experiments(n: Repeats = 200, seed: WholeSeed = 0) -> dict[str, Experiment]:
    """Return the paper's first experiment: ALARM, 300 and 1,000 rows, BIC and BDeu, K2 under the true ordering.

    The paper calls BDeu the posterior; its equivalent sample size is 1. The rows are those of the bundled tables
    ``alarm_300`` and ``alarm_1000``, drawn from the network: the paper's own are not public.

    Parameters
    ----------
    n : int
        Replicates of each method.
    seed : int
        Of the replicates.

    Returns
    -------
    dict from title to Experiment
        In the order of the paper's table.

    Examples
    --------
    >>> import bnengine as bn
    >>> list(bn.paper.alarm_experiments())[0]
    'ALARM, N = 300, BIC'
    """
    ordering = tuple(load_network("alarm").ordering)
    return {
        f"ALARM, N = {n_rows:,}, {name}": Experiment(
            Recipe("sample", f"alarm_{n_rows}"), score, K2(ordering), methods=registry.TABLE1_KEYS, n=n, seed=seed
        )
        for n_rows in (300, 1000)
        for name, score in (("BIC", BIC()), ("BDeu", BDeu(1.0)))
    }


@validated
def annealing_experiment(recipe: Recipe, n: Repeats = 320, ess: Ess | None = 25.0, seed: WholeSeed = 0) -> Experiment:
    """Return the paper's second experiment on any table: annealing from no edges, ``n`` runs of each method.

    The reference is ``n`` runs on the given data, each with its own local optimum. The schedule is the published one,
    ``SimulatedAnnealing.published()``, which the paper cites; a variable has at most five parents, which is our choice
    and keeps the naive bootstrap's graphs from growing further.

    Parameters
    ----------
    recipe : Recipe
        The table; the paper's own data set is not public.
    n : int
        Runs on the given data, and replicates of each method.
    ess : float, optional
        Equivalent sample size of BDeu; None for BIC, the paper's other score.
    seed : int

    Returns
    -------
    Experiment

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.paper.annealing_experiment(bn.Recipe("sample", "asia_1000")).score
    BDeu(ess=25.0)
    """
    search = SimulatedAnnealing.published()
    score = BIC() if ess is None else BDeu(ess)
    return Experiment(recipe, score, search, methods=("data", *registry.TABLE1_KEYS), n=n, seed=seed)


@validated
def expected_seconds(experiment: Experiment, data: Dataset) -> float:
    """Estimate how long an experiment takes on this machine, from a search on the data and one on a resample.

    Parameters
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's.

    Returns
    -------
    float
        Seconds; other work on the machine makes it longer.

    Examples
    --------
    >>> import bnengine as bn
    >>> experiment = bn.paper.annealing_experiment(bn.Recipe("sample", "asia_1000"), n=2)
    >>> expected_seconds(experiment, experiment.load()) > 0
    True
    """
    rows = generator_of(experiment.seed).integers(data.n_rows, size=data.n_rows)
    seconds = []
    for one in (data, data, data.take(rows)):  # the first may wait for the compiler
        start = time.perf_counter()
        experiment.learn(one)
        seconds.append(time.perf_counter() - start)
    _, on_data, on_resample = seconds
    methods = resampling_methods(experiment.n, experiment.d, experiment.methods_run)
    of_methods = {one.key: one.resampler.n_replicates(data) for one in methods}
    naive = of_methods.pop(registry.NAIVE, 0)
    return (naive * on_resample + sum(of_methods.values()) * on_data) / processors()


@validated
def run_experiments(
    experiments: Mapping[str, Experiment], *, executor: Executor | None = None, progress: Progress | None = None
) -> dict[str, Study]:
    """Run experiments one after the other; stopping keeps what is done.

    Parameters
    ----------
    experiments : mapping from title to Experiment
    executor, progress
        As of ``resample``; ``progress`` counts the replicates of all experiments.

    Returns
    -------
    dict from title to Study
        Of the experiments that were begun before the work was stopped.

    Examples
    --------
    >>> import bnengine as bn
    >>> recipe = bn.Recipe("network", "cancer", n_rows=100, seed=1)
    >>> mine = {"mine": bn.Experiment(recipe, n=3, methods=("bootstrap",))}
    >>> bn.paper.run_experiments(mine)["mine"].status
    'converged'
    """
    tables = {title: e.load() for title, e in experiments.items()}
    sizes = [
        sum(method.resampler.n_replicates(tables[title]) for method in resampling_methods(e.n, e.d, e.methods_run))
        for title, e in experiments.items()
    ]
    studies: dict[str, Study] = {}
    for (title, experiment), share in zip(experiments.items(), split_progress(progress, sizes), strict=True):
        studies[title] = experiment.run(tables[title], executor, share)
        if studies[title].status == "stopped":
            break
    return studies


@validated
def paper_table(studies: Mapping[str, Study]) -> pd.DataFrame:
    """Tabulate the number of edges by method and experiment, with the paper's values for its experiments.

    Parameters
    ----------
    studies : mapping from title to Study
        An experiment of the paper has its title in ``PUBLISHED``.

    Returns
    -------
    DataFrame
        One line per experiment and method: experiment, method (key), mean, sd, replicates, paper_mean, paper_sd (NaN
        where the paper has none).
    """
    lines = []
    for title, found in studies.items():
        published = PUBLISHED.get(title, {})
        for key, (mean, sd, replicates) in zip(found.keys, found.table1().itertuples(index=False), strict=True):
            lines.append((title, key, mean, sd, replicates, *published.get(key, (float("nan"), float("nan")))))
    return pd.DataFrame(lines, columns=["experiment", "method", "mean", "sd", "replicates", "paper_mean", "paper_sd"])


@validated
def fresh_samples(
    experiments: Mapping[str, Experiment], n: Samples = 100, *, progress: Progress | None = None
) -> pd.DataFrame:
    """Learn from ``n`` fresh samples of each experiment's network, each with the experiment's number of rows.

    Parameters
    ----------
    experiments : mapping from title to Experiment
        Whose data are drawn from a bundled network. Generators of the fresh samples are spawned from the seed of the
        recipe.
    n : int
    progress : callable, optional
        Called with (samples learned from, samples in all); returning False stops, within a search too, with the
        finished experiments.

    Returns
    -------
    DataFrame
        One line per experiment: experiment, samples, mean, sd, least, most (numbers of edges), and paper, what the
        paper's Table 1 reports for its own sample (NaN where it has none).

    Examples
    --------
    >>> import bnengine as bn
    >>> table = fresh_samples(bn.paper.alarm_experiments(), n=3)
    >>> table["paper"].tolist()
    [41.0, 40.0, 43.0, 44.0]
    """
    lines = []
    for (title, experiment), share in zip(
        experiments.items(), split_progress(progress, [n] * len(experiments)), strict=True
    ):
        recipe = experiment.data
        if recipe.network is None:
            raise ValueError(f"fresh samples need a network to draw from; '{title}' has the data '{recipe.title}'")
        counting = partial(_counting, experiment, load_network(recipe.network), experiment.load().n_rows)
        counts, stopped = run(counting, generator_of(recipe.seed).spawn(n), None, share)
        if stopped:
            break
        published = PUBLISHED.get(title, {}).get("data", (float("nan"), 0.0))[0]
        spread = float(np.std(counts, ddof=1))
        lines.append((title, n, float(np.mean(counts)), spread, min(counts), max(counts), float(published)))
    return pd.DataFrame(lines, columns=["experiment", "samples", "mean", "sd", "least", "most", "paper"])


def _counting(experiment: Experiment, network: BayesianNetwork, n_rows: int, stop: Flag | None) -> Step[int]:
    """Return what draws a sample and counts the edges of the graph that the experiment learns from it."""

    def counted_edges(number: int, generator: np.random.Generator) -> int | None:
        found = experiment.learn(network.sample(n_rows, generator), stop)
        return None if found.status == "stopped" else len(found.edges)

    return counted_edges


# What the paper's pictures show, before they are drawn: the marks and lines of Figure 1, the histograms of Table 1.
#
# Pages and reports draw the same numbers; each has only its own pens.

#: Ticks of both axes of Figure 1, and how far it extends beyond 0 and 1.
TICKS, MARGIN = (0.0, 0.25, 0.5, 0.75, 1.0), 0.06
#: How to read Figure 1.
HOW_TO_READ = (
    "Above the dotted diagonal, the vertical method is more confident. Dashed lines: thresholds that keep as many "
    "edges as the method's graphs have on average."
)
_SPREAD, _GOLDEN_ANGLE = 0.022, 2.399


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel of Figure 1: a mark for every edge at its confidence by two methods.

    Attributes
    ----------
    across, up : str
        Keys of the methods.
    x, y : ndarray, shape (E,)
        Confidences by the method across and up.
    shift : ndarray, shape (E,)
        Added to ``x`` where marks are drawn: those of a single graph, all at 0 or 1, are spread in a fixed pattern.
    right, high : float
        Thresholds of the method across and up.
    """

    across: str
    up: str
    edges: list[tuple[str, str]]
    x: FloatArray
    y: FloatArray
    shift: FloatArray
    right: float
    high: float

    @property
    def labels(self) -> tuple[str, str]:
        """Titles of the two axes."""
        return registry.LABELS[self.across], registry.LABELS[self.up]

    @property
    def description(self) -> str:
        """What is drawn, for those who cannot see it."""
        return f"Confidence of {counted(len(self.edges), 'edge')}: {TITLES[self.up]} against {TITLES[self.across]}"


@validated
def figure1_panels(study: Study) -> list[tuple[str, str]]:
    """Return the panels of Figure 1 that there are, as keys of methods (across, up).

    Each has a mark for every edge, at the share of a method's graphs that have it, and lines at the thresholds that
    keep as many edges as its graphs have on average. The reference across is the given data: shares of many runs on
    them if the search draws at random, as in the second experiment, of which the paper shows it; otherwise 0 or 1.

    Parameters
    ----------
    study : Study
        With both bootstraps; if neither was run, the data stand against the first method of those that were.

    Returns
    -------
    list of pairs of str

    Examples
    --------
    >>> import bnengine as bn
    >>> figure1_panels(bn.paper.annealing_experiment(bn.Recipe("sample", "asia_1000"), n=2).run())
    [('data', 'bootstrap_corrected'), ('data', 'bootstrap'), ('bootstrap_corrected', 'bootstrap')]
    """
    pairs = (("data", registry.CORRECTED), ("data", registry.NAIVE), (registry.CORRECTED, registry.NAIVE))
    found = [pair for pair in pairs if all(key in study.keys for key in pair)]
    return found or [("data", key) for key in study.ensembles if key != "data"][:1]


def figure1_panel(study: Study, across: str, up: str, kind: str = "directed") -> Panel:
    """Place a mark for every edge that the graph of the data or any replicate has, and the two thresholds."""
    table = study.edge_table(kind)
    i, j = places_of(study.reference.names, table)
    x, y = (study.confidence(key, kind)[i, j] for key in (across, up))
    one_graph = across == "data" and "data" not in study.ensembles
    shift = _SPREAD * np.sin(np.arange(len(x)) * _GOLDEN_ANGLE) if one_graph else np.zeros(len(x))
    edges = list(zip(table["parent"], table["child"], strict=True))
    return Panel(across, up, edges, x, y, shift, study.threshold(across, kind), study.threshold(up, kind))


def numbers_of_edges(study: Study, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of edges that a method's graphs have, and how many replicates have each."""
    ensemble = study.ensembles[key]
    values, first = np.unique(ensemble.edge_counts, return_inverse=True)
    return values, np.bincount(first, weights=ensemble.multiplicities)


def range_of_edges(study: Study) -> tuple[float, float]:
    """Return the range that all histograms of a study share, with room for one more edge at either end."""
    counts = np.concatenate([[study.mean_edges("data")], *(one.edge_counts for one in study.ensembles.values())])
    return float(counts.min()) - 1, float(counts.max()) + 1
