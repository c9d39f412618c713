"""How the tests start the command line, and read what it says."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pandas as pd

from bnengine import cli
from tests.patience import HANG

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


def ran(capsys, folder, experiment, command, *words):
    """What ``bnengine run`` prints of an experiment that was saved."""
    saved = folder / "experiment.json"
    saved.write_text(experiment.to_json(), encoding="utf-8")
    code, out, err = answer(capsys, "run", saved, "--as", command, *words)
    assert code == 0, err
    return out


class StartedProgram:
    """The program with a terminal as standard error, which it reports progress on; ``said`` is what was read of it."""

    def __init__(self, *words):
        self._terminal, other = pty.openpty()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen([*PROGRAM, *map(str, words)], stdout=PIPE, stderr=other, env=environment)
        os.close(other)
        self.said = ""

    def until(self, pattern):
        """Read until it says so; all of it if it never does."""
        while not re.search(pattern, self.said.replace("\r\x1b[K", "\n"), re.MULTILINE):
            try:
                part = os.read(self._terminal, 4096)
            except OSError:  # the program has ended
                part = b""
            if not part:
                return
            self.said += part.decode(errors="replace")

    def send(self, number):
        self._process.send_signal(number)

    def code(self):
        self.until(r"\Z\A")  # to the end
        assert self._process.communicate(timeout=HANG)[0] == b""
        return self._process.returncode
