"""``bnengine table1``: the number of edges by resampling method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.study import Study
from bnengine.cli.command import Command, Job
from bnengine.cli.planning import write_plan
from bnengine.cli.workers import n_threads
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.plan import plan_study
from bnengine.experiment.real import real_seconds


def run(job: Job) -> None:
    """Run the methods and write their table."""
    found = run_study(job)
    if found is None:
        return
    job.write(found.table1().reset_index(), lambda: described_study(found))


def run_study(job: Job, experiment: Experiment | None = None, with_posterior: bool = False) -> Study | None:
    """Load the data and run the experiment's methods; None if only the plan was asked for, which is written.

    ``with_posterior``: the caller works out the posterior as well, which the plan then mentions.
    """
    experiment, data = job.load(experiment)
    with job.workers() as executor:
        if job.given["plan"]:
            plan = plan_study(experiment, data, n_threads(executor))
            write_plan(replace(plan, posterior_seconds=real_seconds(experiment, data)) if with_posterior else plan)
            return None
        found = experiment.run(data, executor, job.terminal.progress)
    done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in found.ensembles.items()) or "no resample"
    job.tell(found.status, f"learned by then: {done}")
    return found


def described_study(found: Study) -> dict[str, Any]:
    """A study in JSON: the graph learned from the data, Table 1, and how the graphs of each method were learned."""
    lines, graph = found.table1().reset_index(), found.reference
    lines.insert(0, "key", found.keys)
    return {
        "status": found.status,
        "graph": {"score": graph.score, "status": graph.status, "edges": graph.edges},
        "table1": lines,
        "methods": {key: _plain_fields(ensemble) for key, ensemble in found.ensembles.items()},
    }


def _plain_fields(ensemble: Ensemble) -> dict[str, Any]:
    plain = {name: each for name, each in vars(ensemble).items() if each is None or isinstance(each, str | int | float)}
    return plain | {"n_graphs": ensemble.n_graphs}


COMMAND = Command(
    "table1",
    run,
    title="number of edges by resampling method: the paper's Table 1 for any data",
    about="""One line for the graph learned from the data and for each method: the mean number of edges, its standard
deviation and the number of replicates. JSON also holds all settings, versions and the seed. Ctrl-C keeps the methods
and replicates that are done.""",
    examples="""  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 200 --seed 1
  bnengine table1 network:asia --rows 500 --methods boot_bc,boot --n 100 --out table.json
  zcat survey.csv.gz | bnengine table1 - --discretize quantile --missing own_state --out table.csv
""",
)
