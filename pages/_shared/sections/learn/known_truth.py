"""The learned graph against the network that the data are known to come from."""

from collections.abc import Sequence

import pandas as pd

import bnengine as bn
from bnengine.graphs.known_truth import EdgeComparison
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.format import counted, escaped
from pages._shared.widgets.later import later


def against_truth(data: bn.Dataset, edges: Sequence[tuple[str, str]]) -> None:
    """A sentence and the table of all edges of both graphs; nothing if no network is known."""
    found = session.truth.compared(data.names, edges)
    if found is None:
        return
    title, comparison = found
    show.note(truth_sentence(title, comparison), "known network", small=False)
    later("Edges against the known network", "known network", ":material/verified:", lambda: true_edges(comparison))


def true_edges(comparison: EdgeComparison) -> None:
    """The table of all edges of both graphs."""
    table = truth_table(comparison)
    show.table(table, height=min(38 + 35 * len(table), 320))
    csv_button("Comparison with the known network", table, "against_known_network.csv")


def truth_sentence(title: str, found: EdgeComparison) -> str:
    """The counts and both distances."""
    n_known = len(found.true) + len(found.reversed) + len(found.missing)
    return (
        f"Against **{escaped(title)}** ({counted(n_known, 'edge')}): {len(found.true)} true, {len(found.reversed)} "
        f"reversed, {len(found.extra)} extra, {len(found.missing)} missing; SHD {found.shd}, between the equivalence "
        f"classes {found.class_shd}."
    )


def truth_table(found: EdgeComparison) -> pd.DataFrame:
    """All edges of both graphs, what is wrong first."""
    lines = [(kind, *edge) for kind in ("missing", "extra", "reversed", "true") for edge in getattr(found, kind)]
    return pd.DataFrame(lines, columns=["kind", "parent", "child"])


def with_truth(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A table with the columns parent and child, with a column that says what each edge is in the known network."""
    edges = list(zip(table["parent"], table["child"], strict=True))
    found = session.truth.compared(names, edges)
    return table if found is None else table.assign(known_network=[found[1].kind(edge) for edge in edges])
