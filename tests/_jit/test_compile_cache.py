"""Compiled code on disk: damaged files, several processes, folders that cannot be written to."""

import os
import pickle
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.serialize import dumps

from bnengine._jit import compiled
from bnengine._jit.compiled import _DIGEST, _DIGEST_SIZE, KeptCode, folder_for_code, folders_for_code
from bnengine._jit.parts import Part

ROOT = Path(__file__).parents[2]


def twice(number):
    return 2 * number


def compiled_in(*folders):
    """The function, not yet compiled, kept in the first folder and read from all."""
    dispatcher = numba.njit(twice)
    dispatcher._cache = KeptCode(twice, folders)
    return dispatcher


def was_kept(*folders):
    """Whether the function, which must work, was read from the folders instead of compiled."""
    function = compiled_in(*folders)
    assert function(21) == 42
    assert function(1.25) == 2.5
    hits, misses = function.stats.cache_hits.total(), function.stats.cache_misses.total()
    assert hits + misses == 2
    return hits == 2


def files_in(folder):
    return sorted(path for path in folder.iterdir() if path.suffix == ".nbc")


def test_code_compiled_ahead_by_another_user_is_read_and_not_written_to(tmp_path):
    ahead, own = tmp_path / "ahead", tmp_path / "own"
    was_kept(ahead)
    made = files_in(ahead)
    assert was_kept(own, ahead)
    assert not own.exists()
    for path in made:
        path.write_bytes(b"")
    assert not was_kept(own, ahead)
    assert len(files_in(own)) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="without users")
@pytest.mark.parametrize(("mode", "is_read"), [(0o755, True), (0o775, False), (0o757, False)])
def test_code_compiled_ahead_is_read_only_if_its_installer_alone_can_write_there(tmp_path, monkeypatch, mode, is_read):
    ahead = tmp_path / "__pycache__" / "compiled"
    ahead.mkdir(parents=True)
    ahead.chmod(mode)
    monkeypatch.setattr(compiled, "folder_for_code", lambda preferred: tmp_path / "own")
    assert folders_for_code(tmp_path) == [tmp_path / "own" / "compiled", *[ahead] * is_read]


def with_its_digest(data):
    return _DIGEST(data).digest() + data


def without_code(content):
    """The right key, and a payload that nothing can be rebuilt from."""
    key, _ = pickle.loads(content[_DIGEST_SIZE:])
    return with_its_digest(dumps((key, dumps(("nothing",)))))


#: What becomes of a file; zeros in its middle are what a machine going down leaves, and no unpickling finds fault with.
DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "zeros": lambda content: content[: len(content) // 2] + b"\0" * 64 + content[len(content) // 2 + 64 :],
    "whole and no pickle": lambda content: with_its_digest(b"<html>quota exceeded</html>"),
    "whole and no code": without_code,
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_in_the_place_of_a_damaged_file_the_function_is_compiled_again(tmp_path, damage):
    was_kept(tmp_path)
    for path in files_in(tmp_path):
        path.write_bytes(damage(path.read_bytes()))
    assert not was_kept(tmp_path)
    assert was_kept(tmp_path)


@pytest.mark.parametrize("refusing", ["replace", "write"])
def test_a_folder_that_cannot_be_written_to_does_no_harm(tmp_path, monkeypatch, refusing):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(*((os, "replace") if refusing == "replace" else (Path, "write_bytes")), refuse)
        assert not was_kept(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def shared_folder(tmp_path, monkeypatch):
    """A temporary folder that everybody may write to, where the package's own and the user's cannot be made."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def fallback(shared_folder):
    return folder_for_code(shared_folder.parent / "file" / "pycache")


def test_the_last_resort_is_a_folder_of_the_user_alone(shared_folder):
    folder = fallback(shared_folder)
    assert folder is not None
    assert folder.parent == shared_folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert fallback(shared_folder) == folder


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="without users")
def test_code_that_somebody_else_may_have_planted_is_not_loaded(shared_folder, monkeypatch):
    folder = fallback(shared_folder)
    folder.chmod(0o777)
    assert fallback(shared_folder) is None
    folder.chmod(0o770)
    assert fallback(shared_folder) is None
    folder.chmod(0o700)
    assert fallback(shared_folder) == folder
    folder.rename(shared_folder / "elsewhere")
    folder.symlink_to(shared_folder / "elsewhere")
    assert fallback(shared_folder) is None
    folder.unlink()
    folder.mkdir(mode=0o700)
    seen = os.lstat

    def of_somebody_else(path):
        found = list(seen(path))
        found[stat.ST_UID] += 1
        return os.stat_result(found)

    monkeypatch.setattr(compiled.os, "lstat", of_somebody_else)
    assert fallback(shared_folder) is None


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests._jit.test_compile_cache import was_kept
was_kept(Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_processes_that_compile_at_the_same_time_do_not_disturb_each_other(tmp_path):
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), str(ROOT)]
    processes = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert len(files_in(tmp_path)) == 2
    assert [path for path in tmp_path.iterdir() if path.suffix != ".nbc"] == []


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests._jit import test_compile_cache as cache
written = Path.write_bytes

def killed(path, content):
    written(path, content[: len(content) // 2])
    os.kill(os.getpid(), 9)

Path.write_bytes = killed
cache.was_kept(Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="without signals")
def test_a_process_killed_while_it_writes_leaves_nothing_that_is_taken_for_code(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(ROOT)], capture_output=True, check=False)
    assert done.returncode == -9
    assert files_in(tmp_path) == []
    assert not was_kept(tmp_path)
    assert was_kept(tmp_path)


# Parts: functions without machine code of their own, kept on disk as intermediate code.


NUMBERS = np.arange(5.0)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="with the compiler off there are no parts")


def add_up(numbers, n):
    total = 0.0
    for i in range(n):
        total += numbers[i]
    return total


def users_in(folder, monkeypatch):
    """Two functions, not yet compiled, that contain the same part; and the part. All are kept in the folder."""
    monkeypatch.setattr(compiled, "FOLDERS", [folder])
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


@pytest.mark.parametrize("damage", [DAMAGES[kind] for kind in ("emptied", "cut", "zeros")])
def test_a_damaged_part_is_compiled_again(tmp_path, monkeypatch, damage):
    users_in(tmp_path, monkeypatch)[0](NUMBERS)
    path = file_of_the_part(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    _, mean, part = users_in(tmp_path, monkeypatch)
    assert mean(NUMBERS) == 2.0
    assert read_and_compiled(part) == (0, 1)
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
search = {search}
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


@pytest.mark.parametrize(
    "search",
    [
        pytest.param("bn.K2(data.names)", marks=pytest.mark.slow),
        pytest.param("bn.HillClimbing()", marks=pytest.mark.thorough),
        pytest.param("bn.Exact(max_parents=3)", marks=pytest.mark.thorough),
    ],
)
def test_outside_the_fence_numba_s_plain_way_gives_the_same_results(tmp_path, capsys, search):
    program = RESULTS.format(search=search)
    first, again = plainly(program, tmp_path), plainly(program, tmp_path)
    assert first == again == within_the_fence(program, capsys)


PART_USER = """
import sys
from pathlib import Path
import pytest
sys.path.insert(0, sys.argv[2])
from tests._jit.test_compile_cache import NUMBERS, read_and_compiled, users_in
total, mean, part = users_in(Path(sys.argv[1]), pytest.MonkeyPatch())
print({"total": total, "mean": mean}[sys.argv[3]](NUMBERS), *read_and_compiled(part))
"""


@pytest.mark.slow
def test_another_process_reads_the_part_and_gets_the_same_numbers(tmp_path):
    def run(user):
        words = [sys.executable, "-c", PART_USER, str(tmp_path), str(ROOT), user]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()

    assert run("total") == ["10.0", "0", "1"]
    assert run("mean") == ["2.0", "1", "0"]
