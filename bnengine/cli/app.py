"""``bnengine app`` starts the dashboard; ``bnengine warm-up`` compiles the engine ahead of the first use."""

from __future__ import annotations

import os
import runpy
import signal
import sys
from pathlib import Path

import click

from bnengine._core.environment import need
from bnengine.cli.terminal import HANGUP, Terminal, signals_handled
from bnengine.experiment.warm_up import warm_up

_PACKAGE = Path(__file__).parents[1]
#: The environment's variable that tells the pages which table to open on.
FILE_VARIABLE = "BNENGINE_FILE"


def script() -> Path:
    """Return the dashboard's script: inside an installed package, next to it in a checkout."""
    installed = _PACKAGE / "app" / "app.py"
    return installed if installed.exists() else _PACKAGE.parent / "app.py"


@click.command("app")
@click.option("--file", metavar="PATH", help="A table, which the Data page opens on.")
@click.option("--port", type=click.IntRange(1, 65535), help="Default 8501.")
@click.option("--address", help="To listen on; default localhost.")
def open_app(file: str | None, port: int | None, address: str | None) -> None:
    """Open the dashboard in the browser.

    Serves the pages until Ctrl-C, or until the terminal closes. Only this machine can open them, unless --address is
    one that others reach: then everybody who does can upload tables and start work on this machine, without a password.
    """
    for library in ("streamlit", "plotly", "pygraphviz"):
        need(library, "app")
    if file is not None:
        path = Path(file)
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        os.environ[FILE_VARIABLE] = str(path.resolve())
    given = {"port": port, "address": address}
    options = (f"--server.{name}={value}" for name, value in given.items() if value is not None)
    sys.argv = ["streamlit", "run", str(script()), *options]
    with signals_handled(lambda number: signal.raise_signal(signal.SIGTERM), HANGUP):
        runpy.run_path(str(script().parent / "pages" / "shared" / "start.py"))


@click.command("warm-up")
def warm_up_engine() -> None:
    """Compile the engine ahead of its first use.

    Compiled code is kept on the disk, so that this is needed once on a machine: for an image, a classroom or a cluster
    whose workers share the folder.
    """
    terminal = Terminal("parts")
    terminal.run(lambda: warm_up(progress=terminal.progress))
