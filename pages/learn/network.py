"""The learned graph: the finding, the clicked variable, the known network, and edges that depend on ties."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.binning import FinerBins
from bnengine.experiment.states_check import StatesCheck
from bnengine.graphs.known_truth import EdgeComparison
from bnengine.plots.network_drawing import EdgeStyle, NetworkPicture, blanket, network_figure, plain
from bnengine.plots.palette import ink
from bnengine.search.certificate import Certificate
from pages.shared import experiments, in_use, show, state
from pages.shared.downloads import csv_button
from pages.shared.format import at_most, both_units, counted, duration, escaped, listed, short
from pages.shared.keys import Key
from pages.shared.widgets.choice import lazy_expander, tabs
from pages.shared.widgets.constraints_control import chosen_in, chosen_part, how_much_is_shown, show_around

# How good the learned graph is: what is proved about it.

_ROUNDING = 1e-6  # nats


def optimality(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show what a search for a proof of some seconds gives, where the search itself has not proved its graph."""
    if graph.status in ("optimal", "stopped"):
        return
    refused = experiments.proof_refused(data)
    found = None if refused else experiments.certificate_of(experiment, data, graph)
    if refused:
        show.note(refused, "certificate")
    elif found is not None:
        show.note(certificate_sentence(*found, graph), "certificate")


def certificate_sentence(made: Certificate, seconds: float, graph: bn.LearnedGraph) -> str:
    """Say what is proved, how long that took, and whether a better graph was met."""
    limit, took = f"no network with at most {counted(made.max_parents, 'parent')} of a variable", duration(seconds)
    if math.isinf(made.gap):
        return f"Nothing is proved about other networks' scores yet ({took})."
    better = "" if made.graph.score <= graph.score + _ROUNDING else " than the best one met on the way"
    if made.status == "optimal":
        text = f"**Proved:** {limit} scores higher{better} ({took})."
    else:
        text = f"{limit[0].upper()}{limit[1:]} can score more than **{short(made.gap)} nats** higher{better} ({took})."
    return text + (f" That one is {short(made.graph.score - graph.score)} nats above this graph." if better else "")


# What the states do to the learned edges: those that binning alone may have made, and those that many states hide.


def missing_edges(data: bn.Dataset, graph: bn.LearnedGraph, checked: StatesCheck | None) -> None:
    """Where few edges or none were found, say what may be the matter with the table, and lead to its repair."""
    open_repairs = in_use.n_open_repairs()
    if open_repairs and len(graph.edges) < data.n_variables / 2:
        _offer(
            f"{counted(open_repairs, 'proposed repair')} of this table {'is' if open_repairs == 1 else 'are'} still "
            "open. Spellings, codes and dates that are read as states of their own hide edges.",
            "See the repairs",
            "repairs",
            lambda: state.open_page("data"),
        )
    joined = checked.joined if checked is not None else None
    if joined is not None:
        _offer(
            f"{joined.sentence} The Data page can undo it.",
            "Join the states",
            "join",
            lambda: in_use.set_recipe(joined.recipe),
        )


def _offer(sentence: str, label: str, name: str, do: Callable[[], None]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=Key.of("offer", name)):
        st.markdown(f":material/build: {escaped(sentence)}", width="stretch")
        if st.button(label, key=Key.of(Key.REPAIR, name)):
            do()
            st.rerun()


def with_bins(table: pd.DataFrame, checked: StatesCheck | None) -> pd.DataFrame:
    """Return a table of edges with a further column: what became of each edge with finer bins."""
    if checked is None or not checked.finer.bins:
        return table
    pairs = zip(table["parent"], table["child"], strict=True)
    return table.assign(finer_bins=[checked.finer.about(parent, child) for parent, child in pairs])


# The variable that was clicked: its neighbours, and its probabilities with the counts behind them.

_MOST_ROWS, _MOST_FAMILIES = 500, 8


def node_panel(data: bn.Dataset, edges: list[tuple[str, str]], node: str, view: str) -> None:
    """Show a node's parents, children and other parents of the children; the table of probabilities."""
    st.markdown(node_sentence(data, edges, node))
    if len(data.names) > len(members(data, edges, node)):
        st.button("Show only these variables", key=Key.of(Key.ONLY, view), on_click=show_around, args=(view, node))
    table = probabilities(data, [parent for parent, child in edges if child == node], node)
    with st.expander(f"Probabilities of {escaped(node)}", icon=":material/grid_on:"):
        show.table(table.head(_MOST_ROWS), {"rows": "Rows"}, height=min(38 * len(table) + 42, 320))
        more = f" The first {_MOST_ROWS} of {len(table):,} rows are shown." if len(table) > _MOST_ROWS else ""
        st.caption(
            "Shares of the states among the rows with each parent configuration; configurations that do not occur are "
            f"left out.{more}"
        )


def members(data: bn.Dataset, edges: list[tuple[str, str]], node: str) -> list[str]:
    """Return the variable and its Markov blanket."""
    pairs = [(data.index(parent), data.index(child)) for parent, child in edges]
    return [data.names[v] for v in blanket(pairs, data.index(node))]


def node_sentence(data: bn.Dataset, edges: list[tuple[str, str]], node: str) -> str:
    """Return the variable's place in the graph."""
    parents = [parent for parent, child in edges if child == node]
    children = [child for parent, child in edges if parent == node]
    others = [name for name in members(data, edges, node) if name not in (node, *parents, *children)]
    return (
        f"**{escaped(node)}**. Parents: {_named(parents)}. Children: {_named(children)}. "
        f"Other parents of its children: {_named(others)}."
    )


def _named(names: list[str]) -> str:
    return listed([escaped(name) for name in names], _MOST_FAMILIES) or "none"


def probabilities(data: bn.Dataset, parents: list[str], node: str) -> pd.DataFrame:
    """Tabulate one row per observed parent configuration: its states, number of rows, share of each state."""
    frame = data.to_frame()[[*parents, node]].astype(str)
    if parents:
        counts = frame.groupby([*parents, node], sort=False).size().unstack(node, fill_value=0)
    else:
        counts = frame[node].value_counts().to_frame().T
    counts = counts.reindex(columns=[str(state) for state in data.states[data.index(node)]], fill_value=0)
    rows = counts.sum(axis=1)
    shares = counts.div(rows, axis=0).add_prefix("P = ")
    table = pd.concat([rows.rename("rows"), shares], axis=1)
    return table.reset_index(drop=not parents).sort_values("rows", ascending=False, kind="stable", ignore_index=True)


# The result of a search, in a sentence and in four numbers.


def sentence(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment, empty: float) -> str:
    """Say the finding; ``empty`` is the score of the graph without edges."""
    gain = graph.score - empty
    proved = f" (optimal{at_most(experiment)})" if graph.status == "optimal" else ""
    start = (
        f"On {in_use.title()} ({counted(data.n_rows, 'row')}), {experiment.search.name} with "
        f"{escaped(experiment.full_score.name)} finds"
    )
    if not graph.edges:
        return f"{start} **no edge**{proved}."
    return (
        f"{start} **{counted(len(graph.edges), 'edge')}**{proved}: {short(gain)} nats "
        f"({short(gain / math.log(2))} bits) better than no edges."
    )


def numbers(data: bn.Dataset, graph: bn.LearnedGraph, empty: float) -> None:
    """Show score, parameters and work, next to the score of the empty graph."""
    columns = st.columns(4)
    columns[0].metric("Score, nats", short(graph.score), help="Natural logarithm; higher is better.")
    columns[1].metric("Score without edges, nats", short(empty))
    columns[2].metric("Free parameters", f"{bn.n_parameters(data, graph.edges):,}")
    columns[3].metric("Families scored", f"{graph.n_evaluations:,}", help=f"Search status: {graph.status}.")


# The learned graph against the network that the data are known to come from.


def against_truth(data: bn.Dataset, edges: Sequence[tuple[str, str]]) -> None:
    """Show a sentence and the table of all edges of both graphs; nothing if no network is known."""
    found = in_use.compared_with_truth(data.names, edges)
    if found is None:
        return
    title, comparison = found
    show.note(truth_sentence(title, comparison), "known network", small=False)
    lazy_expander(
        "Edges against the known network", "known network", ":material/verified:", lambda: true_edges(comparison)
    )


def true_edges(comparison: EdgeComparison) -> None:
    """Show the table of all edges of both graphs."""
    table = truth_table(comparison)
    show.table(table, height=min(38 + 35 * len(table), 320))
    csv_button("Comparison with the known network", table, "against_known_network.csv")


def truth_sentence(title: str, found: EdgeComparison) -> str:
    """Say the counts and both distances."""
    n_known = len(found.true) + len(found.reversed) + len(found.missing)
    return (
        f"Against **{escaped(title)}** ({counted(n_known, 'edge')}): {len(found.true)} true, {len(found.reversed)} "
        f"reversed, {len(found.extra)} extra, {len(found.missing)} missing; SHD {found.shd}, between the equivalence "
        f"classes {found.class_shd}."
    )


def truth_table(found: EdgeComparison) -> pd.DataFrame:
    """Tabulate all edges of both graphs, what is wrong first."""
    lines = [(kind, *edge) for kind in ("missing", "extra", "reversed", "true") for edge in getattr(found, kind)]
    return pd.DataFrame(lines, columns=["kind", "parent", "child"])


def with_truth(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return a table of edges with a further column: what each edge is in the known network."""
    edges = list(zip(table["parent"], table["child"], strict=True))
    found = in_use.compared_with_truth(names, edges)
    return table if found is None else table.assign(known_network=[found[1].kind(edge) for edge in edges])


GRAPH, CLASS = "Graph", "Equivalence class"
_VIEW = "learned_network"
Gains = dict[tuple[str, str], float]


def draw(
    data: bn.Dataset, graph: bn.LearnedGraph, gains: Gains, experiment: bn.Experiment, checked: StatesCheck | None
) -> None:
    """Draw the picture, and what was clicked in it: an edge with its gain, or a variable with its probabilities."""
    about = "The equivalence class shows edges without arrowheads if the data cannot determine their direction."
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    view = tabs("View", [GRAPH, CLASS], Key.VIEW, left, help=about)
    reversible = graph.cpdag & graph.cpdag.T
    finer = checked.finer if checked is not None else None
    whole = learned_figure(data, gains, reversible if view == CLASS else np.zeros_like(reversible), finer)
    picture = chosen_part(whole, _VIEW, place=right)
    show.chart(picture, _VIEW, f"Network with {counted(len(picture.edges), 'edge')}", clickable=True)
    how_much_is_shown(_VIEW, picture, whole)
    chosen, node = state.chosen_edge(), state.chosen_node()
    if chosen is not None and chosen in gains:
        parent, child = map(escaped, chosen)
        n_parents = int(graph.adjacency[:, data.index(chosen[1])].sum())
        sentence = (
            f"**{parent} → {child}** adds {both_units(gains[chosen])} to the score; {child} has "
            f"{counted(n_parents, 'parent')}."
        )
        show.note(sentence, "chosen edge", small=False)
    elif chosen is not None and chosen in experiment.constraints.forbidden:
        show.note(
            f"**{escaped(chosen[0])} → {escaped(chosen[1])}** is forbidden, and not in this graph.",
            "chosen edge",
            small=False,
        )
    elif node in data.names:
        node_panel(data, list(gains), node, _VIEW)
    elif view == CLASS:
        show.note(
            f"{int(np.triu(reversible).sum())} of {counted(len(gains), 'edge')} without arrowhead: reversing them "
            "gives graphs that fit the data equally well, so the data cannot determine their direction.",
            "class",
        )
    else:
        st.caption(
            "Click an edge for all that is known of it, and to require or forbid it; click a variable for its "
            "probabilities, or drag it elsewhere."
        )


def learned_figure(
    data: bn.Dataset, gains: Gains, without_head: np.ndarray, finer: FinerBins | None = None
) -> NetworkPicture:
    """Draw the graph, its edges by gain; dashed those that binning alone may have made."""
    dark, most = state.dark(), max(gains.values())
    styles = {}
    for (parent, child), gain in gains.items():
        edge = data.index(parent), data.index(child)
        join = "–" if without_head[edge] else "→"
        share = math.sqrt(max(gain, 0.0) / most) if most > 0 else 0.0
        hover = f"<b>{plain(parent)} {join} {plain(child)}</b><br>gain {both_units(gain)}"
        about = "" if finer is None else finer.about(parent, child)
        doubted = finer is not None and finer.suspected(parent, child)
        styles[edge] = replace(
            _style(dark, share, f"{hover}<br>{about}" if about else hover),
            arrow=not without_head[edge],
            strength=max(gain, 0.0),
            dash="dash" if doubted else "solid",
        )
    legend = (
        [(f"gain of {short(share**2 * most)} nats", _style(dark, share, "")) for share in (0.3, 1.0)]
        if most > 0
        else []
    )
    if finer is not None and finer.suspects:
        legend.append(("perhaps by binning alone", replace(_style(dark, 0.5, ""), dash="dash")))
    return network_figure(
        data.names, styles, dark, chosen=chosen_in(data.names, styles), legend=legend, hide="Hide gains below, nats:"
    )


def _style(dark: bool, share: float, hover: str) -> EdgeStyle:
    """Style an edge by the root of its gain as a share of the largest."""
    return EdgeStyle(ink(dark), 0.8 + 2.4 * share, hover, opacity=0.45 + 0.55 * share)


def reversible(graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show the number of reversible edges; the way on."""
    number = int(np.triu(graph.cpdag & graph.cpdag.T).sum())
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    turned = f"**{number} of {counted(len(graph.edges), 'edge')}** can be reversed within the equivalence class"
    ties = " Ties are broken in the order of the columns." if experiment.ties == "columns" else ""
    decided = f"; experiments decide {counted(len(graph.decided), 'direction')}" if any(graph.targets) else ""
    left.caption(f"{turned}{decided}.{ties}")
    place, key = right.container(horizontal=True, horizontal_alignment="right"), Key.of(Key.NEXT, "confidence")
    if place.button("Next: confidence", type="primary", icon=":material/arrow_forward:", key=key):
        state.open_page("confidence")
