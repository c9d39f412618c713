"""The network above a confidence threshold, beside the table of its edges, both following one slider."""

import json
import math

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from pages._shared import session, show
from pages._shared.downloads import bif_button
from pages._shared.figures.confidence import JOINS
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import faint, method_color
from pages._shared.figures.threshold import above_threshold_figure
from pages._shared.format import counted, escaped
from pages._shared.jobs import running
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

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

STRENGTH_HELP = "Share of the graphs that join the pair, in either direction."
DIRECTION_HELP = (
    "Of the graphs that join the pair, the share that directs it this way. About one half: the data do not tell the "
    "direction. Each resample breaks ties in an order of its own, so that a reversible edge has both directions."
)

Pairs = list[tuple[int, int]]


def network_and_edges(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, kind: str) -> None:
    """Method, rule and slider; network and table."""
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        return
    st.markdown("##### The network above a threshold")
    left, middle, right = st.columns([4, 5, 2], gap="medium")
    key = choice("confidence by", {key: TITLES[key] for key in keys}, Key.AVERAGED, left, first="boot_bc")
    rule = choice("suggested threshold", RULES, Key.RULE, middle, help=RULES_HELP)
    suggested, permuted = suggestion(study, experiment, data, key, kind, rule, right)
    if suggested is None:
        return
    strength = study.strength(key, kind)
    shown = min(round(suggested, 2), 1.0)
    chosen = st.slider(
        f"threshold of the strength (suggested: {suggested:.3g})",
        0.0,
        1.0,
        value=shown,
        step=0.01,
        **kept(Key.THRESHOLD, key, kind, rule, f"{suggested:.4f}"),
    )
    threshold = suggested if chosen == shown else chosen  # the slider's steps may pass over a level of confidence
    show.chart(
        above_threshold_figure(
            strength,
            threshold,
            method_color(key, session.dark()),
            session.dark(),
            (permuted.thresholds, permuted.expected_false) if permuted else None,
        ),
        "above_threshold",
        "Number of edges of at least each strength",
    )
    network = study.averaged(key, threshold, kind)
    inside = drawn_edges(network)
    steady = drawn_edges(study.averaged(key, min(threshold, _STEADY), kind))
    left, right = st.columns([6, 5], gap="medium")
    with left:
        false = f"; {expected_at(permuted, threshold)}" if permuted else ""
        st.caption(
            f"**{counted(len(network.edges), 'edge')}** with a strength of at least {threshold:.3g}; stronger edges "
            f"are thicker{false}."
        )
        if len(network.edges) > _MOST_DRAWN:
            st.info(f"The {_MOST_DRAWN} strongest of {len(network.edges)} edges are drawn.")
        draw(study, data, key, network, inside, steady, kind)
    with right:
        show.table(
            strength_table(study, network, key, kind),
            {
                "strength": st.column_config.NumberColumn("strength", format="%.2f", width="small", help=STRENGTH_HELP),
                "direction": st.column_config.NumberColumn(
                    "direction", format="%.2f", width="small", help=DIRECTION_HELP
                ),
                "other": st.column_config.NumberColumn(
                    f"strength, {TITLES[other_of(study, key) or key].removesuffix(' bootstrap')}",
                    format="%.2f",
                    width="small",
                ),
                "in_data_graph": st.column_config.CheckboxColumn(
                    "data", width="small", help="Whether the data's own graph joins the pair."
                ),
            },
            height=470,
        )
    take_away(network, experiment, data, key)


def suggestion(
    study: bn.Study,
    experiment: bn.Experiment,
    data: bn.Dataset,
    key: str,
    kind: str,
    rule: str,
    place: "st.delta_generator.DeltaGenerator",
) -> tuple[float | None, PermutationThreshold | None]:
    """The threshold that the rule gives; None while shuffled data are being learned from."""
    if rule == L1:
        return bn.l1_threshold(study.strength(key, kind)), None
    if rule == MEAN:
        return study.strength_threshold(key, kind), None
    most = float(place.number_input("false edges allowed", 0.0, 1000.0, step=0.5, **kept(Key.MAX_FALSE)))
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
            ties=experiment.ties,
            kind="compelled" if kind == "compelled" else "adjacency",
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


def expected_at(found: PermutationThreshold, threshold: float) -> str:
    """How many false edges are expected at a threshold."""
    place = int(np.searchsorted(found.thresholds, threshold - 1e-9))
    if place >= len(found.thresholds):
        return "no false edge expected"
    return f"{found.expected_false[place]:.2f} ± {found.standard_error[place]:.2f} false edges expected"


def take_away(network: AveragedNetwork, experiment: bn.Experiment, data: bn.Dataset, key: str) -> None:
    """Which edges the network left out, how many it could not direct, and its downloads."""
    left_out = ", ".join(f"{escaped(parent)} → {escaped(child)}" for parent, child in network.left_out[:8])
    more = f" and {len(network.left_out) - 8} more" if len(network.left_out) > 8 else ""
    undecided = len(network.undecided)
    st.markdown(
        f"**Averaged network**: {counted(len(network.edges), 'edge')}, the strongest taken first, each directed as "
        "most of the graphs that have it direct it. "
        + (f"{counted(undecided, 'edge')} with as many graphs on either side. " if undecided else "")
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
                    "threshold": network.threshold,
                    "strengths": network.table().to_dict("records"),
                    "method": key,
                    "experiment": experiment.to_dict(),
                    "version": bn.__version__,
                },
                indent=2,
            ),
            "averaged.json",
            "application/json",
            on_click="ignore",
            key=Key.download("averaged.json"),
        )


def other_of(study: bn.Study, key: str) -> str | None:
    """The bootstrap to show beside a method: the corrected one, or the naive one beside that."""
    return next((k for k in ("boot_bc", "boot") if k in study.ensembles and k != key), None)


def strength_table(study: bn.Study, network: AveragedNetwork, key: str, kind: str) -> pd.DataFrame:
    """The network's edges with strength and direction, the strength by another method, and whether the data agree."""
    table = network.table()
    place = {name: v for v, name in enumerate(network.names)}
    pairs = [sorted((place[p], place[c])) for p, c in zip(table["parent"], table["child"], strict=True)]
    other = other_of(study, key)
    if other is not None:
        strength = study.strength(other, kind)
        table["other"] = [strength[i, j] for i, j in pairs]
    own = study.presence("adjacency")
    table["in_data_graph"] = [bool(own[i, j]) for i, j in pairs]
    return table


def drawn_edges(network: AveragedNetwork) -> Pairs:
    """The edges, at most as many as are drawn, the strongest kept."""
    pairs = np.argwhere(network.adjacency)
    strongest = np.argsort(-network.strength[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_DRAWN]
    return [(int(i), int(j)) for i, j in pairs[np.sort(strongest)]]


def draw(
    study: bn.Study, data: bn.Dataset, key: str, network: AveragedNetwork, edges: Pairs, steady: Pairs, kind: str
) -> None:
    """The network with edges by strength; dotted where the data's own graph does not join the pair."""
    dark = session.dark()
    own, names = study.presence("adjacency"), data.names
    strengths = {k: study.strength(k, kind) for k in study.ensembles}
    styles = {}
    for i, j in edges:
        share, mine = float(network.strength[i, j]), bool(own[i, j])
        first, last = min(i, j), max(i, j)
        others = "<br>".join(f"{TITLES[k]} {strength[first, last]:.2f}" for k, strength in strengths.items())
        join = JOINS["adjacency" if kind == "adjacency" else "directed"]
        styles[i, j] = EdgeStyle(
            method_color(key, dark) if mine or share >= 0.5 else faint(dark),
            0.6 + 2.6 * share,
            f"<b>{plain(names[i])} {join} {plain(names[j])}</b><br>{others}<br>"
            f"directed so by {network.direction[i, j]:.0%} of the graphs that have it<br>"
            f"{'in' if mine else 'not in'} the data's graph",
            "solid" if mine else "dot",
            arrow=kind != "adjacency",
        )
    show.chart(
        network_figure(names, styles, dark, arrange=steady or edges, width_hint=450),
        "confidence_network",
        f"Network of the {len(edges)} edges above the threshold",
        movable=True,
    )
    st.caption("Dotted: not joined in the data's own graph. Arrows point as most of the graphs with the edge have it.")
