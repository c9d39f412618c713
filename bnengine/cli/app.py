"""``bnengine app`` starts the dashboard; ``bnengine warm-up`` compiles the engine ahead of the first use."""

from __future__ import annotations

import os
import runpy
import signal
import sys
from pathlib import Path

import click

from bnengine._core.environment import need
from bnengine.cli.command import Command, Job
from bnengine.cli.running import GroupedOption, Tag, hangup_handled
from bnengine.experiment.plan import warm_up
from bnengine.search import SEARCHES

_LIBRARIES = ("streamlit", "plotly", "pygraphviz")
_PACKAGE = Path(__file__).parents[1]
#: The environment's variable that tells the pages which table to open on.
FILE_VARIABLE = "BNENGINE_FILE"


def script() -> Path:
    """Return the dashboard's script: inside an installed package, next to it in a checkout."""
    installed = _PACKAGE / "app" / "app.py"
    return installed if installed.exists() else _PACKAGE.parent / "app.py"


def _app(job: Job) -> None:
    """Serve the pages in this process, as ``streamlit run`` would."""
    for library in _LIBRARIES:
        need(library, "app")
    options = [f"--server.{name}={job.given[name]}" for name in ("port", "address") if job.given[name] is not None]
    if job.given["file"] is not None:
        path = Path(job.given["file"])
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        os.environ[FILE_VARIABLE] = str(path.resolve())
    sys.argv = ["streamlit", "run", str(script()), *options]
    with hangup_handled(lambda number: signal.raise_signal(signal.SIGTERM)):
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


APP = Command(
    "app",
    _app,
    title="open the dashboard in the browser",
    about="""Serves the pages until Ctrl-C, or until the terminal closes. Only this machine can open them, unless
--address is one that others reach: then everybody who does can upload tables and start work on this machine, without a
password.""",
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


_SEARCH = f"a search, may be repeated; if not given, everything is compiled: {', '.join(SEARCHES)}"


def _warm_up(job: Job) -> None:
    """Compile the searches one after the other; without any, all of them and all scores and samplers."""
    tags = job.given["search"]
    if not tags:
        warm_up(progress=job.terminal.progress)
        return
    for number, tag in enumerate(tags):
        if not job.terminal.progress(number, len(tags)):
            return
        warm_up(search=SEARCHES[tag]())
        job.terminal.note(f"{tag} is compiled")


WARM_UP = Command(
    "warm-up",
    _warm_up,
    title="compile the engine ahead of its first use",
    about="""Compiled code is kept on the disk, so that this is needed once on a machine: for an image, a classroom or
a cluster whose workers share the folder.""",
    examples="""  bnengine warm-up --search hill_climbing
  bnengine warm-up --search k2 --search chow_liu
  bnengine warm-up
""",
    formats=(),
    groups=(),
    own=[GroupedOption("options", "--search", help=_SEARCH, type=Tag("search"), metavar="NAME", multiple=True)],
)
