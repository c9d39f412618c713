"""The learned graph against another one: of another score or search, of the replicates, or the known network."""

import dataclasses

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine._core.settings import label_of
from bnengine.bootstrap.methods import first_shown
from bnengine.search import SEARCHES
from pages._shared import session
from pages._shared.figures.methods import TITLES
from pages._shared.figures.palette import aside, ink, method_color
from pages._shared.format import duration, escaped
from pages._shared.jobs import experiments, running
from pages._shared.session import Key
from pages._shared.two_graphs import Edges, two_graphs
from pages._shared.widgets.choice import choice
from pages._shared.widgets.later import later
from pages._shared.widgets.score_controls import SCORE_TEXTS, score_of, score_title
from pages._shared.widgets.search_controls import ABOUT, reason_against

OTHER, AVERAGED, KNOWN = "Another score or search", "The averaged network", "The known network"
_NO_SCORE = ("bde", "loglik")  # one needs a prior network, one a limit on parents
_NO_SEARCH = ("k2", "fixed_ordering", "tree")  # those that need an ordering, or are meant for few variables


def other_graph(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The comparison, once it is asked for."""
    title = "Compare with another graph"
    later(title, "other graph", ":material/difference:", lambda: against_another(data, graph, experiment))


def against_another(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The choice of the other graph, and both in one picture."""
    known, ensembles = session.truth.edges(data.names), session.results.ensembles(experiment)
    methods = [key for key in ensembles if key != "data"]
    titles = {"other": OTHER} | ({"averaged": AVERAGED} if methods else {})
    titles |= {"known": f"{KNOWN}, {known[0]}"} if known else {}
    columns = st.columns(3, gap="medium")
    which = choice("Compare with", titles, Key.OTHER_GRAPH, columns[0])
    dark, color, words = session.dark(), ink(session.dark()), "in the known network"
    if which == "known" and known is not None:
        edges: Edges | None = known[1]
    elif which == "averaged":
        key = first_shown(methods)
        study = bn.Study(graph, ensembles)
        edges = study.averaged(key, study.strength_threshold(key, experiment.kind), experiment.kind).edges
        color, words = method_color(key, dark), f"in the averaged network of the {TITLES[key]}"
    else:
        edges = learned_otherwise(data, experiment, columns[1], columns[2])
        words = "in the other graph"
    if edges is not None:
        two_graphs(data.names, graph.edges, edges, ("in this graph", words), (aside(dark), color), "other_graph")
        if not methods:
            st.caption("After a run on the Confidence page, the averaged network can be compared, too.")


def learned_otherwise(
    data: bn.Dataset,
    experiment: bn.Experiment,
    left: "st.delta_generator.DeltaGenerator",
    right: "st.delta_generator.DeltaGenerator",
) -> Edges | None:
    """The edges learned with the chosen score and search, started by a button if that may take long."""
    scores = {key: score_title(key) for key in SCORE_TEXTS if key not in _NO_SCORE}
    searches = {
        tag: label_of(SEARCHES[tag]) for tag in ABOUT if tag not in _NO_SEARCH and not reason_against(tag, data)
    }
    other = "bdeu" if session.values.get(Key.SCORE) == "bic" else "bic"
    score = choice("Its score", scores, Key.OTHER_SCORE, left, first=other)
    search = choice("Its search", searches, Key.OTHER_SEARCH, right, first=session.values.get(Key.SEARCH))
    wanted = dataclasses.replace(experiment, score=score_of(score, experiment), search=SEARCHES[search]())
    seconds, stop = 3 * experiments.seconds_of(experiment), np.zeros(1, dtype=np.uint8)
    found = running.worked_out(
        "other graph",
        wanted.graph_key,
        lambda tell: wanted.learn(data, stop),
        "Learn the other graph",
        f"With the structure prior and the constraints of this one; about {duration(seconds)}.",
        "Learning the other graph",
        counted=False,
        at_once=seconds <= running.PATIENCE,
        stop=stop,
    )
    if found is None:
        return None
    if found.status == "stopped":
        running.stopped("other graph", wanted.graph_key, "Stopped early. The best graph until then is shown.")
    st.caption(f"The other graph: {escaped(wanted.full_score.name)}, {escaped(wanted.search.name)}.")
    return found.edges
