"""``bnengine warm-up``: compile the engine, or some searches, ahead of the first use."""

from __future__ import annotations

from bnengine.cli.arguments import GroupedOption, Tag
from bnengine.cli.command import Command, Job
from bnengine.experiment.warm_up import warm_up
from bnengine.search import SEARCHES

_SEARCH = f"a search, may be repeated; if not given, everything is compiled: {', '.join(SEARCHES)}"


def run(job: Job) -> None:
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


COMMAND = Command(
    "warm-up",
    run,
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
