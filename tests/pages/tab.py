"""A browser's tab without a browser: it keeps elements and timers as Streamlit's own page does, and sends its requests.

The server runs in the same process, so that a test can say when a request reaches it.
"""

import asyncio
import contextlib
import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager

from tests.pages.serving import ROOT
from tests.patience import HANG

_LOOK_EVERY = 0.01  # seconds


class Timers:
    """What a page's code in the browser does with the messages that it is sent: a full run clears the timers."""

    def __init__(self):
        self.timers = {}  # seconds between two ticks, by the part of the page that they are for
        self.elements = {}  # with the run that drew them and the part that they belong to, by their place
        self.started = self.finished = 0  # full runs
        self.run = self.page = ""
        self.run_of = ""  # the page of the latest run: if it is not the one that is shown, this one is emptied

    def take(self, message):
        kind, parts = message.WhichOneof("type"), message.metadata.run.fragment_ids
        if kind == "new_session":
            self.run = message.metadata.run.script_run_id
            self.run_of = message.new_session.page_script_hash
            if not parts:
                self.timers.clear()
                self.started += 1
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            self.timers[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for part in message.stop_auto_rerun.fragment_ids:
                self.timers.pop(part, None)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self.elements[tuple(message.metadata.delta_path)] = (message.delta, self.run)
        elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            own = [path for path, (delta, _) in self.elements.items() if not parts or delta.fragment_id in parts]
            for path in own:
                if self.elements[path][1] != self.run:
                    del self.elements[path]
            self.finished += not parts

    def shown(self, kind):
        """The elements of a kind, such as button, with the part of the page that each belongs to."""
        deltas = [delta for delta, _ in self.elements.values()]
        found = [(delta.new_element, delta.fragment_id) for delta in deltas]
        return [(getattr(one, kind), part) for one, part in found if one.WhichOneof("type") == kind]


class Tab(Timers):
    """A tab on a server in this process; its methods are called in the server's event loop."""

    client_context = None

    def __init__(self, runtime, address, query=""):
        super().__init__()
        self._runtime, self._address, self._query = runtime, address, query
        self._name = runtime.connect_session(self, {})

    def write_forward_msg(self, message):
        self.take(message)

    @property
    def session(self):
        return self._runtime.get_app_session(self._name)

    def ask(self, part="", tick=False, pressed=""):
        """Ask for the whole page or a part of it, because a timer went off or somebody pressed a button."""
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self._query, self.page
        asked.page_name = "" if self.page else self._address
        asked.fragment_id, asked.is_auto_rerun = part, tick
        if pressed:
            asked.widget_states.widgets.add(id=pressed, trigger_value=True)
        self._runtime.handle_backmsg(self._name, message)

    async def until(self, condition, tick=False):
        """Wait for something; with ``tick``, the timers go off meanwhile, much faster than in a browser."""
        end = time.monotonic() + HANG
        while not condition():
            assert time.monotonic() < end
            if tick:
                assert self.timers or not self.resting, "nothing will draw this page again"
                for part in list(self.timers):
                    self.ask(part=part, tick=True)
            await asyncio.sleep(_LOOK_EVERY)

    @property
    def resting(self):
        """Whether no run goes on, and all messages have been taken."""
        return self.session._scriptrunner is None and self.session._browser_queue.is_empty()

    async def drawn(self):
        """Wait until nothing is drawn any more."""
        await self.until(lambda: self.resting)
        await asyncio.sleep(_LOOK_EVERY)


@contextlib.asynccontextmanager
async def serving():
    """A server in this process that runs the app."""
    media, files = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/files")
    runtime = Runtime(RuntimeConfig(str(ROOT / "app.py"), media, files))
    PagesManager.uses_pages_directory = False
    try:
        await runtime.start()
        yield runtime
    finally:
        sessions = [one.session for one in runtime._session_mgr.list_sessions()]
        runtime.stop()
        await runtime.stopped
        while any(session._scriptrunner for session in sessions):
            await asyncio.sleep(_LOOK_EVERY)
        Runtime._instance = None
