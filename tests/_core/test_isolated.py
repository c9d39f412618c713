"""Work on strangers' files in a process of its own: what it gives, and every way in which it may end."""

import json
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bnengine._core import isolated
from bnengine._core.isolated import EndedError
from tests.patience import HANG

ROOT = Path(__file__).parents[2]
bounded = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and time are the system's")


PROGRAM = "from tests._core.isolated_tasks import serve; serve()"


@pytest.fixture(scope="module", autouse=True)
def program():
    """Lanes of this module do what ``isolated_tasks`` lists."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "_PROGRAM", PROGRAM)
        patch.setattr(isolated, "_idle", queue.LifoQueue(2))
        yield
        while not isolated._idle.empty():
            isolated._idle.get().end()


def work(name, content=b"", seconds=100, progress=None, **given):
    return isolated.run_isolated(name, content, given, 500, seconds, progress)


def ends(name, **more):
    with pytest.raises(EndedError) as caught:
        work(name, **more)
    return caught.value.reason


def test_content_and_words_go_there_and_come_back():
    content = bytes(range(256)) * 5000
    (word, size, process, _), found = work("echo", content, word="é\ud800", repeat=2)
    assert (word, size, found) == ("é\ud800", len(content), 2 * content)
    assert process != os.getpid()


def test_one_lane_serves_one_file_after_another_each_in_its_own_process():
    (*_, first, lane), _ = work("echo")
    (*_, second, same), _ = work("echo")
    assert (lane == same) == hasattr(os, "fork")
    assert first != second


def test_a_refusal_is_the_sentence_that_was_raised_and_costs_no_lane():
    (*_, lane), _ = work("echo")
    with pytest.raises(ValueError, match=r"^no table, because$"):
        work("refuse", sentence="no table, because")
    (*_, same), _ = work("echo")
    assert (lane == same) == hasattr(os, "fork")


@pytest.mark.slow
@bounded
def test_whatever_ends_the_process_ends_nothing_else():
    assert ends("abort") == ends("defect") == ends("leave") == "crash"
    assert ends("fill", megabytes=600) == "memory"
    assert work("fill", megabytes=200)[0] == 200 * 2**20
    assert ends("spin", seconds=1) == "time"
    assert ends("end", number=signal.SIGKILL) == "killed"
    assert ends("end", number=signal.SIGSEGV) == "crash"
    assert work("echo", b"x")[1] == b"x"


@pytest.mark.slow
def test_only_listed_tasks_can_be_asked_for(tmp_path):
    mark = tmp_path / "mark"
    assert ends("os:system", content=f"touch {mark}".encode()) == "crash"
    assert ends("tests._core.isolated_tasks:echo") == "crash"
    assert not mark.exists()


@pytest.mark.slow
@bounded
def test_a_file_cannot_take_the_next_request():
    assert work("take")[0] == ""
    assert work("echo", b"x")[1] == b"x"


def processes_of(lane):
    """The lane and its forks."""
    forks = Path(f"/proc/{lane.process.pid}/task/{lane.process.pid}/children").read_text().split()
    return [int(number) for number in forks] or [lane.process.pid]


@pytest.mark.slow
@bounded
def test_a_file_whose_reader_is_killed_is_never_run_as_a_request(monkeypatch, tmp_path):
    """The rest of it, still in the pipe, is shaped like a request of its own."""
    mark = tmp_path / "mark"
    request = json.dumps({"task": "os:system", "given": {}, "megabytes": 500, "seconds": 100}).encode()
    order = f"touch {mark}".encode()
    crafted = isolated._FRAME.pack(len(request), len(order)) + request + order
    content = bytes(2**20) + crafted
    lane = isolated._taken()
    lane.to = Halting(lane, content, crafted)
    with monkeypatch.context() as patch:
        patch.setattr(isolated, "_taken", lambda: lane)
        assert ends("echo", content=content) == "killed"
    assert lane.to.halted
    assert work("echo", b"next")[1] == b"next"
    assert not mark.exists()


class Halting:
    """A pipe to a lane; whoever reads the content is killed before its last part is written."""

    def __init__(self, lane, content, last):
        self.lane, self.content, self.last = lane, content, last
        self.pipe, self.halted = lane.to, False

    def write(self, part):
        if part is self.content:
            self.pipe.write(part[: -len(self.last)])
            self.pipe.flush()
            for number in processes_of(self.lane):
                os.kill(number, signal.SIGKILL)
            time.sleep(0.5)  # it is gone; who comes next waits for what follows
            self.halted, part = True, self.last
        return self.pipe.write(part)

    def __getattr__(self, name):
        return getattr(self.pipe, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spin", "sleep"])
def test_work_is_stopped_in_the_middle_of_anything(name):
    told = []

    def progress(done, total):
        told.append((done, total))
        return not done

    assert ends(name, progress=progress) == "stopped"
    assert told[-1] in ((3, 7), (1, 2))


def test_no_process_is_said_so(monkeypatch):
    monkeypatch.setattr(isolated, "_idle", queue.LifoQueue(2))
    monkeypatch.setattr(isolated.sys, "executable", str(ROOT / "no such program"))
    assert ends("echo") == "start"


@pytest.mark.slow
def test_a_script_without_a_main_guard_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from bnengine._core import isolated\n"
        f"isolated._PROGRAM = {PROGRAM!r}\n"
        "print('begun', flush=True)\n"
        "print(isolated.run_isolated('echo', b'', {'word': 'a'}, 500, 100)[0][0])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=HANG
    )
    assert (done.stdout, done.stderr) == ("begun\na\n", "")
