"""How the tests start the command line, and read what it says."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from bnengine import cli
from tests.patience import HANG

PROGRAM = [sys.executable, "-m", "bnengine"]
ROOT = Path(__file__).parent.parent


def needs(library):
    """Skip where a library of the tests is not installed; in CI, where it must be, go on and fail."""
    if not os.environ.get("CI"):
        pytest.importorskip(library)


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


def ran(capsys, folder, experiment, command, *words):
    """What ``bnengine run`` prints of an experiment that was saved."""
    saved = folder / "experiment.json"
    saved.write_text(experiment.to_json(), encoding="utf-8")
    code, out, err = answer(capsys, "run", saved, "--as", command, *words)
    assert code == 0, err
    return out


#: Take the terminal for its own, as a shell does, and become the command.
IN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A terminal with a command in it; ``said`` is what was read of it."""

    def __init__(self, *words, folder=ROOT):
        self._own, other = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *map(str, words)],
            stdin=other, stdout=other, stderr=other, start_new_session=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "STREAMLIT_SERVER_HEADLESS": "true"},
        )  # fmt: skip
        os.close(other)
        self.said = ""

    def until(self, pattern):
        """Read until it says so; all of it if it never does."""
        while not re.search(pattern, self.said.replace("\r\x1b[K", "\n"), re.MULTILINE):
            try:
                self.said += os.read(self._own, 4096).decode(errors="replace")
            except OSError:  # the program has ended
                return

    def code(self):
        self.until(r"\Z\A")  # to the end
        return self.process.wait(HANG)

    def close(self):
        os.close(self._own)
        return self.process.wait(HANG)
