"""Sessions as the server sees them: whose page asks for one, and which of them are one browser's."""

import os
import socket
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.sync.client import connect

from tests.pages.serving import BY_HAND, ROOT, served
from tests.patience import HANG

pytestmark = pytest.mark.slow

AGENT = "Mozilla/5.0"
ELSEWHERE = "http://localhost:1"  # a page that another server of this machine brought
NAMES = """
import streamlit as st
from pages.shared import visitors
st.text(f"browser {visitors.browser()}")
"""


def shown(address, origin, cookie, agent=AGENT, source=None, host=None, **headers):
    """What a session's first run draws, for a client that says this of itself and of the host that it asks."""
    headers |= {"Cookie": f"_streamlit_xsrf={cookie}"} if cookie else {}
    url = urlsplit(address)
    sock = socket.create_connection(("127.0.0.1", url.port), source_address=source)
    with connect(
        f"ws://{host or url.netloc}/_stcore/stream",
        sock=sock,
        origin=origin,
        additional_headers=headers,
        user_agent_header=agent,
        subprotocols=["streamlit"],
        max_size=None,
    ) as connection:
        ask = BackMsg()
        ask.rerun_script.query_string = ""
        connection.send(ask.SerializeToString())
        drawn = []
        while True:
            said = ForwardMsg.FromString(connection.recv(timeout=HANG))
            if said.WhichOneof("type") == "script_finished":
                return drawn
            if said.WhichOneof("type") == "delta":
                drawn.append(str(said.delta))


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """A server whose page says the name by which a session's browser is known."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "names.py").write_text(NAMES)
    command = (*BY_HAND, str(folder / "names.py"))
    with served(folder / "log.txt", command) as address:

        def name(origin=address, cookie="", **more):
            (text,) = [text for text in shown(address, origin, cookie, **more) if "browser" in text]
            return text

        yield name


def test_a_browser_s_tabs_have_one_name(names):
    number = bytes(range(16))
    first, again = (names(cookie=generate_xsrf_token_string(number)) for _ in range(2))
    assert first == again
    assert number.hex() not in first
    assert names(cookie=generate_xsrf_token_string(bytes(16))) != first


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has one address of its own")
THIEVES = {
    "a page of another port": {"origin": ELSEWHERE},
    "no page": {"origin": None},
    "another program": {"agent": "curl/8.0"},
    "another machine": {"source": ("127.0.0.2", 0)},
}


@pytest.mark.parametrize("thief", [*list(THIEVES)[:-1], pytest.param("another machine", marks=LINUX)])
def test_the_number_in_the_cookie_is_worth_nothing_elsewhere(names, thief):
    cookie = generate_xsrf_token_string(bytes(range(16)))
    assert names(cookie=cookie, **THIEVES[thief]) != names(cookie=cookie)


def test_without_a_cookie_each_session_stands_alone(names):
    assert names() != names()
    assert names(cookie="2|zz|zz|1") != names(cookie="2|zz|zz|1")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The app itself."""
    table = tmp_path_factory.mktemp("table") / "private.csv"
    table.write_text("secret,answer\n" + "yes,no\nno,yes\n" * 20)
    (table.parent / ".streamlit").mkdir()  # as a folder of somebody else's files may have it
    (table.parent / ".streamlit" / "config.toml").write_text(UNGUARDED)
    command = (sys.executable, "-m", "bnengine", "app", "--file", table.name)
    path = {"PYTHONPATH": str(ROOT)}
    with served(table.with_suffix(".txt"), command, cwd=table.parent, env={**os.environ, **path}) as found:
        yield found


UNGUARDED = """
[server]
enableCORS = false
enableXsrfProtection = false
enableAgentApi = true
enableStaticServing = true
[client]
toolbarMode = "developer"
"""


def refused(drawn):
    return any("answers its own pages only" in text for text in drawn)


def test_a_page_of_another_port_is_refused_and_sees_nothing_of_the_table(address):
    drawn = shown(address, ELSEWHERE, "")
    assert refused(drawn)
    assert "private" not in " ".join(drawn)


def test_the_app_s_own_pages_are_answered_and_those_behind_a_proxy(address):
    assert not refused(own := shown(address, address, ""))
    assert "private" in " ".join(own)
    assert not refused(shown(address, "http://localhost", "", **{"X-Forwarded-Host": "localhost"}))
    assert not refused(shown(address, None, ""))  # no browser's


def test_a_stranger_s_name_that_leads_here_is_refused(address):
    """DNS rebinding: the page's origin and the host that was asked agree, but neither is this machine's."""
    port = urlsplit(address).port
    drawn = shown(address, f"http://evil.example:{port}", "", host=f"evil.example:{port}")
    assert refused(drawn)
    assert "private" not in " ".join(drawn)


@pytest.mark.parametrize("own", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_s_own_names_are_answered(address, own):
    port = urlsplit(address).port
    assert not refused(shown(address, f"http://{own}:{port}", "", host=f"{own}:{port}"))


def test_settings_in_the_folder_of_the_table_change_nothing(address):
    """Without the cookie nothing is uploaded, and the interface for programs stays off."""
    for method, route in (("PUT", "_stcore/upload_file/session/file"), ("POST", "_stcore/agent/interact")):
        request = urllib.request.Request(f"{address}/{route}", data=b"{}", method=method)
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(request)
        error.value.close()
        assert error.value.code in (403, 404), route


def test_the_statistics_of_other_visitors_are_not_served(address):
    shown(address, address, "")
    with urllib.request.urlopen(f"{address}/_stcore/metrics") as answer:
        assert b"memory_bytes" not in answer.read()
