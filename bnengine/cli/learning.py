"""``bnengine learn``, ``predict``, ``score`` and ``sample``: one graph or network, and what is done with it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from click import UsageError

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.random_generators import MAX_SEED
from bnengine.cli.command import Command, Job
from bnengine.cli.running import DEFAULT_ROWS, GroupedOption, plan_option
from bnengine.cli.settings import Given, groups_of, write_plan
from bnengine.data.checked_frame import DataError
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.experiment.plan import plan_learning, plan_prediction
from bnengine.experiment.prediction import run_prediction
from bnengine.experiment.recipe import MOST_ROWS
from bnengine.graphs.dag import Edge
from bnengine.networks.bif import read_bif
from bnengine.networks.bundled import SAMPLE_TABLES, load_network, load_sample, network_names
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.scores.evaluation import decompose, edge_gains, explain_empty, mdl, n_parameters, score
from bnengine.scores.scores import LogLikelihood
from bnengine.search.learning import drawn_once

_FIT_ESS = "BIF: prior counts of the probabilities, in rows; 0 for maximum likelihood (default 1)"


def _learn(job: Job) -> None:
    """Learn the graph and write it."""
    ess = job.given["fit_ess"]
    if not (math.isfinite(ess) and ess >= 0):
        raise UsageError(f"--fit-ess must be 0 or more prior counts; got {ess}")
    experiment, data = job.load()
    if job.given["plan"]:
        write_plan(plan_learning(experiment, data))
        return
    graph = experiment.learn(data)
    data = drawn_once(data, experiment.seed)
    job.terminal.note(f"{counted(len(graph.edges), 'edge')}, score {graph.score:,.1f} nats, {graph.status}")
    job.report_status(graph.status, "the graph is the best found until then")
    if not graph.edges:
        job.terminal.note(explain_empty(data, experiment.full_score, experiment.constraints))
    gains = edge_gains(data, graph.edges, experiment.full_score)
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    edges = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    edges = edges.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)

    def described() -> dict[str, Any]:
        counts = {"parameters": n_parameters(data, graph.edges), "families_scored": graph.n_evaluations}
        return {"status": graph.status, "score": graph.score, **counts, "edges": edges}

    job.write(edges, described, lambda: fit(data, graph.edges, ess or None))


LEARN = Command(
    "learn",
    _learn,
    title="one graph of high score",
    about="""CSV: one line per edge with its gain in score. JSON: the score, the status of the search, all
settings, versions and the seed. BIF: the graph with probabilities fitted to the data.""",
    examples="""  bnengine learn sample:asia_1000 --score bdeu --ess 10 --search tabu
  bnengine learn sample:sachs_raw --discretize quantile --search exact --max-parents 4 --out sachs.json
  bnengine learn sample:titanic --forbidden Survived,Sex --forbidden Survived,Age --out titanic.bif
  bnengine learn "survey 2024.xlsx" --missing own_state --out edges.csv --save-experiment survey.json
""",
    formats=("csv", "json", "bif"),
    own=[
        plan_option("search"),
        GroupedOption("output", "--fit-ess", help=_FIT_ESS, type=float, metavar="X", default=1.0),
    ],
)


def network_of(text: str) -> BayesianNetwork:
    """Return the network that an argument names."""
    prefix = SOURCE_PREFIXES["network"]
    if text.startswith(prefix):
        name = text.removeprefix(prefix)
        if name not in network_names():
            raise UsageError(f"no bundled network is named '{name}'; there are {', '.join(network_names())}")
        return load_network(name)
    path = Path(text.removeprefix(SOURCE_PREFIXES["file"]))
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a BIF file in it")
    if not path.exists():
        known = f"; did you mean {prefix}{text}?" if text in network_names() else ""
        raise DataError(f"there is no file {path}{known}")
    try:
        return read_bif(path)
    except ValueError as error:
        raise DataError(f"{path} is not a network in BIF: {error}") from None


def _predict(job: Job) -> None:
    """Test the predictions and write the measures."""
    experiment, data = job.load()
    if job.given["plan"]:
        write_plan(plan_prediction(experiment, data))
        return
    found = run_prediction(experiment, data, job.terminal.progress)
    job.report_status(found.status, "the figures rest on the splits that were done")
    job.write(found.table(), lambda: {"status": found.status, "measures": found.table()})


PREDICT = Command(
    "predict",
    _predict,
    title="how well one variable is predicted from the others",
    about="""Learns from the training rows of each split, and predicts the target in its test rows from all other
variables; naive Bayes, a tree and the base rate are tested alongside. CSV: one line per network and measure. JSON: the
same, settings, versions and the seed.""",
    examples="""  bnengine predict sample:titanic --target Survived
  bnengine predict sample:asia_1000 --target lung --testing holdout --test-share 0.2 --out accuracy.json
  bnengine predict survey.csv --target cancer --folds 5
""",
    own=[plan_option("prediction")],
)


_EDGES = "an edge, may be repeated; @FILE: a CSV file with one edge per line, such as learn writes; '' for no edges"
_SCORED_NETWORK = "the edges of network:NAME (bundled) or of a BIF file"
_FAMILIES = "CSV: one line per family instead of one in all"


def _score(job: Job) -> None:
    """Score the graph and write the figures."""
    edges = _edges(job.given)
    experiment, data = job.load()
    length = mdl(data, edges)
    figures = {
        "score": experiment.full_score.name,
        "edges": len(set(edges)),
        "parameters": length.parameters,
        "score_nats": score(data, edges, experiment.full_score),
        "log_likelihood_nats": score(data, edges, LogLikelihood()),
        "mdl_bits": length.mdl,
    }
    families = decompose(data, edges, experiment.full_score).families

    def described() -> dict[str, Any]:
        parents = [[p for p, child in edges if child == name] for name in data.names]
        settings = {key: experiment.to_dict()[key] for key in ("data", "score", "edge_penalty", "uniform_parent_sizes")}
        listed = families.assign(parents=parents)
        return {"settings": settings, "results": figures, "graph": edges, "families": listed}

    job.write(families if job.given["families"] else pd.DataFrame([figures]), described)


def _edges(given: Given) -> list[Edge]:
    if bool(given["edges"]) == (given["network"] is not None):
        raise UsageError("say which graph: --edges PARENT,CHILD (may be repeated; '' for none) or --network")
    if given["network"] is not None:
        return network_of(given["network"]).edges
    pairs = [group for text in given["edges"] if text for group in groups_of("--edges", text, 2)]
    return [(pair[0], pair[1]) for pair in pairs]


SCORE = Command(
    "score",
    _score,
    title="the score of a given graph on the data",
    about="""CSV: one line with the score in nats (higher is better), the number of parameters, the log-likelihood and
the description length in bits (lower is better); with --families one line per family. JSON: both, settings and
versions.""",
    examples="""  bnengine score sample:asia_1000 --network network:asia --score bdeu --ess 1
  bnengine score sample:titanic --edges Sex,Survived --edges Class,Survived --families
  bnengine score survey.csv --edges @edges.csv --out score.json
""",
    groups=("data", "score"),
    own=[
        GroupedOption("graph", "--edges", help=_EDGES, metavar="PARENT,CHILD", multiple=True),
        GroupedOption("graph", "--network", help=_SCORED_NETWORK, metavar="NETWORK"),
        GroupedOption("output", "--families", help=_FAMILIES, is_flag=True),
    ],
)


_NETWORK = "network:NAME (bundled), a BIF file, or sample:NAME (a bundled table)"


def _sample(job: Job) -> None:
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


SAMPLE = Command(
    "sample",
    _sample,
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
