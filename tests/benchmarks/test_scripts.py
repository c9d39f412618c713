"""The benchmarks' modules, which nobody runs for months, still find what they import; commands in texts name one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import STUDIES

ROOT = Path(__file__).parents[2]

#: Imports each module, and prints those that fail for another reason than a program that is not installed.
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("bnengine", "benchmarks", "pages", "tests"):
            print(name, error)
    except Exception as error:
        print(name, error)
"""


@pytest.mark.slow
def test_every_script_can_be_imported():
    """Studies and their parts are imported by the tests of studies."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("[a-z]*.py")}
    names = [name for name, text in texts.items() if "__main__" in text and name not in STUDIES]
    assert {"soak", "cluster"} <= set(names)
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, *names], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_commands_and_files_in_texts_are_there():
    paths = [*ROOT.glob("*.md"), ROOT / "Makefile", *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*")]
    texts = [
        path.read_text(encoding="utf-8")
        for path in paths
        if path.suffix in (".md", ".py", ".json", "") and path.is_file() and ".work" not in path.parts
    ]
    named = {one for text in texts for one in re.findall(r"-m benchmarks([ .]\w+)", text)}
    files = {one for text in texts for one in re.findall(r"\bbenchmarks/\w+\.(?:py|md)\b", text)}
    assert len(named) > 20
    assert len(files) > 10
    assert {one for one in files if not (ROOT / one).exists()} == set()
    for one in sorted(named - {" NAME"}):
        if one.startswith("."):
            assert "__main__" in (ROOT / "benchmarks" / f"{one[1:]}.py").read_text(encoding="utf-8"), one
        else:
            assert one[1:] in (*STUDIES, "night"), one
