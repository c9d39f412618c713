"""The two ways to test an experiment: calibration on tables of a known network, and prediction."""

from __future__ import annotations

import dataclasses
import functools
import re

from bnengine._core.parallel import Progress, stoppable
from bnengine.bootstrap.calibration import Calibration, OtherAnswer, Tables, calibrate
from bnengine.bootstrap.resampling_methods import resampling_methods
from bnengine.data.dataset import Dataset
from bnengine.data.words import alternatives
from bnengine.experiment.column_lists import KEPT
from bnengine.experiment.experiment import FITTED, FROM_FILE, POSTERIOR, Experiment, PredictionSettings
from bnengine.experiment.learning import real_arguments
from bnengine.graphs.constraints import Constraints
from bnengine.networks.bundled import load_network
from bnengine.networks.mixture import NetworkMixture, averaged
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.posterior import Effort, edge_posterior
from bnengine.prediction import cross_validation
from bnengine.scores.scores import BDeu, LogLikelihood
from bnengine.search import K2, ChowLiu, FixedOrdering, LearnedGraph, learn
from bnengine.search.drawn_cells import drawn_once

# The calibration that an experiment describes.


def true_network(experiment: Experiment, data: Dataset | None, learned: LearnedGraph | None = None) -> BayesianNetwork:
    """Return the network that a calibration takes as the truth; one that is fitted has measurements cut into states.

    It is fitted to the graph of the data, which is learned unless it is known.

    Raises
    ------
    ValueError
        If it is to come from a file, which only the caller has.
    """
    if experiment.truth == FROM_FILE:
        raise ValueError("calibration.truth is a file; read the network and pass it on")
    if experiment.truth == FITTED and data is not None:
        return fit(data.cut(), (learned or experiment.learn(data)).edges)
    return load_network(experiment.truth)


def on_network(experiment: Experiment, network: BayesianNetwork) -> Experiment:
    """Return the experiment for another network: with its ordering, without constraints that do not fit."""
    search, constraints = experiment.search, experiment.constraints
    if isinstance(search, K2 | FixedOrdering):
        search = dataclasses.replace(search, ordering=tuple(network.ordering))
    if isinstance(search, ChowLiu) and search.root not in network.names:
        search = ChowLiu()
    try:
        constraints.resolve(network.names)
    except ValueError:
        constraints = Constraints()
    return dataclasses.replace(experiment, search=search, constraints=constraints)


def run_calibration(
    experiment: Experiment, network: BayesianNetwork, n_rows: int, progress: Progress | None = None
) -> Calibration:
    """Calibrate the methods on tables drawn from the network; ``n_rows`` holds unless the settings have their own."""
    settings, shown = experiment.calibration, on_network(experiment, network)
    keys = settings.methods
    posterior = functools.partial(edge_posterior, constraints=shown.constraints)
    return calibrate(
        network,
        settings.n_rows or n_rows,
        methods_compared=[
            *resampling_methods(settings.n, experiment.d, [key for key in keys if key != POSTERIOR]),
            *([OtherAnswer(POSTERIOR, posterior)] if POSTERIOR in keys else []),
        ],
        tables=Tables(settings.n_tables, settings.n_fresh),
        kind=experiment.kind,
        progress=progress,
        **shown.arguments,
    )


def python_calibration(experiment: Experiment, network: BayesianNetwork, n_rows: int) -> str:
    """Return Python lines that repeat the calibration; a network from a file is read from a BIF file of its title."""
    settings, shown = experiment.calibration, on_network(experiment, network)
    if experiment.truth == FITTED:
        kept = KEPT in (experiment.data.discretization, *(one[1] for one in experiment.data.per_column))
        lines = experiment.python_learn() + f"network = bn.fit(data{'.cut()' * kept}, graph.edges)\n"
    else:
        of_file = f"read_bif({f'{network.title}.bif'!r})"
        read = of_file if experiment.truth == FROM_FILE else f"load_network({experiment.truth!r})"
        lines = f"import bnengine as bn\n\nnetwork = bn.{read}\n"
    keys = settings.methods
    resampling = tuple(key for key in keys if key != POSTERIOR)
    answers = ""
    if POSTERIOR in keys:
        posterior = "bn.edge_posterior"
        if shown.constraints != Constraints():
            posterior = f"functools.partial(bn.edge_posterior, constraints=bn.{shown.constraints!r})"
            start = "" if lines.startswith("import") else "import bnengine as bn\n\n"
            lines = f"import functools\n\n{start}{lines}"
        answers = f"methods.append(bn.settings.OtherAnswer({POSTERIOR!r}, {posterior}))\n"
    return lines + (
        f"methods = bn.resampling_methods({settings.n}, {experiment.d}, {resampling!r})\n"
        f"{answers}"
        f"found = bn.calibrate(network, {settings.n_rows or n_rows}, {shown.python_score()}, bn.{shown.search!r},\n"
        f"                     methods, bn.settings.Tables({settings.n_tables}, {settings.n_fresh}),\n"
        f"                     constraints=bn.{shown.constraints!r}, kind={experiment.kind!r},\n"
        f"                     rng={experiment.seed})\n"
        "print(found.table())\n"
    )


#: Beginnings of names that outcomes have, in English, German, Dutch, Spanish and French.
_OUTCOMES = re.compile(alternatives("column.outcomes"))
_FEW_STATES = 5


def likely_target(data: Dataset) -> str:
    """Return the variable that is likeliest to be the outcome, as a first choice.

    The last one of few states that has an outcome's name; else the last column, if it has few states; else the last one
    with two states; else the last one that is not constant.

    Examples
    --------
    >>> import bnengine as bn
    >>> likely_target(bn.Dataset.from_frame(bn.load_sample("titanic")))
    'Survived'
    """
    varying = [name for name in data.names if len(data.states[data.index(name)]) > 1] or list(data.names)
    few = [name for name in varying if len(data.states[data.index(name)]) <= _FEW_STATES]
    named = [name for name in few if _OUTCOMES.match(name.casefold())]
    binary = [name for name in few if len(data.states[data.index(name)]) == 2]
    last = [data.names[-1]] if data.names[-1] in few else []
    return (named or last or binary or varying)[-1]


#: Predictions averaged over networks, among the learners and as a setting.
AVERAGED = "averaged"


def averaged_networks(experiment: Experiment, data: Dataset, progress: Progress | None = None) -> NetworkMixture:
    """Return networks over graphs drawn from the posterior, all under the prior counts that the tables have.

    The posterior is that under BDeu with these prior counts, whatever score the experiment learns with. Where it is
    stopped before it has drawn a graph, the learned one is alone. Of missing cells there is one draw.
    """
    rows, ess = drawn_once(data, experiment.seed, progress=progress), experiment.prediction.ess
    given = real_arguments(experiment, rows)
    found = edge_posterior(rows, BDeu(ess), effort=Effort(n_chains=2), progress=progress, **given)
    graphs = found.graphs()
    if not len(graphs):
        graphs = experiment.learn(rows).adjacency[None]
    return averaged(rows, graphs, ess)


def python_averaged(experiment: Experiment, data: Dataset) -> str:
    """Return Python lines that define ``averaged``, which averages networks over the posterior given rows."""
    ess, (most, limits, seed) = experiment.prediction.ess, real_arguments(experiment, data).values()
    return (
        "\n\ndef averaged(rows):\n"
        f"    found = bn.edge_posterior(rows, bn.BDeu({ess}), max_parents={most},\n"
        f"                              constraints=bn.{limits!r},\n"
        f"                              effort=bn.posterior.Effort(n_chains=2), rng={seed})\n"
        f"    return bn.prediction.averaged(rows, found.graphs(), {ess})\n"
    )


def learners(experiment: Experiment, data: Dataset, target: str) -> dict[str, cross_validation.Learner]:
    """Return the networks that are compared.

    Learned, true (where it is known), averaged (where chosen), a tree, naive Bayes and no edges.
    """
    found: dict[str, cross_validation.Learner] = {
        "learned": lambda rows, progress=None: stoppable(functools.partial(experiment.learn, rows), progress).edges
    }
    network = load_network(experiment.data.network) if experiment.data.network else None
    if network is not None and set(network.names) == set(data.names):
        edges = network.edges
        found["true graph"] = lambda rows: edges
    if experiment.prediction.network == AVERAGED:
        found[AVERAGED] = lambda rows, progress=None: averaged_networks(experiment, rows, progress)
    found["Chow–Liu tree"] = lambda rows: learn(rows, LogLikelihood(), ChowLiu()).edges
    return found | {"naive Bayes": cross_validation.naive_bayes(target), "base rate": cross_validation.base_rate}


def splits_of(settings: PredictionSettings, data: Dataset, seed: int) -> list[cross_validation.Split]:
    """Return the rows to learn from and those to test on, once or for each fold."""
    if settings.testing == "folds":
        return cross_validation.k_folds(data.n_rows, min(settings.folds, data.n_units), rng=seed, units=data.units)
    return cross_validation.holdout(data.n_rows, settings.test_share, rng=seed, units=data.units)


def run_prediction(
    experiment: Experiment, data: Dataset, progress: Progress | None = None
) -> cross_validation.PredictionComparison:
    """Predict the target from all other variables, on rows that the networks were not learned from.

    Measurements are cut into states.
    """
    settings, data = experiment.prediction, data.cut()
    target = settings.target or data.names[-1]
    splits = splits_of(settings, data, experiment.seed)
    return cross_validation.compare_predictions(
        data, target, learners(experiment, data, target), splits, settings.ess, progress=progress
    )
