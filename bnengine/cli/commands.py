"""The commands that run an experiment: what each computes from the data, and what it writes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from click import UsageError

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.answers.thresholds import by_rule
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble, l1_threshold
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.bootstrap.resampling_methods import first_shown
from bnengine.bootstrap.study import Study
from bnengine.cli.terminal import Output, Terminal
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.learning import real_posterior
from bnengine.experiment.prediction import run_calibration, run_prediction, true_network
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.posterior import EdgePosterior
from bnengine.report.html_report import html_report
from bnengine.scores.evaluation import edge_gains, explain_empty, n_parameters
from bnengine.search.learning import drawn_once

_ESS = 1.0  # prior counts of the probabilities in BIF


@dataclass(frozen=True)
class Job:
    """One run of a command: what is run on which data, and where the result goes."""

    command: str
    experiment: Experiment
    data: Dataset
    terminal: Terminal
    output: Output

    def write(
        self,
        table: pd.DataFrame,
        described: Callable[[], dict[str, Any]],
        network: Callable[[], BayesianNetwork] | None = None,
    ) -> None:
        """Write the result; JSON also holds all settings, so that ``bnengine run`` repeats it."""
        about = {
            "command": self.command,
            "experiment": self.experiment.to_dict(),
            "data": {"rows": self.data.n_rows, "variables": self.data.names},
        }
        self.output.write(table, lambda: about | described(), network)

    def report_status(self, status: str, done: str) -> None:
        """Write a warning if a search or the run did not finish; ``done`` says what was done before it was stopped."""
        if status == "stopped":
            self.terminal.warn(f"stopped; {done}")
        elif status == "max_iterations":
            self.terminal.warn("a search reached its limit of steps; its graph is the best found until then")


@dataclass(frozen=True)
class Command:
    """A command that runs an experiment: its help, what it can write, and its work."""

    work: Callable[[Job], None]
    title: str
    about: str
    formats: Sequence[str] = ("csv", "json")


def _learn(job: Job) -> None:
    """Learn the graph and write it."""
    score, data = job.experiment.full_score, drawn_once(job.data, job.experiment.seed)
    graph = job.experiment.learn(job.data)
    job.terminal.note(f"{counted(len(graph.edges), 'edge')}, score {graph.score:,.1f} nats, {graph.status}")
    job.report_status(graph.status, "the graph is the best found until then")
    if not graph.edges:
        job.terminal.note(explain_empty(data, score, job.experiment.constraints))
    gains = edge_gains(data, graph.edges, score)
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    edges = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    edges = edges.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)

    def described() -> dict[str, Any]:
        counts = {"parameters": n_parameters(data, graph.edges), "families_scored": graph.n_evaluations}
        return {"status": graph.status, "score": graph.score, **counts, "edges": edges}

    job.write(edges, described, lambda: fit(data, graph.edges, _ESS))


def _table1(job: Job) -> None:
    """Run the methods and write their table."""
    found = _study(job)
    job.write(found.table1().reset_index(), lambda: _described(found))


def _confidence(job: Job) -> None:
    """Run the methods and write the edges; with a threshold, those of the averaged network."""
    experiment, kind, method = job.experiment, job.experiment.kind, _method_of(job.experiment)
    above = experiment.threshold is not None or experiment.rule != "mean"
    needed = job.output.form == "bif" or (job.output.form == "csv" and above)
    if kind == "adjacency" and needed:
        raise UsageError("adjacencies have no direction and make no averaged network; write .csv without a threshold")
    found = _study(job)
    edges = found.edge_table(kind)
    network, averaged = None, None
    if (needed or job.output.form == "json") and kind != "adjacency" and method in found.ensembles:
        network, averaged = _averaged(job, method, found)
    elif needed:
        raise ValueError(f"stopped before the first replicate of {method}; there is no averaged network")

    def described() -> dict[str, Any]:
        more = {"kind": kind, "edges": edges, "thresholds": _thresholds(found, kind), "averaged_network": averaged}
        return _described(found) | more

    if network is None:
        job.write(edges, described)
    else:
        kept = network.table().merge(edges, how="left", on=["parent", "child"])
        job.write(kept if needed else edges, described, lambda: fit(job.data, network.edges, _ESS))


def _report(job: Job) -> None:
    """Run the methods, average over graphs, and write the report."""
    method = _method_of(job.experiment)
    found = _study(job)
    if method not in found.ensembles:
        raise ValueError(f"stopped before the first replicate of {method}; there is nothing to report")
    threshold = None
    if job.experiment.threshold is None and job.experiment.rule == "permutation" and not job.terminal.stopped:
        threshold = _averaged(job, method, found)[0].threshold
    job.output.write_text(html_report(job.experiment, job.data, found, _posterior(job), threshold))


def _calibrate(job: Job) -> None:
    """Calibrate the methods and write their table."""
    truth = true_network(job.experiment, job.data)
    found = run_calibration(job.experiment, truth, job.data.n_rows, progress=job.terminal.progress)
    job.report_status(found.status, f"the figures rest on {counted(found.n_tables, 'table')}")
    parts = {"status": found.status, "truth": truth.title, "rows": found.n_rows, "methods": found.table()}
    job.write(found.table(), lambda: parts)


def _predict(job: Job) -> None:
    """Test the predictions and write the measures."""
    found = run_prediction(job.experiment, job.data, job.terminal.progress)
    job.report_status(found.status, "the figures rest on the splits that were done")
    job.write(found.table(), lambda: {"status": found.status, "measures": found.table()})


#: The commands that run an experiment. Those of ``ON_A_TABLE`` have a line of their own; ``run`` runs all of them.
COMMANDS = {
    "learn": Command(
        _learn,
        "one graph of high score",
        "CSV: one line per edge with its gain in score. JSON: the score, the status of the search, all settings and "
        "versions. BIF: the graph with probabilities fitted to the data (posterior means, one prior count).",
        ("csv", "json", "bif"),
    ),
    "confidence": Command(
        _confidence,
        "confidence of every edge by each method",
        "CSV: one line per edge with its confidence by each method. JSON: the same, the averaged network, all settings "
        "and versions. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the replicates "
        "that are done.",
        ("csv", "json", "bif"),
    ),
    "report": Command(
        _report,
        "one HTML file with findings, Table 1, Figure 1, the network and every edge",
        "The file needs nothing else: it makes no outside request, holds no script and prints well. It says of every "
        "edge how often it would be found again and how probably it is real, and how to repeat the run. Ctrl-C keeps "
        "the replicates that are done.",
        ("html",),
    ),
    "table1": Command(
        _table1,
        "number of edges by resampling method: the paper's Table 1 for any data",
        "One line for the graph learned from the data and for each method: the mean number of edges, its standard "
        "deviation and the number of replicates. JSON also holds all settings and versions. Ctrl-C keeps the methods "
        "and replicates that are done.",
    ),
    "calibrate": Command(_calibrate, "which method's confidence to trust, measured on a known network", ""),
    "predict": Command(_predict, "how well one variable is predicted from the others", ""),
}
ON_A_TABLE = ("learn", "confidence", "report", "table1")


def _study(job: Job) -> Study:
    """Run the experiment's methods."""
    found = job.experiment.run(job.data, progress=job.terminal.progress)
    done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in found.ensembles.items()) or "no resample"
    job.report_status(found.status, f"learned by then: {done}")
    return found


def _described(found: Study) -> dict[str, Any]:
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


def _method_of(experiment: Experiment) -> str:
    """Return the method whose confidences make the averaged network."""
    run = [key for key in experiment.methods_run if key in experiment.methods]
    if not run:
        raise UsageError("the experiment names no methods; give it some, or leave its methods out")
    method = experiment.averaged or first_shown(run)
    if method not in run:
        raise UsageError(f"the network is to be averaged over {method}, but only {', '.join(run)} are run")
    return method


def _averaged(job: Job, method: str, found: Study) -> tuple[AveragedNetwork, dict[str, Any]]:
    """Return the averaged network of one method, and its description in JSON."""
    experiment = job.experiment
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
    job.terminal.note(f"{counted(len(network.edges), 'edge')} with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        job.terminal.warn(f"left out of the averaged network, since they would close a cycle: {edges}")
    more |= {"threshold": threshold, "edges": network.edges, "left_out": network.left_out}
    return network, {"method": method, "rule": rule, **more, "strengths": network.table()}


def _permuted(job: Job, ensemble: Ensemble, method: str) -> PermutationThreshold:
    found = job.experiment.permutation_threshold(job.data, method, ensemble, progress=job.terminal.progress)
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    job.report_status(found.status, f"the threshold rests on {finished} of {found.n_planned} shuffled data sets")
    if math.isinf(found.threshold):
        job.terminal.warn(
            f"no threshold has at most {found.max_false:g} edges expected if all variables were independent; even the "
            f"most confident edges have {found.expected_false[-1]:.3g}: no edge is kept"
        )
    return found


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """Return the threshold of each method by each rule that needs no further work."""
    return {
        method: {"mean": found.strength_threshold(method, kind), "l1": l1_threshold(found.strength(method, kind))}
        for method in found.ensembles
    }


def _posterior(job: Job) -> EdgePosterior | None:
    """Return the posterior probabilities of edges; None if the run was stopped, or if these data allow none."""
    if job.terminal.stopped:
        return None
    job.terminal.note("averaging over graphs, to tell which edges are real")
    job.terminal.counted = "parts"
    try:
        return real_posterior(job.experiment, job.data, progress=job.terminal.progress)
    except ValueError as error:
        job.terminal.warn(f"without posterior probabilities: {error}")
        return None
