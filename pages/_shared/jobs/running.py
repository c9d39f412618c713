"""Runs work in background jobs, shows how far it is, and keeps the results."""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.methods import Method
from bnengine.bootstrap.tie_effect import TieEffect
from bnengine.search import Search
from pages._shared import session
from pages._shared.figures.methods import TITLES
from pages._shared.jobs import warming
from pages._shared.jobs.background import Job, Progress

T = TypeVar("T")

#: In how many orders ties are broken to see what they settle.
N_ORDERS = 20

#: Kinds of jobs; one of each runs at a time in a session.
GRAPH, STUDY = "graph", "study"

#: Work predicted to be shorter starts by itself; longer work waits for a click.
_PATIENCE = 8.0  # seconds
#: How long a page waits for a job before it shows progress instead: short jobs never flicker.
_GRACE = 1.5  # seconds


def graph_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.LearnedGraph | None:
    """The data's own graph, from the session or from a job; None while the page waits or shows an error."""
    study = session.job(STUDY)
    if study is not None and study.key != experiment.key:
        session.set_job(STUDY, None)  # of other settings
    known = session.known_graph(experiment)
    if known is not None:
        return known[0]
    key = experiment.graph_key
    job = session.job(GRAPH)
    if job is None or job.key != key:
        warm = warming.warm_up()
        job = Job(key, lambda tell: _timed_graph(experiment, data, warm))
        session.set_job(GRAPH, job)
    result = _finished(GRAPH, job, "Learning the data's own graph", counted=False)
    if result is None:
        return None
    session.keep_graph(experiment, *result)
    return result[0]  # type: ignore[no-any-return]


def _timed_graph(experiment: bn.Experiment, data: bn.Dataset, warm: threading.Thread) -> tuple[bn.LearnedGraph, float]:
    warm.join()  # compiling the same code twice at once would take twice as long
    bn.warm_up(experiment.score, experiment.search)  # the time of compiling says nothing about the next run
    start = time.perf_counter()
    graph = experiment.learn(data)
    return graph, time.perf_counter() - start


def study_of(experiment: bn.Experiment, data: bn.Dataset) -> bn.Study | None:
    """The experiment's study, from the session or from a job; None while the page shows progress or a Run button."""
    reference = graph_of(experiment, data)
    if reference is None:
        return None
    known = session.known_ensembles(experiment)
    missing = [method for method in experiment.methods_run if method not in known]
    if not missing or session.stopped(experiment):
        return _shown(experiment, bn.Study(reference, known))
    job = session.job(STUDY)
    if job is None or job.key != experiment.key:
        if not _may_start(experiment, data, missing):
            return None
        job = Job(experiment.key, lambda tell: experiment.run(data, progress=tell, known=known))
        session.set_job(STUDY, job)
    result = _finished(STUDY, job, "resamples learned from")
    if result is None:
        return None
    if result.status == "stopped":
        session.set_stopped(experiment)
    session.keep_ensembles(experiment, result.ensembles)
    return _shown(experiment, result)


def worked_out(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    button: str,
    remark: str,
    what: str,
    counted: bool = True,
    at_once: bool = False,
) -> T | None:
    """What a button starts, from the session or from a job; None until it is there.

    Parameters
    ----------
    kind : str
        One job of a kind runs at a time.
    key : str
        A digest of everything that the result depends on.
    button, remark : str
        The button's label, and the sentence below it.
    what : str
        What the progress counts; if it is not ``counted``, what goes on.
    at_once : bool
        Start without the button: for work of a second or two.
    """
    key = f"{kind} {key}"
    known: T | None = session.known_result(key)
    if known is not None:
        return known
    job = session.job(kind)
    if job is None or job.key != key:
        question = st.empty()
        with question.container():
            pressed = (
                at_once
                or session.again_requested(kind)
                or st.button(button, icon=":material/play_arrow:", key=f"start {kind}", type="primary")
            )
            if not pressed:
                st.caption(remark)
        if not pressed:
            return None
        question.empty()
        warm = warming.warm_up()
        job = Job(key, lambda tell: _after(warm, lambda: work(tell)))
        session.set_job(kind, job)
    result: T | None = _finished(kind, job, what, counted)
    if result is not None:
        session.keep_result(key, result)
    return result


def again(kind: str, key: str) -> bool:
    """A button that forgets a result, such as one that was stopped, and has it worked out again."""
    pressed = st.button("Run it again", icon=":material/replay:", key=f"again {kind}")
    if pressed:
        session.forget_result(f"{kind} {key}")
        session.request_again(kind)
    return pressed


def at_once(kind: str, key: str, work: Callable[[Progress], T], what: str, seconds: float = 0.0) -> T | None:
    """Work of a second or so, started without a button; what was stopped says so, and can be run again.

    Work predicted to take many ``seconds`` waits for a click, after all.
    """
    remark = f"Takes about {duration(seconds)}; it can be stopped, and what is done by then is shown."
    result = worked_out(kind, key, work, "Run", remark, what, at_once=seconds <= _PATIENCE)
    if getattr(result, "status", "") == "stopped":
        st.warning("Stopped. What was done by then is shown.")
        if again(kind, key):
            st.rerun()
    return result


def _after(warm: threading.Thread, work: Callable[[], T]) -> T:
    warm.join()  # compiling the same code twice at once would take twice as long
    return work()


def _finished(kind: str, job: Job[Any], what: str, counted: bool = True) -> Any:
    """The job's result; None while the page shows how far it is, or what went wrong."""
    if not job.wait(_GRACE):
        if counted:
            _progress(kind, what)
        else:
            _waiting(kind, what)
        return None
    session.set_job(kind, None)
    return None if _failed(job) else job.result


def comparison_of(experiment: bn.Experiment, data: bn.Dataset) -> pd.DataFrame | None:
    """Several searches compared, once a button was pressed."""
    chosen = [*_rivals(data), experiment.search]
    searches = list({search.name: search for search in chosen}.values())
    score, constraints, seed = experiment.full_score, experiment.constraints, experiment.seed
    return worked_out(
        "compare",
        experiment.graph_key,
        lambda tell: bn.compare_searches(data, score, searches, constraints, seed, tell, experiment.ties),
        "Compare",
        "Runs each search once with this score and these constraints.",
        "searches done",
    )


def tie_effect_of(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> TieEffect | None:
    """What the order of ties settles in the graph; by itself where that is quick, else once a button was pressed."""
    known = session.known_graph(experiment)
    seconds = N_ORDERS * (known[1] if known else 0.0) / 2  # two workers at least
    return worked_out(
        "ties",
        experiment.graph_key,
        lambda tell: bn.tie_effect(
            data,
            experiment.full_score,
            experiment.search,
            experiment.constraints,
            N_ORDERS,
            experiment.seed,
            tell,
            reference=graph,
        ),
        "See what ties settle",
        f"Learns {N_ORDERS} times more, each time with ties broken in another order: about {duration(seconds)}.",
        "orders tried",
        at_once=seconds < 1.0,
    )


def _rivals(data: bn.Dataset) -> list[Search]:
    """The searches that need no ordering; exact and the tree of networks only where they are quick."""
    searches: list[Search] = [bn.HillClimbing(), bn.HillClimbing(restarts=20), bn.Tabu(), bn.BestFirst()]
    searches += [bn.SimulatedAnnealing(), bn.ChowLiu()]
    searches += [bn.TreeSearch(max_networks=2000)] if data.n_variables <= 12 else []
    searches += [bn.Exact(max_parents=4)] if data.n_variables <= 18 else []
    return searches


def posterior_of(experiment: bn.Experiment, data: bn.Dataset, max_parents: int) -> bn.EdgePosterior | None:
    """Exact edge posteriors under the score with its structure prior, once a button was pressed."""
    score, constraints = experiment.full_score, experiment.constraints
    return worked_out(
        "posterior",
        experiment.graph_key,
        lambda tell: bn.edge_posterior(data, score, max_parents, constraints, uniform_parent_sizes=False),
        "Compute exactly",
        "Takes a second for 15 variables, about ten for 20: the work doubles with each variable.",
        "Summing over all orderings",
        counted=False,
    )


def _shown(experiment: bn.Experiment, study: bn.Study) -> bn.Study | None:
    """The study, with a word on what is missing from it if it was stopped."""
    if not session.stopped(experiment):
        return study
    done = ", ".join(f"{TITLES[key]} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()) or "nothing"
    st.warning(f"Stopped. What was learned by then is shown: {done}.")
    if st.button("Run it to the end", icon=":material/play_arrow:"):
        session.set_stopped(None)
        session.forget_unfinished(experiment)
        session.request_run()
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
    known = session.known_graph(experiment)
    each = known[1] if known else 0.0
    replicates = sum(_runs(m) * m.resampler.n_replicates(data) for m in bn.methods(experiment.n, experiment.d, missing))
    seconds = each * replicates / 2  # two workers at least
    if session.run_requested() or seconds <= _PATIENCE:
        return True
    question = st.empty()
    with question.container():
        st.info(f"These settings take about {duration(seconds)}. You can stop at any time and keep what is done.")
        answered = st.button("Run", type="primary", icon=":material/play_arrow:")
    if answered:
        question.empty()
    return answered


def _runs(method: Method) -> int:
    """How often a method learns from each of its replicates, about: to find a strength takes several runs."""
    return 9 if method.correction == "matched" else 1


def duration(seconds: float) -> str:
    """A time in words."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


@st.fragment(run_every=0.3)
def _waiting(kind: str, what: str) -> None:
    job = session.job(kind)
    if job is None or not job.running:
        st.rerun()
        return
    if warming.warm_up().is_alive():
        st.info("Compiling the engine: half a minute or more, on the first start on a machine only …")
    else:
        st.info(f"{what} for {job.seconds:.0f} s …")


@st.fragment(run_every=0.3)
def _progress(kind: str, what: str) -> None:
    job = session.job(kind)
    if job is None or not job.running:
        st.rerun()
        return
    share = job.done / job.total if job.total else 0.0
    left = f", about {duration(job.seconds * (1 - share) / share)} left" if share > 0.02 else ""
    st.progress(share, text=f"{job.done:,} of {job.total:,} {what}{left}")
    if st.button("Stop and keep what is done", icon=":material/stop:", key=f"stop {kind}"):
        job.stop()
