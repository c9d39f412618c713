"""The maximum-likelihood score always prefers more edges; held-out rows do not."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import tex
from pages._shared.session import Key, kept

_MOST_EDGES = 120


@st.cache_data(max_entries=48, show_spinner="Adding edges …")
def fitted(key: str, _data: bn.Dataset, share: float, ess: float, seed: int) -> pd.DataFrame:
    """The fit to both parts by number of edges."""
    train, test = bn.teaching.split_rows(_data, share, seed)
    return bn.teaching.fit_by_edges(train, test, ess, most_edges=_MOST_EDGES)


def more_edges(data: bn.Dataset) -> None:
    """Sentence, picture, controls."""
    if data.n_rows < 2:
        st.info("Two rows at least are needed, one to learn from and one to hold out.")
        return
    head, picture = st.container(), st.container()
    columns = st.columns(3)
    share = columns[0].slider("share of the rows to learn from", 0.1, 0.9, 0.5, 0.05, **kept(Key.EDGES_SHARE))
    ess = columns[1].select_slider("imaginary rows, held-out", (0.1, 0.3, 1.0, 3.0, 10.0), 1.0, **kept(Key.EDGES_ESS))
    seed = columns[2].number_input("seed of the split", 0, 10_000, 0, **kept(Key.EDGES_SEED))
    table = fitted(session.data.key(), data, float(share), float(ess), int(seed))
    last = table.iloc[-1]
    best, cheapest = table.loc[table["held_out"].idxmax()], table.loc[table["bic"].idxmax()]
    with head:
        show.finding(
            f"None of {last['edges']} edges lowers the training likelihood; held-out rows of {session.data.title()} "
            f"are predicted best with **{best['edges']} edges**; BIC of the training rows picks "
            f"**{cheapest['edges']}**."
        )
    with picture:
        show.chart(fit_figure(table, best, cheapest), "edges fit", "Fit to training and held-out rows by edges")
    show.formula(
        r"\ln L_{\max}(G + \text{edge}) - \ln L_{\max}(G) = N\,\hat I(X;\,Y\mid \mathrm{Pa}_X) \ge 0: \quad "
        rf"{tex(table['train'].iloc[0], 4)} \to {tex(last['train'], 4)}\ \text{{nats a row}}"
    )
    st.caption(
        f"Edges are added greedily by training likelihood, five parents at most. At {last['edges']} edges the "
        f"maximum-likelihood network calls {last['impossible']:,} held-out rows impossible; the held-out curve "
        "therefore uses probabilities smoothed by the imaginary rows."
    )
    csv_button("Fit by edges", table, "fit_by_edges.csv")


def fit_figure(table: pd.DataFrame, best: pd.Series, cheapest: pd.Series):  # type: ignore[no-untyped-def, type-arg]
    """Training, held-out and BIC curves, nats a row; BIC may leave the frame below."""
    dark = session.dark()
    ink, orange, blue, *_ = series(dark)
    hover = "%{x} edges: %{y:.4~g} nats a row"
    curves = [
        Curve("training rows, log-likelihood", table["edges"], table["train"], ink, hover=hover),
        Curve("held-out rows, log-probability", table["edges"], table["held_out"], orange, hover=hover),
        Curve("training rows, BIC", table["edges"], table["bic"], blue, "dot", hover=hover),
    ]
    low = float(table[["train", "held_out"]].to_numpy().min())
    high = float(table[["train", "held_out"]].to_numpy().max())
    room = 0.06 * (high - low)
    first = cheapest["edges"] < best["edges"]  # the labels stand outside
    marks = [Mark(float(best["edges"]), f"held-out best: {best['edges']}", left=not first)]
    if cheapest["edges"] != best["edges"]:
        marks.append(Mark(float(cheapest["edges"]), f"BIC best: {cheapest['edges']}", left=first))
    return curves_figure(
        curves, dark, "edges", "nats a row", height=360, marks=marks, y_range=(low - 2 * room, high + 2 * room)
    )
