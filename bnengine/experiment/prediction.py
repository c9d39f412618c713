"""The test of predictions that an experiment describes."""

from __future__ import annotations

import re

from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.networks.bundled import load_network
from bnengine.prediction.cross_validation import (
    Learner,
    PredictionComparison,
    SplitProgress,
    base_rate,
    compare_predictions,
    naive_bayes,
)
from bnengine.scores.scores import LogLikelihood
from bnengine.search import ChowLiu, learn

#: Beginnings of names that outcomes have, in English, German, Dutch, Spanish and French.
_OUTCOMES = re.compile(
    "churn|outcome|target|label|class|surviv|dead|death|died|mortal|fraud|relapse|diagnos|disease|response|result|readmi|"
    "success|ziel|ergebnis|gestorben|überleb|rückfall|uitkomst|doel|overle|objetivo|muert|falleci|abandono|éxito|"
    "résultat|décès|cible"
)
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


def learners(experiment: Experiment, data: Dataset, target: str) -> dict[str, Learner]:
    """Return the networks that are compared: learned, true (where it is known), a tree, naive Bayes and no edges."""
    found: dict[str, Learner] = {"learned": lambda rows: experiment.learn(rows).edges}
    network = load_network(experiment.data.network) if experiment.data.network else None
    if network is not None and set(network.names) == set(data.names):
        edges = network.edges
        found["true graph"] = lambda rows: edges
    found["Chow–Liu tree"] = lambda rows: learn(rows, LogLikelihood(), ChowLiu()).edges
    return found | {"naive Bayes": naive_bayes(target), "base rate": base_rate}


def run_prediction(
    experiment: Experiment, data: Dataset, progress: SplitProgress | None = None
) -> PredictionComparison:
    """Predict the target from all other variables, on rows that the networks were not learned from."""
    settings = experiment.prediction
    target = settings.target or data.names[-1]
    splits = settings.splits(data.n_rows, experiment.seed)
    return compare_predictions(
        data, target, learners(experiment, data, target), splits, settings.ess, progress=progress
    )


def python_prediction(experiment: Experiment, target: str) -> str:
    """Return Python lines that repeat the comparison of the learned network with naive Bayes and no edges."""
    settings = experiment.prediction
    return experiment.python_data() + (
        "\n\ndef learned(rows):\n"
        f"    return bn.learn(rows, {experiment.python_score()}, bn.{experiment.search!r},\n"
        f"                    bn.{experiment.constraints!r}, rng={experiment.seed}{experiment.python_ties}).edges\n\n\n"
        f"splits = {settings.python}, rng={experiment.seed})\n"
        f"naive = bn.prediction.naive_bayes({target!r})\n"
        "learners = {'learned': learned, 'naive Bayes': naive, 'base rate': bn.prediction.base_rate}\n"
        f"found = bn.prediction.compare_predictions(data, {target!r}, learners, splits, ess={settings.ess!r})\n"
        "print(found.table())\n"
    )
