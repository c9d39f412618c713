"""``bnengine table1``: the number of edges by resampling method."""

from __future__ import annotations

import click

from bnengine.cli.output import format_of, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of
from bnengine.cli.study import run_study, study_document, study_options
from bnengine.data.csv_export import csv_text

TITLE = "number of edges by resampling method: the paper's Table 1 for any data"
ABOUT = """One line for the graph learned from the data and for each method: the mean number of edges, its standard
deviation and the number of replicates. JSON also holds all settings, versions and the seed. Ctrl-C keeps the methods
and replicates that are done."""
_FORMATS = ("csv", "json")
EXAMPLES = """  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 200 --seed 1
  bnengine table1 network:asia --rows 500 --methods boot_bc,boot --n 100 --out table.json
  zcat survey.csv.gz | bnengine table1 - --discretize quantile --missing own_state --out table.csv
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    return study_options(*_FORMATS)


def run(given: Given, terminal: Terminal) -> None:
    """Run the methods and write their table."""
    form = format_of(given, *_FORMATS)
    experiment, data, found = run_study(given, experiment_of(given), form, terminal)
    if form == "csv":
        write(given, csv_text(found.table1().reset_index()))
    else:
        write(given, study_document("table1", experiment, data, found))
