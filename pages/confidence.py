"""Confidence: Table 1 and Figure 1 on these data, naive against corrected."""

import math

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import running, state
from pages._shared.controls import escaped
from pages._shared.figures.confidence import TITLES, edge_count_figure, figure1_panel, figure1_panels
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import faint, method_color

OPTIONAL = {"jack_1": "jackknife, delete 1", "jack_d": "jackknife, delete d"}
_STEADY = 0.25  # edges at least so confident fix the drawing's positions


def main() -> None:
    """The page."""
    data, problem = state.dataset()
    if data is None:
        st.error(f"{escaped(problem)}.", icon=":material/error:")
        st.page_link("pages/data.py", label="Go to Data", icon=":material/table:")
        return
    experiment = state.experiment()
    study = running.study_of(experiment, data)
    if study is None:
        controls(experiment)
        return
    st.markdown(f"#### {sentence(study, experiment, data)}")
    counts(study)
    figure(study)
    controls(experiment)
    network_and_edges(study, data)
    take_away(study, experiment)


def sentence(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> str:
    """The finding in numbers."""
    own = study.mean_edges("data")
    text = (
        f"On {escaped(experiment.data.title)} ({data.n_rows:,} rows, {experiment.score.name}) "
        f"the data's own graph has {own:.0f} edges"
    )
    if "boot" in study.ensembles:
        more = study.mean_edges("boot") - own
        text += f"; the naive bootstrap finds {abs(more):.1f} {'more' if more >= 0 else 'fewer'}"
    if "boot_bc" in study.ensembles:
        more = study.mean_edges("boot_bc") - own
        text += f", the corrected one {abs(more):.1f} {'more' if more >= 0 else 'fewer'}"
    return text + "."


def counts(study: bn.Study) -> None:
    """Table 1: one number and one small histogram a method."""
    keys = ["data", *study.ensembles]
    for column, key in zip(st.columns(len(keys), gap="small"), keys, strict=True):
        with column:
            if key == "data":
                st.markdown(f"{TITLES[key]}  \n**{study.mean_edges('data'):.0f}** edges")
                st.caption("the line in the histograms")
                continue
            ensemble = study.ensembles[key]
            st.markdown(
                f"{TITLES[key]}  \n**{ensemble.mean_edges:.1f}** ± {ensemble.sd_edges:.1f}",
                help=f"Number of edges, mean ± sd over {int(ensemble.multiplicities.sum()):,} resamples.",
            )
            st.plotly_chart(
                edge_count_figure(study, key, state.dark()),
                key=f"counts {key}",
                theme=None,
                config={"displayModeBar": False},
                alt=f"Histogram of the number of edges, {TITLES[key]}",
            )


def figure(study: bn.Study) -> None:
    """Figure 1, and the line of the edge that was clicked."""
    panels = figure1_panels(study)
    for column, (x_key, y_key) in zip(st.columns(max(len(panels), 1), gap="small"), panels, strict=False):
        key = f"figure1 {x_key} {y_key}"
        column.plotly_chart(
            figure1_panel(study, x_key, y_key, state.dark(), state.chosen_edge()),
            key=key,
            theme=None,
            on_select=lambda key=key: state.choose_clicked(key),
            selection_mode="points",
            config={"displayModeBar": False},
            alt=f"Confidence of each edge by {TITLES[y_key]} against {TITLES[x_key]}, one mark an edge",
        )
    chosen = state.chosen_edge()
    table = study.edge_table()
    line = table[(table["parent"] == chosen[0]) & (table["child"] == chosen[1])] if chosen else table.head(0)
    if len(line):
        st.markdown(edge_sentence(line.iloc[0], study))
    else:
        st.caption(
            "One mark an edge; point at it for its name, click to keep its line here. Above the dotted diagonal the "
            "vertical method is more confident. Dashed: the threshold of each method, above which lie as many edges "
            "as its graphs have on average. The data's own edges are in or out: their marks are spread sideways."
        )


def edge_sentence(line: "pd.Series[object]", study: bn.Study) -> str:
    """One edge's confidences."""
    found = "in" if line["in_data_graph"] else "not in"
    shares = ", ".join(f"{TITLES[key]} {line[f'confidence_{key}']:.2f}" for key in study.ensembles)
    return (
        f"**{escaped(str(line['parent']))} → {escaped(str(line['child']))}** is {found} the data's own graph; {shares}."
    )


def controls(experiment: bn.Experiment) -> None:
    """What acts on the picture."""
    left, right = st.columns([3, 2], gap="large")
    left.slider(
        "correction strength: nats charged for each parameter (½ is the paper's; 0 is the naive bootstrap)",
        0.0,
        2.0,
        step=0.05,
        key=state.STRENGTH,
        persist_state="session",
    )
    right.multiselect(
        "compare with",
        list(OPTIONAL),
        default=list(OPTIONAL),
        format_func=OPTIONAL.__getitem__,
        key=state.METHODS,
        persist_state="session",
    )


def network_and_edges(study: bn.Study, data: bn.Dataset) -> None:
    """The network above a threshold, beside the edges, both following it."""
    key = "boot_bc" if "boot_bc" in study.ensembles else next(iter(study.ensembles))
    suggested = study.threshold(key)
    st.markdown(f"##### Edges by confidence of the {TITLES[key]}")
    threshold = st.slider(
        f"threshold (suggested: {suggested:.2f}, which leaves as many edges as the graphs have on average)",
        0.0,
        1.0,
        value=round(suggested, 2),
        step=0.01,
        key=f"{state.THRESHOLD} {key} {suggested:.4f}",
    )
    confidence = study.confidence(key)
    inside = np.argwhere((confidence >= threshold) & (confidence > 0))
    if len(inside) > 400:
        st.info(f"{len(inside)} edges lie above this threshold; the 400 most confident ones are drawn.")
        inside = inside[np.argsort(-confidence[inside[:, 0], inside[:, 1]], kind="stable")[:400]]
    steady = np.argwhere(
        (confidence >= min(threshold, _STEADY) if threshold < _STEADY else confidence >= _STEADY) & (confidence > 0)
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        st.caption(f"**{len(inside)} edges** with confidence of at least {threshold:.2f}; the surer, the thicker.")
        draw(
            study, data, key, [tuple(edge) for edge in inside.tolist()], [tuple(edge) for edge in steady.tolist()][:400]
        )
    with right:
        table = study.edge_table()
        shown = table[table[f"confidence_{key}"] >= threshold] if threshold > 0 else table
        st.dataframe(
            shown,
            hide_index=True,
            height=470,
            column_config={
                "in_data_graph": st.column_config.CheckboxColumn("data", width="small"),
                "confidence_boot_bc": st.column_config.NumberColumn("corrected", format="%.2f", width="small"),
                "confidence_boot": st.column_config.NumberColumn("naive", format="%.2f", width="small"),
            },
            column_order=["parent", "child", "confidence_boot_bc", "confidence_boot", "in_data_graph"],
        )


def draw(
    study: bn.Study, data: bn.Dataset, key: str, edges: list[tuple[int, int]], steady: list[tuple[int, int]]
) -> None:
    """The network with edges by confidence; dashed where the data's own graph lacks the edge."""
    dark = state.dark()
    confidence = study.confidence(key)
    names = data.names
    styles = {}
    for i, j in edges:
        share = float(confidence[i, j])
        own = bool(study.reference.adjacency[i, j])
        others = "<br>".join(f"{TITLES[k]} {study.confidence(k)[i, j]:.2f}" for k in study.ensembles)
        styles[i, j] = EdgeStyle(
            method_color(key, dark) if own or share >= 0.5 else faint(dark),
            0.6 + 2.6 * share,
            f"<b>{plain(names[i])} → {plain(names[j])}</b><br>{others}<br>{'in' if own else 'not in'} the data's graph",
            "solid" if own else "dot",
        )
    st.plotly_chart(
        network_figure(names, styles, dark, arrange=steady or edges, width_hint=450),
        key="confidence_network",
        theme=None,
        config={"displaylogo": False, "scrollZoom": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
        alt=f"Network of the {len(edges)} edges above the threshold",
    )
    st.caption("Dotted: not in the data's own graph. An edge may appear in both directions.")


def take_away(study: bn.Study, experiment: bn.Experiment) -> None:
    """Downloads, and the lines that repeat the run."""
    st.markdown("##### Take it with you")
    table = study.table1()
    with st.container(horizontal=True):
        st.download_button(
            "All edges with confidences (CSV)",
            study.edge_table().to_csv(index=False),
            "edge_confidence.csv",
            "text/csv",
            on_click="ignore",
            key="download_edges",
        )
        st.download_button("Table 1 (CSV)", table.to_csv(), "table1.csv", "text/csv", on_click="ignore")
        with st.popover("Repeat this in Python"):
            st.code(experiment.python(), language="python")
    shown = table.reset_index()
    shown["edges"] = [
        f"{m:.1f} ± {s:.1f}" if not math.isnan(s) else f"{m:.1f}"
        for m, s in zip(shown["mean"], shown["sd"], strict=True)
    ]
    st.markdown("**Table 1**: number of edges, mean ± sd over the resamples")
    st.dataframe(shown[["method", "edges", "replicates"]], hide_index=True, width=420)


main()
