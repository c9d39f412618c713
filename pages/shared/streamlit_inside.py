"""What the pages use of Streamlit beyond its documented functions; another version may change any of it.

Tested with the versions that ``pyproject.toml`` allows. What would make each part superfluous stands in
``streamlit_inside.md``, as requests to Streamlit's developers.
"""

import traceback
from collections.abc import Callable

from streamlit import config, runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

#: The cookie by which Streamlit's server guards uploads.
COOKIE = "_streamlit_xsrf"


def session_id() -> str:
    """Return the name of the session for which the script runs now; empty outside a server."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def connected(name: str) -> bool:
    """Return whether the session's browser is connected; always true outside a server, as in a test."""
    return not runtime.exists() or runtime.get_instance().is_active_session(name) is not False


def forget_uploads() -> Callable[[], None]:
    """Return what drops the files that the session has uploaded, which Streamlit does when the next visitor comes."""
    name = session_id()
    return lambda: runtime.get_instance().uploaded_file_mgr.remove_session_files(name) if runtime.exists() else None


def collect_after_draws(wanted: bool) -> None:
    """Let Streamlit search all objects for garbage after each draw, as it does by default, or not.

    While the engine is compiled there are so many of them that the draws of a page that waits took twice as much of
    Python's lock as the compiler.
    """
    config.set_option("runner.postScriptGC", wanted)


def unbind(parameter: str) -> None:
    """Unbind a parameter of the address from its widget; the next draw binds them again."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    with context.session_state.query_params() as parameters:
        bound = parameters.get_binding_for_param(parameter)
        if bound is not None:
            parameters.unbind_widget(bound.widget_id)


def lost_a_widget(error: KeyError) -> bool:
    """Return whether Streamlit lost a widget while it was being drawn.

    After fast changes of pages two runs of a session overlap, and the one that ends removes widgets that the other has
    just begun: each run guards the state by a lock of its own.
    """
    return any(frame.name == "register_widget" for frame in traceback.extract_tb(error.__traceback__))


# Keep the browser's history when reruns overlap.
#
# Streamlit tells only the run that begins with it that the visitor went back. A click at once afterwards stops that
# run, maybe before it has taken the settings of the address, and begins another. A run that is being stopped may still
# take what is remembered here, so that what Streamlit says counts, too. Who goes back twice at once is on the way to
# the second address, which the run for the first must not forget.

_asked = AppSession.request_rerun
#: Where the visitor went back to last, by session: the parameters of the address.
_back: dict[str, str] = {}


def _asked_or_back(self: AppSession, client_state: ClientState | None) -> None:
    """Take a request of the browser; remember that the visitor went back or forward."""
    if client_state is not None and client_state.is_history_navigation:
        _back[self.id] = client_state.query_string
    _asked(self, client_state)


AppSession.request_rerun = _asked_or_back  # type: ignore[method-assign]


def went_back() -> bool:
    """Return whether the visitor came here by the browser's back or forward button; true once each time."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return False
    is_asked = _back.get(context.session_id) == context.query_string
    if is_asked:
        del _back[context.session_id]
    return is_asked or context.is_history_navigation


# Whatever a run draws reaches the browser.
#
# When a part of a page is asked for just as a run ends, the run takes no more requests, so that the session begins
# another; from then on it drops what the first has drawn and the server has not dealt with yet. If the timers of the
# new page are among it, nothing draws that page again, and a page that waits for work waits for ever. Here the timers'
# requests are left out at such a moment, as they come again, and others draw the whole page.

_taken = ScriptRunner.request_rerun


def _taken_or_whole(self: ScriptRunner, rerun_data: RerunData) -> bool:
    """Take a request, unless the run has ended; then a part of a page is drawn no more by itself."""
    page = self._requests._rerun_data.page_script_hash
    # a timer of the page before: taken together with the request for a new page, it would call the old one back
    if rerun_data.is_auto_rerun and page not in ("", rerun_data.page_script_hash):
        return True
    taken = _taken(self, rerun_data)
    if not taken and rerun_data.is_auto_rerun:
        return True
    if not taken:
        object.__setattr__(rerun_data, "fragment_id", None)
    return taken


ScriptRunner.request_rerun = _taken_or_whole  # type: ignore[method-assign]


# A part of a page is drawn only while that page is shown.
#
# A timer may ask for a part of a page that the visitor has just left, before the browser hears of the new page. Drawn
# after it, as a run of the page that was left, that part would empty the new page in the browser, and nothing draws it
# again.

_run_script = ScriptRunner._run_script


def _run_what_is_shown(self: ScriptRunner, rerun_data: RerunData) -> None:
    """Run what was asked for, unless it is a part of a page that was left."""
    shown = self._pages_manager.current_page_script_hash
    if not rerun_data.fragment_id_queue or rerun_data.page_script_hash in ("", shown):
        _run_script(self, rerun_data)


ScriptRunner._run_script = _run_what_is_shown  # type: ignore[method-assign]


# A session's uploads are bounded.
#
# Streamlit keeps every file that a session sends, whether a widget asked for it or not, until the session ends.

#: Bytes that the files of one session may have together: two of the largest uploads.
MOST_UPLOADED = 100 * 2**20
_add_file = MemoryUploadedFileManager.add_file


def _add_within_bounds(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """Keep a file, and drop the session's oldest where they are too large together."""
    _add_file(self, session_id, file)
    files = self.file_storage[session_id]
    while len(files) > 1 and sum(len(one.data) for one in [*files.values()]) > MOST_UPLOADED:
        self.remove_file(session_id, next(iter(files)))


MemoryUploadedFileManager.add_file = _add_within_bounds  # type: ignore[method-assign]
