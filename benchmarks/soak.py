"""Eight visitors at once: pages, uploads, runs, stops, closed tabs and hostile files.

Starts the app on this machine, lets visitors speak its protocol as browsers do, and writes what was measured to
RELIABILITY.md between its marks: errors, how long a page takes to answer, and memory before and after. A warm compile
cache is made first. Visitors look at what they see for some seconds before they go on; with less than a second they
are a crowd in haste, which is reported by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import http.cookiejar
import os
import platform
import re
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

import bnengine as bn
from app import PAGES
from benchmarks.peers import processor_seconds
from benchmarks.report import between, markdown
from bnengine.experiment.warm_up import warm_up
from pages.shared.visitors import FORGOTTEN
from tests.hostile import FILES
from tests.pages.serving import BY_HAND, served

REPORT = Path(__file__).with_name("RELIABILITY.md")
PAGE_NAMES = [name for name, _, _ in PAGES]
#: Hostile files that are small enough to make; each is refused with a sentence.
HOSTILE = ("dictionary.parquet", "pages.parquet", "wide.csv", "zeros.csv.gz", "one_row_of_cells.xlsx")
PATIENCE = 120.0  # seconds after which an answer that did not come counts as an error
LONG = bn.Experiment(bn.Recipe("sample", "alarm_1000"), search=bn.HillClimbing(restarts=1000), n=200)


class Visitor:
    """A tab: what it sends and what it is shown."""

    def __init__(self, address: str, figures: Figures, query: str = "") -> None:
        self.address = address
        self.figures = figures
        self.query = query
        self.widgets: dict[str, object] = {}  # elements of the last draw by their label
        opened = connect(f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None)
        self._cookies = http.cookiejar.CookieJar()
        self._web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        with self._web.open(f"http://{address}/_stcore/health", timeout=PATIENCE):
            pass
        self._tab = contextlib.ExitStack()
        self.socket: ClientConnection = self._tab.enter_context(opened)
        self.page, self.session = "data", ""
        self.exceptions: list[str] = []
        self.waits = False
        self.draw("first visit")

    def close(self) -> None:
        """Close the tab without a word."""
        self._tab.close()

    def draw(self, what: str, **states: object) -> None:
        """Ask for the page with the states of some widgets by their ids, and wait until it is drawn."""
        message = BackMsg()
        request = message.rerun_script
        request.query_string = self.query
        request.page_name = "" if self.page == "data" else self.page
        for name, value in states.items():
            state = request.widget_states.widgets.add(id=name)
            if value is True:
                state.trigger_value = True
            elif isinstance(value, list):
                state.string_array_value.data.extend(value)
            else:
                state.file_uploader_state_value.CopyFrom(value)
        start, first = time.perf_counter(), None
        self.socket.send(message.SerializeToString())
        self.widgets, self.waits = {}, False
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(self.socket.recv(timeout=PATIENCE))
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id or self.session
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                first = first or time.perf_counter()
                self._see(answer.delta.new_element)
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                break
        now = time.perf_counter()
        self.figures.drawn(what, (first or now) - start, now - start, self.exceptions)
        self.exceptions = []

    def _see(self, element: object) -> None:
        kind = element.WhichOneof("type")  # type: ignore[attr-defined]
        shown = getattr(element, kind)
        if kind == "exception":
            self.exceptions.append(f"{shown.type}: {shown.message}"[:200])
        elif kind in ("button", "file_uploader", "button_group"):
            self.widgets[f"{kind} {shown.label}" if kind != "button_group" else f"{kind} {shown.id}"] = shown
        elif kind == "progress" or (kind == "alert" and shown.icon == ":material/hourglass_top:"):
            self.waits = True

    def open(self, page: str) -> None:
        """Go to a page."""
        self.page = page
        self.draw(f"page {page}")

    def press(self, name: str) -> bool:
        """Press the button of that name, the one that stops work for "Stop"; whether there is one."""
        for label, shown in list(self.widgets.items()):
            if label == f"button {name}" or (name == "Stop" and label.startswith("button Stop ")):
                self.draw(f"button {name}", **{shown.id: True})  # type: ignore[attr-defined]
                return True
        return False

    def settle(self, seconds: float) -> None:
        """Look again while the page waits for work, at most so long."""
        end = time.monotonic() + seconds
        while self.waits and time.monotonic() < end:
            time.sleep(0.5)
            self.draw("waiting")

    def upload(self, name: str, content: bytes, what: str) -> None:
        """Upload a file on the Data page."""
        self.open("data")
        self.press("Other data")
        uploader = next((s for label, s in self.widgets.items() if label.startswith("file_uploader **Drop")), None)
        if uploader is None:
            self.figures.drawn("no uploader", 0.0, 0.0, ["the Data page shows no file uploader"])
            return
        message = BackMsg()
        message.file_urls_request.request_id = "one"
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self.socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(self.socket.recv(timeout=PATIENCE))
            if answer.WhichOneof("type") == "file_urls_response":
                break
        urls = answer.file_urls_response.file_urls[0]
        border = "soak"
        body = (
            f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + content + f"\r\n--{border}--\r\n".encode()  # fmt: skip
        put = urllib.request.Request(f"http://{self.address}{urls.upload_url}", data=body, method="PUT")
        put.add_header("Content-Type", f"multipart/form-data; boundary={border}")
        put.add_header("X-Xsrftoken", next(one.value or "" for one in self._cookies if one.name == "_streamlit_xsrf"))
        with self._web.open(put, timeout=PATIENCE):
            pass
        from streamlit.proto.Common_pb2 import FileUploaderState

        state = FileUploaderState()
        state.uploaded_file_info.add(name=name, size=len(content), file_id=urls.file_id).file_urls.CopyFrom(urls)
        self.draw(what, **{uploader.id: state})  # type: ignore[attr-defined]


class Figures:
    """What all visitors measured."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.times: list[tuple[str, float, float]] = []
        self.errors: Counter[str] = Counter()

    def drawn(self, what: str, first: float, whole: float, exceptions: list[str]) -> None:
        """Note a page that was drawn: seconds to its first element, and to its last."""
        with self._lock:
            self.times.append((what, first, whole))
            self.errors.update(exceptions)

    def failed(self, error: BaseException) -> None:
        """Note a visitor who got no answer."""
        with self._lock:
            self.errors[f"{type(error).__name__}: {error}"[:200]] += 1

    @property
    def done(self) -> Counter[str]:
        """How often each thing was done."""
        return Counter(what for what, *_ in self.times)

    def report(self, measured: dict[str, tuple[Any, Any]]) -> str:
        """Return the table, also of what else was measured and its aim, and what was done."""
        first, whole = zip(*[times for what, *times in self.times if what != "hostile file"], strict=True)
        reading = max((last for what, _, last in self.times if what == "hostile file"), default=0.0)
        lines = {
            "First element of a page, median and 95 %": (quantiles(first), "1 s at 95 %"),
            "Page complete, with up to 1.5 s of waiting for its work, median and 95 %": (quantiles(whole), ""),
            "Hostile file refused, longest": (f"{reading:.1f} s", "10 s"),
            "Errors on pages, or no answer": (sum(self.errors.values()), 0),
        }
        table = markdown(["", "Measured", "Aim"], [(what, *found) for what, found in (lines | measured).items()])
        done = ", ".join(f"{what} {times}" for what, times in sorted(self.done.items()))
        errors = [f"\n- {times} × {error}" for error, times in self.errors.most_common(10)]
        return f"{table}\n\nWhat was done: {done}.{''.join(errors)}"


def visit(address: str, number: int, end: float, figures: Figures, hostile: dict[str, bytes], pause: float) -> None:
    """Act as one visitor until the end: tab after tab."""
    rng = np.random.default_rng(number)
    while time.monotonic() < end:
        try:
            query = f"run={LONG.to_link()}" if rng.random() < 0.2 else ""
            with contextlib.closing(Visitor(address, figures, query)) as visitor:
                for _ in range(int(rng.integers(2, 8))):
                    if time.monotonic() > end:
                        break
                    act(visitor, rng, hostile)
                    time.sleep(float(rng.exponential(pause)))
        except Exception as error:
            figures.failed(error)
            time.sleep(1)


def act(visitor: Visitor, rng: np.random.Generator, hostile: dict[str, bytes], what: str = "") -> None:
    """Do one thing that a visitor does, drawn unless it is given."""
    what = what or str(rng.choice(["page", "page", "page", "upload", "hostile", "run"]))
    if what == "page":
        visitor.open(str(rng.choice(PAGE_NAMES)))
        visitor.settle(5)
    elif what == "upload":
        rows = rng.integers(0, 3, (int(rng.integers(50, 2000)), 6))
        text = "a,b,c,d,e,f\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist())
        visitor.upload("table.csv", text.encode(), "upload")
        visitor.open("network")
        visitor.settle(10)
    elif what == "hostile":
        name = str(rng.choice(list(hostile)))
        visitor.upload(name, hostile[name], "hostile file")
    else:
        visitor.open("network")
        visitor.settle(10)
        if visitor.waits:
            visitor.settle(float(rng.uniform(1, 6)))
            if visitor.waits and rng.random() < 0.7:  # the others leave a run behind
                visitor.press("Stop")


def megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def soak(minutes: float, n_visitors: int, pause: float) -> str:
    """Run, and return the report as Markdown."""
    warm_up()
    hostile = {name: FILES[name][0]() for name in HOSTILE}
    hostile["digits.csv"] = b"x\n" + b"1" * 40_000 + b"x\n"
    with tempfile.TemporaryDirectory() as folder, served(log := Path(folder) / "log.txt", (*BY_HAND, "app.py")) as web:
        address, pid = web.removeprefix("http://"), int(Path("/proc/thread-self/children").read_text().split()[-1])
        warm = Figures()
        for _ in range(2):  # a first visit to every page loads code and fills the caches that all visitors share
            visitor = Visitor(address, warm)
            for page in PAGE_NAMES:
                visitor.open(page)
                visitor.settle(30)
            for name, content in hostile.items():
                visitor.upload(name, content, "hostile file")
            visitor.close()
        for number, what in enumerate(("upload", "run", "run")):  # and what these load stays, too
            with contextlib.closing(Visitor(address, warm)) as visitor:
                act(visitor, np.random.default_rng(number), hostile, what)
        before, figures = megabytes(pid), Figures()
        end = time.monotonic() + 60 * minutes
        threads = [
            threading.Thread(target=visit, args=(address, k, end, figures, hostile, pause)) for k in range(n_visitors)
        ]
        peak = 0.0
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
        Visitor(address, warm).close()  # lets Streamlit drop the sessions that ended
        time.sleep(5)
        after, text = megabytes(pid), log.read_text()
    measured = {"Tracebacks in the log": (len(re.findall(r"^Traceback|job failed", text, re.MULTILINE)), 0)}
    memory = f"{before:.0f} / {peak:.0f} / {after:.0f} MB"
    measured["Memory before / largest / after results are dropped"] = (memory, "")
    measured["Growth"] = (f"{after - before:+.0f} MB", "50 MB")
    measured["Processors busy 40 s after the last tab closed"] = (f"{idle:.2f}", 0)
    about = (
        f"{datetime.date.today():%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}: {n_visitors} visitors for {minutes:g} minutes, "
        f"{pause:g} s on average between two things that one does, {sum(figures.done.values()):,} draws of a page."
    )
    return f"{about}\n\n{figures.report(measured)}"


def quantiles(seconds: list[float]) -> str:
    """Return the median and the 95 % quantile."""
    return f"{np.median(seconds):.2f} s, {np.quantile(seconds, 0.95):.2f} s"


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
