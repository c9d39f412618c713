"""Runs an experiment in background jobs and shows how far it is."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.search import Search
from pages._shared import state, warming
from pages._shared.figures.confidence import TITLES
from pages._shared.jobs import Job, Progress

T = TypeVar("T")

#: Work predicted to be shorter starts by itself; longer work waits for a click.
_PATIENCE = 8.0  # seconds
#: How long a page waits for a job before it shows progress instead: short jobs never flicker.
_GRACE = 1.5  # seconds


def graph_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.LearnedGraph | None:
    """The data's own graph, from the session or from a job; None while the page waits or shows an error."""
    known = state.known_graph(experiment)
    if known is not None:
        return known[0]
    key = "graph " + experiment.method_key("data")
    job = state.job()
    if job is None or job.key != key:
        warm = warming.warm_up()
        job = Job(key, lambda tell: _timed_graph(experiment, data, warm))
        state.set_job(job)
    if not job.wait(_GRACE):
        _waiting()
        return None
    state.set_job(None)
    if _failed(job) or job.result is None:
        return None
    state.keep_graph(experiment, *job.result)
    return job.result[0]  # type: ignore[no-any-return]


def _timed_graph(experiment: bn.Experiment, data: bn.Dataset, warm: threading.Thread) -> tuple[bn.LearnedGraph, float]:
    warm.join()  # compiling the same code twice at once would take twice as long
    start = time.perf_counter()
    graph = experiment.learn(data)
    return graph, time.perf_counter() - start


def study_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.Study | None:
    """The experiment's study, from the session or from a job; None while the page shows progress or a Run button."""
    reference = graph_of(experiment, data)
    if reference is None:
        return None
    known = state.known_ensembles(experiment)
    missing = [method for method in experiment.methods if method not in known]
    if not missing or state.stopped(experiment):
        return _shown(experiment, bn.Study(reference, known))
    job = state.job()
    if job is None or job.key != experiment.key:
        if not _may_start(experiment, data, missing):
            return None
        job = Job(experiment.key, lambda tell: experiment.run(data, progress=tell, known=known))
        state.set_job(job)
    if not job.wait(_GRACE):
        _progress()
        return None
    state.set_job(None)
    if _failed(job) or job.result is None:
        return None
    if job.result.status == "stopped":
        state.set_stopped(experiment)
    state.keep_ensembles(experiment, job.result.ensembles)
    return _shown(experiment, job.result)


def comparison_of(experiment: bn.Experiment, data: bn.Dataset) -> pd.DataFrame | None:
    """Several searches compared, from the session or from a job that a button starts; None until there is a table."""
    known = state.known_comparison(experiment)
    if known is not None:
        return known
    key = "compare " + experiment.method_key("data")
    job = state.job()
    if job is None or job.key != key:
        if not st.button("Compare", icon=":material/play_arrow:"):
            st.caption("Runs each search once with this score and these constraints.")
            return None
        chosen = [*_rivals(data), experiment.search]
        searches = list({search.name: search for search in chosen}.values())
        score, constraints, seed = experiment.full_score, experiment.constraints, experiment.seed
        job = Job(key, lambda tell: bn.compare_searches(data, score, searches, constraints, seed, tell))
        state.set_job(job)
    if not job.wait(_GRACE):
        _progress("searches done")
        return None
    state.set_job(None)
    if _failed(job) or job.result is None:
        return None
    state.keep_comparison(experiment, job.result)
    return job.result  # type: ignore[no-any-return]


def _rivals(data: bn.Dataset) -> list[Search]:
    """The searches that need no ordering; exact and the tree of networks only where they are quick."""
    searches: list[Search] = [bn.HillClimbing(), bn.HillClimbing(restarts=20), bn.Tabu(), bn.BestFirst()]
    searches += [bn.SimulatedAnnealing(), bn.ChowLiu()]
    searches += [bn.TreeSearch(max_networks=2000)] if data.n_variables <= 12 else []
    searches += [bn.Exact(max_parents=4)] if data.n_variables <= 18 else []
    return searches


def posterior_of(experiment: bn.Experiment, data: bn.Dataset, max_parents: int) -> bn.EdgePosterior | None:
    """Exact edge posteriors, from the session or from a job that a button starts; None until they are there."""
    known = state.known_posterior(experiment)
    if known is not None:
        return known
    key = "posterior " + experiment.method_key("data")
    job = state.job()
    if job is None or job.key != key:
        if not st.button("Compute the exact posterior", icon=":material/play_arrow:"):
            st.caption("Takes a second for 15 variables, about ten for 20; memory doubles with each variable, too.")
            return None
        score, constraints, fair = experiment.score, experiment.constraints, experiment.fair
        job = Job(key, lambda tell: bn.edge_posterior(data, score, max_parents, constraints, fair=fair))
        state.set_job(job)
    if not job.wait(_GRACE):
        _waiting("Summing over all orderings")
        return None
    state.set_job(None)
    if _failed(job) or job.result is None:
        return None
    state.keep_posterior(experiment, job.result)
    return job.result  # type: ignore[no-any-return]


def result_of(key: str, work: Callable[[Progress], T], what: str) -> T | None:
    """The answer of a background job, from the session or from the job; None while the page shows how far it is.

    What was stopped says so, and can be run to the end.
    """
    known: T | None = state.known_result(key)
    if known is not None:
        return _told_if_stopped(key, known)
    job = state.job()
    if job is None or job.key != key:
        warm = warming.warm_up()

        def warmed(tell: Progress) -> T:
            warm.join()  # compiling the same code twice at once would take twice as long
            return work(tell)

        job = Job(key, warmed)
        state.set_job(job)
    if not job.wait(_GRACE):
        _progress(what)
        return None
    state.set_job(None)
    if _failed(job) or job.result is None:
        return None
    state.keep_result(key, job.result)
    return _told_if_stopped(key, job.result)


def _told_if_stopped(key: str, result: T) -> T:
    if getattr(result, "status", "") == "stopped":
        st.warning("Stopped. What was done by then is shown.")
        if st.button("Run it to the end", icon=":material/play_arrow:"):
            state.forget_result(key)
            st.rerun()
    return result


def _shown(experiment: bn.Experiment, study: bn.Study) -> bn.Study | None:
    """The study, with a word on what is missing from it if it was stopped."""
    if not state.stopped(experiment):
        return study
    done = ", ".join(f"{TITLES[key]} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()) or "nothing"
    st.warning(f"Stopped. What was learned by then is shown: {done}.")
    if st.button("Run it to the end", icon=":material/play_arrow:"):
        state.set_stopped(None)
        state.forget_unfinished(experiment)
        state.request_run()
        st.rerun()
    return study if study.ensembles else None


def _failed(job: Job[object]) -> bool:
    """Whether the job ended in an error, which is then on the page."""
    if job.error is None:
        return False
    if isinstance(job.error, ValueError):
        st.error(str(job.error))
    else:
        st.error(f"The run failed ({type(job.error).__name__}). Change a setting and try again.")
    return True


def _may_start(experiment: bn.Experiment, data: bn.Dataset, missing: list[str]) -> bool:
    """Whether the work is short enough to start by itself, or the person asked for it."""
    known = state.known_graph(experiment)
    each = known[1] if known else 0.0
    replicates = sum(m.resampler.n_replicates(data) for m in bn.methods(experiment.n, experiment.d) if m.key in missing)
    seconds = each * replicates / 2  # two workers at least
    if state.run_requested() or seconds <= _PATIENCE:
        return True
    question = st.empty()
    with question.container():
        st.info(f"These settings take about {_duration(seconds)}. You can stop at any time and keep what is done.")
        answered = st.button("Run", type="primary", icon=":material/play_arrow:")
    if answered:
        question.empty()
    return answered


def _duration(seconds: float) -> str:
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


@st.fragment(run_every=0.3)
def _waiting(what: str = "Learning the data's own graph") -> None:
    job = state.job()
    if job is None or not job.running:
        st.rerun()
        return
    if warming.warm_up().is_alive():
        st.info("Compiling the engine: some twenty seconds, on the first start on a machine only …")
    else:
        st.info(f"{what} for {job.seconds:.0f} s …")


@st.fragment(run_every=0.3)
def _progress(what: str = "resamples learned from") -> None:
    job = state.job()
    if job is None or not job.running:
        st.rerun()
        return
    share = job.done / job.total if job.total else 0.0
    left = f", about {_duration(job.seconds * (1 - share) / share)} left" if share > 0.02 else ""
    st.progress(share, text=f"{job.done:,} of {job.total:,} {what}{left}")
    if st.button("Stop and keep what is done", icon=":material/stop:"):
        job.stop()
