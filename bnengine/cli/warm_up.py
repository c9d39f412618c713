"""``bnengine warm-up``: compile the searches ahead of their first use."""

from __future__ import annotations

import click

from bnengine.cli.arguments import REGISTRIES, plain_option
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given
from bnengine.cli.usage import UsageError
from bnengine.experiment.warm_up import warm_up

TITLE = "compile the searches ahead of their first use"
ABOUT = """Compiled code is kept on the disk, so that this is needed once on a machine: for an image, a class room or a
cluster whose workers share the folder."""
EXAMPLES = """  bnengine warm-up --search hill_climbing
  bnengine warm-up --search k2 --search chow_liu
  bnengine warm-up
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    searches = ", ".join(REGISTRIES["search"])
    return [
        plain_option("options", "--search", f"a search, may be repeated; all if not given: {searches}", multiple=True),
        plain_option("options", "--progress", "report each search on standard error", is_flag=True),
    ]


def run(given: Given, terminal: Terminal) -> None:
    """Compile the searches one after the other."""
    registry = REGISTRIES["search"]
    tags = [tag.lower().replace("-", "_") for tag in given["search"]] or list(registry)
    for tag in tags:
        if tag not in registry:
            raise UsageError(f"--search must be one of {', '.join(registry)}; got '{tag}'")
    for number, tag in enumerate(tags):
        if not terminal.progress(number, len(tags)):
            return
        warm_up(search=registry[tag]())
        terminal.note(f"{tag} is compiled")
