"""A cache keeps what was used last, within a number of bytes."""

import threading

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine._core.bounded_cache import BoundedCache, bytes_of


def test_what_was_not_used_makes_room():
    cache = BoundedCache(most_bytes=3000)
    for name in "abc":
        cache.keep(name, np.zeros(1000, dtype=np.uint8))
    assert cache.get("a") is not None
    cache.keep("d", np.zeros(1000, dtype=np.uint8))
    assert [name for name in "abcd" if name in cache] == ["a", "c", "d"]
    assert cache.n_bytes == 3000


def test_values_that_belong_together_do_not_make_room_for_each_other():
    cache = BoundedCache(most_bytes=10, most_values=2)
    cache.keep("old", np.zeros(10))
    cache.keep_all({name: np.zeros(100) for name in "abc"})
    assert [name for name in ("old", *"abc") if name in cache] == ["a", "b", "c"]


def test_values_that_grow_count_as_they_are_now():
    """An ensemble keeps the counts of its edges, two numbers each, when it is first asked for a confidence."""
    data = bn.load_network("alarm").sample(100, rng=1)
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20))
    cache = BoundedCache(most_bytes=10**9)
    cache.keep("one", ensemble)
    before = cache.n_bytes
    n_edges = np.count_nonzero(ensemble.confidence)
    assert cache.n_bytes >= before + 16 * n_edges > before


@pytest.mark.parametrize(
    "value", [pd.DataFrame({"x": np.zeros(10_000)}), {"a": [np.zeros(10_000)]}, (np.zeros((100, 100)), "text")]
)
def test_bytes_are_those_of_arrays_and_tables(value):
    assert 80_000 <= bytes_of(value) < 85_000


def test_many_threads_at_once():
    cache, errors = BoundedCache(most_bytes=5000), []

    def work(seed):
        try:
            for key in np.random.default_rng(seed).integers(0, 30, 300).tolist():
                assert cache.get_or_make(key, lambda key=key: np.full(100, key, dtype=np.int64))[0] == key
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert cache.n_bytes <= 5000
