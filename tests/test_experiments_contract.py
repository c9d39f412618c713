"""Every public function that takes data gives each family the rows that count for it, or says that it does not."""

import inspect

import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from tests.strategies import make_data, with_experiments

ROOMS = (bn, bn.teaching, bn.prediction, bn.posterior)
TAKES_DATA = {
    f"{room.__name__}.{name}": (thing, parameter)
    for room in ROOMS
    for name in room.__all__
    if inspect.isfunction(thing := getattr(room, name))
    for parameter, one in inspect.signature(thing).parameters.items()
    if str(one.annotation) in ("Dataset", "Dataset | None")
}
HONOUR = {name: given for name, given in TAKES_DATA.items() if hasattr(inspect.unwrap(given[0]), "__experiments__")}


@pytest.fixture(scope="module")
def data():
    return with_experiments(make_data([2, 3, 2], 80, 1), 1)


@pytest.mark.parametrize("name", sorted(TAKES_DATA.keys() - HONOUR.keys()))
def test_what_does_not_honour_experiments_says_so(name, data):
    function, parameter = TAKES_DATA[name]
    with pytest.raises(ValueError, match=f"{function.__name__} takes every row as observed"):
        function(**{parameter: data})


def test_what_honours_experiments_is_what_the_manual_names():
    assert {name.split(".")[-1] for name in HONOUR} == {
        *("learn", "score", "local_score", "corrected_score", "n_parameters", "edge_gains", "decompose", "fit"),
        *("resample", "study", "table1", "stability_selection", "certify", "find_optima", "compare_searches"),
        *("edge_posterior", "sample_posterior", "bagged_posterior", "ess_averaged_posterior"),
    }


def test_every_resampling_method_honours_experiments_or_says_why_not(data):
    for method in bn.resampling_methods(3, keys=ALL_KEYS):
        if method.correction == "exact":
            with pytest.raises(bn.DataError, match="come from experiments"):
                bn.resample(data, bn.BIC(), bn.HillClimbing(), method.resampler, method.correction)
        else:
            found = bn.resample(data, bn.BIC(), bn.HillClimbing(), method.resampler, method.correction)
            assert found.reference.targets == data.targets
