"""Who is here, what one browser's tabs share, and what ends when a visitor is gone.

Loading a page again begins a new session of Streamlit's; what the old one held is kept for ``FORGOTTEN`` seconds, so
that work and results go on. A visitor is here as long as a tab's connection is open, on whatever page: the runs of
scripts do not tell, since a page that only shows a result does not run, and browsers slow down the timers of hidden
tabs.

A browser is known by the random number in the cookie with which Streamlit's server guards uploads. Scripts can read
that cookie, and a browser sends it to every server of the host, whatever its port. So the number alone finds nothing:
it counts together with the page that asks, the program and the machine it comes from.
"""

import binascii
import contextlib
import ctypes
import gc
import hmac
import json
import logging
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pyarrow as pa
import streamlit as st

from bnengine.execution import BoundedCache
from pages.shared import state, streamlit_inside

_log = logging.getLogger(__name__)
_SESSION, _BROWSER = "session_name", "browser_name"
#: Names are this server's alone, and end with it.
_SECRET = secrets.token_bytes(32)


def session_name() -> str:
    """Return this session's name."""
    return str(state.get_or_put(_SESSION, uuid.uuid4().hex))


def browser() -> str:
    """Return the name of this visitor's browser; the session's own where no browser says which it is."""
    if state.get(_BROWSER) is None:
        state.put(_BROWSER, name_of_browser() or session_name())
        SessionWatch(FORGOTTEN, streamlit_inside.forget_uploads(), is_here())
    return str(state.get(_BROWSER))


def name_of_browser() -> str:
    """Return a name that only the same browser, at the same address, has again; nothing if it keeps no cookie."""
    number, headers = number_in(st.context.cookies.get(streamlit_inside.COOKIE, "")), st.context.headers
    if not number or "Origin" not in headers:
        return ""
    known = [number.hex(), headers["Origin"], headers.get("User-Agent"), st.context.ip_address]
    return hmac.digest(_SECRET, json.dumps(known).encode(), "sha256").hex()


def number_in(cookie: str) -> bytes:
    """Return the random number in the cookie "2|mask|number|time", the same on each load; nothing if it is none."""
    try:
        _, mask, masked, _ = (
            binascii.unhexlify(part) if 0 < k < 3 else b"" for k, part in enumerate(cookie.split("|"))
        )
    except ValueError:
        return b""
    number = bytes(byte ^ mask[k % len(mask)] for k, byte in enumerate(masked)) if mask else b""
    return number if len(number) >= 16 else b""


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def foreign_page() -> str:
    """Return the origin of the page that began this session if another server brought it; otherwise nothing.

    Streamlit lets pages of this machine's other servers in. Behind a proxy the host is the one that was asked there. A
    server that listens on this machine only also knows its own names: a stranger's name may be made to lead here after
    its page was loaded (DNS rebinding), and that page's origin and host then agree.
    """
    headers = st.context.headers
    origin = headers.get("Origin", "")
    scheme, host, *_ = urlsplit(origin)
    usual = ":443" if scheme == "https" else ":80"  # browsers leave it out
    asked = (headers.get("Host", ""), headers.get("X-Forwarded-Host", "").partition(",")[0].strip())
    trusted = not st.get_option("server.enableCORS") or origin in st.get_option("server.corsAllowedOrigins")
    if trusted or not origin:
        return ""
    is_own = host in {name.removesuffix(usual) for name in asked} and _is_host(urlsplit(origin).hostname or "")
    return "" if is_own else origin


def _is_host(name: str) -> bool:
    """Return whether a name is one of this server's, as far as it knows them."""
    if st.get_option("server.address") not in _LOOPBACK:
        return True
    return name in (*_LOOPBACK, *st.get_option("server.allowedHosts"), st.get_option("browser.serverAddress"))


# Stores that the sessions of one browser share.

_lock = threading.Lock()
_stores: dict[tuple[str, str], list[Any]] = {}
Store = TypeVar("Store", bound=dict[Any, Any] | BoundedCache[Any, Any])


def store(name: str, make: Callable[[], Store]) -> Store:
    """Return this session's store of that name, made when it is first asked for.

    The browser's other sessions find it until some time after this session is gone; then it is cleared.
    """
    known: Store | None = state.get(name)
    if known is not None:
        return known
    own, key = make(), (browser(), name)
    state.put(name, own)
    with _lock:
        _stores.setdefault(key, []).append(own)
    SessionWatch(FORGOTTEN, lambda: _forget(key, own), is_here())
    return own


def _forget(key: tuple[str, str], own: dict[Any, Any] | BoundedCache[Any, Any]) -> None:
    with _lock:
        _stores[key] = [other for other in _stores[key] if other is not own]
        if not _stores[key]:
            del _stores[key]
    own.clear()


def others(name: str, own: Any) -> list[Any]:
    """Return the stores of that name in the browser's other sessions, the latest first."""
    with _lock:
        return [other for other in reversed(_stores.get((browser(), name), [])) if other is not own]


def found(name: str, own: Any, key: Any) -> Any:
    """Return what this session's store of that name has under a key, or another's, which is then kept here, too."""
    for other in others(name, own) if key not in own else ():
        if (there := other.get(key)) is not None:
            own.keep(key, there)
            break
    return own.get(key)


# What ends when a visitor is gone.

#: Seconds for which work goes on without its visitor, so that a reload or a short failure of the network does no harm.
UNWATCHED = 30.0
#: Seconds for which results are kept; Streamlit takes a visitor back to the same session for two minutes.
FORGOTTEN = 150.0
_INTERVAL = 1.0


def is_here() -> Callable[[], bool]:
    """Return whether the visitor for whom the script runs now is still here.

    Always true outside a server, as in a test.
    """
    name = streamlit_inside.session_id()
    return lambda: streamlit_inside.connected(name)


class SessionWatch:
    """Calls ``end`` when a visitor has been away for some ``seconds``."""

    def __init__(self, seconds: float, end: Callable[[], object], present: Callable[[], bool]) -> None:
        self.seconds = seconds
        self.end = end
        self.present = present
        self.seen = time.monotonic()
        with _lock:
            _watches.append(self)
            _begin_watching()

    def cancel(self) -> None:
        """End nothing any more."""
        with _lock:
            if self in _watches:
                _watches.remove(self)


_watches: list[SessionWatch] = []
_watcher: list[threading.Thread] = []


def check_sessions(now: float | None = None) -> None:
    """End what belongs to visitors who have been away too long."""
    now = time.monotonic() if now is None else now
    with _lock:
        watches = list(_watches)
    for watch in watches:
        if watch.present():
            watch.seen = now
    gone = [watch for watch in watches if now - watch.seen > watch.seconds]
    for watch in gone:
        watch.cancel()
        try:
            watch.end()
        except Exception:  # of one visitor: the others' work still ends
            _log.exception("what a visitor had did not end as it should")
    if gone:
        release_memory()


def _begin_watching() -> None:
    """Start the thread that checks, unless it is alive; where the system has no thread left, the next watch tries."""
    if _watcher and _watcher[0].is_alive():
        return
    thread = threading.Thread(target=_keep_checking, daemon=True, name="visitors")
    with contextlib.suppress(RuntimeError):
        thread.start()
        _watcher[:] = [thread]


def _keep_checking() -> None:
    """Check every second, until there is nothing left to watch."""
    while True:
        time.sleep(_INTERVAL)
        check_sessions()
        with _lock:
            if not _watches:
                _watcher.clear()
                return


# The process's memory.

_MOST_POOLS = -8  # glibc's M_ARENA_MAX


def share_pools() -> None:
    """Let threads share the C library's pools of memory: what is free in one pool is lost to the others."""
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_MOST_POOLS, 2)


def freeze_gc() -> None:
    """Take everything that is in memory now as there for good.

    After every draw Streamlit has all objects searched for garbage. Those of the libraries alone, a quarter of a
    million, take 0.4 s of it, in which no other visitor's page is drawn.
    """
    gc.collect()
    gc.freeze()


def release_memory() -> None:
    """Return freed memory to the system, where the C library can: it keeps most of what large tables took."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
