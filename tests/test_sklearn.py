"""bn.sklearn keeps scikit-learn's conventions, and finds what the engine's functions find."""

import subprocess
import sys

import numpy as np
import pytest

import bnengine as bn

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

LEARNERS = [bn.sklearn.StructureLearner(), bn.sklearn.EdgeConfidence(n_bootstraps=5)]
#: Checks that an estimator with a parameter ``score`` cannot pass, and why.
EXCEPTIONS = {"check_n_features_in_after_fitting": "score is the score of the search, not a method"}


@pytest.fixture(scope="module")
def frame():
    return bn.load_network("cancer").sample(800, rng=3).to_frame()


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_estimator_checks_pass_but_for_the_named_ones(learner):
    found = check_estimator(learner, expected_failed_checks=EXCEPTIONS, on_skip=None)
    status = {check["check_name"]: check["status"] for check in found}
    assert len(status) > 30
    assert {name for name, one in status.items() if one not in ("passed", "skipped")} == set(EXCEPTIONS)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_number_of_columns_is_kept_all_the_same(learner, frame):
    with pytest.raises(NotFittedError):
        check_is_fitted(learner)
    fitted = clone(learner).fit(frame)
    check_is_fitted(fitted)
    assert fitted.n_features_in_ == 5
    assert list(fitted.feature_names_in_) == list(frame)


def test_a_structure_learner_finds_the_graph_of_learn(frame):
    score, search = bn.BDeu(10), bn.Tabu()
    constraints = bn.Constraints(forbidden=[("Cancer", "Smoker")])
    learner = bn.sklearn.StructureLearner(score, search, constraints=constraints, random_state=4).fit(frame)
    graph = bn.learn(frame, score, search, constraints, rng=4)
    np.testing.assert_array_equal(learner.adjacency_matrix_.to_numpy(), graph.adjacency)
    assert learner.graph_.score == graph.score
    assert list(learner.causal_graph_.edges) == graph.edges
    assert list(learner.causal_graph_.nodes) == list(learner.adjacency_matrix_) == list(frame)


def test_edge_confidence_is_that_of_resample(frame):
    found = bn.sklearn.EdgeConfidence(n_bootstraps=20, correction="none", threshold=0.4, random_state=7).fit(frame)
    ensemble = bn.resample(frame, bn.BIC(), bn.IteratedLocalSearch(), bn.Bootstrap(20), rng=7)
    np.testing.assert_array_equal(found.edge_prob_.to_numpy(), ensemble.confidence)
    assert list(found.causal_graph_.edges) == bn.averaged_network(ensemble, 0.4).edges
    assert list(found.edge_prob_.index) == list(found.edge_prob_.columns) == list(frame)


def test_declared_states_of_categoricals_count(frame):
    """A state that no row has counts as a parameter; an array has forgotten it."""
    few = frame[frame["Smoker"] == frame["Smoker"].iloc[0]].assign(Smoker=lambda f: f["Smoker"])
    declared = bn.sklearn.StructureLearner(bn.BDeu(1)).fit(few).graph_.score
    forgotten = bn.sklearn.StructureLearner(bn.BDeu(1)).fit(few.astype(str)).graph_.score
    assert declared == bn.learn(few, bn.BDeu(1)).score
    assert declared != forgotten


def test_columns_of_arrays_are_numbered(frame):
    codes = bn.Dataset.from_frame(frame).codes
    learner = bn.sklearn.StructureLearner().fit(codes)
    assert list(learner.adjacency_matrix_) == ["x0", "x1", "x2", "x3", "x4"]
    assert not hasattr(learner, "feature_names_in_")


def test_without_scikit_learn_the_command_that_installs_it_is_named():
    program = """
import sys
sys.modules["sklearn"] = None
import bnengine as bn
try:
    bn.sklearn
except ModuleNotFoundError as error:
    print(error)
print("sklearn" in dir(bn), "sklearn.base" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    text, names = done.stdout.splitlines()
    assert text.endswith('pip install "bnengine[sklearn]"')
    assert names == "True False"
