"""The benchmarks' scripts, which nobody runs for months, still find what they import."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"

#: Imports each script, and prints those that fail for another reason than a program that is not installed.
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] == "bnengine" or error.name in sys.argv:
            print(name, error)
    except Exception as error:
        print(name, error)
"""


@pytest.mark.slow
def test_every_script_can_be_imported():
    names = sorted(path.stem for path in SCRIPTS.glob("*.py"))
    assert {"bootstrap", "growth", "start_up"} <= set(names)
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, *names], cwd=SCRIPTS, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
