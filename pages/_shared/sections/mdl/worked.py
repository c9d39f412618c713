"""The lecture's worked example: two networks over two variables, bit by bit."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import section, session
from pages._shared.figures.bars import length_figure
from pages._shared.format.numbers import short, tex

NETWORKS: dict[str, list[tuple[str, str]]] = {"connected": [("X", "Y")], "independent": []}
SIZES = {4: "four rows", 8: "eight rows"}


@st.cache_data(show_spinner=False)
def _numbers(n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    data = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    rows = bn.prediction.row_probabilities(data, {name: bn.fit(data, edges) for name, edges in NETWORKS.items()})
    return rows, bn.teaching.description_lengths(data, NETWORKS), data.n_rows


def worked(_: bn.Dataset) -> None:
    """Rows with their probabilities, the formula with their numbers, and the stacked bars."""
    picked = st.session_state.get(session.WORKED_ROWS) or 4
    rows, lengths, n_rows = _numbers(int(picked))
    first, second = lengths.iloc[0], lengths.iloc[1]
    section.finding(
        f"With {SIZES[n_rows]}, the **{first['network']}** network needs {short(first['mdl_bits'])} bits, the "
        f"{second['network']} one {short(second['mdl_bits'])}: {short(second['above_best_bits'], 3)} bits more."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        st.segmented_control(
            "rows",
            list(SIZES),
            default=4,
            required=True,
            format_func=SIZES.__getitem__,
            key=session.WORKED_ROWS,
            persist_state="session",
            label_visibility="collapsed",
        )
        st.dataframe(
            rows,
            hide_index=True,
            height=38 + 35 * len(rows),
            column_config={name: st.column_config.NumberColumn(f"P {name}", format="%.4f") for name in NETWORKS},
        )
        st.caption("P: joint probability of the row under the network fitted to these rows by maximum likelihood.")
    with right:
        section.chart(
            length_figure(lengths, session.dark(), 190), "worked bars", "Description length of two networks, in bits"
        )
        st.caption("Grey: bits to write the rows down. Orange: bits to write the network's parameters down.")
    section.formula(*(formula(rows[str(line["network"])], line, n_rows) for _, line in lengths.iterrows()))
    number = st.column_config.NumberColumn
    st.dataframe(
        lengths,
        hide_index=True,
        column_order=["network", "likelihood", "log2_likelihood", "parameters", "size_bits", "mdl_bits"],
        column_config={
            "likelihood": number("likelihood L", format="%.3g"),
            "log2_likelihood": number("log₂ L", format="%.2f"),
            "parameters": number("|Bₙ|"),
            "size_bits": number("size |Bₙ| log₂N / 2, bits", format="%.2f"),
            "mdl_bits": number("MDL, bits", format="%.2f"),
        },
    )
    st.caption("'Connected' is X → Y with three parameters; 'independent' has no edge and two. L is the P's product.")
    with st.container(horizontal=True):
        section.download(lengths, "Description lengths", "worked_example.csv")
        section.download(rows, "Rows", "worked_example_rows.csv")


def formula(probabilities: "pd.Series[float]", line: "pd.Series", n_rows: int) -> str:  # type: ignore[type-arg]
    """One network's likelihood and description length with their numbers."""
    name = str(line["network"]).split(",")[0]
    product = (
        r"\cdot ".join(tex(value, 3) for value in probabilities)
        if n_rows <= 4
        else rf"\textstyle\prod_{{i=1}}^{{{n_rows}}} P_i"
    )
    return (
        rf"\text{{{name}: }} L = {product} = {tex(line['likelihood'], 3)},\; "
        rf"\mathrm{{MDL}} = {line['parameters']}\cdot\tfrac{{\log_2 {n_rows}}}{{2}} - \log_2 L = "
        rf"{tex(line['size_bits'])} + {tex(line['misfit_bits'])} = \mathbf{{{tex(line['mdl_bits'])}}}\text{{ bits}}"
    )
