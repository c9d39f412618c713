"""What one browser holds in its tabs, and held on the page before it was loaded again: work and results go on there.

Loading the page again begins a new session of Streamlit's; the old one's stores are kept for as long as results are
(``session_lifetime.FORGOTTEN``). A browser is known by the random number in the cookie with which Streamlit's server
guards uploads. Scripts can read that cookie, and a browser sends it to every server of the host, whatever its port. So
the number alone finds nothing: it counts together with the page that asks, the program and the machine it comes from.
"""

import binascii
import hmac
import json
import secrets
import threading
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages.shared.session import session_lifetime
from pages.shared.session.streamlit_inside import COOKIE

_SESSION, _BROWSER = "session_name", "browser_name"
#: Names are this server's alone, and end with it.
_SECRET = secrets.token_bytes(32)
_lock = threading.Lock()
_stores: dict[tuple[str, str], list[Any]] = {}


def session_name() -> str:
    """Return this session's name."""
    return str(st.session_state.setdefault(_SESSION, uuid.uuid4().hex))


def browser() -> str:
    """Return the name of this visitor's browser; the session's own where no browser says which it is."""
    if _BROWSER not in st.session_state:
        st.session_state[_BROWSER] = name_of_browser() or session_name()
    return str(st.session_state[_BROWSER])


def name_of_browser() -> str:
    """Return a name that only the same browser, at the same address, has again; nothing if it keeps no cookie."""
    number, headers = number_in(st.context.cookies.get(COOKIE, "")), st.context.headers
    if not number or "Origin" not in headers:
        return ""
    known = [number.hex(), headers["Origin"], headers.get("User-Agent"), st.context.ip_address]
    return hmac.digest(_SECRET, json.dumps(known).encode(), "sha256").hex()


def foreign_page() -> str:
    """Return the origin of the page that began this session if another server brought it; otherwise nothing.

    Streamlit lets pages of this machine's other servers in. Behind a proxy the host is the one that was asked there.
    """
    headers = st.context.headers
    origin = headers.get("Origin", "")
    scheme, host, *_ = urlsplit(origin)
    usual = ":443" if scheme == "https" else ":80"  # browsers leave it out
    asked = (headers.get("Host", ""), headers.get("X-Forwarded-Host", "").partition(",")[0].strip())
    trusted = not st.get_option("server.enableCORS") or origin in st.get_option("server.corsAllowedOrigins")
    return "" if trusted or not origin or host in {name.removesuffix(usual) for name in asked} else origin


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


def share(name: str, store: Any, end: Callable[[], object] = lambda: None) -> None:
    """Let the browser's other sessions find a store, until some time after this session is gone; then it ends."""
    key = browser(), name
    with _lock:
        _stores.setdefault(key, []).append(store)

    def forget() -> None:
        with _lock:
            _stores[key] = [other for other in _stores[key] if other is not store]
            if not _stores[key]:
                del _stores[key]
        end()

    session_lifetime.Lease(session_lifetime.FORGOTTEN, forget, session_lifetime.visitor())


def found(name: str, own: Any, key: Any, keep: Callable[[Any, Any], object]) -> Any:
    """Return what this session's store of that name, or another's, has under a key; None if none has it."""
    for other in others(name, own) if key not in own else ():
        if (there := other.get(key)) is not None:
            keep(key, there)
            break
    return own.get(key)


def others(name: str, own: Any) -> list[Any]:
    """Return the stores of that name in the browser's other sessions, the latest first."""
    with _lock:
        return [store for store in reversed(_stores.get((browser(), name), [])) if store is not own]
