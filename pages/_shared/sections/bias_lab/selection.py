"""Selection bias, which correcting the score does not remove, and the multiscale bootstrap."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.execution import processors, shared_progress
from bnengine.scores.correction import correction_refused
from bnengine.teaching.multiscale import SCALES, MultiscaleBootstrap
from bnengine.typing import Progress
from pages._shared import session, show
from pages._shared.benchmark_results import on_the_search
from pages._shared.downloads import take_away
from pages._shared.figures.bias_lab import search_doubt_figure, selection_figure
from pages._shared.figures.fit import NAMES, multiscale_figure
from pages._shared.format import counted, escaped, percent, plus_minus, short, tex
from pages._shared.jobs import experiments, running
from pages._shared.sections.bias_lab.fit import TrueNetwork, network_control, true_network
from pages._shared.sections.bias_lab.statistic import rows_control, sample_control
from pages._shared.sections.section import Subject
from pages._shared.session import Key
from pages._shared.widgets.choice import choice, tabs

# How much of the bootstrap's doubt is the search's: two graphs from every bootstrap sample, by two searches.

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
    alt = (
        "Variance of edges between graphs of bootstrap samples, by search: the part of the data and that of the search"
    )
    show.chart(search_doubt_figure(table, session.dark()), "lab_search", alt)
    st.latex(r"\mathrm{Var}(e) = \mathrm{Var}_b\,P(e \mid D_b) + \langle \mathrm{Var}(e \mid D_b) \rangle_b")
    st.caption(
        f"{counted(made.n, 'bootstrap sample')}; {escaped(experiment.score.name)}, as in the sidebar. From every "
        "sample each search learns two graphs, with different seeds. If it always found the best graph, the two would "
        "join the same pairs, and all doubt would be the data's. A climb ends in a local optimum; which one depends "
        "on how it happens to break ties. Variances are sums over all pairs of variables; a pair is unsettled if its "
        f"confidence lies between 0.1 and 0.9. {on_the_search()}"
    )
    titles = {
        "edges": "Edges, mean",
        "score": "Score, mean, nats",
        "of_data": "Variance of the data",
        "of_data_error": "± SE",
        "of_search": "Variance of the search",
        "of_search_error": "± SE ",
        "share": "Share of the search",
        "unsettled": "Unsettled pairs",
    }
    show.table(table, titles)
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
        known = session.results.graph(asked, data)
        seconds += known[1] if known else 0.0
    learned = (data, experiment.full_score, searches, n, "none", experiment.constraints)
    return running.result_at_once(
        "search_doubt",
        (data, experiment.graph_key, n),
        lambda progress: bn.teaching.search_doubt(*learned, rng=experiment.seed, progress=progress),
        "samples learned from",
        2 * n * seconds / processors(),
    )


_CORRECTIONS = {"exact": "Exact", "leading": "½|θ|", "none": "None"}


def selection_section(subject: Subject) -> None:
    """Compare the graphs chosen on replicates with the graph learned from the data."""
    top, experiment, data = st.container(), subject.experiment, subject.data
    offered = {
        key: title for key, title in _CORRECTIONS.items() if correction_refused(experiment.full_score, key) is None
    }
    correction = tabs("Correction on replicates", offered, Key.LAB_CORRECTION, label_visibility="visible")
    picture = st.container()
    with picture:
        made = _measured_selection(experiment, data, correction)
        if made is None:
            return
        alt = "Scores of the graphs chosen on replicates minus that of the learned graph, on replicates and on the data"
        show.chart(selection_figure(made, session.dark()), "lab_selection", alt)
    table = made.table()
    shift = f"{short(table['mean'][0])} ± {short(table['standard_error'][0])}"
    show.finding(
        f"Graphs chosen on replicates score **{short(made.gains.mean())} nats** higher there than the graph learned "
        f"from the data, and **{short(-made.chosen_on_data.mean())}** lower on the data. The learned graph's own score "
        f"changes by {shift}.",
        top,
    )
    stuck = int((made.gains < -1e-6).sum())
    local = (
        f"On {counted(stuck, 'replicate')} the search ended in a local optimum, below the learned graph: part of the "
        "loss on the data is due to the search. "
        if stuck
        else ""
    )
    st.caption(
        f"{counted(made.edges.size, 'replicate')}; {escaped(experiment.score.name)} and "
        f"{escaped(experiment.search.name)}, as in the sidebar. With the exact correction, the score of a fixed graph "
        "has the same mean over replicates as on the data. But each replicate's graph is chosen to fit that replicate: "
        f"the mean of the maximum exceeds the maximum of the means, which no penalty per graph removes. {local}The "
        f"chosen graphs have {short(made.edges.mean())} edges on average, the learned graph {made.own_edges}; it was "
        "chosen on the data in the same way. Table: scores minus the learned graph's score on the data."
    )
    show.equations(
        r"\langle T_{BC}(D_b, G)\rangle_b = T(D, G)\ \text{if}\ G\ \text{is fixed}",
        r"\langle \max_G T_{BC}(D_b, G)\rangle_b \,\ge\, \max_G T(D, G)",
        r"\langle T_{BC}(D_b, G_b) - T(D, G_b)\rangle_b",
        rf"= {tex(made.bias)}\ \text{{nats}}",
        place=picture,
    )
    titles = {
        "mean": "Mean, nats",
        "standard_error": "± SE, nats",
        "sd": "SD over replicates, nats",
    }
    show.table(table, titles)
    values = pd.DataFrame(
        {"edges": made.edges, "own": made.own, "chosen": made.chosen, "chosen_on_data": made.chosen_on_data}
    )
    take_away(
        ("Means", table, "selection_bias.csv"),
        ("Every replicate", values, "selection_bias_resamples.csv"),
        code=experiment.python_data() + f"search = bn.{experiment.search!r}\n"
        f"made = bn.teaching.selection_bias(data, {experiment.python_score()}, search, {experiment.n},\n"
        f"                                  {correction!r}, bn.{experiment.constraints!r}, rng={experiment.seed})\n"
        "print(made.table(), made.bias)\n",
    )


def _measured_selection(
    experiment: bn.Experiment, data: bn.Dataset, correction: str
) -> bn.teaching.SelectionBias | None:
    """Return the engine's result, computed by a job."""
    if experiments.graph_of(experiment, data) is None:
        return None
    known = session.results.graph(experiment, data)
    learned = (data, experiment.full_score, experiment.search, experiment.n, correction, experiment.constraints)
    return running.result_at_once(
        "selection",
        (data, experiment.graph_key, experiment.n, correction),
        lambda progress: bn.teaching.selection_bias(*learned, rng=experiment.seed, progress=progress),
        "replicates learned from",
        known[1] * experiment.n if known else 0.0,
    )


# The multiscale bootstrap: naive, corrected once and approximately unbiased probability of an edge on one line.

_ROWS = (50, 100, 200, 500, 1000, 2000)
_N, _FRESH = 200, 400


class Measured(NamedTuple):
    """The multiscale bootstrap of one sample, and the share of fresh samples from which each edge is learned."""

    made: MultiscaleBootstrap
    pi: np.ndarray
    n_fresh: int
    status: str


def multiscale_section(_: Subject) -> None:
    """Show one line through the scales of one edge, and its values at three variances."""
    top = st.container()
    columns = st.columns([3, 3, 3, 4], gap="medium")
    name = network_control(columns[0])
    n_rows = rows_control(Key.LAB_MULTISCALE_ROWS, _ROWS, columns[1])
    sample = sample_control(columns[2])
    picture = st.container()
    with picture:
        truth = true_network(name)
        if truth is None:
            return
        found = running.result_at_once(
            "multiscale",
            (truth.network, n_rows, sample),
            lambda progress: _measured_multiscale(truth, n_rows, sample, progress),
            "samples",
        )
    if found is None:
        return
    edges = fitted_edges(found.made)
    if not edges:
        show.finding("No edge has a share other than 0 and 1 at four scales or more: the line cannot be drawn.", top)
        return
    chosen = choice("Edge", list(edges), Key.LAB_MULTISCALE_EDGE, columns[3])
    i, j = edges[chosen]
    with picture:
        alt = "Normal quantile of an edge's share against the variance of the resamples, with a line"
        show.chart(multiscale_figure(found.made, i, j, session.dark()), "lab_multiscale", alt)
    show.finding(sentence(found, i, j, str(chosen)), top)
    explanation(found, truth, i, j)
    table = found.made.table()
    take_away(
        ("All edges", table, "multiscale.csv"),
        code=truth.code + f"\ndata = truth.sample({n_rows}, rng={sample})\n"
        f"made = bn.teaching.multiscale_bootstrap(data, bn.BIC(), bn.HillClimbing(), {_N}, kind='adjacency', "
        f"rng={sample})\nprint(made.table())\n",
    )


def _measured_multiscale(truth: TrueNetwork, n_rows: int, sample: int, progress: Progress) -> Measured:
    """Return the multiscale bootstrap of a sample, and π from fresh samples."""
    data = truth.network.sample(n_rows, rng=sample)
    scaled, fresh = shared_progress(progress, [_N * (len(SCALES) + 1), _FRESH])
    learning = (data, bn.BIC(), bn.HillClimbing())
    made = bn.teaching.multiscale_bootstrap(*learning, _N, rng=sample, progress=scaled, kind="adjacency")
    if made.status == "stopped":
        return Measured(made, np.full(made.naive.shape, np.nan), 0, "stopped")
    again = bn.resample(*learning, bn.ParametricBootstrap(_FRESH, truth.network), rng=sample, progress=fresh)
    return Measured(made, again.adjacency_confidence, again.n_graphs, again.status)


def fitted_edges(made: MultiscaleBootstrap) -> dict[str, tuple[int, int]]:
    """Return the adjacencies to which a line was fitted, by their names.

    Those most affected by the correction first.
    """
    pairs = np.argwhere(np.triu(made.fitted, 1))
    change = np.abs(made.naive - made.corrected_once)
    pairs = pairs[np.argsort(-change[pairs[:, 0], pairs[:, 1]], kind="stable")]
    return {f"{made.names[i]} – {made.names[j]}": (int(i), int(j)) for i, j in pairs}


def sentence(found: Measured, i: int, j: int, edge: str) -> str:
    """Return the three numbers, and π."""
    naive, once, unbiased = (short(float(p)) for p in found.made.probabilities[:, i, j])
    pi = short(float(found.pi[i, j]))
    fresh = f" In {found.n_fresh:,} fresh samples it is **{pi}** (π)." if found.n_fresh else ""
    return (
        f"The share of naive replicates with {escaped(edge)} is **{naive}**; corrected once, it is **{once}**.{fresh} "
        f"The approximately unbiased probability of the edge is **{unbiased}**."
    )


def explanation(found: Measured, truth: TrueNetwork, i: int, j: int) -> None:
    """Explain what the line is, what its three values answer, and the formulas with numbers."""
    made = found.made
    v, c = float(made.distance[i, j]), float(made.curvature[i, j])
    errors = ", ".join(
        f"{name} {plus_minus(float(p), float(e), 2)}"
        for name, p, e in zip(NAMES, made.probabilities[:, i, j], made.errors[:, i, j], strict=True)
    )
    show.note(
        f"Resamples of half to one and a half times N rows, {_N} of each, are scored as if they had N rows: then the "
        "same shares give the same graph at each size, and only their variance about the data changes. The share of "
        "graphs with the adjacency, as a normal quantile, lies on a line. At variance 1 it is the naive bootstrap; "
        "at 0, without the variance that resampling adds, what the corrected bootstrap is after; at −1, the "
        "p-value of the hypothesis that the adjacency is found from the true distribution. The last answers another "
        f"question than π. Rows from {truth.title}; BIC, hill climbing. With standard errors: {errors}.",
        "multiscale",
    )
    show.equations(
        r"z(\sigma^2) = v + c\,\sigma^2,\qquad "
        rf"v = {tex(v)},\ c = {tex(c)}",
        r"\Phi(-(v+c)),\qquad \Phi(-v),\qquad \Phi(-(v-c))",
    )
