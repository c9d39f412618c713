"""What the page tests share: a visitor who drives the app without a browser, and a small study."""

import json
import os
import pickle
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, local_script_runner

import bnengine as bn
from app import PAGES
from bnengine.bootstrap.resampling_methods import default_method
from bnengine.experiment.warm_up import warm_up
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.typing import LearnedGraph
from pages.shared import experiments, jobs, results
from pages.shared.job_queue import Job
from pages.shared.keys import Key
from pages.shared.state import SET
from tests.pages.browsing import BROWSERS, LAUNCH
from tests.pages.reading import shows, unescaped
from tests.pages.serving import QUICKLY, served
from tests.pages.whole_keys import check_keys
from tests.patience import HANG

ROOT = Path(__file__).parents[2]
_BETWEEN_DRAWS = 0.5  # seconds at most, while a job runs
FEW = 20  # resamples, where only the way to them is tested
PAGE_FILES = {name: f"pages/{name}/page.py" for name, _, _ in PAGES}


@pytest.fixture(scope="session")
def compiled() -> None:
    """All compiled code that a page can ask for is made, or read from the disk, before any page is timed or waited for.

    The app's own process, in the browser tests, then reads what is made here.
    """
    data = bn.load_network("cancer").sample(30, rng=1)
    for search in SEARCHES.values():
        warm_up(search=search())
    for score in (*(kind() for word, kind in SCORES.items() if word != "bde"), bn.BDe("cancer")):
        bn.resample(data, score, bn.HillClimbing(), bn.Bootstrap(1))
    bn.edge_posterior(data, bn.BDeu())
    bn.teaching.single_changes(data, [])
    bn.local_score(data, "Cancer", ["Smoker"], bn.BIC())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, compiled: None) -> Iterator[tuple[str, Path]]:
    """One running app for all browser tests, each of which is another visitor: its address and its log."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with served(log, QUICKLY) as address:
        yield address, log


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a file's tests; while it is open, no other event loop can run in this thread."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        reason = f"none of {', '.join(BROWSERS)} is installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=1000 * HANG)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(LAUNCH))
        yield browser
        browser.close()


#: Which installed packages bring components: AppTest asks it of all of them for each visitor, a server asks it once.
installed_components = cache(manifest_scanner.scan_component_manifests)
_FIRST_KINDS = ("proof", experiments.REAL, "noise")
#: The tables that most visitors look at; none where no page asks for a number of a network.
FIRST_TABLES = ("alarm_300", "asia_1000")
#: Seconds for which a proof is looked for, which takes 20 for who wants to read what it gives.
_PROOF = 0.2
#: Copies of each kind that are checked for noise, which all tables of visitors are.
_COPIES = 2
#: The pages' byte code, which a server compiles once for all visitors.
SCRIPTS = ScriptCache()


@contextmanager
def without_a_server() -> Iterator[pytest.MonkeyPatch]:
    """Let AppTest draw the app's pages as a server would, and quickly."""
    begin = PagesManager.__init__

    def with_navigation(self: PagesManager, *args: object, **kwargs: object) -> None:
        # AppTest forgets between two draws that the app uses st.navigation; a folder named "pages" beside app.py would
        # then count as the old kind of multipage app, whose pages run without app.py
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PagesManager, "__init__", with_navigation)
        patch.setattr(manifest_scanner, "scan_component_manifests", installed_components)
        patch.setattr(experiments, "_PROOF", _PROOF)
        patch.setattr("bnengine.answers.noise.COPIES", _COPIES)
        patch.setattr("bnengine.answers.noise.FEWER", _COPIES)
        patch.setattr(local_script_runner, "ScriptCache", lambda: SCRIPTS)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_the_page)
        yield patch


@pytest.fixture(scope="session")
def first_results(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the pages find out about the first table and ASIA: one visitor waits for it, others have it from the start.

    So no test depends on which one came before it. Where several workers run, one leaves it to the others in a file.
    """
    folder = tmp_path_factory.getbasetemp()
    shared = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "first_results"
    if shared.exists():
        return MappingProxyType(pickle.loads(shared.read_bytes()))
    found, keep = dict[str, Any](), results.keep
    with without_a_server() as patch:
        patch.setattr(results, "keep", lambda key, result: keep(key, found.setdefault(key, result)))
        first = Visitor()
        for table in FIRST_TABLES:
            first.on(table).go("network")
        first.leave()
    kept = {key: found[key] for key in found if key.startswith(_FIRST_KINDS)}
    kept = {key: result for key, result in kept.items() if getattr(result, "status", "") != "stopped"}
    assert any(key.startswith(experiments.REAL) for key in kept) or not FIRST_TABLES
    (folder / "unfinished").write_bytes(pickle.dumps(kept))
    (folder / "unfinished").replace(shared)
    return MappingProxyType(kept)


def wait_for_the_page(runner: local_script_runner.LocalScriptRunner, timeout: float = HANG) -> None:
    """Wait until the page has drawn; AppTest itself looks every millisecond, which takes a fifth of the processor."""
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise AssertionError(f"the page has not been drawn in {timeout} s")


class Visitor:
    """One session of the app, driven as a person would: by widgets, page by page."""

    def __init__(self, **address: str) -> None:
        self._arrive(**address)

    def _arrive(self, **address: str) -> None:
        self.at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=HANG)
        for parameter, text in address.items():
            self.at.query_params[parameter] = text
        self.at.run()
        self._check()

    def open(self, page: str) -> "Visitor":
        """Open a page by its file's name; it draws once."""
        self.at.switch_page(PAGE_FILES[page])
        return self.run()

    def go(self, page: str) -> "Visitor":
        """Open a page and wait for its work."""
        return self.open(page).settle()

    def run(self) -> "Visitor":
        """Let the page draw once."""
        self.at.run()
        self._check()
        return self

    def settle(self) -> "Visitor":
        """Draw until no background job is being waited for."""
        self._check()
        end, ended = time.monotonic() + HANG, None
        while time.monotonic() < end:
            if not self.waiting:
                # a job that ends while its progress is drawn leaves a page with neither: one more draw collects it
                if self._ended() in ([], ended):
                    return self
                ended = self._ended()
            for job in self._jobs():  # a page that draws all the time takes the processor from the work it waits for
                job.wait(_BETWEEN_DRAWS)
            self.run()
        raise AssertionError(f"still waiting after {HANG} s: {self.messages}")

    def _ended(self) -> list[Job[Any]]:
        """The jobs that have ended but whose result no page has taken yet."""
        return [job for job in self._jobs() if not job.running]

    def _jobs(self) -> list[Job[Any]]:
        if "jobs" not in self.at.session_state:
            return []
        return [job for job in self.at.session_state["jobs"].values() if job is not None]

    def _check(self) -> None:
        assert not self.at.exception, [error.value for error in self.at.exception]

    @property
    def waiting(self) -> bool:
        """Whether the page shows progress instead of a result."""
        return bool(self.at.progress) or any(info.icon == jobs.WAITING for info in self.at.info)

    @property
    def finding(self) -> str:
        """The sentence on top; empty if there is none."""
        return next((text.value for text in self.at.markdown if text.value.startswith("## ")), "")

    def shows(self, *values: object) -> bool:
        """Whether the sentence on top has each value."""
        return shows(self.finding, *values)

    def note(self, name: str) -> str:
        """The remark of that name; empty if the page has none."""
        try:
            place = self.at.get_by_key(Key.note(name))
        except KeyError:
            return ""
        return unescaped(" ".join(text.value for text in (*place.caption, *place.markdown)))

    def warns(self, *values: object) -> bool:
        """Whether an error, a warning or a remark of the page has each value."""
        return any(shows(message, *values) for message in self.messages)

    def key(self, key: str) -> str:
        """The key under which a widget is drawn now: another one after each time that the app has set its value."""
        times = self.at.session_state[SET].get(key) if SET in self.at.session_state else None
        return f"{times} {key}" if times else key

    def has(self, key: str) -> bool:
        """Whether the page has a widget or a place of that key."""
        return any(getattr(element, "key", None) == self.key(key) for element in self.at._tree)

    @property
    def networks(self) -> list[dict[str, Any]]:
        """What each network on the page is given to draw."""
        given = [json.loads(component.proto.json) for component in self.at.get("bidi_component")]
        return [one for one in given if "nodes" in one]

    @property
    def edges_listed(self) -> dict[str, dict[str, Any]]:
        """The lines of the Network page's list, by the name of the edge; each with its group's title."""
        given = [json.loads(component.proto.json) for component in self.at.get("bidi_component")]
        groups = [group for one in given for group in one.get("groups", [])]
        return {line["name"]: {**line, "group": group["title"]} for group in groups for line in group["lines"]}

    @property
    def messages(self) -> list[str]:
        """Errors, warnings and remarks on the page."""
        return [box.value for box in (*self.at.error, *self.at.warning, *self.at.info)]

    @property
    def recipe(self) -> bn.Recipe:
        """The data in use."""
        return self.experiment.data

    @property
    def experiment(self) -> bn.Experiment:
        """The run that the settings describe."""
        return self.at.session_state["run state"].experiment

    @property
    def data(self) -> bn.Dataset:
        """The data set in use, as the pages learn from it."""
        return self.at.session_state["dataset"][1][0]

    @property
    def graph(self) -> LearnedGraph | None:
        """The graph that the pages learned from these data with these settings; None if they keep none."""
        if "results" not in self.at.session_state:
            return None
        key = results.key_of(experiments.GRAPH, self.data, self.experiment.graph_key)
        found: LearnedGraph | None = self.at.session_state["results"].get(key)
        return found

    @property
    def method(self) -> str:
        """Key of the method by which the Network page tells what would be found again."""
        keys = [key for key in self.experiment.methods_run if key != "data"]
        chosen = self.at.session_state[self.key(Key.AVERAGED)] if self.has(Key.AVERAGED) else self.experiment.averaged
        return chosen if chosen in keys else default_method(keys)

    def choose(self, key: str, value: object) -> "Visitor":
        """Set a select box and wait for the page."""
        self.at.selectbox(key=self.key(key)).set_value(value).run()
        return self.settle()

    def type(self, key: str, value: float | None) -> "Visitor":
        """Fill a number box and wait for the page."""
        self.at.number_input(key=self.key(key)).set_value(value).run()
        return self.settle()

    def write(self, key: str, text: str) -> "Visitor":
        """Fill a text area and wait for the page."""
        self.at.text_area(key=self.key(key)).set_value(text).run()
        return self.settle()

    def slide(self, key: str, value: float) -> "Visitor":
        """Move a slider, found by its key's beginning, and wait for the page."""
        slider = next(slider for slider in self.at.slider if slider.key.lstrip("0123456789 ").startswith(key))
        slider.set_value(value).run()
        return self.settle()

    def turn(self, key: str, name: str) -> "Visitor":
        """Turn to a section or a part of the page, and wait for it."""
        self.at.segmented_control(key=key).set_value(name).run()
        return self.settle()

    def view(self, name: str) -> "Visitor":
        """Choose a view of the network, and wait for it."""
        return self.turn(Key.VIEW, name)

    def part(self, opened: str, key: str, name: str) -> "Visitor":
        """Open what stands closed below the network, and choose one of its parts."""
        return self.unfold(opened).turn(key, name)

    def click(self, *names: str) -> "Visitor":
        """Click an edge, by its two names, or a variable, as in the network or in the list."""
        edge, node = (names if len(names) == 2 else None), (names[0] if len(names) == 1 else None)
        self.at.session_state["chosen_edge"], self.at.session_state["chosen_node"] = edge, node
        self.at.session_state[Key.OPEN_EDGE] = edge or node
        return self.run()

    def frame(self, *columns: str) -> pd.DataFrame:
        """The only table on the page that has these columns."""
        (found,) = [one.value for one in self.at.dataframe if set(columns) <= set(one.value)]
        return found

    def unfold(self, name: str) -> "Visitor":
        """Open a part that is worked out once it is opened, and wait for the page."""
        self.at.session_state[Key.opened(name)] = True
        return self.run().settle()

    def button(self, label: str) -> "Visitor":
        """Press the button whose label begins so; the page draws once."""
        next(button for button in self.at.button if button.label.startswith(label)).click()
        return self.run()

    def few(self, n: int = FEW) -> "Visitor":
        """Ask for few resamples."""
        self.at.number_input(key="n").set_value(n).run()
        return self.settle()

    def on(self, source: str, n_rows: int = 0, seed: int = 0) -> "Visitor":
        """Come anew by a link to a bundled table, or to rows of a bundled network, with few resamples.

        That draws once; ``sample`` and ``simulate`` walk through the Data page.
        """
        recipe = bn.Recipe("network", source, n_rows=n_rows, seed=seed) if n_rows else bn.Recipe("sample", source)
        recipe = recipe if n_rows else recipe.suggested(recipe.load())
        self._arrive(**{Key.ADDRESS: bn.Experiment(recipe, n=FEW).to_link()})
        return self

    def sample(self, name: str) -> "Visitor":
        """Take a bundled table on the Data page."""
        return self.other_data().choose(Key.SAMPLE, name)

    def simulate(self, network: str, n_rows: int, seed: int) -> "Visitor":
        """Draw rows from a bundled network on the Data page."""
        self.other_data().choose(Key.NETWORK, network)
        self.type("network_rows", n_rows).type("network_seed", seed)
        self.button("Draw the rows").settle()
        assert self.recipe == bn.Recipe("network", network, n_rows=n_rows, seed=seed)
        return self

    def own(self, own: bool = True) -> "Visitor":
        """Turn the lessons to the visitor's data, or back to their own."""
        self.at.session_state[Key.USE_OWN] = own
        return self

    def other_data(self) -> "Visitor":
        """Go to the front page, where data are chosen."""
        self.go("data")
        return self.button("Open another table") if self.has(Key.OTHER) else self

    def upload(self, name: str, content: bytes | str) -> "Visitor":
        """Upload a file on the Data page."""
        if not self.has(Key.UPLOAD):
            self.other_data()
        raw = content.encode() if isinstance(content, str) else content
        self.at.file_uploader(key="upload").set_value((name, raw, "application/octet-stream")).run()
        return self.settle()

    def leave(self) -> None:
        """Close the session: its work, if any, is told to stop."""
        for job in self.at.session_state["jobs"].values() if "jobs" in self.at.session_state else ():
            if job is not None:
                job.stop()


@pytest.fixture
def arrive(first_results: Mapping[str, Any]) -> Iterator[Callable[..., Visitor]]:
    """How a person opens the app: by an address with these parameters."""
    stored = results.stored

    def stored_or_first(key: str) -> Any:
        own = stored(key)
        return first_results.get(key) if own is None else own

    with without_a_server() as patch:
        patch.setattr(results, "stored", stored_or_first)
        check_keys(patch)
        arrived: list[Visitor] = []

        def come(**address: str) -> Visitor:
            arrived.append(Visitor(**address))
            return arrived[-1]

        yield come
        for visitor in arrived:
            visitor.leave()


@pytest.fixture
def visitor(arrive: Callable[..., Visitor]) -> Visitor:
    """A person who has just opened the app."""
    return arrive()
