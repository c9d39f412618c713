"""How much of the bootstrap's doubt is the search's: two graphs from every bootstrap sample, by two searches."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.execution import processors
from pages._shared import session, show
from pages._shared.benchmark_results import on_the_search
from pages._shared.downloads import take_away
from pages._shared.figures.bias_lab import search_doubt_figure
from pages._shared.format import counted, escaped, percent
from pages._shared.jobs import experiments, running
from pages._shared.sections.lesson import Subject

#: More of them, and the standard errors would be smaller than anybody needs.
_MOST_SAMPLES = 100


def search_section(subject: Subject) -> None:
    """Part the variance of edges between bootstrap samples into the data's and the search's."""
    top, experiment = st.container(), subject.experiment
    made = _measured(experiment, subject.data)
    if made is None:
        return
    table = made.table()
    show.finding(_finding(table), top)
    show.chart(
        search_doubt_figure(table, session.dark()),
        "lab_search",
        "Variance of edges between graphs of bootstrap samples, by search: the part of the data and that of the search",
    )
    st.latex(r"\mathrm{Var}(e) = \mathrm{Var}_b\,P(e \mid D_b) + \langle \mathrm{Var}(e \mid D_b) \rangle_b")
    st.caption(
        f"{counted(made.n, 'bootstrap sample')}; {escaped(experiment.score.name)}, as in the sidebar. From every "
        "sample each search learns two graphs, with different seeds. If it always found the best graph, the two would "
        "join the same pairs, and all doubt would be the data's. A climb ends in a local optimum; which one depends "
        "on how it happens to break ties. Variances are sums over all pairs of variables; a pair is unsettled if its "
        f"confidence lies between 0.1 and 0.9. {on_the_search()}"
    )
    show.table(
        table,
        {
            "search": "Search",
            "edges": "Edges, mean",
            "score": "Score, mean, nats",
            "of_data": "Variance of the data",
            "of_data_error": "± SE",
            "of_search": "Variance of the search",
            "of_search_error": "± SE ",
            "share": "Share of the search",
            "unsettled": "Unsettled pairs",
        },
    )
    take_away(
        ("By search", table, "search_doubt.csv"),
        ("Every pair", made.pairs(), "search_doubt_pairs.csv"),
        code=experiment.python_data() + f"searches = [{', '.join(f'bn.{one!r}' for one in _searches(experiment))}]\n"
        f"made = bn.teaching.search_doubt(data, {experiment.python_score()}, searches, {_n(experiment)},\n"
        f"                                constraints=bn.{experiment.constraints!r}, rng={experiment.seed})\n"
        "print(made.table())\n",
    )


def _finding(table: pd.DataFrame) -> str:
    """Say whose the doubt is, by search."""
    known = table[table["share"].notna()]
    if known.empty:
        return "Every bootstrap sample gives the same edges: there is no doubt to divide."
    parts = [f"**{percent(line.share)}** with {escaped(line.search)}" for line in known.itertuples()]
    return f"Of the bootstrap's doubt about edges, the search itself causes {', '.join(parts)}."


def _searches(experiment: bn.Experiment) -> list[bn.search.Search]:
    """Return a climb and the search for the optimum, and the sidebar's where it is another."""
    limit = experiment.search.max_parents
    both: list[bn.search.Search] = [bn.HillClimbing(max_parents=limit), bn.IteratedLocalSearch(max_parents=limit)]
    return both if type(experiment.search) in map(type, both) else [*both, experiment.search]


def _n(experiment: bn.Experiment) -> int:
    return max(2, min(experiment.n, _MOST_SAMPLES))


def _measured(experiment: bn.Experiment, data: bn.Dataset) -> bn.teaching.SearchDoubt | None:
    """Return the engine's result, computed by a job; how long it takes is known from the graphs of the data."""
    searches, seconds, n = _searches(experiment), 0.0, _n(experiment)
    for search in searches:
        asked = dataclasses.replace(experiment, search=search)
        if experiments.graph_of(asked, data) is None:
            return None
        known = session.results.graph(asked)
        seconds += known[1] if known else 0.0
    learned = (data, experiment.full_score, searches, n, "none", experiment.constraints)
    return running.result_at_once(
        "search_doubt",
        f"{experiment.graph_key} {n}",
        lambda progress: bn.teaching.search_doubt(*learned, rng=experiment.seed, progress=progress),
        "samples learned from",
        2 * n * seconds / processors(),
    )
