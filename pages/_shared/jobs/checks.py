"""Checks of confidences and of the graph in the background: simulated worlds, halves, larger tables, shuffled nodes."""

import bnengine as bn
from bnengine.bootstrap.recalibration import Recalibration
from bnengine.bootstrap.stability_selection import StabilitySelection
from bnengine.experiment.learning import Falsification, falsify_learned
from bnengine.experiment.rows_needed import LADDER, N_TABLES, RowsNeeded
from bnengine.posterior import SampledPosterior
from pages._shared.format import duration
from pages._shared.jobs import experiments, running

#: Graphs learned in simulated worlds; splits of the rows into halves; graphs with shuffled nodes.
N_WORLD_GRAPHS, N_SPLITS, N_SHUFFLED = 16 * (2 * 60 + 60 + 1), 50, 100


def worlds_of(experiment: bn.Experiment, data: bn.Dataset, study: bn.Study, kind: str) -> Recalibration | None:
    """Return confidences set against the truth in simulated worlds, started by a button."""
    known = {key: study.ensembles[key] for key in ("bootstrap", "bootstrap_corrected") if key in study.ensembles}
    seconds = experiments.seconds_of(experiment, data) * N_WORLD_GRAPHS
    return running.complete_result_on_click(
        "worlds",
        (data, experiment.graph_key, kind, known),
        lambda progress: bn.recalibrate(data, kind=kind, reuse=known, progress=progress, **experiment.arguments),
        "Simulate worlds",
        f"Learns about {N_WORLD_GRAPHS:,} graphs in networks that your data leave possible: about {duration(seconds)}.",
        "tables and resamples",
    )


def guarantee_of(experiment: bn.Experiment, data: bn.Dataset, kind: str) -> StabilitySelection | None:
    """Return stability selection on halves of the rows, started by a button."""
    seconds = 2 * N_SPLITS * experiments.seconds_of(experiment, data)
    return running.complete_result_on_click(
        "guarantee",
        (data, experiment.graph_key, kind),
        lambda progress: bn.stability_selection(
            data, n_pairs=N_SPLITS, progress=progress, kind=kind, **experiment.arguments
        ),
        "Learn from halves",
        f"Learns from both halves of {N_SPLITS} random splits: about {duration(seconds)}.",
        "splits",
    )


def rows_needed_of(experiment: bn.Experiment, data: bn.Dataset, posterior: SampledPosterior) -> RowsNeeded | None:
    """Return how often edges are found again in larger tables of the posterior's graphs, started by a button."""
    larger = sum(max(1.0, times) for times in LADDER)  # a search takes about as long as the rows are many
    return running.complete_result_on_click(
        "rows needed",
        (data, experiment.graph_key, posterior),
        lambda progress: bn.rows_needed(data, graphs=posterior, progress=progress, **experiment.arguments),
        "Find out",
        f"Learns from up to {N_TABLES} fresh tables of each of {len(LADDER)} sizes, up to {LADDER[-1]:g} times your "
        f"rows: at most {duration(N_TABLES * larger * experiments.seconds_of(experiment, data))}.",
        "tables",
    )


def falsification_of(experiment: bn.Experiment, data: bn.Dataset) -> Falsification | None:
    """Return the test of a graph learned from half of the rows on the other half, started by a button."""
    return running.complete_result_on_click(
        "falsify",
        (data, experiment.graph_key),
        lambda progress: falsify_learned(experiment, data, N_SHUFFLED, progress),
        "Test the graph",
        f"Learns a graph from a random half of the rows and tests it, and {N_SHUFFLED} graphs with its nodes shuffled, "
        "on the other half.",
        "shuffled graphs",
    )
