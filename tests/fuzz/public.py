"""Everything public that takes arguments, by name, with arguments that it accepts.

Nothing is listed: functions come from the ``__all__`` of the public modules, methods from their classes and from those
of what the functions return. What a parameter accepts is told by its name, where one name means different things by the
function's.
"""

import functools
import inspect
import io
import re
import sys

import numpy as np
import pandas as pd

import bnengine as bn
from tests import test_public_api
from tests.strategies import make_data

ROOMS = {**test_public_api.ROOMS, "paper.": bn.paper}
#: What declares settings and reads declarations: it takes a program's own classes, not values from outside.
DECLARING = {"Setting", "entry_of", "field", "label_of", "one_of", "setting", "setting_of", "settings_of", "tag_of"}
#: Methods by which the engine's parts talk to each other; their arguments are made by the engine.
BETWEEN_PARTS = {
    *("against", "beside", "find", "form", "in_one_direction", "joins", "mean_of_logs", "relearn", "replicate", "rows"),
    *("sample_like", "schedule", "shown", "turned", "visit", "with_rows"),
}

DATA = make_data([2, 3, 2], 30, seed=1)
NETWORK = bn.load_network("cancer")
CANCER = NETWORK.sample(30, rng=1)
RECIPE = bn.Recipe("network", "cancer", n_rows=30, seed=1)
SMALL = bn.Experiment(RECIPE, methods=("bootstrap",), n=2)
EDGES = [("v0", "v1")]
FRAME = pd.DataFrame({"x": np.arange(20.0), "y": ["a", "b"] * 10, "z": [None, *range(19)]})
CONFIDENCE = np.array([[0.0, 0.8, 0.1], [0.1, 0.0, 0.6], [0.0, 0.2, 0.0]])
SPLITS = bn.prediction.holdout(30)
EMPTY = np.zeros((3, 3), dtype=bool)


@functools.cache
def made(name):
    """Results of which methods are called."""
    chow_liu = bn.ChowLiu()
    return {
        "Ensemble": lambda: bn.resample(DATA, bn.BIC(), chow_liu, bn.Bootstrap(2)),
        "Calibration": lambda: bn.calibrate(
            NETWORK, 20, bn.BIC(), chow_liu, bn.resampling_methods(2), bn.settings.Tables(2, 2)
        ),
        "LearnedGraph": lambda: bn.learn(DATA, bn.BIC(), chow_liu),
        "Missingness": lambda: bn.answers.missingness(DATA),
        "EdgePosterior": lambda: bn.edge_posterior(DATA),
        "EdgeExplanation": lambda: bn.answers.explain_edge(
            DATA, "v0", "v1", bn.BIC(), made("Study"), made("EdgePosterior")
        ),
        "Verdict": lambda: bn.verdict(made("Study"), method="bootstrap", posterior=made("EdgePosterior")),
        "NoiseCheck": lambda: bn.answers.noise_check(DATA, bn.BIC(), chow_liu),
        "EdgeAnswers": lambda: bn.answers.two_answers(made("Study"), "bootstrap", made("EdgePosterior")),
        "Study": lambda: bn.study(
            DATA, bn.BIC(), chow_liu, bn.resampling_methods(5, keys=("bootstrap", "bootstrap_corrected"))
        ),
        "Experiment": lambda: SMALL,
        "Recipe": lambda: RECIPE,
        "PredictionComparison": lambda: bn.prediction.compare_predictions(
            DATA, "v0", {"none": bn.prediction.base_rate, "bayes": bn.prediction.naive_bayes("v0")}, SPLITS
        ),
        "CutAnew": lambda: bn.CutAnew(bn.Bootstrap(2), pd.DataFrame({"v1": np.arange(30.0)})),
        "NetworkMixture": lambda: bn.prediction.averaged(CANCER, np.zeros((2, 5, 5), dtype=bool)),
        "RowsNeeded": lambda: bn.rows_needed(DATA, bn.BIC(), chow_liu, sizes=[10], n=2),
        "EdgeCurve": lambda: bn.prediction.edge_curve(DATA, "v0", SPLITS),
        "Jensen": lambda: bn.teaching.jensen("p²", 3, 10),
        "CopiesComparison": lambda: bn.teaching.compare_copies(DATA, {"none": [], "one": EDGES}),
        "SearchWalk": lambda: bn.teaching.walk_tree(DATA),
        "SpuriousDependence": lambda: bn.teaching.spurious_dependence(n_samples=5),
    }[name]()


def instance(kind):
    """An object of a public class whose methods are called."""
    if kind is bn.Dataset:
        return DATA
    if kind is bn.BayesianNetwork:
        return NETWORK
    try:
        return made(kind.__name__)
    except KeyError:
        return kind()


#: What parameters accept; a function stands for one that makes it anew at each call.
PARAMETERS = {
    **dict.fromkeys(("adjacency", "one", "other"), EMPTY),
    **dict.fromkeys(("data", "resample"), DATA),
    **dict.fromkeys(("name", "parent", "row_variable", "start", "target"), "v0"),
    **dict.fromkeys(("child", "column_variable", "end"), "v1"),
    **dict.fromkeys(("copies", "d", "max_parents", "n", "n_ones", "n_other_states", "n_resamples", "repeats"), 2),
    **dict.fromkeys(("n_samples", "n_states"), 2),
    **dict.fromkeys(("network", "truth"), NETWORK),
    **dict.fromkeys(("methods", "methods_compared"), bn.resampling_methods(2, keys=("bootstrap",))),
    "confidence": CONFIDENCE,
    "counts": [3, 4],
    "edges": EDGES,
    "effort": bn.posterior.Effort(n_bags=2, n_chains=2, n_draws=2, candidates=2),
    "ess": 1.0,
    "evidence": {"Smoker": "True"},
    "experiment": bn.Experiment(),
    "experiments": {"one": SMALL},
    "frame": FRAME,
    "function": "p²",
    "grid": [[0.5, 0.5]],
    "key": "bootstrap",
    "keys": ("bootstrap",),
    "kind": "directed",
    "learner": bn.prediction.base_rate,
    "learners": {"none": bn.prediction.base_rate},
    "method": "order",
    "n_rows": 20,
    "n_steps": 20,
    "n_variables": 3,
    "names": ["v0", "v1", "v2"],
    "networks": {"none": [], "one": EDGES},
    "parameters": [1.0, 2.0],
    "parents": ["v0"],
    "position": 0,
    "predictions": lambda: made("PredictionComparison").predictions["none"],
    "prior": [1.0, 1.0],
    "probabilities": [0.5, 0.5],
    "recipe": RECIPE,
    "resampler": bn.Bootstrap(2),
    "rows": [0, 1],
    "score": bn.BDeu(),
    "scores": [bn.BIC()],
    "search": bn.ChowLiu(),
    "searches": [bn.HillClimbing(), bn.Tabu()],
    "sequence": [0, 1, 1],
    "size": 5,
    "sizes": [10, 20],
    "source": lambda: io.BytesIO(b"a,b\n0,1\n1,0\n"),
    "splits": SPLITS,
    "again": lambda: bn.resample(DATA, bn.BIC(), bn.ChowLiu(), bn.PredictiveBootstrap(2)),
    "statistic": lambda data: float(data.codes.mean()),
    "studies": lambda: {"one": made("Study")},
    "study": lambda: made("Study"),
    "table": [[3, 4], [5, 6]],
    "tables": bn.settings.Tables(1, 2),
    "text": bn.Experiment().to_link(),
    "threshold": 0.5,
    "times": [1, 2],
    "values": [1.0, 2.0, 3.0],
}
_OF_CANCER = (
    *("BayesianNetwork.check_states", "Experiment.run", "teaching.candidate_networks", "prediction.rows_with"),
    *("prediction.NetworkMixture.log_probabilities", "prediction.log_probabilities"),
)
_OF_A_POSTERIOR = ("answers.explain_edge", "answers.two_answers", "verdict")
#: By function, what a name means there and nowhere else.
OF_FUNCTION = {
    **{key: {"data": CANCER} for key in _OF_CANCER},
    **{key: {"method": "bootstrap", "posterior": lambda: made("EdgePosterior")} for key in _OF_A_POSTERIOR},
    "answers.NoiseCheck.sentences": {"n_own": 2},
    "Dataset.counts_for": {"variable": 0},
    "Dataset.from_frame": {"frame": FRAME[["y"]]},
    "Dataset.select": {"names": ["v0"]},
    "Dataset.with_missing": {"way": "keep"},
    "Experiment.from_dict": {"values": bn.Experiment().to_dict()},
    "posterior.EdgePosterior.error_of": {"values": np.zeros(bn.edge_posterior(DATA).n_graphs)},
    "Experiment.from_json": {"content": bn.Experiment().to_json()},
    "Experiment.method_key": {"method": "bootstrap"},
    "Experiment.permutation_threshold": {"data": CANCER, "found": lambda: made("Ensemble")},
    "Recipe.accepting": {"frame": CANCER.to_frame(), "steps": [("leave_out", "Cancer")]},
    "Recipe.prepare": {"frame": CANCER.to_frame()},
    "settings.cut_anew": {"recipe": bn.Recipe("file", "t.csv", discretization="quantile"), "cuts": None},
    "prepare": {"table": CANCER.to_frame(), "repairs": "all", "missing": "drawn", "discretization": "width"},
    "rows_needed": {"posterior": None, "sizes": [10, 20]},
    "settings.SessionFile.from_bytes": {"content": lambda: bn.settings.SessionFile(bn.Experiment()).to_bytes()},
    "discretize": {"method": "quantile"},
    "answers.averaged_network": {"names": ["a", "b", "c"]},
    "answers.certify": {"graph": lambda: bn.learn(DATA, bn.BIC())},
    "answers.other_preparations": {"data": bn.Dataset.from_frame(FRAME[["x", "y"]], numbers=["x"]), "posterior": None},
    "load_network": {"name": "cancer"},
    "load_sample": {"name": "asia_1000"},
    "plots.calibration": {"found": lambda: made("Calibration"), "measure": "brier"},
    "plots.edge": {"explanation": lambda: made("EdgeExplanation")},
    "plots.missing_cells": {"found": lambda: made("Missingness")},
    "plots.network": {"graph": lambda: made("LearnedGraph")},
    "plots.save": {"result": lambda: made("Study"), "target": io.BytesIO, "suffix": "svg", "width": 85.0},
    "plots.two_answers": {"answers": lambda: made("EdgeAnswers")},
    "answers.expectations": {"found": lambda: made("Verdict"), "expected": lambda: [("v0", "v1")]},
    "answers.view_table": {"found": lambda: made("Verdict"), "study": lambda: made("Study"), "view": "learned"},
    "posterior.EdgePosterior.any_of": {"child": "v0", "group": ["v1", "v2"]},
    "posterior.EdgePosterior.feature": {"predicate": lambda graph: True},
    "posterior.EdgePosterior.mean_of": {"function": lambda graph: np.ones(2)},
    "prediction.averaged": {"graphs": np.zeros((2, 3, 3), dtype=bool)},
    "prediction.changes": dict.fromkeys(("before", "after"), lambda: bn.prediction.posteriors(NETWORK)),
    "prediction.predict": {"data": CANCER, "target": "Cancer"},
    "prediction.PredictionComparison.difference": {"one": "none", "other": "none", "measure": "brier"},
    "prediction.k_folds": {"k": 2},
    "prediction.row_probabilities": {"data": CANCER, "networks": {"one": NETWORK}},
    **{key: {"source": lambda: io.BytesIO(_bif())} for key in ("read_bif", "read_graph", "read_network")},
    "teaching.CopiesComparison.contenders": {"n": 1},
    "teaching.change_edge": {"kind": "delete"},
    "teaching.graphs_by_ess": {"ess": [1.0]},
    "teaching.iterated_bootstrap": {"rows": DATA},
    "teaching.jackknife_error": {"n_rows": 3, "d": 1},
    "teaching.replicate_rows": {"times": 2},
    "teaching.rows_until_first_wins": {"table": lambda: bn.teaching.score_growth(NETWORK, {"none": []}, [10])},
    "teaching.score_growth": {"graphs": {"none": []}},
    "teaching.spread_within_classes": {
        "table": lambda: bn.teaching.equivalence_table(DATA, ["v0", "v1", "v2"]), "scores": ["BIC"]
    },
    "teaching.spurious_dependence": {"n_states": (2, 2)},
    "teaching.spurious_edges": {"truth": None},
    "teaching.walk_tree": {"search": None},
    "write_bif": {"target": io.BytesIO},
    "write_graph": {"target": io.BytesIO, "suffix": "dot"},
    "write_network": {"target": io.BytesIO, "suffix": "bif"},
}  # fmt: skip


@functools.cache
def _bif():
    target = io.BytesIO()
    bn.write_bif(NETWORK, target)
    return target.getvalue()


def calls():
    """Every public function, constructor and method that takes arguments, by name; each object once."""
    found, seen = {}, set()
    listed = [getattr(module, name) for module in ROOMS.values() for name in module.__all__]
    for room, module in ROOMS.items():
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or id(thing) in seen or (module is bn.settings and name in DECLARING):
                continue
            seen.add(id(thing))
            if not inspect.isclass(thing):
                found[room + name] = thing
            elif not issubclass(thing, Exception):
                found |= {f"{room}{name}.{method}": (thing, method) for method in _methods(thing)}
            for kind in _returned(thing):
                if id(kind) not in seen and kind not in listed:
                    seen.add(id(kind))
                    found |= {f"{kind.__name__}.{method}": (kind, method) for method in _methods(kind)}
    return {name: thing for name, thing in found.items() if parameters_of(name, thing)}


def _methods(kind):
    return [
        name
        for name, method in vars(kind).items()
        if not name.startswith("_") and name not in BETWEEN_PARTS
        and (inspect.isfunction(method) or isinstance(method, classmethod | staticmethod))
    ]  # fmt: skip


def _returned(function):
    """The engine's classes that a function's signature says it returns."""
    function = inspect.unwrap(function)
    names = re.findall(r"[A-Z]\w+", str(getattr(function, "__annotations__", {}).get("return", "")))
    kinds = [vars(sys.modules[function.__module__]).get(name) for name in names]
    return [kind for kind in kinds if inspect.isclass(kind) and kind.__module__.startswith("bnengine")]


def function_of(thing):
    """The function itself; for a method, bound to an object that has it."""
    if not isinstance(thing, tuple):
        return thing
    kind, method = thing
    static = isinstance(inspect.getattr_static(kind, method), classmethod | staticmethod)
    return getattr(kind if static else instance(kind), method)


def parameters_of(name, thing):
    """The names of what it takes."""
    function = getattr(*thing) if isinstance(thing, tuple) else thing
    return [each for each in inspect.signature(function).parameters if each not in ("self", "cls")]


def arguments_of(name, thing):
    """Arguments that it accepts: those that it must be given, and those whose names are known."""
    function = getattr(*thing) if isinstance(thing, tuple) else thing
    own = OF_FUNCTION.get(name, {})
    chosen = {}
    for parameter in inspect.signature(function).parameters.values():
        if (
            parameter.name in ("self", "cls", "progress", "options", "choices")
            or parameter.kind is parameter.VAR_KEYWORD
        ):
            continue
        if parameter.name in own:
            chosen[parameter.name] = own[parameter.name]
        elif parameter.name in PARAMETERS:
            chosen[parameter.name] = PARAMETERS[parameter.name]
        elif parameter.default is inspect.Parameter.empty:
            raise AssertionError(f"what does {name} accept as {parameter.name}? Say so in OF_FUNCTION")
    return {key: fresh(value) for key, value in chosen.items()}


def fresh(value):
    """The value; made anew where it is used up."""
    anew = inspect.isfunction(value) and not inspect.signature(value).parameters
    return value() if anew or value is io.BytesIO else value
