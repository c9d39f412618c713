"""Table 1's finding, pictures and table."""

import pandas as pd
import streamlit as st

from pages._shared import session, show
from pages._shared.figures.methods import TITLES
from pages._shared.figures.table1 import edges_figure
from pages._shared.format import escaped, plus_minus, signed

_PANELS = 2  # side by side


def sentence(table: pd.DataFrame) -> str:
    """What the columns show together."""
    by_method = table.pivot(index="experiment", columns="method", values="mean")
    parts = []
    for key in ("boot", "boot_bc"):
        if key in by_method:
            excess = (by_method[key] - by_method["data"]).dropna()
            if len(excess):
                low, high = float(excess.min()), float(excess.max())
                span = signed(low) if len(excess) == 1 else f"{signed(low)} to {signed(high)}"
                parts.append(f"the {TITLES[key]} {span}")
    if not parts:
        return "Nothing was learned from resamples yet."
    return f"Edges more or fewer than the given data's graph: {'; '.join(parts)}."


def pictures(table: pd.DataFrame) -> None:
    """A panel for each experiment, and the table."""
    means, spreads = table[["mean", "paper_mean"]], table[["sd", "paper_sd"]].fillna(0.0).to_numpy()
    least, most = float((means - spreads).min().min()), float((means + spreads).max().max())
    margin = 0.05 * (most - least) + 0.5
    titles = list(dict.fromkeys(table["experiment"]))
    for first in range(0, len(titles), 2):
        for column, title in zip(st.columns(2, gap="medium"), titles[first : first + 2], strict=False):
            with column:
                st.markdown(f"**{escaped(title)}**")
                show.chart(
                    edges_figure(table[table["experiment"] == title], session.dark(), most + margin, least - margin),
                    f"edges {title}",
                    f"Number of edges by method, {title}",
                )
    st.caption(
        "Mean and standard deviation of the number of edges over the resamples. Dotted: the given data."
        + (" Open marks: the values that the paper reports." if table["paper_mean"].notna().any() else "")
    )
    st.dataframe(side_by_side(table), width="stretch")


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Methods down, experiments across, the paper's column next to ours where it has one."""
    columns = {}
    for title, lines in table.groupby("experiment", sort=False):
        methods, named = lines["method"].map(TITLES), str(title).removeprefix("ALARM, ")
        columns[named] = pd.Series(list(map(plus_minus, lines["mean"], lines["sd"])), index=methods)
        if lines["paper_mean"].notna().any():
            paper = list(map(plus_minus, lines["paper_mean"], lines["paper_sd"]))
            columns[f"paper, {named}"] = pd.Series(paper, index=methods)
    return pd.DataFrame(columns)
