"""Finding, pictures and table of Table 1."""

import pandas as pd
import streamlit as st

from pages._shared import session, show
from pages._shared.figures.methods import LABELS, TITLES
from pages._shared.figures.table1 import edges_figure
from pages._shared.format import escaped, plus_minus, signed

_PANELS = 2  # side by side


def sentence(table: pd.DataFrame) -> str:
    """The range of the bootstraps' differences from the given data."""
    by_method = table.pivot(index="experiment", columns="method", values="mean")
    parts = []
    for key in ("boot", "boot_bc"):
        excess = (by_method[key] - by_method["data"]).dropna() if key in by_method else ()
        if len(excess):
            low, high = float(min(excess)), float(max(excess))
            parts.append(f"{TITLES[key]} {signed(low) if len(excess) == 1 else f'{signed(low)} to {signed(high)}'}")
    if not parts:
        return "No graphs were learned from replicates yet."
    return f"Number of edges compared with the given data: {', '.join(parts)}."


def pictures(table: pd.DataFrame) -> None:
    """A panel for each experiment, and the table."""
    means, spreads = table[["mean", "paper_mean"]], table[["sd", "paper_sd"]].fillna(0.0).to_numpy()
    least, most = float((means - spreads).min().min()), float((means + spreads).max().max())
    margin = 0.05 * (most - least) + 0.5
    titles = list(dict.fromkeys(table["experiment"]))
    for first in range(0, len(titles), _PANELS):
        for column, title in zip(st.columns(_PANELS, gap="medium"), titles[first : first + _PANELS], strict=False):
            column.markdown(f"**{escaped(title)}**")
            lines = table[table["experiment"] == title]
            figure = edges_figure(lines, session.dark(), most + margin, least - margin)
            show.chart(figure, f"edges {title}", f"Number of edges by method, {title}", column)
    st.caption(
        "Mean and standard deviation of the number of edges over the replicates. Dotted line: given data."
        + (" Open marks: values reported in the paper." if table["paper_mean"].notna().any() else "")
    )
    shown = side_by_side(table).T.rename_axis("Experiment")  # five methods fit where eight experiments do not
    st.dataframe(shown, width="stretch", column_config=show.columns(shown, {}))


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Methods as rows, experiments as columns, each followed by the paper's values if there are any."""
    columns = {}
    for title, lines in table.groupby("experiment", sort=False):
        methods, named = lines["method"].map(LABELS).rename("Method"), str(title).removeprefix("ALARM, ")
        for start, source in (("", ""), ("paper, ", "paper_")):
            if lines[f"{source}mean"].notna().any():
                texts = list(map(plus_minus, lines[f"{source}mean"], lines[f"{source}sd"]))
                columns[f"{start}{named}"] = pd.Series(texts, index=methods)
    return pd.DataFrame(columns)
