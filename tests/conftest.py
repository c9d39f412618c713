"""Fixtures, how hypothesis runs, and the order of files for several workers."""

import os
import sys
import time
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, settings

import bnengine as bn
from bnengine._core import parallel
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from tests.strategies import make_data

# Some two hundred processes import the engine: where the environment forbids to keep its byte code, each would make it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "suite",
    max_examples=50,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def asia():
    """200 rows of ASIA."""
    return bn.load_network("asia").sample(200, rng=1)


@pytest.fixture(scope="session")
def mixed():
    """150 rows of four variables with 2, 3, 4 and 2 states, some of them unseen."""
    return make_data([2, 3, 4, 2], 150, seed=5, unseen=0.5)


@pytest.fixture(scope="session")
def six():
    """80 rows of six variables with two or three states."""
    return make_data([2, 3, 2, 2, 2, 3], 80, seed=4)


@pytest.fixture(scope="session")
def experiment():
    """A small run with every method: the edges differ between them."""
    methods = (*TABLE1_KEYS, "predictive")
    recipe = bn.Recipe("sample", "asia_1000")
    return bn.Experiment(recipe, bn.BDeu(1.0), search=bn.HillClimbing(), n=40, methods=methods)


@pytest.fixture(scope="session")
def study(experiment):
    """The small run's study."""
    return experiment.run()


@pytest.fixture
def one_worker():
    """An executor of one thread."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def asked_after_each(monkeypatch):
    """Let each replicate wait until the caller has been asked after it: a run is stopped where it is told to be.

    Otherwise a caller that a busy machine keeps waiting may ask for the first time when all is done.
    """
    asked, ask, wait = [], parallel._Ledger.ask_progress, parallel._Ledger.may_go_on

    def ask_progress(ledger, progress):
        try:
            return ask(ledger, progress)
        finally:
            asked.append(progress)

    def may_go_on(ledger):
        before = len(asked)
        while len(asked) == before and not ledger.flag[0]:
            time.sleep(0.0005)
        return wait(ledger)

    monkeypatch.setattr(parallel, "POLL", 0.001)
    monkeypatch.setattr(parallel._Ledger, "ask_progress", ask_progress)
    monkeypatch.setattr(parallel._Ledger, "may_go_on", may_go_on)


#: Files in which next to nothing is compiled: where nothing is yet, one worker runs these while another one compiles.
COMPILE_NOTHING = ("data/test_hostile_files", "fuzz/test_tables", "fuzz/test_networks", "networks/test_formats")
#: About how many times as long as other tests those with a mark take.
WEIGHTS = {"browser": 50, "slow": 10}


def weight(item):
    return next((times for mark, times in WEIGHTS.items() if item.get_closest_marker(mark)), 1)


def longest_first(items):
    """The files by how long they take: by their test functions, as one of many cases has short ones."""
    functions = {(item.path, getattr(item, "originalname", item.name)): weight(item) for item in items}
    length = Counter()
    for (path, _), times in functions.items():
        length[path] += times
    return sorted(length, key=lambda path: -length[path])


#: One in so many of the thorough cases runs in every CI, always the same ones: none is seen to fail only by a release.
SAMPLED = 20


def pytest_itemcollected(item):
    """Let CI run its sample of the thorough cases."""
    if zlib.crc32(item.nodeid.encode()) % SAMPLED == 0 and item.get_closest_marker("thorough"):
        item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "thorough"]
        item.add_marker("slow")


def pytest_collection_modifyitems(config, items):
    """Let workers begin with the longest files, of which one that begins last would leave the others idle.

    A worker takes one file after another. The first gets the longest, which needs the whole engine; the others first
    those that need no compiled code, or they would all compile the same.
    """
    if not hasattr(config, "workerinput"):
        return
    files = longest_first(items)
    early = [path for path in files if path.as_posix().removesuffix(".py").endswith(COMPILE_NOTHING)]
    order = {path: place for place, path in enumerate(dict.fromkeys([*files[:1], *early, *files]))}
    items.sort(key=lambda item: order[item.path])  # the order within a file stays


def pytest_configure(config):
    config.option.loadscopereorder = False  # files with the most tests are not those that take longest
