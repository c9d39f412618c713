"""How long a visitor waits for a page, warm: processor time of the server and of the browser, and by the clock.

Every page is opened once before anything is timed. A load begins with a new visitor, whose browser knows nothing yet.
The machine's load stands beside the figures, since the clock depends on it and processor time hardly does. It needs
Chromium.

python benchmarks/page_changes.py --rounds 5
"""

import argparse
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from results_page import write_section

sys.path.insert(0, str(Path(__file__).parents[1]))

import bnengine as bn
from app import PAGES
from tests.pages.browsing import LAUNCH, go
from tests.pages.serving import served

TICKS = os.sysconf("SC_CLK_TCK")
#: What was asked for: seconds by the clock on a quiet machine.
CHANGE, HOME, ANDES = 0.7, 1.5, 4.0
HEAD = """\
What a visitor waits for: seconds of processor time of the server and of the browser's main thread, and by the clock,
medians of {rounds} rounds; every page was opened once before. The load was {load} on {cores} cores. Aims by the
clock on a quiet machine: a change of page {change} s, Data on a new load {home} s, Network with 223 variables
(ANDES) {andes} s.

    python benchmarks/page_changes.py --rounds {rounds}

| | server | browser | clock |
|---|---:|---:|---:|"""


class Times:
    """Seconds used by the server and the browser's page, and by the clock, since it was made."""

    def __init__(self, server: int, page: CDPSession) -> None:
        self.server, self.page = server, page
        self.start = self._now()

    def _now(self) -> tuple[float, float, float]:
        metrics = {one["name"]: one["value"] for one in self.page.send("Performance.getMetrics")["metrics"]}
        fields = Path(f"/proc/{self.server}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS, float(metrics["TaskDuration"]), time.perf_counter()

    def passed(self) -> tuple[float, ...]:
        """Seconds since then."""
        return tuple(now - then for now, then in zip(self._now(), self.start, strict=True))


def finished(page: Page, title: str) -> None:
    """Wait until the page is there, and nothing is drawn or worked on."""
    page.wait_for_function("title => document.title.startsWith(title)", arg=title)
    page.wait_for_function(
        """() => document.querySelector('[data-test-script-state=notRunning]')
        && !document.querySelector('[data-testid=stProgress], [data-testid=stSkeleton], [data-stale=true]')
        && document.querySelector('[data-testid=stMain] :is(h1, h2)')""",
        polling=50,
    )


def opened(browser: Browser) -> tuple[Page, CDPSession]:
    """Open a tab of a new visitor."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(600_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return page, session


def changes(browser: Browser, address: str, server: int, rounds: int) -> dict[str, list[tuple[float, ...]]]:
    """Time every change of page, round after round."""
    page, session = opened(browser)
    page.goto(address)
    finished(page, "Data")
    found: dict[str, list[tuple[float, ...]]] = {title: [] for _, title, _ in PAGES}
    for number in range(rounds + 1):
        for _, title, _ in PAGES:
            times = Times(server, session)
            go(page, title)
            finished(page, title)
            if number:
                found[title].append(times.passed())
            page.wait_for_timeout(1500)  # what the page draws later is not the next one's
    page.context.close()
    return found


def loads(browser: Browser, address: str, title: str, server: int, rounds: int) -> list[tuple[float, ...]]:
    """Time the first page of new visitors."""
    found = []
    for number in range(rounds + 1):
        page, session = opened(browser)
        times = Times(server, session)
        page.goto(address)
        finished(page, title)
        if number:
            found.append(times.passed())
        page.context.close()
    return found


def line(name: str, times: list[tuple[float, ...]]) -> str:
    """Write a row of medians."""
    return f"| {name} | " + " | ".join(f"{statistics.median(one):.2f}" for one in zip(*times, strict=True)) + " |"


def main() -> None:
    """Measure, print, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    given = parser.parse_args()
    chromium = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    andes = bn.Experiment(bn.Recipe("network", "andes", n_rows=500, seed=1))
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        served(Path(folder) / "log.txt") as address,
    ):
        server = max(_processes_of(address))
        browser = playwright.chromium.launch(executable_path=chromium, args=list(LAUNCH))
        found = changes(browser, address, server, given.rounds)
        home = loads(browser, address, "Data", server, given.rounds)
        wide = loads(browser, f"{address}/network?run={andes.to_link()}", "Network", server, given.rounds)
        browser.close()
    head = HEAD.format(
        rounds=given.rounds,
        load=f"{os.getloadavg()[0]:.0f}",
        cores=os.cpu_count(),
        change=CHANGE,
        home=HOME,
        andes=ANDES,
    )
    rows = [line(f"change to {title}", times) for title, times in found.items()]
    rows += [line("Data on a new load", home), line("Network with ANDES, 500 rows, on a new load", wide)]
    text = "\n".join([head, *rows])
    print(text, platform.machine())
    if given.write:
        write_section("page changes", text)


def _processes_of(address: str) -> list[int]:
    """Return the processes that serve an address."""
    port = address.rpartition(":")[2]
    commands = ((int(one.parent.name), one.read_bytes().split(b"\0")) for one in Path("/proc").glob("[0-9]*/cmdline"))
    return [number for number, words in commands if port.encode() in words]


if __name__ == "__main__":
    main()
