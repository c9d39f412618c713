"""Results of an experiment computed in the background: graph, proof, study, comparison, posterior, rows needed."""

import dataclasses
import time
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.preparations import Preparations
from bnengine.answers.rows_needed import N_TABLES, SIZE_FACTORS, RowsNeeded
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.bootstrap.resampling_methods import CORRECTED, TITLES
from bnengine.experiment.intake import with_numbers_kept
from bnengine.experiment.learning import no_real, real_arguments, real_key, real_posterior
from bnengine.posterior import EdgePosterior
from bnengine.search import Search
from bnengine.search.certificate import Certificate
from bnengine.search.drawn_cells import drawn_once
from bnengine.search.exact import MOST_VARIABLES
from bnengine.search.many_columns import takes_long
from bnengine.typing import LearnedGraph, Study
from pages.shared import in_use, jobs, results, show
from pages.shared.job_queue import Progress
from pages.shared.keys import Key

_PROOF = 20.0  # seconds for which a proof is looked for
_MOST_PARENTS = 3  # of the networks that a proof is about

#: Seconds for which a page waits before it shows what is known so far.
_AT_FIRST = 0.2

#: Kinds of jobs; one of each runs at a time in a session.
GRAPH, STUDY = "graph", "study"


def graph_of(experiment: bn.Experiment, data: bn.Dataset) -> LearnedGraph | None:
    """Return the graph learned from the data, known or from a job; None while the page waits or shows an error."""
    study = jobs.current(STUDY)
    if study is not None and not study.key.startswith(results.study_key(experiment, data)):
        jobs.watch(STUDY, None)  # it belongs to other settings
    stop, of = np.zeros(1, dtype=np.uint8), (data, experiment.graph_key)
    what = "Learning the graph from the data"
    button = ("Learn from all columns", "Or keep fewer columns, above.") if takes_long(data) else None
    graph = jobs.result_of(
        GRAPH, of, lambda progress: experiment.learn(data, stop), what, button, counted=False, stop=stop
    )
    if graph is not None and graph.status == "stopped":
        remark = "The search was stopped. The best graph found until then is shown."
        jobs.offer_again(GRAPH, of, remark, "Search again to the end")
    return graph


def waited_for(experiment: bn.Experiment, shown: str) -> tuple[str, ...]:
    """Return the methods without which the page has no verdict: that which says what is found again, and its like.

    The corrected bootstrap comes with it, since the predictive one draws from its graphs.
    """
    return tuple(key for key in experiment.methods_run if key in (shown, CORRECTED, "data"))


def study_so_far(
    experiment: bn.Experiment,
    data: bn.Dataset,
    reference: LearnedGraph,
    methods: tuple[str, ...],
    after_a_stop: bool = False,
) -> tuple[Study, bool]:
    """Return what is known of the experiment's study, and whether it has all that is to come of some of its methods.

    What is missing of these is started, ``after_a_stop`` only by a click; the page does not wait for it.
    """
    known = results.ensembles(experiment, data)
    if set(methods) <= set(known) or results.was_stopped(experiment, data):
        return _shown(experiment, data, Study(reference, known)), True
    first, part = Study(reference, known), dataclasses.replace(experiment, methods=methods)
    so_far: list[Study] = []
    frame = in_use.raw() if experiment.recut else None
    job = jobs.start(
        STUDY,
        f"{results.study_key(experiment, data)} {' '.join(methods)}",
        lambda progress: part.run(data, progress=progress, known=known, seen=so_far.append, frame=frame),
        button=_AFTER_A_STOP if reference.status == "stopped" else _OTHERS if after_a_stop else None,
        so_far=so_far,
    )
    if job is None:
        return first, False

    def keep(made: Study) -> None:
        results.keep_ensembles(experiment, data, made.ensembles, made.status == "stopped")

    more = not (no_real(experiment, data) or stored_posterior(experiment, data))
    result = jobs.finished(STUDY, job, keep, f"replicates{_THEN if more else ''}", grace=_AT_FIRST)
    if result is None:
        return (job.so_far[-1] if job.so_far else first), False
    every = {**known, **result.ensembles}  # those that were known before are of this study, too
    in_order = {key: every[key] for key in experiment.methods_run if key in every}
    return _shown(experiment, data, dataclasses.replace(result, ensembles=in_order)), True


def others_known(
    experiment: bn.Experiment, data: bn.Dataset, reference: LearnedGraph, after_a_stop: bool = False
) -> bool:
    """Return whether all methods are known, or none is to come; those that are missing are started."""
    methods = experiment.methods_run
    if set(methods) <= set(results.ensembles(experiment, data)) or results.was_stopped(experiment, data):
        return True
    if study_so_far(experiment, data, reference, methods, after_a_stop)[1]:
        st.rerun()
    return False


_AFTER_A_STOP = "Learn the replicates", "Each takes as long as the search would have, or until it is stopped."
_THEN = "; which edges are real comes next, and can take longer"
_OTHERS = (
    "Run the other methods",
    "Naive vs. corrected, and how the methods compare, wait for them; the verdict does not.",
)


def progress_of(study: Study) -> str:
    """Return the number of replicates of each method in a stopped study."""
    parts = [f"{TITLES[key]}: {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()]
    return ", ".join(parts) or "no replicates"


def _shown(experiment: bn.Experiment, data: bn.Dataset, study: Study) -> Study:
    """Return the study, with a remark on what is missing if it was stopped."""
    if not results.was_stopped(experiment, data):
        return study
    st.warning(f"Stopped early. The partial result is shown: {progress_of(study)}.")
    if st.button("Continue the replicates", icon=":material/play_arrow:", key=Key.again(STUDY)):
        results.forget_unfinished(experiment, data)
        jobs.run_again(STUDY)
    return study


def comparison_of(experiment: bn.Experiment, data: bn.Dataset) -> pd.DataFrame | None:
    """Return a comparison of several searches, started by a button."""
    searches = list({search.name: search for search in (*_rivals(data), experiment.search)}.values())
    score, seed, of = experiment.full_score, experiment.seed, (data, experiment.graph_key)
    options: dict[str, Any] = {"constraints": experiment.constraints, "rng": seed, "ties": experiment.ties}
    found = jobs.result_of(
        "compare",
        of,
        lambda progress: bn.teaching.compare_searches(
            drawn_once(data, seed, progress=lambda *_: progress(0, len(searches))),
            score,
            searches,
            progress=progress,
            **options,
        ),
        "searches",
        ("Compare", "Runs each search once, with this score and these constraints."),
    )
    if found is not None and len(found) < len(searches):
        jobs.offer_again("compare", of, f"Stopped early, after {len(found)} of {len(searches)} searches.")
    return found


def _rivals(data: bn.Dataset) -> list[Search]:
    """Return the searches that need no ordering; the exact search and the tree of networks only if they are fast."""
    searches: list[Search] = [bn.IteratedLocalSearch(), bn.HillClimbing(), bn.HillClimbing(restarts=20), bn.Tabu()]
    searches += [bn.SimulatedAnnealing(), bn.BestFirst(), bn.ChowLiu()]
    searches += [bn.TreeSearch(max_networks=2000)] if data.n_variables <= 12 else []
    searches += [bn.Exact(max_parents=4)] if data.n_variables <= 18 else []
    return searches


def proof_refused(data: bn.Dataset) -> str:
    """Say why nothing can be proved about these data's graph; empty if a proof can be looked for."""
    if data.n_variables <= MOST_VARIABLES:
        return ""
    return f"Whether it is the best graph can be proved for up to {MOST_VARIABLES} variables."


def certificate_of(
    experiment: bn.Experiment, data: bn.Dataset, graph: LearnedGraph
) -> tuple[Certificate, float] | None:
    """Return what is proved about the learned graph within some seconds, and the seconds it took."""
    limits = (getattr(experiment.search, "max_parents", None), experiment.constraints.max_parents, _MOST_PARENTS)
    most = min(number for number in limits if number is not None)

    def certified(progress: Progress) -> tuple[Certificate, float]:
        start = time.monotonic()

        def goes_on(done: int, total: int) -> bool:
            return progress(done, total) is not False and time.monotonic() - start < _PROOF

        rows = drawn_once(data, experiment.seed, progress=progress)
        made = bn.answers.certify(
            rows, experiment.full_score, graph, constraints=experiment.constraints, max_parents=most, progress=goes_on
        )
        return made, time.monotonic() - start

    what = "Looking for a proof that no network scores higher"
    return jobs.result_of("proof", (data, experiment.graph_key, graph), certified, what, counted=False)


# Posterior probabilities of edges, computed in the background.

#: The kind of job; one of each kind runs at a time in a session.
REAL = "real"
_REAL_AFTER_A_STOP = "Find out which edges are real", "The posterior does not rest on the replicates."


def stored_posterior(experiment: bn.Experiment, data: bn.Dataset) -> EdgePosterior | None:
    """Return the posterior that says which edges are real, if it was computed; see ``real_of``."""
    return results.stored(results.key_of(REAL, data, real_key(experiment)))  # type: ignore[no-any-return]


def real_of(experiment: bn.Experiment, data: bn.Dataset) -> EdgePosterior | None:
    """Return the posterior that says which edges are real, known or from a job; None until it is available.

    It starts by itself, but not where the run was just stopped, nor for more variables than memory allows.
    """
    refused = no_real(experiment, data)
    if refused:
        show.note(refused, "no real")
        return None
    return jobs.result_of(
        REAL,
        (data, real_key(experiment)),
        lambda progress: real_posterior(experiment, data, progress=progress),
        "steps of the posterior (which edges are real)",
        _REAL_AFTER_A_STOP if results.was_stopped(experiment, data) else None,
        grace=_AT_FIRST,
    )


_FEWEST_BATCHES = 10  # of chains that were stopped


def says_little(real: EdgePosterior) -> bool:
    """Return whether a posterior was stopped before its chains had left where they started."""
    return real.status == "stopped" and real.n_batches < _FEWEST_BATCHES


def real_again(experiment: bn.Experiment, data: bn.Dataset, too_early: bool) -> None:
    """Say that the posterior was stopped, and offer to compute it to the end."""
    remark = "Stopped before it was known which edges are real."
    remark = remark if too_early else "The posterior was stopped early; its errors are larger."
    jobs.offer_again(REAL, (data, real_key(experiment)), remark, "Compute the posterior again from the start")


# Copies of the table that can have no edge, checked last.

_NOISE = "noise"


def noise_known(experiment: bn.Experiment, data: bn.Dataset) -> NoiseCheck | None:
    """Return what copies of the table show, if they were checked."""
    return results.stored(results.key_of(_NOISE, data, experiment.graph_key))  # type: ignore[no-any-return]


def check_noise(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Check copies of the table, and draw the page again once that is known; not where rows are of experiments."""
    known, of = noise_known(experiment, data), (data, experiment.graph_key)
    if known is not None and known.status == "stopped":
        jobs.offer_again(_NOISE, of, f"The check against noise was stopped. {known.summary}".strip())
    if known is not None or data.experiments is not None:
        return
    what = "shuffled or rotated copies of the table; “real” is provisional until they are checked"
    button = _NOISE_AFTER_A_STOP if results.was_stopped(experiment, data) else None
    work = lambda progress: experiment.noise_check(data, progress=progress)  # noqa: E731
    if jobs.result_of(_NOISE, of, work, what, button, grace=_AT_FIRST) is not None:
        st.rerun()


_NOISE_AFTER_A_STOP = "Check against noise", "Learns from copies of the table in which no column depends on another."


# The numbers of the table prepared otherwise, after that.

_PREPARED = "prepared"


def preparations_known(experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior) -> Preparations | None:
    """Return what *real* is with the numbers of the table prepared otherwise, if it was computed."""
    return results.stored(results.key_of(_PREPARED, *_prepared(experiment, data, real)))  # type: ignore[no-any-return]


def _prepared(experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior) -> tuple[Any, ...]:
    """Return all that it depends on; the raw table is known by the recipe, which has its file's fingerprint."""
    return data, real_key(experiment), real if data.numbers else None


def check_preparations(experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior) -> None:
    """Compute *real* with the numbers prepared otherwise, and draw the page again; not where there are none."""
    known, of, frame = preparations_known(experiment, data, real), _prepared(experiment, data, real), in_use.raw()
    if known is not None and known.status == "stopped":
        jobs.offer_again(_PREPARED, of, "Stopped early: numbers were not prepared in every other way.")
    recipe = None if data.numbers else with_numbers_kept(experiment.data, frame)
    if known is not None or (recipe is None and not data.numbers):
        return
    known_real = of[-1]

    def work(progress: Progress) -> Preparations:
        kept = data if recipe is None else recipe.prepare(frame)
        return bn.answers.other_preparations(kept, known_real, progress=progress, **real_arguments(experiment, kept))

    if jobs.result_of(_PREPARED, of, work, "steps of other preparations of the numbers") is not None:
        st.rerun()


def rows_needed_of(experiment: bn.Experiment, data: bn.Dataset, posterior: EdgePosterior) -> RowsNeeded | None:
    """Return how often edges are found again in larger tables of the posterior's graphs, started by a button."""
    remark = (
        f"Learns from up to {N_TABLES} fresh tables of each of {len(SIZE_FACTORS)} sizes, up to "
        f"{SIZE_FACTORS[-1]:g} times your rows."
    )
    return jobs.complete_result_of(
        "rows needed",
        (data, experiment.graph_key, posterior),
        lambda progress: bn.rows_needed(data, posterior=posterior, progress=progress, **experiment.arguments),
        "tables",
        ("Find out", remark),
    )
