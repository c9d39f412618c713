"""Parts: functions without machine code of their own, kept on disk as intermediate code."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from bnengine._jit import compiled
from bnengine._jit.parts import Part
from tests._jit.test_compile_cache import cut, emptied, files_in, overwritten_in_the_middle

ROOT = Path(__file__).parents[2]
NUMBERS = np.arange(5.0)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="with the compiler off there are no parts")


def add_up(numbers, n):
    total = 0.0
    for i in range(n):
        total += numbers[i]
    return total


def users_in(folder, monkeypatch):
    """Two functions, not yet compiled, that contain the same part; and the part. All are kept in the folder."""
    monkeypatch.setattr(compiled, "FOLDER", folder)
    part = compiled.compiled(add_up)

    def total(numbers):
        return part(compiled.pointer_to(numbers), numbers.shape[0])

    def mean(numbers):
        return part(compiled.pointer_to(numbers), numbers.shape[0]) / numbers.shape[0]

    return compiled.compiled(total), compiled.compiled(mean), part


def read_and_compiled(function):
    """How many forms of the function were read from the disk, and how many compiled."""
    return function.stats.cache_hits.total(), function.stats.cache_misses.total()


def file_of_the_part(folder):
    (found,) = [path for path in files_in(folder) if "add_up" in path.name]
    return found


@pytest.mark.parametrize("damage", [emptied, cut, overwritten_in_the_middle])
def test_a_damaged_part_is_set_aside_and_compiled_again(tmp_path, monkeypatch, damage):
    users_in(tmp_path, monkeypatch)[0](NUMBERS)
    path = file_of_the_part(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    _, mean, part = users_in(tmp_path, monkeypatch)
    assert mean(NUMBERS) == 2.0
    assert read_and_compiled(part) == (0, 1)
    assert path.with_suffix(".damaged").exists()
    assert file_of_the_part(tmp_path) == path


def test_a_part_with_an_address_in_it_is_not_kept(tmp_path, monkeypatch):
    """The address of a loaded function is that of one process."""
    users_in(tmp_path, monkeypatch)[0](NUMBERS)
    file_of_the_part(tmp_path).unlink()
    monkeypatch.setattr(Part, "has_dynamic_globals", True)
    users_in(tmp_path, monkeypatch)[1](NUMBERS)
    assert [path for path in files_in(tmp_path) if "add_up" in path.name] == []


def test_the_version_of_numba_that_the_project_is_tested_with_was_tried():
    (line,) = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("numba==")]
    assert tuple(map(int, line.removeprefix("numba==").split(".")[:2])) in compiled.TRIED
    assert compiled.FENCE


RESULTS = """
import bnengine as bn
data = bn.load_network("asia").sample(300, rng=1)
for search in {searches}:
    graph = bn.learn(data, bn.BDeu(), search)
    print(graph.score, sorted(graph.edges))
    ensemble = bn.resample(data, bn.BIC(), search, bn.Bootstrap(20), correction="leading")
    print(ensemble.confidence.tolist())
"""
FENCED = """
import bnengine._jit.compiled as compiled, sys
print(compiled.FENCE, "bnengine._jit.parts" in sys.modules, file=sys.stderr)
"""


def plainly(program, folder, **environment):
    """What a program prints where numba compiles in its plain way, as with a version of it that was not tried."""
    own = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder), "BNENGINE_NUMBA": "plain"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program + FENCED],
        env={**os.environ, **own, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.split() == ["False", "False"]
    return done.stdout


def within_the_fence(program, capsys):
    assert compiled.FENCE
    capsys.readouterr()
    exec(program, {})
    return capsys.readouterr().out


@pytest.mark.thorough
def test_outside_the_fence_numba_s_plain_way_gives_the_same_results(tmp_path, capsys):
    program = RESULTS.format(searches="(bn.HillClimbing(), bn.K2(data.names), bn.Exact(max_parents=3))")
    first, again = plainly(program, tmp_path), plainly(program, tmp_path)
    assert first == again == within_the_fence(program, capsys)


PROGRAM = """
import sys
from pathlib import Path
import pytest
sys.path.insert(0, sys.argv[2])
from tests._jit.test_parts import NUMBERS, read_and_compiled, users_in
total, mean, part = users_in(Path(sys.argv[1]), pytest.MonkeyPatch())
print({"total": total, "mean": mean}[sys.argv[3]](NUMBERS), *read_and_compiled(part))
"""


@pytest.mark.slow
def test_another_process_reads_the_part_and_gets_the_same_numbers(tmp_path):
    def run(user):
        words = [sys.executable, "-c", PROGRAM, str(tmp_path), str(ROOT), user]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()

    assert run("total") == ["10.0", "0", "1"]
    assert run("mean") == ["2.0", "1", "0"]
