"""Learn: one graph, with the gain in score of each edge."""

import streamlit as st

import bnengine as bn
from bnengine.scores.evaluation import explain_empty
from pages.learn.comparison import comparison, decomposition, other_graph, steps, tables
from pages.learn.network import (
    against_truth,
    draw,
    missing_edges,
    numbers,
    optimality,
    reversible,
    sentence,
)
from pages.shared import edge_drawer, experiments, results, settings, show, state
from pages.shared.format import escaped
from pages.shared.own_data import drawn_once, own_data


def main() -> None:
    """Draw the page."""
    data = own_data()
    if data is None:
        return
    experiment = settings.experiment()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        return
    state.remember_drawn()
    rows, checked = drawn_once(data, experiment.seed), experiments.states_checked(experiment, data, graph)
    score = experiment.full_score
    gains = bn.teaching.edge_gains(rows, graph.edges, score)
    empty = bn.score(rows, [], score)
    show.finding(sentence(rows, graph, experiment, empty))
    numbers(rows, graph, empty)
    if graph.status == "max_iterations":
        st.warning("The search reached its limit of steps before it converged. This is the best graph found.")
    missing_edges(rows, graph, checked)
    if not graph.edges:
        st.info(escaped(explain_empty(rows, score, experiment.constraints)))
    else:
        draw(rows, graph, gains, experiment, checked)
        experiments.suspects(checked)
        reversible(graph, experiment)
    place = st.container()
    against_truth(rows, graph.edges)
    tables(rows, graph, gains, experiment, checked)
    steps(rows, graph, experiment)
    decomposition(rows, graph, experiment)
    with place:  # after what takes no time
        experiments.check_states_of(experiment, data, graph)
        optimality(data, graph, experiment)
    other_graph(data, graph, experiment)
    comparison(data, experiment)
    edge_drawer.offer(experiment, data, bn.Study(graph, results.ensembles(experiment, data)))


main()
