"""A terminal that closes: commands keep what is done, the app ends, and nothing is left behind."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.commands import PROGRAM, Terminal
from tests.pages.serving import free_port, wait_for
from tests.pages.test_origins import shown
from tests.patience import HANG

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has terminals")]

MANY = 20_000 * (os.cpu_count() or 1)  # some ten seconds of work on any number of cores
WORDS = ["confidence", "sample:alarm_1000", "--n", MANY, "--search", "HillClimbing"]


@pytest.fixture(autouse=True, scope="module")
def hangups_count():
    """Started programs heed a hang-up as in a terminal, even if the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_a_command_keeps_what_is_done_when_its_terminal_closes(tmp_path):
    terminal = Terminal(*PROGRAM, *WORDS, "--out", tmp_path / "edges.json", folder=tmp_path)
    terminal.until("resamples")
    assert terminal.close() == 128 + signal.SIGHUP
    written = json.loads((tmp_path / "edges.json").read_text(encoding="utf-8"))
    assert written["status"] == "stopped"


def children_of(number):
    return [int(n) for n in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says which processes there are")
def test_the_app_ends_with_its_terminal_and_leaves_no_process(tmp_path):
    port = free_port()
    address = f"http://localhost:{port}"
    terminal = Terminal(*PROGRAM, "app", "--port", port, folder=tmp_path)
    wait_for(f"{address}/_stcore/health", terminal.process, tmp_path)
    shown(address, address, "")
    end = time.monotonic() + HANG
    while not (left := children_of(terminal.process.pid)):  # the process that reads files
        assert time.monotonic() < end
        time.sleep(0.2)
    assert terminal.close() == 0
    while any(Path(f"/proc/{n}").exists() for n in left):
        assert time.monotonic() < end
        time.sleep(0.1)
