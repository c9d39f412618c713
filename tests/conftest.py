"""Fixtures, how hypothesis runs, and the order of files for several workers."""

import os
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

import bnengine as bn
from tests.strategies import make_data

# Some two hundred processes import the engine: where the environment forbids to keep its byte code, each would make it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "suite", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
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


def pytest_collection_modifyitems(config, items):
    """Let workers begin with the files that have most slow tests: one that begins last would leave the others idle."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("browser"))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: -slow[item.path])  # the order within a file stays


def pytest_configure(config):
    config.option.loadscopereorder = False  # files with the most tests are not those that take longest
