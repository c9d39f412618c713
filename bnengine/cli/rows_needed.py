"""``bnengine rows-needed``: how many rows each edge needs to be found again."""

from __future__ import annotations

from typing import Any

import click

from bnengine._core.number_text import counted
from bnengine.cli.arguments import GroupedOption
from bnengine.cli.command import Command, Job
from bnengine.experiment.command_line import command_line
from bnengine.experiment.rows_needed import N_TABLES, rows_needed

_HEADING = "fresh tables"
_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_WANTED = "the share of fresh tables, between 0 and 1, in which an edge is to be found again"


def _rows_needed(job: Job) -> None:
    """Draw fresh tables of several sizes, learn from each, and write the rows that each edge needs."""
    experiment, data = job.load()
    job.terminal.counted = "tables"
    found = rows_needed(
        data,
        wanted=job.given["wanted"],
        n=job.given["tables"],
        progress=job.terminal.progress,
        **experiment.arguments,
    )
    job.report_status(found.status, f"{counted(len(found.sizes), 'size')} of table finished")
    if not len(found.sizes):
        raise ValueError("stopped before the first size of table was done")

    def described() -> dict[str, Any]:
        repeat = f"{command_line(experiment, 'rows-needed')} --wanted {found.wanted:g} --tables {found.n}"
        asked = {
            "repeat": repeat,
            "status": found.status,
            "wanted": found.wanted,
            "tables": found.n,
            "sizes": found.sizes.tolist(),
        }
        return asked | {"finding": found.sentence, "edges": found.table(), "curves": found.curves()}

    job.write(found.table(), described)


ROWS_NEEDED = Command(
    "rows-needed",
    _rows_needed,
    title="how many rows each edge needs to be found again",
    about="""Draws tables of a quarter to eight times as many rows from networks that the data leave possible, and
learns a graph from each. CSV: one line per adjacency, with the rows at which it is found again in the wanted share of
tables, and the same a Monte Carlo error lower and higher; nothing where eight times the rows are too few. JSON: the
same, the curves, all settings, versions and the seed. Ctrl-C keeps the sizes that are done.""",
    examples="""  bnengine rows-needed sample:asia_1000 --tables 20
  bnengine rows-needed survey.csv --missing own_state --tables 10
  bnengine rows-needed sample:asia_1000 --tables 20 --wanted 0.9 --out rows.json
""",
    own=[
        GroupedOption(_HEADING, "--wanted", help=_WANTED, type=_SHARE, metavar="X", default=0.8, show_default=True),
        GroupedOption(
            _HEADING, "--tables", help="of each size", type=click.IntRange(1), metavar="N", default=N_TABLES,
            show_default=True,
        ),
    ],
)  # fmt: skip
