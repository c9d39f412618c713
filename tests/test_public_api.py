"""The public names, and what importing them costs."""

import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import bnengine as bn

ROOMS = {
    "": bn,
    "teaching.": bn.teaching,
    "prediction.": bn.prediction,
    "posterior.": bn.posterior,
    "settings.": bn.settings,
}
PUBLIC = {f"{room}{name}": getattr(module, name) for room, module in ROOMS.items() for name in module.__all__}
CALLABLES = [name for name, made in PUBLIC.items() if callable(made)]


def test_every_public_name_exists_once():
    for module in ROOMS.values():
        assert len(set(module.__all__)) == len(module.__all__)
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert set(module.__all__) <= set(dir(module))


def test_the_door_is_about_eighty_names_wide():
    assert 60 <= len(bn.__all__) <= 85


def test_a_name_that_never_was_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        bn.no_such_name  # noqa: B018


def test_names_that_are_imported_at_the_top_are_announced():
    modules = {name for _, name, _ in pkgutil.iter_modules(bn.__path__)}
    public = {name for name in vars(bn) if not name.startswith("_")} - (modules - set(bn.__all__))
    public -= {"Any", "TYPE_CHECKING", "import_module"}
    assert sorted(public - set(bn.__all__)) == []


def test_every_public_callable_is_documented():
    for name in CALLABLES:
        text = inspect.getdoc(PUBLIC[name])
        assert text, name
        assert text.split("\n")[0].rstrip().endswith((".", ":")), name
        assert not text.startswith(f"{name}("), name  # what dataclasses write where nobody wrote anything


def test_settings_and_results_are_frozen():
    made = {name: PUBLIC[name] for name in CALLABLES if dataclasses.is_dataclass(PUBLIC[name])}
    assert [name for name, kind in made.items() if not kind.__dataclass_params__.frozen] == []


def test_every_module_is_documented():
    modules = [module.name for module in pkgutil.walk_packages(bn.__path__, "bnengine.")]
    assert len(modules) > 20
    assert [name for name in modules if not importlib.import_module(name).__doc__] == []


@pytest.mark.slow
def test_importing_is_quick_and_brings_no_page_or_frame_library():
    """A search on a cluster's worker needs none of them; the engine takes no longer than twice the compiler under it.

    Processor time, the best of three, so that it holds on any machine and beside other work.
    """
    program = """
import sys, time
start = time.process_time()
import numba.core.caching
compiler = time.process_time()
import bnengine
print(compiler - start, time.process_time() - compiler)
rooms = [f"bnengine.{room}" for room in ("discretization", "experiment", "posterior", "prediction", "teaching")]
print(*[name for name in ("streamlit", "plotly", "pandas", "networkx", *rooms) if name in sys.modules])
"""
    times = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds, brought = run.stdout.split("\n")[:2]
        assert brought == ""
        times.append([float(second) for second in seconds.split()])
    compiler, engine = np.min(times, axis=0)
    assert engine < 2 * compiler  # measured: 0.8


@pytest.mark.slow
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


def test_every_function_that_draws_says_what_its_seed_may_be():
    drawing = {name: made for name, made in PUBLIC.items() if inspect.isfunction(made)}
    seeds = {name: inspect.signature(made).parameters.get("rng") for name, made in drawing.items()}
    drawn = [name for name, rng in seeds.items() if rng is not None and rng.default == 0]
    drawn = [name for name in drawn if not name.startswith("teaching.")]  # lessons are repeated as they were
    assert len(drawn) > 10
    said = "rng : int, Generator or None, default 0; None draws anew at each call"
    silent = [name for name in drawn if said not in drawing[name].__doc__ and "As for" not in drawing[name].__doc__]
    assert silent == []


def test_how_a_run_is_run_is_said_by_keyword():
    running, by_place = {"executor", "progress", "ties", "stop"}, []
    for name, made in PUBLIC.items():
        parameters = inspect.signature(made).parameters if inspect.isfunction(made) else {}
        if running & parameters.keys() and name != "warm_up":  # which has nothing else
            said = [one.kind for key, one in parameters.items() if key in running | {"rng"}]
            by_place += [name] if set(said) != {inspect.Parameter.KEYWORD_ONLY} else []
    assert by_place == []
