"""The app in a process of its own, as people start it."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.patience import HANG

ROOT = Path(__file__).parents[2]
#: Starts a script as ``streamlit run`` does; its path and ``--port`` follow.
BY_HAND = (
    sys.executable,
    "-c",
    "import sys; from streamlit.web import cli; "
    "sys.argv = ['streamlit', 'run', sys.argv[1], '--server.port', sys.argv[3]]; cli.main()",
)


@contextlib.contextmanager
def served(log, command=(sys.executable, "-m", "bnengine", "app"), **settings):
    """The app on a free port, its output in ``log``; gives the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"cwd": ROOT, "env": os.environ, **settings}
    settings["env"] = {**settings["env"], "STREAMLIT_SERVER_HEADLESS": "true"}
    command = [*command, "--port", str(port)]
    with (
        log.open("w") as output,
        subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **settings) as server,
    ):
        try:
            wait_for(f"http://localhost:{port}/_stcore/health", server, log)
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            server.wait(HANG)


def wait_for(address, server, log):
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(address) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise AssertionError(f"no answer from {address} in {HANG} s:\n{log.read_text()}")
