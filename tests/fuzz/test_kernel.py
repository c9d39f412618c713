"""The kernel with every access checked, where the compiler is off (``make kernel-checks``).

Pointers are then arrays that refuse negative and too large indices (in machine code nothing would), and local scores of
random families on random resamples are compared with the definitions in ``tests/naive.py``.
"""

import os
import subprocess
import sys
from typing import Any

import numba
import numpy as np
import pytest

import bnengine as bn
from bnengine._jit import compiled, records
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests import naive
from tests.commands import ROOT
from tests.fuzz.settings import CASES
from tests.strategies import make_data, make_score


class Checked(np.ndarray):
    """An array that does not count from its end."""

    def __getitem__(self, key: Any) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        super().__setitem__(key, value)

    def _check(self, key: Any) -> None:
        for one in key if isinstance(key, tuple) else (key,):
            if isinstance(one, int | np.integer) and one < 0:
                raise IndexError(f"index {one} of an array of shape {self.shape}")


flat = compiled.pointer_to


def checked_pointer(array: Any) -> Any:
    """The flat array, checked."""
    return flat(np.asarray(array)).view(Checked)


def checked_record(record: Any) -> Any:
    """The record with its arrays checked; they are views of the same memory."""
    values = {}
    for name, value in zip(record._fields, record, strict=True):
        if isinstance(value, np.ndarray):
            value = value.view(Checked)
        elif hasattr(value, "_fields"):
            value = checked_record(value)
        values[name] = value
    return record._replace(**values)


@pytest.fixture
def every_access_checked(monkeypatch):
    """Give the kernel, which runs as Python here, arrays that check where machine code takes addresses."""
    handle_of = records.handle_of
    checked = {
        "pointer_to": checked_pointer,
        "handle_of": lambda record: checked_record(handle_of(record)),
        "changed_handle": lambda handle, old, new: checked_record(handle_of(new)),
    }
    for name, module in list(sys.modules.items()):  # each has them under names of its own
        if name.startswith("bnengine."):
            for function in checked.keys() & vars(module).keys():
                monkeypatch.setattr(module, function, checked[function])


SEARCHES = (
    bn.HillClimbing(restarts=1),
    bn.Tabu(patience=3),
    bn.IteratedLocalSearch(patience=3),
    bn.ChowLiu(),
    bn.Exact(max_parents=2),
    bn.BestFirst(patience=3),
)


def case(rng: np.random.Generator) -> None:
    """One data set, resampled; some families under each way to count, and a search."""
    arities, n_rows = rng.integers(2, 7, rng.integers(2, 6)).tolist(), int(rng.integers(1, 130))
    data = make_data(arities, n_rows, int(rng.integers(2**31)), unseen=0.4)
    score = make_score(sorted(SCORES)[rng.integers(len(SCORES))], data)
    rows = rng.integers(0, n_rows, n_rows)
    scores, resampled = LocalScores(data, score), data.take(rows)
    scores.reweigh(np.bincount(data.distinct_row_of[rows], minlength=data.multiplicities.size).astype(np.int32))
    for _ in range(3):
        child = int(rng.integers(data.n_variables))
        others = [v for v in range(data.n_variables) if v != child]
        parents = sorted(rng.permutation(others)[: rng.integers(0, len(others) + 1)].tolist())
        found = scores(child, parents)
        if not isinstance(score, bn.GaussianBIC):  # whose floor stays that of the given data
            assert np.isclose(found, naive.local_score(score, resampled, child, parents), atol=1e-6)
        wanted = np.array([v != child and v not in parents for v in range(data.n_variables)])
        more = scores.with_one_more(child, parents, wanted)
        for v in np.flatnonzero(wanted).tolist():
            assert np.isclose(more[v], scores(child, [*parents, v]), atol=1e-6)
    search = SEARCHES[rng.integers(len(SEARCHES))]
    graph = bn.learn(data, score, search, rng=int(rng.integers(1000)))
    assert np.isclose(graph.score, bn.score(data, graph.edges, score), atol=1e-6)


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="the compiler is on")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers wrap in Python as they do in machine code
@pytest.mark.usefixtures("every_access_checked")
def test_no_access_is_out_of_bounds():
    for number in range(CASES):
        case(np.random.default_rng([1, number]))


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the compiler is off already")
def test_no_access_is_out_of_bounds_in_a_process_without_the_compiler():
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/fuzz/test_kernel.py"]
    words += ["-k", test_no_access_is_out_of_bounds.__name__]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "BNENGINE_FUZZ_CASES": "25"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "1 passed" in done.stdout
