"""``bnengine sample``: rows drawn from a network, or a table that comes with the engine."""

from __future__ import annotations

import argparse

from bnengine.cli.arguments import DEFAULT_ROWS
from bnengine.cli.networks import network_of
from bnengine.cli.output import add_output, document, format_of, write
from bnengine.cli.running import Terminal
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.networks.bundled import network_names
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample

TITLE = "rows drawn from a network, or a bundled table"
ABOUT = "CSV: the table. JSON: the states of each variable, the seed and the versions besides."
EXAMPLES = """  bnengine sample network:alarm --rows 300 --seed 1 --out alarm.csv
  bnengine sample my_network.bif --rows 1000 --out rows.json
  bnengine sample sample:titanic
  bnengine sample --list
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "network", metavar="NETWORK", nargs="?", help="network:NAME (bundled), a BIF file, or sample:NAME (a table)"
    )
    parser.add_argument("--list", action="store_true", help="list the bundled networks and tables")
    parser.add_argument("--rows", type=int, metavar="N", help=f"rows to draw (default {DEFAULT_ROWS})")
    parser.add_argument("--seed", type=int, metavar="N", default=0, help="seed of the draw, 0 or more (default 0)")
    add_output(parser, "csv", "json")


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Draw the rows and write them."""
    form = format_of(args)
    if args.list:
        lines = [f"network:{name}" for name in network_names()]
        lines += [f"sample:{name}  {table.title}. {table.about}" for name, table in SAMPLE_TABLES.items()]
        write(args, "\n".join(lines) + "\n")
        return
    if args.network is None:
        raise UsageError("name a network: network:NAME or a BIF file; --list names the bundled ones")
    source, _, name = args.network.partition(":")
    if f"{source}:" == SOURCE_PREFIXES["sample"]:
        if args.rows is not None:
            raise UsageError("--rows is for rows drawn from a network; a bundled table has its own")
        if name not in SAMPLE_TABLES:
            raise UsageError(f"no bundled sample is named '{name}'; there are {', '.join(SAMPLE_TABLES)}")
        frame, seed = load_sample(name), None
        states = None
    else:
        rows = DEFAULT_ROWS if args.rows is None else args.rows
        if rows < 1 or args.seed < 0:
            raise UsageError(f"--rows must be 1 or more and --seed 0 or more; got {rows} and {args.seed}")
        data = network_of(args.network).sample(rows, rng=args.seed)
        frame, seed = data.to_frame(), args.seed
        states = dict(zip(data.names, data.states, strict=True))
    if form == "csv":
        write(args, csv_text(frame))
        return
    cells = frame.astype(object).where(frame.notna(), None)
    table = {"columns": list(frame.columns), "rows": cells.to_numpy().tolist()}
    write(args, document("sample", source=args.network, seed=seed, states=states, **table))
