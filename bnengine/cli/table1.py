"""``bnengine table1``: the number of edges by resampling method."""

from __future__ import annotations

import argparse

from bnengine.cli.output import format_of, write
from bnengine.cli.running import Terminal
from bnengine.cli.study import add_study, run_study, study_document
from bnengine.data.csv_export import csv_text

TITLE = "number of edges by resampling method: the paper's Table 1 for any data"
ABOUT = """One line for the data's own graph and for each method: the mean number of edges, its standard deviation and
the number of resamples. JSON holds all settings, versions and the seed besides. Ctrl-C keeps the methods and
resamples that are done."""
EXAMPLES = """  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 200 --seed 1
  bnengine table1 network:asia --rows 500 --methods boot_bc,boot --n 100 --out table.json
  zcat survey.csv.gz | bnengine table1 - --discretize quantile --missing own_state --out table.csv
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_study(parser, "csv", "json")


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Run the methods and write their table."""
    form = format_of(args)
    experiment, data, found = run_study(args, form, terminal)
    if form == "csv":
        write(args, csv_text(found.table1().reset_index()))
    else:
        write(args, study_document("table1", experiment, data, found))
