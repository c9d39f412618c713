"""Structure learning for Bayesian networks over states and numbers, and how far to trust each edge.

Data flows one way: ``read_table`` → ``prepare`` (a ``Dataset``) → ``learn`` (one graph, by a score and a search) →
``resample`` (an ``Ensemble`` of graphs with the confidence of each edge) → ``study`` (several resampling methods:
Table 1 and Figure 1 of Steck & Jaakkola 2003).

Scores are in nats, higher is better; only ``mdl`` is in bits, lower is better.

``bn.plots`` draws results. More is in ``bn.answers``, ``bn.posterior`` and ``bn.prediction``, in ``bn.settings``
(declarations, and the files and scripts that repeat an experiment), ``bn.paper`` (the paper's experiments) and
``bn.teaching`` (what only a lesson needs). Classes of results for annotations are in ``bnengine.typing``.
"""

from typing import Any

import lazy_loader

_declared, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
#: What ``from bnengine import *`` brings; the version is asked for by name.
__all__ = [name for name in _names if name != "__version__"]

_ANSWERS = ("averaged_network", "certify", "edge_effect", "explain_edge", "missingness", "two_answers")
#: Names that were here, and where they are now.
_MOVED = {
    **{name: f"bn.answers.{name}" for name in _ANSWERS},
    **{name: f"bn.teaching.{name}" for name in ("RepeatedSearch", "n_parameters")},
    **{name: f"from bnengine.typing import {name}" for name in ("Ensemble", "LearnedGraph", "Study")},
    "add_replicates": "bn.study(…, known=study.ensembles)",
    "describe": "bn.prepare(table).described",
    "learn_discretization": "bn.discretize(table, 'score')",
    "network_names": "from bnengine.networks.bundled import network_names",
    "permutation_threshold": "bn.Experiment.permutation_threshold",
    "warm_up": "from bnengine.experiment.warm_up import warm_up",
}


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        raise AttributeError(f"bnengine.{name} has moved: {_MOVED[name]}", name=name)
    return _declared(name)
