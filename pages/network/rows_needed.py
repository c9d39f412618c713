"""How many rows each edge would need to be found again: a curve for the network and for one edge, and the table."""

import dataclasses
import math
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bnengine.answers.rows_needed import RowsNeeded
from bnengine.experiment.learning import python_real
from bnengine.plots.curves import Curve, Mark, curves_figure
from bnengine.plots.palette import ink, series
from pages.network.run import Run
from pages.shared import experiments, show, state
from pages.shared.downloads import take_away
from pages.shared.format import escaped, percent
from pages.shared.keys import Key
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice
from pages.shared.words import NETWORK as WORDS

#: Shares of fresh tables to choose from.
_WANTED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def rows_needed(run: Run) -> None:
    """Show the answer, worked out after a click."""
    experiment, data, posterior = run.experiment, run.data, run.real
    if posterior is None or not posterior.n_graphs:
        st.caption("This follows once it is known which edges are real: fresh tables are drawn from such networks.")
        return
    found = experiments.rows_needed_of(experiment, data, posterior)
    if found is None:
        return
    if not len(found.sizes):
        st.warning("Stopped before the first size of table was done.")
        return
    again = run.study.ensembles.get("predictive")
    again = again if again is not None and again.n_graphs and run.method == "predictive" else None
    found = found if again is None else found.through(again)
    head, picture, controls = st.container(), st.container(), st.columns(2)
    wanted = controls[0].select_slider(
        "Found again in", _WANTED, 0.8, percent, **persistent(Key.ROWS_WANTED), help="This share of fresh tables."
    )
    found = dataclasses.replace(found.of(run.found.edges), wanted=wanted)
    table = found.table()
    pairs = [(parent, child) for parent, child in zip(table["parent"], table["child"], strict=True)]
    titles: dict[tuple[str, str] | None, str] = {
        None: "All edges together",
        **{pair: " – ".join(pair) for pair in pairs},
    }
    edge = choice("Edge", titles, Key.ROWS_EDGE, controls[1])
    show.note(escaped(found.sentence), "rows needed", head, small=False)
    through = WORDS["rows_through"] if again is not None else ""
    drawn = WORDS["rows_drawn"] if found.missing else ""
    about = WORDS["rows_needed"].format(rows=data.n_rows, tables=_tables(found), through=through, drawn=drawn)
    alt = "Share of fresh tables in which edges are found again, by the number of rows"
    show.chart(rows_figure(found, edge), "rows needed", alt, picture, caption=about)
    written: dict[str, Any] = dict.fromkeys(("rows", "fewest", "most"), partial(_rows, found))
    written = {"found_again": percent, **written}
    shown = table[["parent", "child", *written]].fillna(math.inf)  # beyond the sizes tried
    ends = "A 90% interval: your rows leave open how strong the edge is."
    titles_of_columns: dict[str, Any] = {
        "parent": "First",
        "child": "Second",
        "found_again": "Now",
        "rows": "Rows needed",
        "fewest": ("At least", {"help": ends}),
        "most": ("At most", {"help": ends}),
    }
    key = Key.table("rows_needed")
    options: dict[str, Any] = {"height": min(38 + 35 * len(shown), 280), "selection_mode": "single-row"}
    options |= {"key": key, "on_select": partial(state.choose_row, key, pairs)}
    show.table(shown, titles_of_columns, written=written, **options)
    take_away(
        ("Rows needed", table, "rows_needed.csv"),
        ("Curves", found.curves(), "found_again_by_rows.csv"),
        code=experiment.data.python()
        + python_real(experiment, data)
        + f"needed = bn.rows_needed(data, {experiment.python_score()}, bn.{experiment.search!r}, {wanted},\n"
        + f"                        constraints=bn.{experiment.constraints!r}, posterior=posterior,\n"
        + f"                        rng={experiment.seed})\n"
        + (_python_through(run, again.n_graphs) if again is not None else "")
        + f"needed = needed.of({run.found.edges!r})  # those of the verdict\n"
        + "print(needed.sentence)\nprint(needed.table())\n",
    )


def _python_through(run: Run, n: int) -> str:
    """Return Python lines that lead the curves through the shares of the predictive bootstrap."""
    experiment, resampler = run.experiment, f"bn.PredictiveBootstrap({n})"
    return (
        f"again = bn.resample(data, {experiment.python_score()}, bn.{experiment.search!r}, {resampler},\n"
        f"                    constraints=bn.{experiment.constraints!r},\n"
        f"                    rng={experiment.seed}{experiment.python_ties})\n"
        "needed = needed.through(again)  # at the rows of the data: the share found again\n"
    )


def _tables(found: RowsNeeded) -> str:
    fewest, most = int(found.tables.min()), int(found.tables.max())
    return f"{most}" if fewest == most else f"{fewest} to {most}"


def _rows(found: RowsNeeded, value: float) -> str:
    """Return a number of rows as the list shows it: the ends are those of the sizes that were tried."""
    if value <= found.sizes[0]:
        return f"≤ {found.sizes[0]:,}"
    return f"{value:,.0f}" if value <= found.sizes[-1] else f"> {found.sizes[-1]:,}"


def rows_figure(found: RowsNeeded, edge: tuple[str, str] | None) -> go.Figure:
    """Draw the share found again against the rows: the mean over the network's edges, and one edge's own."""
    dark, whole, curves = state.dark(), found.network_curve(), found.curves()
    hover = "%{x:,} rows: %{y:.1%}"
    lines = [Curve("mean of the network's edges", whole["rows"], whole["found_again"], ink(dark), hover=hover)]
    if edge is not None:
        own: pd.DataFrame = curves[(curves["parent"] == edge[0]) & (curves["child"] == edge[1])]
        ends = own["low"], own["high"]
        lines.append(Curve(" – ".join(edge), own["rows"], own["found_again"], series(dark)[1], hover=hover, ends=ends))
    marks = [Mark(found.n_rows, "your rows")]
    ticks = found.sizes.tolist()
    return curves_figure(
        lines, dark, "rows", "found again", log_x=True, y_range=(0, 1.03), marks=marks, level=found.wanted, ticks=ticks
    )
