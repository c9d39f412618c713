"""Results of an experiment computed in the background: graph, proof, study, comparison, posterior, rows needed."""

import dataclasses
import threading
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.bootstrap.study import n_shared
from bnengine.execution import processors
from bnengine.experiment.binning import StatesCheck, check_states, may_depend_on_states
from bnengine.experiment.learning import (
    is_exact,
    real_key,
    real_posterior,
    real_seconds,
)
from bnengine.experiment.plan import seconds_of_replicate, wall_seconds
from bnengine.experiment.rows_needed import LADDER, N_TABLES, RowsNeeded
from bnengine.posterior import SampledPosterior
from bnengine.search import Search
from bnengine.search.certificate import Certificate
from bnengine.search.exact import MOST_VARIABLES
from bnengine.search.learning import drawn_once
from bnengine.typing import UInt8Array
from pages._shared import session
from pages._shared.format import counted, duration, escaped
from pages._shared.job_queue import Progress, ended_after
from pages._shared.jobs import compilation, running
from pages._shared.session import Key
from pages._shared.widgets.score_controls import offer_climb

_PROOF = 20.0  # seconds for which a proof is looked for
_MOST_PARENTS = 3  # of the networks that a proof is about
_FULL_PATIENCE = 10  # times as long as a replicate takes a search, at most

#: Seconds for which a page waits before it shows what is known so far.
_AT_FIRST = 0.2
#: Of a search this short, some replicates are timed.
_SHORT = 2.0  # seconds

#: Kinds of jobs; one of each runs at a time in a session.
GRAPH, STUDY = "graph", "study"


def graph_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.LearnedGraph | None:
    """Return the graph learned from the data, known or from a job; None while the page waits or shows an error."""
    study = session.jobs.current(STUDY)
    if study is not None and study.key != session.results.study_key(experiment, data):
        session.jobs.watch(STUDY, None)  # it belongs to other settings
    known = session.results.graph(experiment, data)
    if known is not None:
        return _maybe_stopped(experiment, data, known[0])
    key = session.results.graph_key(experiment, data)
    job = session.jobs.current(GRAPH, key)
    if job is None or job.key != key:
        asked = session.jobs.declined(GRAPH, key)
        if asked and not running.pressed(GRAPH, "Run", _long_search(experiment, data)):
            return None
        limit = None if asked or session.jobs.run_awaited() else running.PATIENCE
        warm, flag = compilation.warm_up(), np.zeros(1, dtype=np.uint8)
        job = session.jobs.start(
            GRAPH, key, lambda progress: _timed_graph(experiment, data, warm, flag, limit), flag, clicked=asked
        )

    def keep(found: tuple[bn.LearnedGraph, float] | TooLong) -> None:
        if not isinstance(found, TooLong):
            session.results.keep_graph(experiment, data, *found)

    result = running.finished(GRAPH, job, keep, "Learning the graph from the data", counted=False)
    if isinstance(result, TooLong):
        session.jobs.decline(GRAPH, key)
        st.rerun()
    return None if result is None else _maybe_stopped(experiment, data, result[0])


class TooLong:
    """What a search gives that was not asked for and did not end in time."""


def _long_search(experiment: bn.Experiment, data: bn.Dataset) -> str:
    """Return why the search waits for a click."""
    return (
        f"With {counted(data.n_variables, 'variable')} and {counted(data.n_rows, 'row')}, learning the graph by "
        f"{escaped(experiment.search.name)} takes more than {duration(running.PATIENCE)}. You can stop it at any time "
        "and keep the best graph so far."
    )


def _maybe_stopped(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> bn.LearnedGraph:
    """Return the graph, with a remark if its search was stopped."""
    if graph.status == "stopped":
        st.warning("The search was stopped. The best graph found until then is shown.")
        if st.button("Search again to the end", icon=":material/replay:", key=Key.again(GRAPH)):
            session.jobs.watch(GRAPH, None)
            session.results.forget_graph(experiment, data)
            st.rerun()
    return graph


def _timed_graph(
    experiment: bn.Experiment, data: bn.Dataset, warm: threading.Thread, stop: UInt8Array, limit: float | None
) -> tuple[bn.LearnedGraph, float] | TooLong:
    """Return the graph and the processor time of one more, in a replicate, which predicts longer work.

    Processor time does so on a busy machine, too.

    A search that nobody asked for has a ``limit``, in seconds of processor time.
    """
    warm.join()  # compiling the same code twice at once would take twice as long
    bn.warm_up(experiment.score, experiment.search)  # the time to compile does not predict the next run
    start = time.thread_time()
    with ended_after(limit, stop) as over:
        graph = experiment.learn(data, stop)
    seconds = time.thread_time() - start
    if over.is_set() and graph.status == "stopped":
        return TooLong()
    if seconds < _SHORT and not stop[0]:
        return graph, seconds_of_replicate(experiment, data, graph)
    if isinstance(experiment.search, bn.IteratedLocalSearch):
        start = time.thread_time()
        dataclasses.replace(experiment, search=experiment.search.in_replicates).learn(data, stop)
        seconds = time.thread_time() - start
    return graph, seconds


def study_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.Study | None:
    """Return the experiment's study, known or from a job; None while the page shows progress or a Run button."""
    reference = graph_of(experiment, data)
    if reference is None:
        return None
    study, whole = study_so_far(experiment, data, reference, running.GRACE)
    return study if whole and study.ensembles else None


def study_so_far(
    experiment: bn.Experiment, data: bn.Dataset, reference: bn.LearnedGraph, grace: float = _AT_FIRST
) -> tuple[bn.Study, bool]:
    """Return what is known of the experiment's study, and whether it is all that is to come.

    What is missing is started, or a Run button shown; the page does not wait for it longer than ``grace`` seconds.
    """
    known, key = session.results.ensembles(experiment, data), session.results.study_key(experiment, data)
    missing = [method for method in experiment.methods_run if method not in known]
    if not missing or session.results.stopped(experiment, data):
        return _shown(experiment, data, bn.Study(reference, known)), True
    first = bn.Study(reference, known)
    job = session.jobs.current(STUDY, key)
    if job is None or job.key != key:
        work = study_work(experiment, data, missing)
        if not _may_start(experiment, data, work):
            return first, False
        so_far: list[bn.Study] = []
        job = session.jobs.start(
            STUDY,
            key,
            lambda progress: experiment.run(data, progress=progress, reuse=known, seen=so_far.append),
            clicked=at_leisure(work) > running.PATIENCE,
            so_far=so_far,
        )

    def keep(made: bn.Study) -> None:
        session.results.keep_ensembles(experiment, data, made.ensembles)
        if made.status == "stopped":
            session.results.set_stopped(experiment, data)

    result = running.finished(STUDY, job, keep, "replicates", grace=grace)
    if result is None:
        return (job.so_far[-1] if job.so_far else first), False
    return _shown(experiment, data, result), True


def study_work(experiment: bn.Experiment, data: bn.Dataset, missing: Sequence[str]) -> float:
    """Return the predicted processor time of these methods of the experiment."""
    methods = bn.resampling_methods(experiment.n, experiment.d, experiment.methods_run, experiment.size)
    wanted = [one for one in methods if one.key in missing]
    n_graphs = sum(one.n_learnings(data) - n_shared(one, methods, experiment.strength) for one in wanted)
    return n_graphs * _replicate(experiment, data)


def progress_of(study: bn.Study) -> str:
    """Return the number of replicates of each method in a stopped study."""
    parts = [f"{TITLES[key]}: {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()]
    return ", ".join(parts) or "no replicates"


def _shown(experiment: bn.Experiment, data: bn.Dataset, study: bn.Study) -> bn.Study:
    """Return the study, with a remark on what is missing if it was stopped."""
    if not session.results.stopped(experiment, data):
        return study
    st.warning(f"Stopped early. The partial result is shown: {progress_of(study)}.")
    if st.button("Continue the run", icon=":material/play_arrow:", key=Key.again(STUDY)):
        session.jobs.watch(STUDY, None)
        session.results.forget_unfinished(experiment, data)
        session.jobs.request_run()
        st.rerun()
    return study


def _may_start(experiment: bn.Experiment, data: bn.Dataset, work: float) -> bool:
    """Return whether the work is short enough to start by itself, or the user asked for it.

    What it would take on an idle machine decides, so that the same settings do so whatever else the machine does.
    """
    declined = session.jobs.declined(STUDY, session.results.study_key(experiment, data))
    short = at_leisure(work) <= running.PATIENCE and not declined
    if session.jobs.run_requested() or short:
        return True
    question = st.empty()
    with question.container():
        known = stored_posterior(experiment, data)
        whole = wall_seconds(work) + (real_seconds_now(experiment, data) if known is None else 0)
        st.info(f"This run takes about {duration(whole)}. You can stop it at any time and keep the partial result.")
        buttons = st.container(horizontal=True)
        answered = buttons.button("Run", type="primary", icon=":material/play_arrow:", key=Key.start(STUDY))
        offer_climb(experiment, buttons, Key.CLIMB)
    if answered:
        question.empty()
    return answered


def at_leisure(work: float) -> float:
    """Return the time that work, in seconds of processor time, takes on a machine that does nothing else."""
    return work / processors()


def seconds_with(experiment: bn.Experiment, data: bn.Dataset, n: int) -> float:
    """Return the predicted time of all methods with so many replicates, beside what else the machine does."""
    return wall_seconds(study_work(dataclasses.replace(experiment, n=n), data, experiment.methods_run))


def seconds_of(experiment: bn.Experiment, data: bn.Dataset) -> float:
    """Return the predicted time to learn one more graph, in a replicate, beside what else the machine does."""
    return wall_seconds(_replicate(experiment, data))


def _replicate(experiment: bn.Experiment, data: bn.Dataset) -> float:
    """Return the predicted processor time of one more graph, in a replicate; 0 before the first is learned."""
    known = session.results.graph(experiment, data)
    return known[1] if known else 0.0


def seconds_to_learn(experiment: bn.Experiment, data: bn.Dataset) -> float:
    """Return the predicted time of a search of its full patience."""
    return _FULL_PATIENCE * seconds_of(experiment, data)


def comparison_of(experiment: bn.Experiment, data: bn.Dataset) -> pd.DataFrame | None:
    """Return a comparison of several searches, started by a button."""
    searches = list({search.name: search for search in (*_rivals(data), experiment.search)}.values())
    score, constraints, seed = experiment.full_score, experiment.constraints, experiment.seed
    of = (data, experiment.graph_key)
    found = running.result_on_click(
        "compare",
        of,
        lambda progress: bn.teaching.compare_searches(
            drawn_once(data, seed), score, searches, constraints, rng=seed, progress=progress, ties=experiment.ties
        ),
        "Compare",
        "Runs each search once, with this score and these constraints.",
        "searches",
    )
    if found is not None and len(found) < len(searches):
        running.stopped("compare", of, f"Stopped early, after {len(found)} of {len(searches)} searches.")
    return found


def _rivals(data: bn.Dataset) -> list[Search]:
    """Return the searches that need no ordering; the exact search and the tree of networks only if they are fast."""
    searches: list[Search] = [bn.IteratedLocalSearch(), bn.HillClimbing(), bn.HillClimbing(restarts=20), bn.Tabu()]
    searches += [bn.SimulatedAnnealing(), bn.BestFirst(), bn.ChowLiu()]
    searches += [bn.TreeSearch(max_networks=2000)] if data.n_variables <= 12 else []
    searches += [bn.Exact(max_parents=4)] if data.n_variables <= 18 else []
    return searches


_STATES = "states"


def states_checked(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> StatesCheck | None:
    """Return what is known of the effect of bins and states on the learned graph."""
    return session.results.stored(session.results.key_of(_STATES, *_checked(experiment, data, graph)))  # type: ignore[no-any-return]


def _checked(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> tuple[object, ...]:
    """Return all that the check depends on; the raw table is known by the recipe, which has its file's fingerprint."""
    return experiment.graph_key, data, graph


def check_states_of(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> None:
    """Learn with finer bins, and with joined states; by a button unless that is fast."""
    frame, recipe = session.data.raw(), experiment.data
    known, of = states_checked(experiment, data, graph), _checked(experiment, data, graph)
    if known is not None and known.status == "stopped":
        running.stopped(_STATES, of, "Stopped early: not all numbers of bins were tried.")
    if known is not None or not may_depend_on_states(recipe, frame, data):
        return
    seconds = at_leisure(4 * _replicate(experiment, data))
    quick = seconds <= running.PATIENCE and graph.status != "stopped" and not recipe.slow_cuts
    found = running.result_on_click(
        _STATES,
        of,
        lambda progress: check_states(experiment, frame, data, graph.edges, progress),
        "Learn with other bins",
        "Finds edges that exist by binning alone, and edges that many states hide.",
        "graphs with finer bins",
        at_once=quick,
    )
    if found is not None:
        st.rerun()  # the picture marks what was found


def proof_refused(data: bn.Dataset) -> str:
    """Say why nothing can be proved about these data's graph; empty if a proof can be looked for."""
    if data.n_variables <= MOST_VARIABLES:
        return ""
    return f"Whether it is the best graph can be proved for up to {MOST_VARIABLES} variables."


def certificate_of(
    experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph
) -> tuple[Certificate, float] | None:
    """Return what is proved about the learned graph within some seconds, and the seconds it took."""
    limits = (getattr(experiment.search, "max_parents", None), experiment.constraints.max_parents, _MOST_PARENTS)
    most = min(number for number in limits if number is not None)

    def certified(progress: Progress) -> tuple[Certificate, float]:
        start = time.monotonic()

        def goes_on(done: int, total: int) -> bool:
            return progress(done, total) is not False and time.monotonic() - start < _PROOF

        rows = drawn_once(data, experiment.seed)
        made = bn.certify(rows, experiment.full_score, graph, experiment.constraints, most, progress=goes_on)
        return made, time.monotonic() - start

    return running.result_on_click(
        "proof",
        (data, experiment.graph_key, graph),
        certified,
        "Look for a proof",
        f"Bounds the score of every network with at most {most} parents of a variable, closer and closer.",
        "Looking for a proof that no network scores higher",
        counted=False,
        at_once=True,
    )


# Posterior probabilities of edges, computed in the background.

#: The kind of job; one of each kind runs at a time in a session.
REAL = "real"


def posterior_of(experiment: bn.Experiment, data: bn.Dataset, max_parents: int) -> bn.posterior.EdgePosterior | None:
    """Return exact edge posteriors under the score with its structure prior, started by a button."""
    score, constraints, of = experiment.full_score, experiment.constraints, (data, experiment.graph_key, max_parents)
    found = running.result_on_click(
        "posterior",
        of,
        lambda progress: bn.edge_posterior(
            data, score, max_parents, constraints, uniform_parent_sizes=False, progress=progress
        ),
        "Compute exactly",
        "About three seconds for 20 variables: the work doubles with each variable.",
        "Summing over all orderings",
        counted=False,
    )
    if found is not None and found.status == "stopped":
        running.stopped("posterior", of, "Stopped; nothing is known before the end.")
        return None
    return found


def stored_posterior(experiment: bn.Experiment, data: bn.Dataset) -> SampledPosterior | None:
    """Return the posterior that says which edges are real, if it was computed; see ``real_of``."""
    return session.results.stored(session.results.key_of(REAL, data, real_key(experiment)))  # type: ignore[no-any-return]


def real_of(experiment: bn.Experiment, data: bn.Dataset) -> SampledPosterior | None:
    """Return the posterior that says which edges are real.

    Started by a button unless it is fast, or the visitor asked for a longer run already.
    """
    exact, work = is_exact(experiment, data), real_seconds(experiment, data)
    asked = at_leisure(study_work(experiment, data, experiment.methods_run)) > running.PATIENCE
    long = (work if exact else at_leisure(work)) > running.PATIENCE
    return running.result_on_click(
        REAL,
        (data, real_key(experiment)),
        lambda progress: real_posterior(experiment, data, progress=progress),
        "Compute which edges are real",
        f"Averages over graphs instead of learning one: about {duration(real_seconds_now(experiment, data))}.",
        "Summing over all orderings" if exact else "moves between orderings of the variables",
        counted=not exact,
        at_once=asked or not long,
        long=long,
        grace=_AT_FIRST,
    )


def real_seconds_now(experiment: bn.Experiment, data: bn.Dataset) -> float:
    """Return the predicted time of the posterior, beside what else the machine does; an exact sum takes one thread."""
    return wall_seconds(real_seconds(experiment, data), 1 if is_exact(experiment, data) else None)


def real_again(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Say that the posterior was stopped, and offer to compute it to the end."""
    running.stopped(REAL, (data, real_key(experiment)), "The posterior was stopped early; its errors are larger.")


def rows_needed_of(experiment: bn.Experiment, data: bn.Dataset, posterior: SampledPosterior) -> RowsNeeded | None:
    """Return how often edges are found again in larger tables of the posterior's graphs, started by a button."""
    larger = sum(max(1.0, times) for times in LADDER)  # a search takes about as long as the rows are many
    return running.complete_result_on_click(
        "rows needed",
        (data, experiment.graph_key, posterior),
        lambda progress: bn.rows_needed(data, graphs=posterior, progress=progress, **experiment.arguments),
        "Find out",
        f"Learns from up to {N_TABLES} fresh tables of each of {len(LADDER)} sizes, up to {LADDER[-1]:g} times your "
        f"rows: at most {duration(N_TABLES * larger * seconds_of(experiment, data))}.",
        "tables",
    )
