"""Files that ask for far more than they are, read in a process that may take two gigabytes and no more."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnengine as bn
from bnengine.data.reading_options import LIMITS, Limits
from tests.hostile import FILES
from tests.patience import HANG

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, resource, sys
from pathlib import Path
import bnengine as bn
bn.read_table(Path(sys.argv[1]) / "small.csv")
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
for path in map(Path, sys.argv[3:]):
    try:
        says = f"read {bn.read_table(path).shape}"
    except bn.DataError as error:
        says = f"DataError: {error}"
    except MemoryError as error:
        says = f"{type(error).__name__}: {error}"
    print(json.dumps([path.name, says]), flush=True)
"""
#: Address space, of which the libraries and their threads take about two gigabytes before anything is read.
ALLOWED = 4 * 2**30


@pytest.fixture(scope="module")
def answers(tmp_path_factory, request):
    """What reading each file asked about ends with; a file that is not there took the process down."""
    pytest.importorskip("resource")
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "small.csv").write_text("x,y\n1,a\n")
    here = (item for item in request.session.items if item.path == request.path and "answers" in item.fixturenames)
    asked = {item.callspec.params["name"] for item in here}
    paths = [folder / name for name in FILES if name in asked]
    for path in paths:
        path.write_bytes(FILES[path.name][0]())
    words = [sys.executable, "-c", PROGRAM, str(folder), str(ALLOWED), *map(str, paths)]
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=HANG
    )
    return {"stderr": done.stderr, **dict(json.loads(line) for line in done.stdout.splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_hostile_files_are_refused_within_bounds(answers, name):
    says = FILES[name][1]
    assert name in answers, answers["stderr"][-2000:]
    if says:
        assert re.search(f"DataError: .*({says})", answers[name])
    else:
        assert answers[name].startswith("read (")


def test_limits_are_declared_once_and_may_be_changed(monkeypatch):
    assert f"{LIMITS.columns:,} columns" in LIMITS.sentence
    monkeypatch.setenv("BNENGINE_MAX_COLUMNS", "7")
    assert Limits.from_environment() == Limits(columns=7)
    for wrong in ("-1", "0", "many", "1.5", ""):
        monkeypatch.setenv("BNENGINE_MAX_COLUMNS", wrong)
        assert Limits.from_environment() == Limits()
        with pytest.raises(ValueError, match="BNENGINE_MAX_COLUMNS must be a whole number above 0; got"):
            bn.read_table(io.BytesIO(b"a,b\n1,2\n"))
