"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (one graph, by a score and a search) →
``resample`` (an ``Ensemble`` of graphs with the confidence of each edge) → ``study`` (several resampling methods:
Table 1 and Figure 1 of Steck & Jaakkola 2003).

Scores are in nats, higher is better; only ``mdl`` is in bits, lower is better.

More is in ``bn.posterior`` and ``bn.prediction``, in ``bn.settings`` (declarations, and the files and scripts that
repeat an experiment), ``bn.paper`` (the paper's experiments) and ``bn.teaching`` (what only a lesson needs).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bnengine._core.versions import __version__ as __version__
from bnengine.bootstrap.averaged_network import averaged_network, l1_threshold
from bnengine.bootstrap.calibration import calibrate
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.recalibration import recalibrate
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import (
    Bootstrap,
    DeleteD,
    Jackknife,
    ParametricBootstrap,
    PredictiveBootstrap,
    RepeatedSearch,
)
from bnengine.bootstrap.resampling_methods import RESAMPLING_METHODS as _RESAMPLING_METHODS
from bnengine.bootstrap.resampling_methods import resampling_methods
from bnengine.bootstrap.study import Study, study, table1
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.rows_and_states import fill_missing
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.cpdag import cpdag
from bnengine.graphs.dag import shd
from bnengine.networks.bif import BifError, read_bif, write_bif
from bnengine.networks.bundled import load_network, network_names
from bnengine.networks.formats import read_network, write_network
from bnengine.networks.graph_files import write_graph
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.scores.evaluation import corrected_score, local_score, mdl, n_parameters, score
from bnengine.scores.scores import AIC, BIC, FNML, QNML, BDe, BDeu, BDs, K2Score, LogLikelihood, WithPrior
from bnengine.scores.scores import SCORES as _SCORES
from bnengine.search import (
    K2,
    BestFirst,
    ChowLiu,
    Exact,
    FixedOrdering,
    HillClimbing,
    IteratedLocalSearch,
    LearnedGraph,
    SimulatedAnnealing,
    Tabu,
    TreeSearch,
    learn,
)
from bnengine.search import SEARCHES as _SEARCHES
from bnengine.search.optima import find_optima

if TYPE_CHECKING:  # as in _IMPORTED_WHEN_USED
    from bnengine import posterior, prediction, settings, teaching
    from bnengine import sklearn as sklearn  # not listed in __all__: it needs scikit-learn
    from bnengine.bootstrap.consensus import consensus_network
    from bnengine.bootstrap.falsification import falsify_graph
    from bnengine.bootstrap.stability_selection import stability_selection
    from bnengine.data.describe import describe
    from bnengine.data.reading import read_table
    from bnengine.data.repairs import prepare, proposals
    from bnengine.discretization.discretize import discretize
    from bnengine.discretization.joint import learn_discretization
    from bnengine.experiment import paper
    from bnengine.experiment.edge_summary import two_answers
    from bnengine.experiment.experiment import Experiment
    from bnengine.experiment.recipe import Recipe
    from bnengine.experiment.rows_needed import rows_needed
    from bnengine.experiment.verdict import verdict
    from bnengine.experiment.warm_up import warm_up
    from bnengine.networks.bundled import load_sample
    from bnengine.posterior import edge_posterior, sample_posterior
    from bnengine.search.certificate import certify

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "QNML",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "BifError",
    "Bootstrap",
    "ChowLiu",
    "Constraints",
    "DataError",
    "Dataset",
    "DeleteD",
    "Ensemble",
    "Exact",
    "Experiment",
    "FixedOrdering",
    "HillClimbing",
    "IteratedLocalSearch",
    "Jackknife",
    "K2Score",
    "LearnedGraph",
    "LogLikelihood",
    "ParametricBootstrap",
    "PredictiveBootstrap",
    "Recipe",
    "RepeatedSearch",
    "SimulatedAnnealing",
    "Study",
    "Tabu",
    "TreeSearch",
    "WithPrior",
    "averaged_network",
    "calibrate",
    "certify",
    "consensus_network",
    "corrected_score",
    "cpdag",
    "describe",
    "discretize",
    "edge_posterior",
    "falsify_graph",
    "fill_missing",
    "find_optima",
    "fit",
    "l1_threshold",
    "learn",
    "learn_discretization",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "n_parameters",
    "network_names",
    "paper",
    "permutation_threshold",
    "posterior",
    "prediction",
    "prepare",
    "proposals",
    "read_bif",
    "read_network",
    "read_table",
    "recalibrate",
    "resample",
    "resampling_methods",
    "rows_needed",
    "sample_posterior",
    "score",
    "settings",
    "shd",
    "stability_selection",
    "study",
    "table1",
    "teaching",
    "two_answers",
    "verdict",
    "warm_up",
    "write_bif",
    "write_graph",
    "write_network",
]


#: What a worker that only learns graphs does not need, by name: the module that is imported when it is first used.
_IMPORTED_WHEN_USED = {
    "certify": "bnengine.search.certificate",
    "Experiment": "bnengine.experiment.experiment",
    "Recipe": "bnengine.experiment.recipe",
    "consensus_network": "bnengine.bootstrap.consensus",
    "describe": "bnengine.data.describe",
    "discretize": "bnengine.discretization.discretize",
    "edge_posterior": "bnengine.posterior",
    "falsify_graph": "bnengine.bootstrap.falsification",
    "rows_needed": "bnengine.experiment.rows_needed",
    "learn_discretization": "bnengine.discretization.joint",
    "load_sample": "bnengine.networks.bundled",
    "paper": "bnengine.experiment.paper",
    "posterior": "bnengine.posterior",
    "prediction": "bnengine.prediction",
    "prepare": "bnengine.data.repairs",
    "proposals": "bnengine.data.repairs",
    "read_table": "bnengine.data.reading",
    "sample_posterior": "bnengine.posterior",
    "settings": "bnengine.settings",
    "stability_selection": "bnengine.bootstrap.stability_selection",
    "sklearn": "bnengine.sklearn",
    "teaching": "bnengine.teaching",
    "two_answers": "bnengine.experiment.edge_summary",
    "verdict": "bnengine.experiment.verdict",
    "warm_up": "bnengine.experiment.warm_up",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_IMPORTED_WHEN_USED})


def __getattr__(name: str) -> Any:
    if name in _IMPORTED_WHEN_USED:
        module = import_module(_IMPORTED_WHEN_USED[name])
        return getattr(module, name, module)  # the module itself is a public name, or has it
    resamplers = [entry.resampler for entry in _RESAMPLING_METHODS.values() if entry.resampler]
    for kind in (*_SCORES.values(), *_SEARCHES.values(), *resamplers):  # what is registered can be written as bn.CAIC()
        if kind.__name__ == name:
            return kind
    raise AttributeError(f"module 'bnengine' has no attribute {name!r}")
