"""The lecture's worked example: two networks over two variables, bit by bit."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.bars import length_figure
from pages._shared.format import short, tex
from pages._shared.sections.mdl.formula import lengths
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

NETWORKS: dict[str, list[tuple[str, str]]] = {"connected": [("X", "Y")], "independent": []}
SIZES = {4: "four rows", 8: "eight rows"}


@st.cache_data(show_spinner=False)
def _numbers(n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    data = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    rows = bn.prediction.row_probabilities(data, {name: bn.fit(data, edges) for name, edges in NETWORKS.items()})
    return rows, bn.teaching.description_lengths(data, NETWORKS), data.n_rows


def worked(_: bn.Dataset) -> None:
    """Rows with their probabilities, the formula with their numbers, and the stacked bars."""
    picked = session.values.get(Key.WORKED_ROWS) or 4
    rows, lengths, n_rows = _numbers(int(picked))
    first, second = lengths.iloc[0], lengths.iloc[1]
    show.finding(
        f"With {SIZES[n_rows]}, the **{first['network']}** network needs {short(first['mdl_bits'], 4)} bits, the "
        f"{second['network']} one {short(second['mdl_bits'], 4)}: {short(second['above_best_bits'])} bits more."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        tabs("rows", SIZES, Key.WORKED_ROWS, first=4)
        show.table(rows, {name: f"P {name}" for name in NETWORKS}, decimals=4, height=38 + 35 * len(rows))
        st.caption("P: joint probability of the row under the network fitted to these rows by maximum likelihood.")
    with right:
        show.chart(
            length_figure(lengths, session.dark(), 190), "worked bars", "Description length of two networks, in bits"
        )
        st.caption("Grey: bits to write the rows down. Orange: bits to write the network's parameters down.")
    show.formula(*(formula(rows[str(line["network"])], line, n_rows) for _, line in lengths.iterrows()))
    show.table(
        lengths,
        {
            "likelihood": st.column_config.NumberColumn("likelihood L", format="%.3g"),
            "log2_likelihood": "log₂ L",
            "parameters": "|Bₙ|",
            "size_bits": "size |Bₙ| log₂N / 2, bits",
            "mdl_bits": "MDL, bits",
        },
        column_order=["network", "likelihood", "log2_likelihood", "parameters", "size_bits", "mdl_bits"],
    )
    st.caption("'Connected' is X → Y with three parameters; 'independent' has no edge and two. L is the P's product.")
    take_away(("Description lengths", lengths, "worked_example.csv"), ("Rows", rows, "worked_example_rows.csv"))


def formula(probabilities: "pd.Series[float]", line: "pd.Series", n_rows: int) -> str:  # type: ignore[type-arg]
    """One network's likelihood and description length with their numbers."""
    name = str(line["network"]).split(",")[0]
    size, misfit, total = lengths(line)
    product = (
        r"\cdot ".join(tex(value) for value in probabilities)
        if n_rows <= 4
        else rf"\textstyle\prod_{{i=1}}^{{{n_rows}}} P_i"
    )
    return (
        rf"\text{{{name}: }} L = {product} = {tex(line['likelihood'])},\; "
        rf"\mathrm{{MDL}} = {line['parameters']}\cdot\tfrac{{\log_2 {n_rows}}}{{2}} - \log_2 L = "
        rf"{size} + {misfit} = \mathbf{{{total}}}\text{{ bits}}"
    )
