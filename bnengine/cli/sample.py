"""``bnengine sample``: rows drawn from a network, or a table that comes with the engine."""

from __future__ import annotations

from typing import Any

import click
from click import UsageError

from bnengine._core.random_generators import MAX_SEED
from bnengine.cli.arguments import DEFAULT_ROWS, GroupedOption
from bnengine.cli.command import Command, Job
from bnengine.cli.networks import network_of
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.experiment.recipe import MOST_ROWS
from bnengine.networks.bundled import network_names
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample

_NETWORK = "network:NAME (bundled), a BIF file, or sample:NAME (a bundled table)"


def run(job: Job) -> None:
    """Draw the rows and write them."""
    given, source = job.given, job.given["network"]
    if given["list"]:
        lines = [f"network:{name}" for name in network_names()]
        lines += [f"sample:{name}  {table.title}. {table.about}" for name, table in SAMPLE_TABLES.items()]
        job.write_text("\n".join(lines) + "\n")
        return
    if source is None:
        raise UsageError("name a network: network:NAME or a BIF file; --list names the bundled ones")
    seed, states = None, None
    if source.startswith(SOURCE_PREFIXES["sample"]):
        name = source.removeprefix(SOURCE_PREFIXES["sample"])
        if given["rows"] is not None:
            raise UsageError("--rows is for rows drawn from a network; a bundled table has its own")
        if name not in SAMPLE_TABLES:
            raise UsageError(f"no bundled sample is named '{name}'; there are {', '.join(SAMPLE_TABLES)}")
        frame = load_sample(name)
    else:
        rows, seed = DEFAULT_ROWS if given["rows"] is None else given["rows"], given["seed"]
        if not 1 <= rows <= MOST_ROWS:
            raise UsageError(f"--rows must be from 1 to {MOST_ROWS:,}; got {rows}")
        if not 0 <= seed <= MAX_SEED:
            raise UsageError(f"--seed must be from 0 to {MAX_SEED}; got {seed}")
        data = network_of(source).sample(rows, rng=seed)
        frame, states = data.to_frame(), dict(zip(data.names, data.states, strict=True))

    def described() -> dict[str, Any]:
        cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        return {"source": source, "seed": seed, "states": states, "columns": list(frame.columns), "rows": cells}

    job.write(frame, described)


COMMAND = Command(
    "sample",
    run,
    title="rows drawn from a network, or a bundled table",
    about="""CSV: the table. JSON: the table, the states of each variable, the seed and the versions.""",
    examples="""  bnengine sample network:alarm --rows 300 --seed 1 --out alarm.csv
  bnengine sample my_network.bif --rows 1000 --out rows.json
  bnengine sample sample:titanic
  bnengine sample --list
""",
    groups=(),
    own=[
        click.Argument(["network"], required=False, help=_NETWORK),
        GroupedOption("options", "--list", help="list the bundled networks and tables", is_flag=True),
        GroupedOption("options", "--rows", help=f"rows to draw (default {DEFAULT_ROWS})", type=int, metavar="N"),
        GroupedOption("options", "--seed", help="seed of the draw (default 0)", type=int, metavar="N", default=0),
    ],
)
