"""``bnengine sample``: rows drawn from a network, or a table that comes with the engine."""

from __future__ import annotations

import click

from bnengine._core.random_generators import MAX_SEED
from bnengine.cli.arguments import DEFAULT_ROWS, plain_option
from bnengine.cli.networks import network_of
from bnengine.cli.output import document, format_of, output_options, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.experiment.recipe import MOST_ROWS
from bnengine.networks.bif import network_names
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample

TITLE = "rows drawn from a network, or a bundled table"
ABOUT = """CSV: the table. JSON: the table, the states of each variable, the seed and the versions."""
_FORMATS = ("csv", "json")
EXAMPLES = """  bnengine sample network:alarm --rows 300 --seed 1 --out alarm.csv
  bnengine sample my_network.bif --rows 1000 --out rows.json
  bnengine sample sample:titanic
  bnengine sample --list
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    return [
        click.Argument(
            ["network"], required=False, help="network:NAME (bundled), a BIF file, or sample:NAME (a bundled table)"
        ),
        plain_option("options", "--list", "list the bundled networks and tables", is_flag=True),
        plain_option("options", "--rows", f"rows to draw (default {DEFAULT_ROWS})", type=int, metavar="N"),
        plain_option("options", "--seed", "seed of the draw (default 0)", type=int, metavar="N", default=0),
        *output_options(*_FORMATS),
    ]


def run(given: Given, terminal: Terminal) -> None:
    """Draw the rows and write them."""
    form = format_of(given, *_FORMATS)
    if given["list"]:
        lines = [f"network:{name}" for name in network_names()]
        lines += [f"sample:{name}  {table.title}. {table.about}" for name, table in SAMPLE_TABLES.items()]
        write(given, "\n".join(lines) + "\n")
        return
    if given["network"] is None:
        raise UsageError("name a network: network:NAME or a BIF file; --list names the bundled ones")
    source, _, name = given["network"].partition(":")
    if f"{source}:" == SOURCE_PREFIXES["sample"]:
        if given["rows"] is not None:
            raise UsageError("--rows is for rows drawn from a network; a bundled table has its own")
        if name not in SAMPLE_TABLES:
            raise UsageError(f"no bundled sample is named '{name}'; there are {', '.join(SAMPLE_TABLES)}")
        frame, seed = load_sample(name), None
        states = None
    else:
        rows = DEFAULT_ROWS if given["rows"] is None else given["rows"]
        if not 1 <= rows <= MOST_ROWS:
            raise UsageError(f"--rows must be from 1 to {MOST_ROWS:,}; got {rows}")
        if not 0 <= given["seed"] <= MAX_SEED:
            raise UsageError(f"--seed must be from 0 to {MAX_SEED}; got {given['seed']}")
        data = network_of(given["network"]).sample(rows, rng=given["seed"])
        frame, seed = data.to_frame(), given["seed"]
        states = dict(zip(data.names, data.states, strict=True))
    if form == "csv":
        write(given, csv_text(frame))
        return
    cells = frame.astype(object).where(frame.notna(), None)
    table = {"columns": list(frame.columns), "rows": cells.to_numpy().tolist()}
    write(given, document("sample", source=given["network"], seed=seed, states=states, **table))
