"""Whatever is handed to a public function or method, it works or refuses with a ValueError, before any long work."""

import functools
import io
import reprlib

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from tests.fuzz.odd import ANYTHING
from tests.fuzz.public import OF_FUNCTION, arguments_of, calls, function_of, parameters_of
from tests.fuzz.settings import fuzzed, is_a_sentence

CALLS = calls()
#: Parameters that name a file: one that is not there is an OSError, as everywhere in Python.
PATHS = {"path", "source", "target"}

#: Settings with values that they accept.
SETTINGS = {
    **{kind: {} for kind in (*SCORES.values(), *SEARCHES.values()) if kind is not bn.BDe},
    bn.BDe: {"prior_network": "cancer", "ess": 1.0},
    bn.WithPrior: {"score": bn.BIC(), "edge_penalty": 1.0, "uniform_parent_sizes": True},
    bn.teaching.LeadingCorrection: {"score": bn.BIC(), "strength": 0.5},
    bn.Bootstrap: {"n": 2, "size": 3},
    bn.ParametricBootstrap: {"n": 2},
    bn.DeleteD: {"d": 2, "n": 2},
    bn.PredictiveBootstrap: {"n": 2, "graphs": None},
    bn.Constraints: {"required": [], "forbidden": [("a", "b")], "max_parents": 2, "tiers": [["a"], ["b"]]},
    bn.Dataset: {"names": ("a",), "states": (("0", "1"),), "codes": [[0], [1]]},
    bn.Recipe: {"source": "network", "name": "cancer", "n_rows": 5, "seed": 1, "columns": (), "bins": 3},
    bn.Experiment: {"data": bn.Recipe(), "score": bn.BIC(), "n": 5, "seed": 1, "methods": ("bootstrap",)},
}


@functools.cache
def accepted(name):
    """The function, once it was called with arguments that it accepts."""
    function = function_of(CALLS[name])
    function(**arguments_of(name, CALLS[name]))
    return function


def refuses_or_works(function, arguments, argument):
    """Call it; a refusal is a sentence in one line, and nothing else comes back."""
    note(f"{function.__name__}({argument}={reprlib.repr(arguments[argument])})")  # some have no words for themselves
    try:
        function(**arguments)
    except ValueError as error:
        is_a_sentence(error)
    except OSError:
        if argument not in PATHS:
            raise
    except TypeError as error:  # an argument that this function does not have
        if "unexpected keyword argument" not in str(error):
            raise


@pytest.mark.slow
def test_every_function_accepts_the_arguments_that_are_varied():
    for name in CALLS:
        accepted(name)
    assert set(OF_FUNCTION) <= set(CALLS)


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_one_argument_of_any_value(draws):
    name = draws.draw(st.sampled_from(sorted(CALLS)))
    function, arguments = accepted(name), arguments_of(name, CALLS[name])
    argument = draws.draw(st.sampled_from(parameters_of(name, CALLS[name])))
    value = draws.draw(ANYTHING)
    if argument in PATHS and isinstance(value, str | bytes | int):
        value = io.BytesIO(str(value).encode("utf-8", "replace"))  # nothing is written into the folder of the tests
    refuses_or_works(function, {**arguments, argument: value}, argument)


@fuzzed
@given(st.data())
def test_one_setting_of_any_value(draws):
    kind = draws.draw(st.sampled_from(sorted(SETTINGS, key=lambda each: each.__name__)))
    names = sorted(SETTINGS[kind]) or ["ess", "max_parents", "restarts", "patience"]
    argument, value = draws.draw(st.sampled_from(names)), draws.draw(ANYTHING)
    refuses_or_works(kind, {**SETTINGS[kind], argument: value}, argument)
