"""Can I trust it? Rows needed, the known network, binning, a proof, paths and Markov blankets."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from bnengine.graphs.dag import EdgeComparison
from pages.network.proof import optimality
from pages.network.relations import relations
from pages.network.rows_needed import rows_needed
from pages.network.run import Run
from pages.shared import in_use, show
from pages.shared.downloads import csv_button
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.widgets.choice import lazy_expander, tabs


def draw(run: Run) -> None:
    """Offer the questions, each worked out once it is chosen."""
    lazy_expander("Can I trust it?", "trust", ":material/verified:", lambda: _chosen(run))


def _chosen(run: Run) -> None:
    questions: dict[str, tuple[str, Callable[[Run], None]]] = {"rows": ("How many rows would I need?", rows_needed)}
    if in_use.true_edges(run.data.names) is not None:
        questions["known"] = ("Against the known network", against_truth)
    questions["bins"] = ("Is it the binning?", binning)
    questions["proof"] = ("Is it the best graph?", optimality)
    questions["relations"] = ("Paths and Markov blankets", relations)
    chosen = tabs("Question", {key: title for key, (title, _) in questions.items()}, Key.TRUST)
    questions[chosen][1](run)


def binning(run: Run) -> None:
    """Say which edges the numbers of bins may have made."""
    checked = run.checked
    if checked is None or not checked.bins:
        st.caption("No number was cut into bins, so that binning has made no edge.")
        return
    show.note(escaped(checked.sentence), "bins", small=False)


# The best-scoring graph against the network that the data are known to come from.


def against_truth(run: Run) -> None:
    """Show a sentence and the table of all edges of both graphs."""
    found = in_use.compared_with_truth(run.data.names, run.graph.edges)
    if found is None:
        return
    title, comparison = found
    show.note(truth_sentence(title, comparison), "known network", small=False)
    table = truth_table(comparison)
    show.table(table, height=min(38 + 35 * len(table), 320))
    csv_button("Comparison with the known network", table, "against_known_network.csv")


def truth_sentence(title: str, found: EdgeComparison) -> str:
    """Say the counts and both distances."""
    n_known = len(found.true) + len(found.reversed) + len(found.missing)
    return (
        f"The best-scoring graph against **{escaped(title)}** ({counted(n_known, 'edge')}): {len(found.true)} true, "
        f"{len(found.reversed)} reversed, {len(found.extra)} extra, {len(found.missing)} missing: {found.shd} changes "
        f"(SHD) lead from one to the other, {found.class_shd} between their equivalence classes."
    )


def truth_table(found: EdgeComparison) -> pd.DataFrame:
    """Tabulate all edges of both graphs, what is wrong first."""
    lines = [(kind, *edge) for kind in ("missing", "extra", "reversed", "true") for edge in getattr(found, kind)]
    return pd.DataFrame(lines, columns=["kind", "parent", "child"])
