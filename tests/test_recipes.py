"""The recipes in CONTRIBUTING, followed word by word in a copy of the project: what they say is enough."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: The first line of a block says where its text goes: into a new file, or before, after or instead of a line that
#: begins so.
BLOCK = re.compile(
    r"```(?:python|toml)\n# (?P<file>\S+)"
    r"(?:, (?P<side>before|after|instead of) `(?P<line>[^\n]+)`)?\n(?P<text>.*?)```",
    re.S,
)
#: By recipe, the most files it may touch.
MOST_FILES = {
    **dict.fromkeys(("Add a score", "Add a resampling method", "Add a search", "Add a kind of file"), 3),
    "Add a repair": 2,
    "Add a language": 2,
    "Add a page": 3,
    "Add a setting": 2,
    "Change a figure of the paper": 1,
}


def steps(recipe):
    return list(BLOCK.finditer(re.search(rf"## {recipe}\n(.*?)\n## ", TEXT, re.S).group(1)))


def follow(step, folder):
    """Write a block where its first line says; a line that is not there, or is there twice, is an error."""
    path, text = folder / step["file"], step["text"]
    if step["line"] is None:
        assert not path.exists(), path
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = (n for n, line in enumerate(lines) if line.startswith(step["line"]))
    first, last = {"before": (0, 0), "after": (1, 1), "instead of": (0, 1)}[step["side"]]
    lines[place + first : place + last] = [text]
    path.write_text("".join(lines), encoding="utf-8")


def test_every_recipe_is_short():
    for recipe, most in MOST_FILES.items():
        assert 1 <= len({step["file"] for step in steps(recipe)}) <= most, recipe


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the project in which all recipes were followed."""
    folder = tmp_path_factory.mktemp("copy") / "project"
    left_out = shutil.ignore_patterns(".git", ".venv*", "*.pyc", ".*_cache", "node_modules")
    shutil.copytree(ROOT, folder, ignore=left_out)
    for recipe in MOST_FILES:
        for step in steps(recipe):
            follow(step, folder)
    return folder


def python(folder, *arguments):
    """What a program in the copy prints; an error with its last words if it fails."""
    settings = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": str(folder)}, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *arguments], check=False, **settings)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


QUICK = "not slow and not browser and not thorough"


@pytest.mark.thorough
def test_every_quick_test_passes_where_the_recipes_were_followed(extended):
    python(extended, "-m", "tests.test_pinned")  # as the recipe for a score says
    python(extended, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests", "-m", QUICK)


#: Runs tests; those of the registries, which try every pair of entries in the project itself, with the new score only,
#: and those of pages, which ask for no number of a network, without the results that most visitors share.
CONTRACTS = """
import sys
import pytest
from tests import test_registries as registries

registries.EXPERIMENTS[:] = [one for one in registries.EXPERIMENTS if one.score.name == "CAIC"]
new = [one for one in registries.EXPERIMENTS if "forward" in one.search.name]
registries.RUN[:] = [registries.EXPERIMENTS[0], *new]
assert registries.RUN and all("half" in one.methods for one in registries.RUN)


class WithoutFirstTables:
    def pytest_collection_finish(self):
        sys.modules["tests.pages.conftest"].FIRST_TABLES = ()


sys.exit(pytest.main(sys.argv[1:], plugins=[WithoutFirstTables()]))
"""


@pytest.mark.slow
def test_what_the_recipes_add_keeps_the_contracts(extended):
    oracle = "scores/test_scores.py::test_every_score_of_a_resample_against_naive"
    names = (
        "test_registries.py",
        "test_layering.py",
        oracle,
        "pages/test_size.py",
        "pages/test_weight.py",
        "data/test_portuguese.py",
        "data/test_quotes.py",
    )
    searched = "search/test_contract.py::test_result_against_the_contract[forward-bic]"
    tests = [f"tests/{name}" for name in (*names, "data/test_numpy_file.py", searched)]
    python(extended, "-c", CONTRACTS, "-q", "-x", "-p", "no:cacheprovider", *tests, "-m", QUICK)
    program = """
import bnengine as bn
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.experiment.paper import TICKS
from bnengine.scores.scores import SCORES
print(bn.__file__, bn.CAIC().name, bn.HalfSample(3).n, "caic" in SCORES, "half" in ALL_KEYS, len(TICKS))
data = bn.load_network("asia").sample(300, rng=1)
print(len(bn.learn(data, search=bn.Forward()).edges) > 3)
"""
    found = python(extended, "-c", program).split()
    assert found == [str(extended / "bnengine" / "__init__.py"), "CAIC", "3", "True", "True", "3", "True"]
