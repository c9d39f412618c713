"""Can I trust it? Rows needed, the known network, other preparations, a proof, paths and Markov blankets."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers import expected as expectation
from bnengine.answers.verdict import DOUBTFUL, NEITHER, REAL, TOO_LITTLE, UNSURE
from bnengine.graphs.dag import EdgeComparison, compare_with_truth
from bnengine.plots.verdict_drawing import verdict_look
from bnengine.search.certificate import Certificate
from bnengine.typing import LearnedGraph
from pages.network.relations import relations
from pages.network.rows_needed import rows_needed
from pages.network.run import Run
from pages.shared import experiments, in_use, show, state
from pages.shared.downloads import csv_button
from pages.shared.format import at_most, counted, duration, escaped, percent, probability, short
from pages.shared.keys import Key
from pages.shared.widgets import edge_list
from pages.shared.widgets.choice import lazy_expander, tabs
from pages.shared.widgets.edge_list import Line, group_of


def draw(run: Run) -> None:
    """Offer the questions, each worked out once it is chosen."""
    lazy_expander("Can I trust it?", "trust", ":material/verified:", lambda: _chosen(run))


def _chosen(run: Run) -> None:
    questions: dict[str, tuple[str, Callable[[Run], None]]] = {"rows": ("How many rows would I need?", rows_needed)}
    if run.reference is not None:
        title = "Against your expectation" if run.reference.name == in_use.EXPECTED else "Against the known network"
        questions["known"] = (title, against_truth)
    questions["preparation"] = ("Is it the preparation?", preparation)
    questions["proof"] = ("Is it the best graph?", optimality)
    questions["relations"] = ("Paths and Markov blankets", relations)
    chosen = tabs("Question", {key: title for key, (title, _) in questions.items()}, Key.TRUST)
    questions[chosen][1](run)


def preparation(run: Run) -> None:
    """Say which verdicts survive other preparations of the numbers, with the range of each."""
    if run.found.preparations is None:
        st.caption("Nothing else is known: no number was kept or cut, or *real* comes first.")
        return
    show.note(escaped(run.found.preparation_sentence or "No edge is judged."), "preparation", small=False)
    table = run.found.rows(run.found.drawn)
    if "real_least" in table:
        columns = {"real": "Real", "real_least": "Lowest of all", "real_most": "Highest of all"}
        show.table(table[["parent", "child", *columns]].round(2), columns, height=min(38 + 35 * len(table), 320))


# The best-scoring graph against the network that the data are known to come from.


def against_truth(run: Run) -> None:
    """Sort the known or expected edges by the verdict; compare the best-scoring graph with them."""
    known = run.reference
    if known is None:
        return
    expected(run, known.edges)
    comparison = compare_with_truth(run.data.names, run.graph.edges, known.edges)
    show.note(truth_sentence(known.name, comparison), "known network", small=False)
    kinds = ("missing", "extra", "reversed", "true")  # what is wrong first
    lines = [(kind, *edge) for kind in kinds for edge in getattr(comparison, kind)]
    table = pd.DataFrame(lines, columns=["kind", "parent", "child"])
    show.table(table, height=min(38 + 35 * len(table), 320))
    csv_button("Comparison with the known network", table, "against_known_network.csv")


def expected(run: Run, edges: in_use.Edges) -> None:
    """List these edges by what the verdict says of them, and those that are not among them."""
    table = bn.answers.expectations(run.found, edges)
    counts = table["group"].value_counts()
    numbers = [f"**{counts.get(group, 0):,}** {group}" for group in expectation.GROUPS]
    show.note(f"By the verdict: {', '.join(numbers)}.", "expected", small=False)
    looks = dict(zip(expectation.GROUPS, (REAL, DOUBTFUL, UNSURE, NEITHER, TOO_LITTLE), strict=True))
    heads = [("Found again", ""), *([("Real", "")] if "real" in table else [])]
    groups = [
        group_of(group, expectation.ABOUT[group], verdict_look(looks[group], state.dark()), rows, _line)
        for group, rows in table.groupby("group", sort=False)
    ]
    edge_list.draw(heads, groups, Key.table("expected"), "Expected edges by verdict")
    csv_button("Expected edges", table, "expected_edges.csv")


def _line(line: Any) -> Line:
    ends = str(line.parent), str(line.child)
    numbers = (percent(line.found_again), *([probability(line.real)] if hasattr(line, "real") else []))
    return Line(ends, " → ".join(ends), numbers, line.in_words)


def truth_sentence(title: str, found: EdgeComparison) -> str:
    """Say the counts and both distances."""
    n_known = len(found.true) + len(found.reversed) + len(found.missing)
    return (
        f"The best-scoring graph against **{escaped(title)}** ({counted(n_known, 'edge')}): {len(found.true)} true, "
        f"{len(found.reversed)} reversed, {len(found.extra)} extra, {len(found.missing)} missing: {found.shd} changes "
        f"(SHD) lead from one to the other, {found.class_shd} between their equivalence classes."
    )


# How good the best-scoring graph is: what is proved about it.


_ROUNDING = 1e-6  # nats


def optimality(run: Run) -> None:
    """Show what a search for a proof of some seconds gives, where the search itself has not proved its graph."""
    data, graph, experiment = run.data, run.graph, run.experiment
    if graph.status == "optimal":
        limits = f"{run.on_draw}{at_most(experiment)}"
        show.note(f"**Yes:** the search has proved that no graph scores higher{limits}.", "certificate")
        return
    if refused := experiments.proof_refused(data):
        show.note(refused, "certificate")
    elif (found := experiments.certificate_of(experiment, data, graph)) is not None:
        show.note(certificate_sentence(*found, graph, run.on_draw), "certificate")


def certificate_sentence(made: Certificate, seconds: float, graph: LearnedGraph, on_draw: str = "") -> str:
    """Say what is proved, how long that took, and whether a better graph was met."""
    limit = f"{on_draw} no network with at most {counted(made.max_parents, 'parent')} of a variable".strip()
    took = duration(seconds)
    if math.isinf(made.gap):
        return f"Nothing is proved about other networks' scores yet ({took})."
    better = "" if made.graph.score <= graph.score + _ROUNDING else " than the best one met on the way"
    if made.status == "optimal":
        text = f"**Proved:** {limit} scores higher{better} ({took})."
    else:
        text = (
            f"**No proof yet:** after {took} it is certain only that {limit} can score more than "
            f"**{short(made.gap)} nats** higher{better}. With thousands of rows such a bound is loose: for ALARM with "
            "5,000 rows it stays 150 to 330 nats above the best graph known."
        )
    return text + (f" That one is {short(made.graph.score - graph.score)} nats above this graph." if better else "")
