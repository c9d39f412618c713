"""``bnengine app``: the dashboard."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import click

from bnengine._core.extras import need
from bnengine.cli.arguments import GroupedOption
from bnengine.cli.command import Command, Job

_LIBRARIES = ("streamlit", "plotly", "pygraphviz")
_PACKAGE = Path(__file__).parents[1]
#: The environment's variable that tells the pages which table to open on.
FILE_VARIABLE = "BNENGINE_FILE"


def script() -> Path:
    """The dashboard's script: inside an installed package, next to it in a checkout."""
    installed = _PACKAGE / "app" / "app.py"
    return installed if installed.exists() else _PACKAGE.parent / "app.py"


def run(job: Job) -> None:
    """Serve the pages in this process, as ``streamlit run`` would."""
    for library in _LIBRARIES:
        need(library, "app")
    options = [f"--server.{name}={job.given[name]}" for name in ("port", "address") if job.given[name] is not None]
    if job.given["file"] is not None:
        os.environ[FILE_VARIABLE] = str(_table(Path(job.given["file"])))
    sys.argv = ["streamlit", "run", str(script()), *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _table(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path.resolve()


COMMAND = Command(
    "app",
    run,
    title="open the dashboard in the browser",
    about="""Serves the pages until Ctrl-C. Only this machine can open them, unless --address is one that others reach:
then everybody who does can upload tables and start work on this machine, without a password.""",
    examples="""  bnengine app
  bnengine app --file survey.csv
  bnengine app --port 8080 --address 0.0.0.0
""",
    formats=(),
    groups=(),
    own=[
        GroupedOption("options", "--file", help="a table, which the Data page opens on", metavar="PATH"),
        GroupedOption("options", "--port", help="default 8501", type=click.IntRange(1, 65535), metavar="N"),
        GroupedOption("options", "--address", help="to listen on; default localhost", metavar="ADDRESS"),
    ],
    serves=True,
)
