"""How the tests start the command line, and read what it says."""

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd

from bnengine import cli
from bnengine.cli.settings import experiment_of as experiment_of_given

PROGRAM = [sys.executable, "-m", "bnengine"]
ROOT = Path(__file__).parent.parent


def run(*arguments, **settings):
    """The program as a person starts it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings.pop("env", {})}
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", env=environment, **settings
    )


def answer(capsys, *arguments):
    """Exit code, standard output and standard error of a command in this process."""
    capsys.readouterr()
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def table(text):
    return pd.read_csv(io.StringIO(text), keep_default_na=False)


def same(text, frame):
    """Whether a CSV holds exactly the table: every digit of every number."""
    pd.testing.assert_frame_equal(table(text), frame.reset_index(drop=True), check_dtype=False, check_exact=True)


def in_a_shell(command, folder):
    """What the shown line prints where somebody pastes it into a shell."""
    starter = f'bnengine() {{ {shlex.join(PROGRAM)} "$@"; }}\n'
    done = subprocess.run(
        ["sh", "-c", starter + command], capture_output=True, text=True, encoding="utf-8", cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def until(process, pattern):
    """Read standard error until it says so."""
    said = ""
    for line in process.stderr:
        said += line
        if re.search(pattern, line):
            return
    raise AssertionError(said)


def started(*words):
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def experiment_of(words):
    """The experiment that the words of a command describe."""
    _, given = cli.parse(list(map(str, words)))
    return experiment_of_given(given)


def parsed(command):
    words = shlex.split(command)
    assert words[0] == "bnengine"
    return experiment_of(words[1:])
