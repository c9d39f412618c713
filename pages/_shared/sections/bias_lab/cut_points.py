"""Cut points learned anew in every replicate, jointly with its graph (footnote 5 of the paper)."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.cut_points import cut_points_figure
from pages._shared.format import short
from pages._shared.jobs import running

_ROWS, _REPLICATES, _FRESH = 200, 30, 40


def section() -> None:
    """Confidence with fixed cut points and with cut points learned anew, on fixed data, after a click."""
    top, picture = st.container(), st.container()
    with picture:
        found = running.worked_out(
            "cut points",
            f"{_ROWS} {_REPLICATES} {_FRESH}",
            lambda tell: bn.teaching.cut_point_confidence(_ROWS, _REPLICATES, _FRESH, rng=0, progress=tell),
            "Learn cut points in every replicate",
            f"{_REPLICATES} replicates in four ways and {_FRESH} fresh tables of {_ROWS} rows: about half a minute.",
            "tables",
            for_all=lambda result: result.status == "converged",
        )
    if found is None:
        show.finding(
            "A fresh table would be cut at other points: with cut points **fixed**, replicates agree too well.", top
        )
        return
    if not found.fresh:
        st.info("Stopped before the first fresh table: there is nothing to compare with yet.")
        return
    table = found.table()
    with picture:
        alt = "Share of graphs that join each pair: cut points fixed, cut points learned anew, fresh tables"
        show.chart(cut_points_figure(table, session.dark()), "lab_cut_points", alt)
    edges = {column: float(table[column].sum()) for column in ("pi", *found.ensembles)}
    off = {kind: float((table[kind] - table["pi"]).abs().sum()) for kind in found.ensembles}
    show.finding(
        f"Fresh tables give **{short(edges['pi'])}** edges on average; replicates with fixed cut points "
        f"**{short(edges['fixed'])}**, with cut points learned anew and the correction "
        f"**{short(edges['anew, corrected'])}**. The distance to fresh tables, Σ |p − π|, is "
        f"{short(off['fixed'])} and {short(off['anew, corrected'])} edges.",
        top,
    )
    st.caption(
        f"{_ROWS} rows of six numbers from a linear model with five edges. Cut points and graph minimize the "
        "description length of a table together, and so they do in each fresh table. With cut points fixed at those of "
        "the data, replicates know too well where to cut. Learned anew, the correction of half a nat per parameter is "
        "for cut points and graph alike: a further state means more parameters (Steck & Jaakkola 2003, footnote 5)."
    )
    titles = {"pair": "Pair", "true": "Edge of the model", "pi": "Fresh tables (π)"}
    show.table(table, titles | {kind: kind.capitalize() for kind in found.ensembles}, decimals=2)
    take_away(
        ("Every pair", table, "cut_points.csv"),
        code="import bnengine as bn\n\n"
        f"made = bn.teaching.cut_point_confidence({_ROWS}, n={_REPLICATES}, n_fresh={_FRESH}, rng=0)\n"
        "print(made.table())\n",
    )
