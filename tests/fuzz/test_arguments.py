"""Whatever is handed to a public function, it works or refuses with a ValueError, before any long work."""

import functools

import numpy as np
import pandas as pd
from hypothesis import given, note
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from tests.fuzz.odd import ANYTHING
from tests.fuzz.settings import fuzzed, is_a_sentence
from tests.strategies import make_data

DATA = make_data([2, 3, 2], 30, seed=1)
NETWORK = bn.load_network("cancer")
EDGES = [("v0", "v1")]
FRAME = pd.DataFrame({"x": np.arange(20.0), "y": ["a", "b"] * 10, "z": [None, *range(19)]})
CONFIDENCE = np.array([[0.0, 0.8, 0.1], [0.1, 0.0, 0.6], [0.0, 0.2, 0.0]])
STUDY = {"data": DATA, "score": bn.BIC(), "search": bn.ChowLiu()}

#: Public functions with arguments that they accept.
CALLS = {
    **{kind.__name__: (kind, {}) for kind in (*SCORES.values(), *SEARCHES.values()) if kind is not bn.BDe},
    "BDe": (bn.BDe, {"prior_network": "cancer", "ess": 1.0}),
    "WithPrior": (bn.WithPrior, {"score": bn.BIC(), "edge_penalty": 1.0, "uniform_parent_sizes": True}),
    "LeadingCorrection": (bn.LeadingCorrection, {"score": bn.BIC(), "strength": 0.5}),
    "Bootstrap": (bn.Bootstrap, {"n": 2, "size": 3}),
    "ParametricBootstrap": (bn.ParametricBootstrap, {"n": 2}),
    "DeleteD": (bn.DeleteD, {"d": 2, "n": 2}),
    "Dataset": (bn.Dataset, {"names": ("a",), "states": (("0", "1"),), "codes": [[0], [1]]}),
    "Dataset.from_frame": (bn.Dataset.from_frame, {"frame": FRAME[["y"]]}),
    "Recipe": (bn.Recipe, {"source": "network", "name": "cancer", "n_rows": 5, "seed": 1, "columns": (), "bins": 3}),
    "Experiment": (bn.Experiment, {"data": bn.Recipe(), "score": bn.BIC(), "n": 5, "seed": 1, "methods": ("boot",)}),
    "score": (bn.score, {"data": DATA, "edges": EDGES, "score": bn.BIC()}),
    "mdl": (bn.mdl, {"data": DATA, "edges": EDGES}),
    "local_score": (bn.local_score, {"data": DATA, "child": "v0", "parents": ["v1"], "score": bn.BIC()}),
    "n_parameters": (bn.n_parameters, {"data": DATA, "edges": EDGES}),
    "decompose": (bn.decompose, {"data": DATA, "edges": EDGES, "score": bn.BIC()}),
    "fit": (bn.fit, {"data": DATA, "edges": EDGES, "ess": 1.0}),
    "learn": (bn.learn, {**STUDY, "constraints": bn.Constraints(), "rng": 1, "ties": "drawn", "stop": None}),
    "resample": (bn.resample, {**STUDY, "resampler": bn.Bootstrap(2), "correction": "none", "rng": 1, "strength": 0.5}),
    "study": (bn.study, {**STUDY, "methods": bn.methods(2), "rng": 1}),
    "methods": (bn.methods, {"n": 2, "d": 2, "keys": ("boot",)}),
    "table1": (bn.table1, {"data": DATA, "scores": [bn.BIC()], "search": bn.ChowLiu(), "n": 2, "rng": 1}),
    "calibrate": (
        bn.calibrate,
        {"network": NETWORK, "n_rows": 20, "score": bn.BIC(), "search": bn.ChowLiu(),
         "methods_compared": bn.methods(2, keys=("boot",)), "n_tables": 1, "n_fresh": 2, "kind": "directed", "rng": 1},
    ),
    "permutation_threshold": (
        bn.permutation_threshold,
        {**STUDY, "resampler": bn.Bootstrap(2), "n_permutations": 1, "max_false": 1.0, "kind": "directed", "rng": 1},
    ),
    "edge_posterior": (bn.edge_posterior, {"data": DATA, "score": bn.BDeu(), "max_parents": 2}),
    "averaged_network": (bn.averaged_network, {"confidence": CONFIDENCE, "threshold": 0.5, "names": ["a", "b", "c"]}),
    "l1_threshold": (bn.l1_threshold, {"confidence": CONFIDENCE}),
    "discretize": (bn.discretize, {"frame": FRAME, "method": "quantile", "bins": 3, "columns": ["x"]}),
    "fill_missing": (bn.fill_missing, {"frame": FRAME, "policy": "drop_rows"}),
    "describe": (bn.describe, {"frame": FRAME}),
    "load_network": (bn.load_network, {"name": "cancer"}),
    "load_sample": (bn.load_sample, {"name": "asia_1000"}),
    "sample": (NETWORK.sample, {"n_rows": 5, "rng": 1}),
    "select": (DATA.select, {"names": ["v0"]}),
    "take": (DATA.take, {"rows": [0, 1]}),
    "cpdag": (bn.cpdag, {"adjacency": np.zeros((3, 3), dtype=bool)}),
    "shd": (bn.shd, {"one": np.zeros((3, 3), dtype=bool), "other": np.zeros((3, 3), dtype=bool)}),
}  # fmt: skip


@functools.cache
def accepted(name):
    """The function and its arguments, which it was once called with."""
    function, arguments = CALLS[name]
    function(**arguments)
    return function, arguments


@fuzzed
@given(st.data())
def test_one_argument_of_any_value(draws):
    function, arguments = accepted(draws.draw(st.sampled_from(sorted(CALLS))))
    names = sorted(arguments) or [draws.draw(st.sampled_from(["ess", "max_parents", "restarts", "patience"]))]
    argument, value = draws.draw(st.sampled_from(names)), draws.draw(ANYTHING)
    note(f"{function.__name__}({argument}={value!r})")
    changed = {**arguments, argument: value}
    try:
        function(**changed)
    except ValueError as error:
        is_a_sentence(error)
    except TypeError as error:  # an argument that this function does not have
        if "unexpected keyword argument" not in str(error):
            raise
