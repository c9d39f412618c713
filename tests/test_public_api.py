"""The public names, and what importing them costs."""

import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import bnengine as bn

CALLABLES = [name for name in bn.__all__ if callable(getattr(bn, name, None))]


def test_every_public_name_exists_once():
    assert len(set(bn.__all__)) == len(bn.__all__)
    assert [name for name in bn.__all__ if not hasattr(bn, name)] == []


def test_names_that_are_imported_at_the_top_are_announced():
    modules = {name for _, name, _ in pkgutil.iter_modules(bn.__path__)}
    public = {name for name in vars(bn) if not name.startswith("_")} - (modules - set(bn.__all__))
    assert sorted(public - set(bn.__all__)) == []


@pytest.mark.parametrize("name", CALLABLES)
def test_every_public_callable_is_documented(name):
    made = getattr(bn, name)
    text = inspect.getdoc(made)
    assert text
    assert text.split("\n")[0].rstrip().endswith((".", ":"))
    assert not text.startswith(f"{name}(")  # what dataclasses write where nobody wrote anything


@pytest.mark.parametrize("name", [name for name in CALLABLES if dataclasses.is_dataclass(getattr(bn, name))])
def test_settings_and_results_are_frozen(name):
    assert getattr(bn, name).__dataclass_params__.frozen


def test_every_module_is_documented():
    modules = [module.name for module in pkgutil.walk_packages(bn.__path__, "bnengine.")]
    assert len(modules) > 20
    assert [name for name in modules if not importlib.import_module(name).__doc__] == []


def test_importing_is_quick_and_brings_no_page_or_frame_library():
    """A search on a cluster's worker needs none of them; the best of three imports takes less than a second."""
    program = """
import sys, time
start = time.perf_counter()
import bnengine
print(time.perf_counter() - start, *[name for name in ("streamlit", "plotly", "pandas") if name in sys.modules])
"""
    answers = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        answers.append(run.stdout.split())
    assert [names for _, *names in answers] == [[], [], []]
    assert min(float(seconds) for seconds, *_ in answers) < 1.0


def test_nothing_is_printed():
    program = """
import bnengine as bn
data = bn.load_network("cancer").sample(50)
bn.learn(data)
bn.resample(data, bn.BIC(), bn.K2(), bn.Bootstrap(2))
bn.describe(data.to_frame())
bn.warm_up()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == run.stderr == ""
