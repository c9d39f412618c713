"""``bnengine learn``: the graph learned from the data."""

from __future__ import annotations

import math
from typing import Any

from click import UsageError

from bnengine._core.number_text import counted
from bnengine.cli.arguments import GroupedOption, plan_option
from bnengine.cli.command import Command, Job
from bnengine.cli.planning import write_plan
from bnengine.experiment.plan_learning import plan_learning
from bnengine.networks.network import fit
from bnengine.scores.evaluation import edge_gains, explain_empty, n_parameters

_FIT_ESS = "BIF: prior counts of the probabilities, in rows; 0 for maximum likelihood (default 1)"


def run(job: Job) -> None:
    """Learn the graph and write it."""
    import pandas as pd

    ess = job.given["fit_ess"]
    if not (math.isfinite(ess) and ess >= 0):
        raise UsageError(f"--fit-ess must be 0 or more prior counts; got {ess}")
    experiment, data = job.load()
    if job.given["plan"]:
        write_plan(plan_learning(experiment, data))
        return
    graph = experiment.learn(data)
    job.terminal.note(f"{counted(len(graph.edges), 'edge')}, score {graph.score:,.1f} nats, {graph.status}")
    job.tell(graph.status, "the graph is the best found until then")
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


COMMAND = Command(
    "learn",
    run,
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
