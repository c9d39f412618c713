"""The container recipe: who it runs as, and what it is built from."""

import re
import tomllib

from tests.installing import ROOT

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [
    (line.split()[0], line.split(maxsplit=1)[1])
    for line in re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
    if line.strip()
]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()


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
