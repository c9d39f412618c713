"""The container recipe, without a container engine: what it copies is there, is enough, and the app starts from it."""

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.patience import HANG

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [
    (line.split()[0], " ".join(line.split()[1:]))
    for line in re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
    if line.strip()
]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()


def steps(word):
    return [rest for step, rest in STEPS if step == word]


def test_what_is_copied_is_there_and_not_ignored():
    sources = [source for rest in steps("COPY") for source in rest.split()[:-1]]
    assert {"app.py", "bnengine", "pages", "sample_data", ".streamlit"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if source.split("/")[0] in IGNORED] == []


def test_it_runs_as_a_user_who_may_not_write():
    words = [step for step, _ in STEPS]
    assert steps("USER") == ["visitor"]
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("RUN", "COPY"))
    assert any("useradd" in rest and "visitor" in rest for rest in steps("RUN"))


def test_the_engine_is_compiled_when_the_image_is_made():
    assert any(rest.startswith("python -m bnengine warm-up") for rest in steps("RUN"))
    assert "**/__pycache__" in IGNORED  # or the code of another machine would be copied


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A folder with what the image holds, which cannot be written to."""
    folder = tmp_path_factory.mktemp("image") / "app"
    for rest in steps("COPY"):
        *sources, target = rest.split()
        for source in sources:
            here, there = ROOT / source, folder / (source if target == "./" else target)
            there.parent.mkdir(parents=True, exist_ok=True)
            if here.is_dir():
                shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            else:
                shutil.copy(here, there)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        path.chmod(0o755)


def test_the_app_starts_from_what_is_copied_and_is_healthy(copied, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = json.loads(steps("CMD")[-1].replace("'", "\\'"))
    assert command[0] == "python"
    command = [sys.executable, *command[1:], "--server.port", str(port)]
    command[command.index("0.0.0.0")] = "127.0.0.1"
    health = next(json.loads(rest[rest.index("[") :]) for _, rest in STEPS if "urlopen" in rest)[-1]
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    log = tmp_path / "log.txt"
    with (
        log.open("w") as output,
        subprocess.Popen(command, cwd=copied, env=environment, stdout=output, stderr=output) as server,
    ):
        try:
            end = time.monotonic() + HANG
            while time.monotonic() < end and server.poll() is None:
                check = subprocess.run([sys.executable, "-c", health.replace("8501", str(port))], capture_output=True)
                if check.returncode == 0:
                    break
                time.sleep(0.2)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
                assert b"<title>" in page.read()
        finally:
            with contextlib.suppress(OSError):
                server.terminate()
            server.wait(HANG)
    assert "Traceback" not in log.read_text()


def test_the_readme_says_how_to_run_it():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.search(r"docker run[^\n]*", readme).group()
    assert {"--read-only", "--tmpfs"} <= set(shlex.split(command))
