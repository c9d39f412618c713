"""The network above a confidence threshold, beside the table of its edges, both following one slider."""

import json
import math

import numpy as np
import streamlit as st

import bnengine as bn
from pages._shared import running, state
from pages._shared.downloads import bif_button
from pages._shared.figures.confidence import JOINS
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import faint, method_color
from pages._shared.figures.threshold import above_threshold_figure
from pages._shared.text import counted, escaped

_STEADY = 0.25  # edges at least so confident fix the drawing's positions
_MOST_DRAWN = 400
MEAN, L1, PERMUTED = "mean", "l1", "permuted"
RULES = {
    MEAN: "as many edges as the graphs have on average",
    L1: "nearest to a clear yes or no (L1)",
    PERMUTED: "few false edges in shuffled data",
}
RULES_HELP = (
    f"**{RULES[MEAN]}**: Steck & Jaakkola (2003), Figure 1.\n\n"
    f"**{RULES[L1]}**: Scutari & Nagarajan (2013); minimised exactly, it keeps edges of confidence above one half.\n\n"
    f"**{RULES[PERMUTED]}**: each column is shuffled by itself, so that every edge found is false (Broom, Do & "
    "Subramanian 2012)."
)

Pairs = list[tuple[int, int]]


def network_and_edges(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, kind: str) -> None:
    """Method, rule and slider; network and table."""
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        return
    st.markdown("##### The network above a threshold")
    left, middle, right = st.columns([4, 5, 2], gap="medium")
    if st.session_state.get(state.AVERAGED) not in keys:
        st.session_state[state.AVERAGED] = "boot_bc" if "boot_bc" in keys else keys[0]
    key = str(
        left.selectbox(
            "confidence by", keys, format_func=TITLES.__getitem__, key=state.AVERAGED, persist_state="session"
        )
    )
    rule = str(
        middle.selectbox(
            "suggested threshold",
            list(RULES),
            format_func=RULES.__getitem__,
            key=state.RULE,
            persist_state="session",
            help=RULES_HELP,
        )
    )
    suggested, permuted = suggestion(study, experiment, data, key, kind, rule, right)
    if suggested is None:
        return
    confidence = study.confidence(key, kind)
    once = np.triu(confidence) if kind == "adjacency" else confidence
    shown = min(round(suggested, 2), 1.0)
    chosen = st.slider(
        f"threshold (suggested: {suggested:.3g})",
        0.0,
        1.0,
        value=shown,
        step=0.01,
        key=f"{state.THRESHOLD} {key} {kind} {rule} {suggested:.4f}",
        persist_state="session",
    )
    threshold = suggested if chosen == shown else chosen  # the slider's steps may pass over a level of confidence
    st.plotly_chart(
        above_threshold_figure(
            once,
            threshold,
            method_color(key, state.dark()),
            state.dark(),
            (permuted.thresholds, permuted.expected_false) if permuted else None,
        ),
        key="above_threshold",
        theme=None,
        config={"displayModeBar": False},
        alt="Number of edges with at least each confidence",
    )
    inside, n_inside = edges_above(study, key, kind, threshold)
    steady, _ = edges_above(study, key, kind, min(threshold, _STEADY) if threshold < _STEADY else _STEADY)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        false = f"; {expected_at(permuted, threshold)}" if permuted else ""
        st.caption(
            f"**{counted(n_inside, 'edge')}** with confidence of at least {threshold:.3g}; the surer, the "
            f"thicker{false}."
        )
        if n_inside > _MOST_DRAWN:
            st.info(f"The {_MOST_DRAWN} most confident of {n_inside} edges are drawn.")
        draw(study, data, key, kind, inside, steady)
    with right:
        table = study.edge_table(kind)
        own = f"confidence_{key}"
        columns = [own, *(f"confidence_{k}" for k in ("boot_bc", "boot") if k in study.ensembles and k != key)]
        st.dataframe(
            (table[table[own] >= threshold] if threshold > 0 else table).sort_values(
                own, ascending=False, kind="stable"
            ),
            hide_index=True,
            height=470,
            column_config={
                "in_data_graph": st.column_config.CheckboxColumn("data", width="small"),
                **{
                    column: st.column_config.NumberColumn(
                        TITLES[column.removeprefix("confidence_")].removesuffix(" bootstrap"),
                        format="%.2f",
                        width="small",
                    )
                    for column in columns
                },
            },
            column_order=["parent", "child", *columns, "in_data_graph"],
        )
    if kind == "directed":
        averaged(study, experiment, data, key, threshold)
    else:
        st.caption("An averaged network to take away is made of directed edges: choose them as what counts as an edge.")


def suggestion(
    study: bn.Study,
    experiment: bn.Experiment,
    data: bn.Dataset,
    key: str,
    kind: str,
    rule: str,
    place: "st.delta_generator.DeltaGenerator",
) -> tuple[float | None, bn.PermutationThreshold | None]:
    """The threshold that the rule gives; None while shuffled data are being learned from."""
    if rule == L1:
        confidence = study.confidence(key, kind)
        return bn.l1_threshold(np.triu(confidence) if kind == "adjacency" else confidence), None
    if rule == MEAN:
        return study.threshold(key, kind), None
    most = float(
        place.number_input("false edges allowed", 0.0, 1000.0, step=0.5, key=state.MAX_FALSE, persist_state="session")
    )
    (method,) = bn.methods(experiment.n, experiment.d, [key])
    strength = study.ensembles[key].strength or experiment.strength
    correction = "leading" if method.correction == "matched" else method.correction  # at the strength that was found
    found = running.worked_out(
        "permutation",
        f"{experiment.method_key(key)} {strength} {most} {kind}",
        lambda tell: bn.permutation_threshold(
            data,
            experiment.full_score,
            experiment.search,
            method.resampler,
            correction,
            experiment.constraints,
            experiment.seed,
            progress=tell,
            strength=strength,
            max_false=most,
            kind=kind,
        ),
        "Learn from shuffled data",
        "Learns the same ensemble on 20 data sets whose columns are shuffled, each by itself.",
        "resamples of shuffled data",
    )
    if found is None:
        return None, None
    if not math.isfinite(found.threshold):
        st.info("No threshold has so few expected false edges.")
        return 1.0, found
    return found.threshold, found


def expected_at(found: bn.PermutationThreshold, threshold: float) -> str:
    """How many false edges are expected at a threshold."""
    place = int(np.searchsorted(found.thresholds, threshold - 1e-9))
    if place >= len(found.thresholds):
        return "no false edge expected"
    return f"{found.expected_false[place]:.2f} ± {found.standard_error[place]:.2f} false edges expected"


def averaged(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, key: str, threshold: float) -> None:
    """The averaged network, made acyclic, to take away; which edges it left out."""
    network = bn.averaged_network(study.confidence(key), threshold, data.names)
    left_out = ", ".join(f"{escaped(parent)} → {escaped(child)}" for parent, child in network.left_out[:8])
    more = f" and {len(network.left_out) - 8} more" if len(network.left_out) > 8 else ""
    st.markdown(
        f"**Averaged network**: {counted(len(network.edges), 'edge')}, taken surest first. "
        + (f"Left out, because they would close a cycle: {left_out}{more}." if network.left_out else "None left out.")
    )
    with st.container(horizontal=True):
        bif_button("Averaged network", data, network.edges, "averaged.bif")
        st.download_button(
            "Averaged network and settings (JSON)",
            json.dumps(
                {
                    "edges": network.edges,
                    "left_out": network.left_out,
                    "threshold": threshold,
                    "method": key,
                    "experiment": experiment.to_dict(),
                    "version": bn.__version__,
                },
                indent=2,
            ),
            "averaged.json",
            "application/json",
            on_click="ignore",
            key="averaged_json",
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
    both = (
        " An edge may appear in both directions: of a reversible one each replicate draws its direction. Adjacencies "
        "count it whichever way it points."
        if kind == "directed"
        else ""
    )
    st.caption(f"Dotted: not in the data's own graph.{both}")
