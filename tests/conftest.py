"""Fixtures, and how hypothesis runs."""

import pytest
from hypothesis import HealthCheck, settings

import bnengine as bn
from tests.strategies import make_data

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
