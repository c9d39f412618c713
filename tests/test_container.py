"""The container recipe: who it runs as, and what it is built from; and that nothing comes in unchecked."""

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
    assert {path for path in built_from if path.split("/")[0] not in copied} == set()
    assert [source for source in sorted(copied) if source in IGNORED or not (ROOT / source).exists()] == []


def pinned(text):
    """The versions in a list of requirements, by name as packages are compared."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", text, flags=re.MULTILINE)
    return {re.sub("[-_.]+", "-", name).lower(): version for name, version in found}


def test_the_lock_has_the_versions_that_tests_run_with_and_a_hash_of_every_file():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    tested = pinned((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    locked = pinned(lock)
    assert {name: version for name, version in locked.items() if tested.get(name, version) != version} == {}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["app"], "hatchling"]
    assert {re.match(r"[\w-]+", one)[0].lower() for one in needed} <= set(locked)
    entries = re.split(r"\n(?=\S)", lock.strip())
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert any("--require-hashes -r requirements.lock" in rest for rest in steps("RUN"))


def test_the_workflow_s_actions_are_named_by_commit():
    used = re.findall(r"uses: (\S+)", (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    assert len(used) > 5
    assert [action for action in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action)] == []
