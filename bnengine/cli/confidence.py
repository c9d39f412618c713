"""``bnengine confidence``, ``table1``, ``calibrate`` and ``report``: resampling methods, and what they find."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from typing import Any

import click
from click import UsageError

from bnengine._core.display import counted
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble, l1_threshold
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.bootstrap.resampling_methods import ALL_KEYS, first_shown
from bnengine.bootstrap.study import Study
from bnengine.cli.command import Command, Job
from bnengine.cli.learning import network_of
from bnengine.cli.running import GroupedOption
from bnengine.cli.settings import experiment_of, n_threads, write_plan
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import FROM_FILE, Experiment
from bnengine.experiment.html_report import html_report
from bnengine.experiment.learning import is_exact, real_posterior, real_seconds
from bnengine.experiment.plan import plan_calibration, plan_study
from bnengine.experiment.prediction import on_network, run_calibration, true_network
from bnengine.experiment.rows_needed import N_TABLES, rows_needed
from bnengine.experiment.thresholds import by_rule
from bnengine.networks.network import fit
from bnengine.posterior import SampledPosterior

# The averaged network of a command: the edges above a threshold, given as a number or by a rule.


def method_of(experiment: Experiment) -> str:
    """Return the method whose confidences make the averaged network; a click.UsageError if it is not run."""
    run = [key for key in experiment.methods_run if key in experiment.methods]
    if not run:
        raise UsageError(f"--methods is empty; name some of {', '.join(ALL_KEYS)}")
    method = experiment.averaged or first_shown(run)
    if method not in run:
        raise UsageError(f"--method {method} is not run; --methods names {', '.join(run)}")
    return method


def average(job: Job, method: str, found: Study) -> tuple[AveragedNetwork, dict[str, Any]]:
    """Return the averaged network of one method, and its description in JSON."""
    experiment, terminal = job.experiment, job.terminal
    rule = experiment.rule if experiment.threshold is None else experiment.threshold
    more: dict[str, Any] = {}
    if experiment.threshold is not None:
        threshold = experiment.threshold
    elif rule == "permutation":
        permuted = _permuted(job, found.ensembles[method], method)
        expected = zip(permuted.thresholds.tolist(), permuted.expected_false.tolist(), strict=True)
        more = {"shuffles": len(permuted.false_edges), "max_false": permuted.max_false}
        more["assumed"] = "all variables are independent"
        more["expected_false_edges"] = [{"threshold": t, "edges": edges} for t, edges in expected]
        threshold = permuted.threshold
    else:
        threshold = by_rule(experiment.rule, found, method, experiment.kind)
    network = found.averaged(method, threshold, experiment.kind)
    terminal.note(f"{counted(len(network.edges), 'edge')} with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        terminal.warn(f"left out of the averaged network, since they would close a cycle: {edges}")
    more |= {"threshold": threshold, "edges": network.edges, "left_out": network.left_out}
    return network, {"method": method, "rule": rule, **more, "strengths": network.table()}


def _permuted(job: Job, ensemble: Ensemble, method: str) -> PermutationThreshold:
    experiment = job.experiment
    with job.workers() as executor:
        found = experiment.permutation_threshold(job.data, method, ensemble, executor, job.terminal.progress)
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    job.report_status(found.status, f"the threshold rests on {finished} of {found.n_planned} shuffled data sets")
    if math.isinf(found.threshold):
        job.terminal.warn(
            f"no threshold has at most {found.max_false:g} edges expected if all variables were independent; even the "
            f"most confident edges have {found.expected_false[-1]:.3g}: no edge is kept (--max-false)"
        )
    return found


def _table1(job: Job) -> None:
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
    job.report_status(found.status, f"learned by then: {done}")
    return found


def described_study(found: Study) -> dict[str, Any]:
    """Describe a study in JSON: the learned graph, Table 1, and how each method's graphs were learned."""
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


TABLE1 = Command(
    "table1",
    _table1,
    title="number of edges by resampling method: the paper's Table 1 for any data",
    about="""One line for the graph learned from the data and for each method: the mean number of edges, its standard
deviation and the number of replicates. JSON also holds all settings, versions and the seed. Ctrl-C keeps the methods
and replicates that are done.""",
    examples="""  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 200 --seed 1
  bnengine table1 network:asia --rows 500 --methods bootstrap_corrected,bootstrap --n 100 --out table.json
  zcat survey.csv.gz | bnengine table1 - --discretize quantile --missing own_state --out table.csv
""",
)


def _calibrate(job: Job) -> None:
    """Calibrate the methods and write their table."""
    file = job.given["calibration__truth"] or ""
    network, given = None, job.given
    if file.endswith((".bif", ".bif.gz")):
        network, given = network_of(file), {**job.given, "calibration__truth": FROM_FILE}
    experiment, data = job.load(experiment_of(given))
    with job.workers() as executor:
        truth = network or true_network(experiment, data)
        if job.given["plan"]:
            shown = on_network(experiment, truth)
            write_plan(plan_calibration(shown, truth, data.n_rows, n_threads(executor)))
            return
        found = run_calibration(experiment, truth, data.n_rows, executor, job.terminal.progress)
    job.report_status(found.status, f"the figures rest on {counted(found.n_tables, 'table')}")

    def described() -> dict[str, Any]:
        repeat = command_line(experiment, "calibrate")
        if network:
            repeat = repeat.replace(f"--truth {FROM_FILE}", f"--truth {shlex.quote(file)}")
        parts = {"status": found.status, "repeat": repeat, "truth": truth.title, "rows": found.n_rows}
        return {**parts, "methods": found.table()}

    job.write(found.table(), described)


CALIBRATE = Command(
    "calibrate",
    _calibrate,
    title="which method's confidence to trust, measured on a known network",
    about="""Draws tables from a known network, and compares each method's confidences with the probability that an edge
is learned from a fresh sample, and with the network itself. CSV: one line per method. JSON: the same, settings,
versions and the seed. --truth may also be a BIF file.""",
    examples="""  bnengine calibrate sample:asia_1000 --tables 2 --fresh 50 --calibration-n 20
  bnengine calibrate sample:titanic --truth fitted --tables 2 --fresh 50 --calibration-n 20 --out calibration.json
  bnengine calibrate survey.csv --truth cancer --tables 2 --fresh 50 --calibration-n 20 --kind adjacency
""",
)


def _confidence(job: Job) -> None:
    """Run the methods and write the edges."""
    experiment = experiment_of(job.given)
    method, kind = method_of(experiment), experiment.kind
    asked = job.given["experiment__threshold"] is not None
    needed = job.form == "bif" or (
        job.form == "csv" and (asked or experiment.threshold is not None or experiment.rule != "mean")
    )
    if kind == "adjacency" and needed:
        raise UsageError("adjacencies have no direction and make no averaged network; leave --kind or --threshold out")
    found = run_study(job, experiment)
    if found is None:
        return
    edges = found.edge_table(kind)
    network, averaged = None, None
    if (needed or job.form == "json") and kind != "adjacency" and method in found.ensembles:
        network, averaged = average(job, method, found)
    elif needed:
        raise ValueError(f"stopped before the first replicate of {method}; there is no averaged network")

    def described() -> dict[str, Any]:
        more = {"kind": kind, "edges": edges, "thresholds": _thresholds(found, kind), "averaged_network": averaged}
        return described_study(found) | more

    if network is None:
        job.write(edges, described)
    else:
        kept = network.table().merge(edges, how="left", on=["parent", "child"])
        job.write(kept, described, lambda: fit(job.data, network.edges, ess=1.0))


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """Return the threshold of each method by each rule that needs no further work."""
    return {
        method: {"mean": found.strength_threshold(method, kind), "l1": l1_threshold(found.strength(method, kind))}
        for method in found.ensembles
    }


CONFIDENCE = Command(
    "confidence",
    _confidence,
    title="confidence of every edge by each method, and the network above a threshold",
    about="""CSV: one line per edge with its confidence by each method; with --threshold only the edges of the averaged
network, each with its strength and direction; it is made acyclic by taking the strongest edges first. JSON: both, all
settings, versions and the seed. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the
replicates that are done.""",
    examples="""  bnengine confidence sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100
  bnengine confidence sample:asia_1000 --methods bootstrap_corrected --threshold 0.5 --out edges.csv
  bnengine confidence sample:titanic --n 100 --threshold l1 --out averaged.bif
  bnengine confidence sample:asia_1000 --n 50 --methods bootstrap --threshold permutation --max-false 0.5
  bnengine confidence survey.csv --required smoking,cancer --tiers age,sex --tiers smoking --out all.json
""",
    formats=("csv", "json", "bif"),
)


def _report(job: Job) -> None:
    """Run the methods, average over graphs, and write the report."""
    experiment = experiment_of(job.given)
    method = method_of(experiment)
    found = run_study(job, experiment, with_posterior=True)
    if found is None:  # only its plan was asked for
        return
    if method not in found.ensembles:
        raise ValueError(f"stopped before the first replicate of {method}; there is nothing to report")
    threshold = _permuted_threshold(job, method, found)
    job.write_text(html_report(job.experiment, job.data, found, _posterior(job), threshold))


def _permuted_threshold(job: Job, method: str, found: Study) -> float | None:
    """Return the threshold by shuffled columns, where it was asked for; the others need no further work."""
    experiment = job.experiment
    if experiment.threshold is not None or experiment.rule != "permutation" or job.terminal.stopped:
        return None
    return average(job, method, found)[0].threshold


def _posterior(job: Job) -> SampledPosterior | None:
    """Return the posterior probabilities of edges; None if the run was stopped, or if these data allow none."""
    if job.terminal.stopped:
        return None
    job.terminal.note("averaging over graphs, to tell which edges are real")
    job.terminal.counted = "steps" if is_exact(job.experiment, job.data) else "moves between orderings of the variables"
    with job.workers() as executor:
        try:
            return real_posterior(job.experiment, job.data, executor, job.terminal.progress)
        except ValueError as error:
            job.terminal.warn(f"without posterior probabilities: {error}")
            return None


REPORT = Command(
    "report",
    _report,
    title="one HTML file with findings, Table 1, Figure 1, the network and every edge",
    about="""The file needs nothing else: it makes no outside request, holds no script and prints well. It says of every
edge how often it would be found again and how probably it is real, and how to repeat the run. Ctrl-C keeps the
replicates that are done.""",
    examples="""  bnengine report survey.csv --missing own_state --out report.html
  bnengine report survey.csv --tiers age,sex --threshold l1 --seed 7 --out report.html
  bnengine report sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100 --out report.html
""",
    formats=("html",),
)


_HEADING = "fresh tables"
_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_WANTED = "the share of fresh tables, between 0 and 1, in which an edge is to be found again"


def _rows_needed(job: Job) -> None:
    """Draw fresh tables of several sizes, learn from each, and write the rows that each edge needs."""
    experiment, data = job.load()
    job.terminal.counted = "tables"
    found = rows_needed(
        data, wanted=job.given["wanted"], n=job.given["tables"], progress=job.terminal.progress, **experiment.arguments
    )
    job.report_status(found.status, f"{counted(len(found.sizes), 'size')} of table finished")
    if not len(found.sizes):
        raise ValueError("stopped before the first size of table was done")

    def described() -> dict[str, Any]:
        repeat = f"{command_line(experiment, 'rows-needed')} --wanted {found.wanted:g} --tables {job.given['tables']}"
        asked = {
            "repeat": repeat,
            "status": found.status,
            "wanted": found.wanted,
            "tables": found.tables.tolist(),
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
