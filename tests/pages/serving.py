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

#: Starts the app with as few copies of a table checked for noise as the other tests of pages have.
QUICKLY = (
    sys.executable,
    "-c",
    "import sys; from bnengine import cli; from bnengine.answers import noise; noise.COPIES = noise.FEWER = 2; "
    "sys.exit(cli.main(sys.argv[1:]))",
    "app",
)


def free_port():
    """A port that nothing uses, and that the system gives to no connection before the app takes it."""
    first = 10_000 + 11 * os.getpid() % 20_000  # another one in each process; systems give ports from 32,768 on
    for port in range(first, first + 1000):
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"none of the ports {first} to {first + 999} is free")


@contextlib.contextmanager
def served(log, command=(sys.executable, "-m", "bnengine", "app"), **settings):
    """The app on a free port, its output in ``log``; gives the address."""
    port = free_port()
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
