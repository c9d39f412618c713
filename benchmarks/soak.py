"""Eight visitors at once: pages, uploads, runs, stops, closed tabs and hostile files.

Starts the app on this machine, lets visitors speak its protocol as browsers do, and writes what was measured to
RELIABILITY.md between its marks: errors, how long a page takes to answer, and memory before and after. A warm compile
cache is made first. Visitors look at what they see for some seconds before they go on; with less than a second they
are a crowd in haste, which is reported by itself.
"""

import argparse
import contextlib
import datetime
import os
import platform
import re
import tempfile
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

import bnengine as bn
from app import PAGES
from benchmarks.report import HERE, between, markdown
from bnengine.experiment.warm_up import warm_up
from pages.shared.visitors import FORGOTTEN
from tests.hostile import FILES
from tests.pages.serving import BY_HAND, served

REPORT = HERE / "RELIABILITY.md"
PAGE_NAMES = [name for name, _, _ in PAGES]
#: Hostile files that are small enough to make; each is refused with a sentence.
HOSTILE = {
    name: FILES[name][0]
    for name in ("dictionary.parquet", "pages.parquet", "wide.csv", "zeros.csv.gz", "one_row_of_cells.xlsx")
}
PATIENCE = 120.0  # seconds after which an answer that did not come counts as an error
LONG = bn.Experiment(bn.Recipe("sample", "alarm_1000"), search=bn.HillClimbing(restarts=1000), n=200)


class Figures:
    """What all visitors measured: by draw what it was and seconds to its first element and to its last; errors."""

    def __init__(self) -> None:
        self.times: list[tuple[str, float, float]] = []
        self.errors: list[str] = []


class Visitor(contextlib.ExitStack):
    """A tab: what it sends and what it is shown. It is closed without a word."""

    def __init__(self, address: str, figures: Figures, query: str = "") -> None:
        super().__init__()
        self.address, self.figures, self.query = address, figures, query
        opened = connect(f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None)
        self.web = self.enter_context(requests.Session())
        self.web.get(f"http://{address}/_stcore/health", timeout=PATIENCE)  # gives the cookie that uploads need
        self.socket = self.enter_context(opened)
        self.page, self.session, self.waits = "data", "", False
        self.widgets: dict[str, Any] = {}  # elements of the last draw by their label
        self.draw("first visit")

    def draw(self, what: str, pressed: str = "", files: tuple[str, FileUploaderState] | None = None) -> None:
        """Ask for the page, with a button pressed or a file given by a widget's id, and wait until it is drawn."""
        message = BackMsg()
        request = message.rerun_script
        request.query_string, request.page_name = self.query, "" if self.page == "data" else self.page
        if pressed:
            request.widget_states.widgets.add(id=pressed).trigger_value = True
        if files:
            request.widget_states.widgets.add(id=files[0]).file_uploader_state_value.CopyFrom(files[1])
        start, first, answer = time.perf_counter(), None, ForwardMsg()
        self.socket.send(message.SerializeToString())
        self.widgets, self.waits = {}, False
        early = ForwardMsg.FINISHED_EARLY_FOR_RERUN
        while answer.WhichOneof("type") != "script_finished" or answer.script_finished == early:
            answer = ForwardMsg.FromString(self.socket.recv(timeout=PATIENCE))
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id or self.session
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                first = first or time.perf_counter()
                self._see(answer.delta.new_element)
        now = time.perf_counter()
        self.figures.times.append((what, (first or now) - start, now - start))

    def _see(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        shown = getattr(element, kind)
        if kind == "exception":
            self.figures.errors.append(f"{shown.type}: {shown.message}"[:200])
        elif kind in ("button", "file_uploader"):
            self.widgets[f"{kind} {shown.label}"] = shown
        elif kind == "progress" or (kind == "alert" and shown.icon == ":material/hourglass_top:"):
            self.waits = True

    def _widget(self, name: str) -> Any:
        return next((shown for label, shown in self.widgets.items() if label.startswith(name)), None)

    def open(self, page: str, seconds: float = 0.0) -> None:
        """Go to a page, and look again while it waits for work, at most so long."""
        self.page = page
        self.draw(f"page {page}")
        end = time.monotonic() + seconds
        while self.waits and time.monotonic() < end:
            time.sleep(0.5)
            self.draw("waiting")

    def press(self, name: str) -> None:
        """Press the first button whose name begins so, if there is one."""
        if found := self._widget(f"button {name}"):
            self.draw(f"button {name.strip()}", pressed=found.id)

    def upload(self, name: str, content: bytes, what: str) -> None:
        """Upload a file on the Data page."""
        self.open("data")
        self.press("Open another table")
        uploader = self._widget("file_uploader **Drop")
        if uploader is None:
            self.figures.errors.append("the Data page shows no file uploader")
            return
        file = uuid.uuid4().hex
        where, token = f"_stcore/upload_file/{self.session}/{file}", self.web.cookies["_streamlit_xsrf"]
        sent = {"files": {"file": (name, content)}, "headers": {"X-Xsrftoken": token}, "timeout": PATIENCE}
        self.web.put(f"http://{self.address}/{where}", **sent).raise_for_status()
        state = FileUploaderState()
        state.uploaded_file_info.add(name=name, size=len(content), file_id=file)
        self.draw(what, files=(uploader.id, state))


def visit(address: str, number: int, end: float, figures: Figures, hostile: dict[str, bytes], pause: float) -> None:
    """Act as one visitor until the end: tab after tab."""
    rng = np.random.default_rng(number)
    while time.monotonic() < end:
        try:
            with Visitor(address, figures, f"run={LONG.to_link()}" if rng.random() < 0.2 else "") as visitor:
                for _ in range(int(rng.integers(2, 8))):
                    if time.monotonic() < end:
                        act(visitor, rng, hostile)
                        time.sleep(float(rng.exponential(pause)))
        except Exception as error:
            figures.errors.append(f"{type(error).__name__}: {error}"[:200])
            time.sleep(1)


def act(visitor: Visitor, rng: np.random.Generator, hostile: dict[str, bytes], what: str = "") -> None:
    """Do one thing that a visitor does, drawn unless it is given."""
    what = what or str(rng.choice(["page", "page", "page", "upload", "hostile", "run"]))
    if what == "page":
        visitor.open(str(rng.choice(PAGE_NAMES)), 5)
    elif what == "upload":
        table = pd.DataFrame(rng.integers(0, 3, (int(rng.integers(50, 2000)), 6)), columns=list("abcdef"))
        visitor.upload("table.csv", table.to_csv(index=False).encode(), "upload")
        visitor.open("network", 10)
    elif what == "hostile":
        name = str(rng.choice(list(hostile)))
        visitor.upload(name, hostile[name], "hostile file")
    else:
        visitor.open("network", 10 + float(rng.uniform(1, 6)))
        if visitor.waits and rng.random() < 0.7:  # the others leave a run behind
            visitor.press("Stop ")


def warm(address: str, hostile: dict[str, bytes]) -> None:
    """Load code and fill the caches that all visitors share: the memory that this takes is kept."""
    figures = Figures()
    for _ in range(2):
        with Visitor(address, figures) as visitor:
            for page in PAGE_NAMES:
                visitor.open(page, 30)
            for name, content in hostile.items():
                visitor.upload(name, content, "hostile file")
    for number, what in enumerate(("upload", "run", "run")):
        with Visitor(address, figures) as visitor:
            act(visitor, np.random.default_rng(number), hostile, what)


def megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor_seconds(pid: int) -> float:
    """Return what a running process has used of the processor, all threads together; Linux only."""
    return time.clock_gettime((~pid << 3) | 2)


def soak(minutes: float, n_visitors: int, pause: float) -> str:
    """Run, and return the report as Markdown."""
    warm_up()
    hostile = {name: make() for name, make in HOSTILE.items()} | {"digits.csv": b"x\n" + b"1" * 40_000 + b"x\n"}
    with tempfile.TemporaryDirectory() as folder, served(log := Path(folder) / "log.txt", (*BY_HAND, "app.py")) as web:
        address, pid = web.removeprefix("http://"), int(Path("/proc/thread-self/children").read_text().split()[-1])
        warm(address, hostile)
        figures, before, end = Figures(), megabytes(pid), time.monotonic() + 60 * minutes
        peak, asked = before, (end, figures, hostile, pause)
        threads = [threading.Thread(target=visit, args=(address, k, *asked)) for k in range(n_visitors)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            peak = max(peak, megabytes(pid))
            time.sleep(0.5)
        time.sleep(40)  # work that nobody watches has stopped by now
        used = processor_seconds(pid)
        time.sleep(5)
        idle = (processor_seconds(pid) - used) / 5
        time.sleep(FORGOTTEN - 40)
        Visitor(address, Figures()).close()  # lets Streamlit drop the sessions that ended
        time.sleep(5)
        after, text = megabytes(pid), log.read_text()
    drawn = pd.DataFrame(figures.times, columns=["what", "first", "last"])
    hostile_ones = drawn["what"] == "hostile file"
    first, last = (
        f"{of.median():.2f} s, {of.quantile(0.95):.2f} s" for of in (drawn[~hostile_ones][k] for k in ("first", "last"))
    )
    measured = [
        ("First element of a page, median and 95 %", first, "1 s at 95 %"),
        ("Page complete, with up to 1.5 s of waiting for its work, median and 95 %", last, ""),
        ("Hostile file refused, longest", f"{max(drawn['last'][hostile_ones], default=0.0):.1f} s", "10 s"),
        ("Errors on pages, or no answer", len(figures.errors), 0),
        ("Tracebacks in the log", len(re.findall(r"^Traceback|job failed", text, re.MULTILINE)), 0),
        ("Memory before / largest / after results are dropped", f"{before:.0f} / {peak:.0f} / {after:.0f} MB", ""),
        ("Growth", f"{after - before:+.0f} MB", "50 MB"),
        ("Processors busy 40 s after the last tab closed", f"{idle:.2f}", 0),
    ]
    about = (
        f"{datetime.date.today():%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}: {n_visitors} visitors for {minutes:g} minutes, "
        f"{pause:g} s on average between two things that one does, {len(drawn):,} draws of a page."
    )
    done = ", ".join(f"{what} {n}" for what, n in drawn["what"].value_counts().sort_index().items())
    errors = [f"\n- {times} × {error}" for error, times in Counter(figures.errors).most_common(10)]
    table = markdown(["", "Measured", "Aim"], measured)
    return f"{about}\n\n{table}\n\nWhat was done: {done}.{''.join(errors)}"


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--visitors", type=int, default=8)
    parser.add_argument("--pause", type=float, default=5, help="seconds between two things a visitor does, on average")
    parser.add_argument("--dry", action="store_true", help="print the report instead of writing it")
    chosen = parser.parse_args()
    text = soak(chosen.minutes, chosen.visitors, chosen.pause)
    print(text)
    if not chosen.dry:
        REPORT.write_text(between(REPORT, "soak" if chosen.pause >= 1 else "haste", text), encoding="utf-8")


if __name__ == "__main__":
    main()
