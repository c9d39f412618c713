"""Confidence: Table 1 and Figure 1 on these data, naive against corrected."""

import math

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import entry, running, state
from pages._shared.averaged_network import network_and_edges
from pages._shared.figures.confidence import JOINS, edge_count_figure, figure1_panel, figure1_panels
from pages._shared.figures.methods import TITLES
from pages._shared.posterior_panel import exact_posterior
from pages._shared.text import escaped

OPTIONAL = {"jack_1": "jackknife, delete 1", "jack_d": "jackknife, delete d"}
KINDS = {"directed": "directed edges", "adjacency": "adjacencies", "compelled": "compelled edges"}


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
    kind = str(st.session_state.get(state.KIND) or "directed")
    figure(study, kind)
    controls(experiment)
    network_and_edges(study, data, kind)
    take_away(study, experiment, kind)
    exact_posterior(study, experiment, data)


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


def figure(study: bn.Study, kind: str) -> None:
    """Figure 1, and the line of the edge that was clicked."""
    panels = figure1_panels(study)
    for column, (x_key, y_key) in zip(st.columns(max(len(panels), 1), gap="small"), panels, strict=False):
        key = f"figure1 {x_key} {y_key}"
        column.plotly_chart(
            figure1_panel(study, x_key, y_key, state.dark(), state.chosen_edge(), kind),
            key=key,
            theme=None,
            on_select=lambda key=key: state.choose_clicked(key),
            selection_mode="points",
            config={"displayModeBar": False},
            alt=f"Confidence of each edge by {TITLES[y_key]} against {TITLES[x_key]}, one mark an edge",
        )
    chosen = state.chosen_edge()
    table = study.edge_table(kind)
    line = table[(table["parent"] == chosen[0]) & (table["child"] == chosen[1])] if chosen else table.head(0)
    if len(line):
        st.markdown(edge_sentence(line.iloc[0], study, kind))
    else:
        st.caption(
            "One mark an edge; point at it for its name, click to keep its line here. Above the dotted diagonal the "
            "vertical method is more confident. Dashed: the threshold of each method, above which lie as many edges "
            "as its graphs have on average. The data's own edges are in or out: their marks are spread sideways."
        )


def edge_sentence(line: "pd.Series[object]", study: bn.Study, kind: str) -> str:
    """One edge's confidences."""
    found = "in" if line["in_data_graph"] else "not in"
    shares = ", ".join(f"{TITLES[key]} {line[f'confidence_{key}']:.2f}" for key in study.ensembles)
    edge = f"**{escaped(str(line['parent']))} {JOINS[kind]} {escaped(str(line['child']))}**"
    return f"{edge} is {found} the data's own graph; {shares}."


def controls(experiment: bn.Experiment) -> None:
    """What acts on the picture."""
    left, middle, right = st.columns([5, 4, 4], gap="medium")
    left.slider(
        "correction strength, nats a parameter",
        0.0,
        2.0,
        step=0.05,
        key=state.STRENGTH,
        persist_state="session",
        help="½ is the paper's leading order (Eq. 7); 0 is the naive bootstrap. Moving it relearns every resample.",
    )
    middle.selectbox(
        "what counts as an edge",
        list(KINDS),
        format_func=KINDS.__getitem__,
        key=state.KIND,
        persist_state="session",
        help="Under a score that is equal for equivalent graphs, the direction of a reversible edge is an accident of "
        "the search: counting adjacencies, or only compelled edges, leaves that accident out.",
    )
    right.multiselect(
        "compare with",
        list(OPTIONAL),
        default=list(OPTIONAL),
        format_func=OPTIONAL.__getitem__,
        key=state.METHODS,
        persist_state="session",
    )


def take_away(study: bn.Study, experiment: bn.Experiment, kind: str) -> None:
    """Downloads, and the lines that repeat the run."""
    st.markdown("##### Take it with you")
    table = study.table1()
    with st.container(horizontal=True):
        st.download_button(
            "All edges with confidences (CSV)",
            study.edge_table(kind).to_csv(index=False),
            "edge_confidence.csv",
            "text/csv",
            on_click="ignore",
            key="download_edges",
        )
        st.download_button("Table 1 (CSV)", table.to_csv(), "table1.csv", "text/csv", on_click="ignore")
        with st.popover("Repeat this"):
            st.caption("On the command line, for all edges and for Table 1:")
            for command in ("confidence", "table1"):
                st.code(bn.command_line(experiment, command, kind), language="bash", wrap_lines=True)
            st.caption("In Python:")
            st.code(experiment.python(), language="python")
    shown = table.reset_index()
    shown["edges"] = [
        f"{m:.1f} ± {s:.1f}" if not math.isnan(s) else f"{m:.1f}"
        for m, s in zip(shown["mean"], shown["sd"], strict=True)
    ]
    st.markdown("**Table 1**: number of edges, mean ± sd over the resamples")
    st.dataframe(shown[["method", "edges", "replicates"]], hide_index=True, width=420)


entry.through_app()
main()
