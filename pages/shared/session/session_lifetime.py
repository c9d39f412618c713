"""Stop jobs and free results of disconnected sessions, some time later. Independent of Streamlit's session state.

A visitor is present as long as a tab's connection is open, on whatever page. Streamlit's script runs do not tell: a
page that only shows a result does not run, and browsers slow down the timers of hidden tabs.
"""

import contextlib
import ctypes
import gc
import threading
import time
from collections.abc import Callable

import pyarrow as pa

from pages.shared.session import streamlit_inside

# The process's memory: permanent objects are left out of garbage collection, freed memory goes back to the system.

_MOST_POOLS = -8  # glibc's M_ARENA_MAX


def share_pools() -> None:
    """Let threads share the C library's pools of memory: what is free in one pool is lost to the others."""
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_MOST_POOLS, 2)


def settle() -> None:
    """Take everything that is in memory now as there for good.

    After every draw Streamlit has all objects searched for garbage. Those of the libraries alone, a quarter of a
    million, take 0.4 s of it, in which no other visitor's page is drawn.
    """
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Return freed memory to the system, where the C library can: it keeps most of what large tables took."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)


#: Seconds for which work goes on without its visitor, so that a reload or a short failure of the network does no harm.
UNWATCHED = 30.0
#: Seconds for which results are kept; Streamlit takes a visitor back to the same session for two minutes.
FORGOTTEN = 150.0
#: Streamlit drops disconnected sessions when a new one arrives; their memory is given back so many seconds later, and
#: no more often than ``AT_MOST_EVERY``.
AFTER_ARRIVAL = 3.0
AT_MOST_EVERY = 60.0
_INTERVAL = 1.0


class Lease:
    """Something that ends when its visitor has been away for some ``seconds``."""

    def __init__(self, seconds: float, end: Callable[[], object], present: Callable[[], bool]) -> None:
        self.seconds = seconds
        self.end = end
        self.present = present
        self.seen = time.monotonic()
        with _lock:
            _leases.append(self)
        _arrival.set()
        _watch()

    def cancel(self) -> None:
        """Do nothing: the job ended by itself."""
        with _lock:
            if self in _leases:
                _leases.remove(self)


_lock = threading.Lock()
_leases: list[Lease] = []
_watching: list[threading.Thread] = []
_arrival = threading.Event()


def look(now: float | None = None) -> None:
    """End what was left; what has ended is looked at no longer."""
    now = time.monotonic() if now is None else now
    with _lock:
        leases = list(_leases)
    ended = False
    for lease in leases:
        if lease.present():
            lease.seen = now
        elif now - lease.seen > lease.seconds:
            lease.cancel()
            lease.end()
            ended = True
    if ended:
        give_back()


def _watch() -> None:
    """Look every second, in a thread that ends when there is nothing left to look at."""
    with _lock:
        if _watching:
            return
        thread = threading.Thread(target=_keep_looking, daemon=True, name="presence")
        _watching.append(thread)
        thread.start()


def _keep_looking() -> None:
    next_time = time.monotonic() + AFTER_ARRIVAL
    while True:
        time.sleep(_INTERVAL)
        look()
        if _arrival.is_set() and time.monotonic() > next_time:
            _arrival.clear()
            give_back()
            next_time = time.monotonic() + AT_MOST_EVERY
        with _lock:
            if not _leases:
                _watching.clear()
                return


def visitor() -> Callable[[], bool]:
    """Return whether the visitor for whom the script runs now is still there.

    Always true outside a server, as in a test.
    """
    name = streamlit_inside.session_id()
    return lambda: streamlit_inside.connected(name)
