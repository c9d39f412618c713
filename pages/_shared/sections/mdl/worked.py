"""The lecture's worked example: two networks over two variables, bit by bit."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.bars import length_figure
from pages._shared.figures.small_graphs import small_graphs_figure
from pages._shared.format import short, tex
from pages._shared.section import computed
from pages._shared.sections.mdl.candidates import LENGTHS, Networks, lengths
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

NETWORKS: Networks = {"connected": [("X", "Y")], "independent": []}
SIZES = {4: "Four rows", 8: "Eight rows"}


def _numbers(n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    data = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    rows = bn.prediction.row_probabilities(data, {name: bn.fit(data, edges) for name, edges in NETWORKS.items()})
    return rows, bn.teaching.description_lengths(data, NETWORKS)


def section(_: bn.Dataset) -> None:
    """Show the rows with their probabilities, the stacked bars, and the formulas with their numbers."""
    n_rows = int(session.values.get(Key.WORKED_ROWS) or 4)
    rows, table = computed("worked", lambda: _numbers(n_rows), n_rows)
    first, second = table.iloc[0], table.iloc[1]
    show.finding(
        f"The **{first['network']}** network needs {short(first['mdl_bits'], 4)} bits for {SIZES[n_rows].lower()}, "
        f"the {second['network']} one {short(second['mdl_bits'], 4)}: {short(second['above_best_bits'])} bits more."
    )
    drawn = small_graphs_figure(["X", "Y"], NETWORKS, session.dark())
    show.chart(drawn, "worked networks", "The connected network X → Y, and the independent network without an edge")
    left, right = st.columns(2, gap="medium")
    with left:
        tabs("Rows", SIZES, Key.WORKED_ROWS, first=4)
        show.table(rows, {name: f"P, {name}" for name in NETWORKS}, decimals=4, height=38 + 35 * len(rows))
        st.caption("P: joint probability of the row under the network fitted to these rows by maximum likelihood.")
    with right:
        alt = "Description lengths of two networks, in bits"
        show.chart(length_figure(table, session.dark(), 190), "worked bars", alt)
        st.caption("Grey: misfit, the bits for the rows. Orange: size, the bits for the network's parameters.")
    show.formula(*(formula(rows[str(line["network"])], line, n_rows) for _, line in table.iterrows()))
    titles = LENGTHS | {
        "likelihood": st.column_config.NumberColumn("Likelihood L", format="%.3g"),
        "log2_likelihood": "log₂ L",
        "size_bits": "Size |B| log₂N / 2, bits",
    }
    order = ["network", "likelihood", "log2_likelihood", "parameters", "size_bits", "mdl_bits"]
    show.table(table, titles, column_order=order)
    st.caption(
        "'Connected' is X → Y with three parameters; 'independent' has no edge and two parameters. L is the product "
        "of the probabilities P."
    )
    take_away(("Description lengths", table, "worked_example.csv"), ("Rows", rows, "worked_example_rows.csv"))


def formula(probabilities: "pd.Series[float]", line: "pd.Series", n_rows: int) -> str:  # type: ignore[type-arg]
    """Return one network's likelihood and description length with their numbers."""
    size, misfit, total = lengths(line)
    every = rf"\textstyle\prod_{{i=1}}^{{{n_rows}}} P_i"
    product = r"\cdot ".join(map(tex, probabilities)) if n_rows <= 4 else every
    return (
        rf"\text{{{line['network']}: }} L = {product} = {tex(line['likelihood'])},\; "
        rf"\mathrm{{MDL}} = {line['parameters']}\cdot\tfrac{{\log_2 {n_rows}}}{{2}} - \log_2 L = "
        rf"{size} + {misfit} = \mathbf{{{total}}}\text{{ bits}}"
    )
