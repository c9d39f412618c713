"""Every public function that takes data allows for interventions, missing cells and numbers, or refuses such data."""

import inspect

import numpy as np
import pytest

import bnengine as bn
from bnengine._core.validation import DATA_FEATURES
from tests.strategies import make_data, with_experiments, with_holes

ROOMS = (bn, bn.answers, bn.teaching, bn.prediction, bn.posterior)
TAKES_DATA = {
    f"{room.__name__}.{name}": (thing, parameter)
    for room in ROOMS
    for name in room.__all__
    if inspect.isfunction(thing := getattr(room, name))
    for parameter, one in inspect.signature(thing).parameters.items()
    if str(one.annotation) in ("Dataset", "Dataset | None")
}
#: The functions that give each family the rows that count for it, by the feature they accept; the manual names them.
_BOTH = {
    *("learn", "score", "local_score", "corrected_score", "n_parameters", "edge_gains", "fit"),
    *("resample", "study", "table1", "explain_edge", "edge_effect", "certify", "compare_searches", "draw_missing"),
    *("edge_posterior", "other_preparations", "verdict", "fit_drawn", "rows_with"),
}
#: Those that score families by blocks where a table has numbers.
_BLOCKS = {"learn", "score", "local_score", "corrected_score", "edge_gains", "resample", "certify", "compare_searches"}
ACCEPTED = {
    "interventions": _BOTH,
    "missing": {*_BOTH, "noise_check", "rows_needed"},
    "numbers": {
        *(*_BLOCKS, "edge_posterior", "study", "table1", "verdict", "edge_effect", "explain_edge", "mdl"),
        *("noise_check", "rows_needed", "n_parameters", "other_preparations"),
    },
}


def _accepted(function):
    return getattr(inspect.unwrap(function), "__accepts__", ())


@pytest.fixture(scope="module")
def data():
    table = make_data([2, 3, 2], 80, 1)
    numbers = bn.Dataset.from_frame(table.to_frame().assign(X2=np.arange(80.0)), numbers=["X2"])
    return {"interventions": with_experiments(table, 1), "missing": with_holes(table, 1), "numbers": numbers}


@pytest.mark.parametrize("kind", sorted(DATA_FEATURES))
@pytest.mark.parametrize("name", sorted(TAKES_DATA))
def test_what_does_not_accept_a_feature_of_data_says_so(name, kind, data):
    function, parameter = TAKES_DATA[name]
    if kind not in _accepted(function):
        with pytest.raises(ValueError, match=f"{function.__name__} {DATA_FEATURES[kind].split(',')[0]}"):
            function(**{parameter: data[kind]})


@pytest.mark.parametrize("kind", sorted(DATA_FEATURES))
def test_what_accepts_a_feature_of_data_is_what_the_manual_names(kind):
    found = {name.split(".")[-1] for name, (function, _) in TAKES_DATA.items() if kind in _accepted(function)}
    assert found == ACCEPTED[kind]
