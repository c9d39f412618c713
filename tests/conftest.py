"""Fixtures, how hypothesis runs, and which tests are slow: with several workers, their files begin first."""

import os
import sys
from collections import Counter
from pathlib import Path

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


SLOW = Path(__file__).with_name("slow.txt")
SECONDS = 0.6


def pytest_addoption(parser):
    parser.addoption("--write-slow", action="store_true", help=f"list tests of {SECONDS} s and more in {SLOW.name}")


def function_of(nodeid):
    """A test's function, whatever its parameters."""
    return nodeid.partition("[")[0]


def slow_tests():
    """Seconds of each listed test function."""
    return {name: float(seconds) for name, seconds in map(str.split, SLOW.read_text(encoding="utf-8").splitlines())}


def pytest_collection_modifyitems(config, items):
    """Mark the listed tests as slow, all cases of a function together; let workers begin with the longest files.

    A long file that begins last would keep one worker busy while the others have nothing left.
    """
    listed, of_file = slow_tests(), Counter()
    for item in items:
        if function_of(item.nodeid) in listed:
            item.add_marker("slow")
    for name, seconds in listed.items():
        of_file[name.partition("::")[0]] += seconds
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: -of_file[item.nodeid.partition("::")[0]])  # the order within a file stays


def pytest_configure(config):
    config.option.loadscopereorder = False  # files with the most tests are not those that take longest
    if config.getoption("--write-slow"):
        config.pluginmanager.register(Durations(), "durations of tests")


class Durations:
    """Adds up how long the cases of each function take, and writes the list at the end."""

    def __init__(self):
        self.seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[function_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):  # with several workers, their reports come here
            slow = sorted(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items() if seconds >= SECONDS)
            SLOW.write_text("\n".join(slow) + "\n", encoding="utf-8")
