"""The benchmark of confidences computes the same on a cluster's workers, which know nothing of it before."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks.confidence_study.cells import Store
from benchmarks.confidence_study.networks import HELD_OUT
from benchmarks.confidence_study.work import Plan, run, tasks
from tests.patience import HANG

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_the_cells_are_those_of_one_machine(cluster, tmp_path):
    sizes = {"rows": 30, "tables": 1, "replicates": 4, "fresh": 4}
    options = [word for name, value in sizes.items() for word in (f"--{name}", str(value))]
    options += ["--scheduler", cluster.scheduler_address, "--work", str(tmp_path / "cluster")]
    done = subprocess.run(
        [sys.executable, "benchmarks/which_confidence.py", "run", "--held-out", "--methods", "naive", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert done.returncode == 0, done.stderr
    plan = Plan(HELD_OUT, (30,), methods=("naive",), tables=1, replicates=4, fresh=4)
    assert not list(tasks(plan, Store(tmp_path / "cluster")))
    with ThreadPoolExecutor(1) as threads:
        run(plan, Store(tmp_path / "here"), threads, 1)
    here, there = (sorted((tmp_path / side).rglob("*.npz")) for side in ("here", "cluster"))
    assert [file.relative_to(tmp_path / "here") for file in here] == [
        file.relative_to(tmp_path / "cluster") for file in there
    ]
    assert len(here) > 2 * len(HELD_OUT)
    for one, other in zip(here, there, strict=True):
        with np.load(one) as a, np.load(other) as b:
            for name in ("adjacency", "directed", "n"):
                np.testing.assert_array_equal(a[name], b[name])
