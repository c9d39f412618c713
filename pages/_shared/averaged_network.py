"""The network above a confidence threshold, beside the table of its edges, both following one slider."""

import numpy as np
import streamlit as st

import bnengine as bn
from pages._shared import state
from pages._shared.figures.confidence import JOINS
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import faint, method_color

_STEADY = 0.25  # edges at least so confident fix the drawing's positions
_MOST_DRAWN = 400

Pairs = list[tuple[int, int]]


def network_and_edges(study: bn.Study, data: bn.Dataset, kind: str) -> None:
    """Slider, network and table."""
    key = "boot_bc" if "boot_bc" in study.ensembles else next(iter(study.ensembles))
    suggested = study.threshold(key, kind)
    st.markdown(f"##### Edges by confidence of the {TITLES[key]}")
    threshold = st.slider(
        f"threshold (suggested: {suggested:.2f}, which leaves as many edges as the graphs have on average)",
        0.0,
        1.0,
        value=round(suggested, 2),
        step=0.01,
        key=f"{state.THRESHOLD} {key} {kind} {suggested:.4f}",
        persist_state="session",
    )
    inside, n_inside = edges_above(study, key, kind, threshold)
    steady, _ = edges_above(study, key, kind, min(threshold, _STEADY) if threshold < _STEADY else _STEADY)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        st.caption(f"**{n_inside} edges** with confidence of at least {threshold:.2f}; the surer, the thicker.")
        if n_inside > _MOST_DRAWN:
            st.info(f"The {_MOST_DRAWN} most confident of {n_inside} edges are drawn.")
        draw(study, data, key, kind, inside, steady)
    with right:
        table = study.edge_table(kind)
        st.dataframe(
            table[table[f"confidence_{key}"] >= threshold] if threshold > 0 else table,
            hide_index=True,
            height=470,
            column_config={
                "in_data_graph": st.column_config.CheckboxColumn("data", width="small"),
                "confidence_boot_bc": st.column_config.NumberColumn("corrected", format="%.2f", width="small"),
                "confidence_boot": st.column_config.NumberColumn("naive", format="%.2f", width="small"),
            },
            column_order=["parent", "child", "confidence_boot_bc", "confidence_boot", "in_data_graph"],
        )


def edges_above(study: bn.Study, key: str, kind: str, threshold: float) -> tuple[Pairs, int]:
    """The edges at or above a threshold, at most as many as are drawn, the surest kept; and how many there are."""
    confidence = study.confidence(key, kind)
    confidence = np.triu(confidence) if kind == "adjacency" else confidence
    pairs = np.argwhere((confidence >= threshold) & (confidence > 0))
    surest = np.argsort(-confidence[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_DRAWN]
    return [(int(i), int(j)) for i, j in pairs[np.sort(surest)]], len(pairs)


def draw(study: bn.Study, data: bn.Dataset, key: str, kind: str, edges: Pairs, steady: Pairs) -> None:
    """The network with edges by confidence; dotted where the data's own graph lacks the edge."""
    dark = state.dark()
    confidence, own = study.confidence(key, kind), study.presence(kind)
    names = data.names
    styles = {}
    for i, j in edges:
        share, mine = float(confidence[i, j]), bool(own[i, j])
        others = "<br>".join(f"{TITLES[k]} {study.confidence(k, kind)[i, j]:.2f}" for k in study.ensembles)
        styles[i, j] = EdgeStyle(
            method_color(key, dark) if mine or share >= 0.5 else faint(dark),
            0.6 + 2.6 * share,
            f"<b>{plain(names[i])} {JOINS[kind]} {plain(names[j])}</b><br>{others}<br>"
            f"{'in' if mine else 'not in'} the data's graph",
            "solid" if mine else "dot",
            arrow=kind != "adjacency",
        )
    st.plotly_chart(
        network_figure(names, styles, dark, arrange=steady or edges, width_hint=450),
        key="confidence_network",
        theme=None,
        config={"displaylogo": False, "scrollZoom": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
        alt=f"Network of the {len(edges)} edges above the threshold",
    )
    both = " An edge may appear in both directions." if kind == "directed" else ""
    st.caption(f"Dotted: not in the data's own graph.{both}")
