"""The container recipe, without a container engine: its steps in their order, in an empty folder, in an environment of
their own; and the app as the image starts it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.installing import ROOT, Environment
from tests.pages.serving import served

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [
    (line.split()[0], line.split(maxsplit=1)[1])
    for line in re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
    if line.strip()
]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
#: What makes no sense outside an image.
OF_THE_SYSTEM = ("useradd",)


def steps(word):
    return [rest for step, rest in STEPS if step == word]


def test_it_runs_as_a_user_who_may_not_write():
    words = [step for step, _ in STEPS]
    assert steps("USER") == ["visitor"]
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("RUN", "COPY"))
    assert any("useradd" in rest and "visitor" in rest for rest in steps("RUN"))


def test_what_the_package_is_built_from_is_copied():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    built_from = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    built_from |= {*wheel["only-include"], *wheel["force-include"]}
    copied = {source for rest in steps("COPY") for source in rest.split()[:-1]}
    assert built_from <= copied
    assert [source for source in sorted(copied) if source in IGNORED or not (ROOT / source).exists()] == []


def copy(rest, folder):
    """One COPY step: what is not there, or ignored, fails as it would in an image."""
    *sources, target = rest.split()
    for source in sources:
        assert source.split("/")[0] not in IGNORED
        here, there = ROOT / source, folder / (source if target == "./" else target)
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(here, there)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The environment that the recipe's steps make."""
    environment = Environment(tmp_path_factory.mktemp("image"))
    folder = tmp_path_factory.mktemp("source")
    for word, rest in STEPS:
        if word == "COPY":
            copy(rest, folder)
        elif word == "RUN" and not any(name in rest for name in OF_THE_SYSTEM):
            if "warm-up" in rest:
                environment.take_compiled_code()
            done = subprocess.run(
                rest, shell=True, cwd=folder, env=environment.variables(), capture_output=True, text=True
            )
            assert done.returncode == 0, f"{rest}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    shutil.rmtree(folder)
    return environment


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="an image of Linux")
def test_the_steps_run_in_order_and_the_app_starts_and_is_healthy(image, tmp_path):
    assert image.run("-c", "import bnengine; print(bnengine.__file__)").stdout.startswith(str(image.site))
    command = json.loads(steps("CMD")[-1])
    command[command.index("0.0.0.0")] = "127.0.0.1"
    health = next(json.loads(rest[rest.index("[") :]) for rest in steps("HEALTHCHECK"))[-1]
    log = tmp_path / "log.txt"
    environment = image.variables(HOME=str(tmp_path), TMPDIR=str(tmp_path), PYTHONDONTWRITEBYTECODE="1")
    with served(log, [image.bin / command[0], *command[1:]], cwd="/", env=environment) as address:
        port = address.rpartition(":")[2]
        subprocess.run([sys.executable, "-c", health.replace("8501", port)], check=True)
    assert "Traceback" not in log.read_text()
