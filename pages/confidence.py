"""Confidence: Table 1 and Figure 1 on these data, naive against corrected."""

import math

import streamlit as st

import bnengine as bn
from bnengine.scores.correction import correction_refused
from pages._shared import app_guard, session, show
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.edge_counts import edge_count_figure
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import at_most, counted, escaped
from pages._shared.jobs import experiments
from pages._shared.require_data import own_data
from pages._shared.sections.confidence.averaged_network import network_and_edges
from pages._shared.sections.confidence.posterior import exact_posterior
from pages._shared.sections.confidence.views import view
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

OPTIONAL = {**{key: TITLES[key] for key in ("jack_1", "jack_d", "boot_exact", "boot_matched", "para", "para_bc")}}
_IN_A_ROW = 5


def main() -> None:
    """The page."""
    data = own_data()
    if data is None:
        return
    experiment = session.settings.experiment()
    study = experiments.study_of(experiment, data)
    if study is None:
        controls(experiment)
        return
    show.finding(sentence(study, experiment, data))
    counts(study)
    kind = str(session.values.get(Key.KIND) or "directed")
    view(study, kind)
    controls(experiment)
    network_and_edges(study, experiment, data, kind)
    take_away(study, experiment, kind)
    exact_posterior(study, experiment, data)


def sentence(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> str:
    """The finding in numbers."""
    own = study.mean_edges("data")
    text = f"On {escaped(experiment.data.title)} ({data.n_rows:,} rows, {experiment.score.name}{at_most(experiment)}) "
    if "data" in study.ensembles:
        text += f"graphs learned from the data have {own:.1f} edges on average"
    else:
        text += f"the data's own graph has {counted(round(own), 'edge')}"
    if "boot" in study.ensembles:
        more = study.mean_edges("boot") - own
        text += f"; the naive bootstrap finds {more_or_fewer(more)}"
    if "boot_bc" in study.ensembles:
        more = study.mean_edges("boot_bc") - own
        text += f", the corrected one {more_or_fewer(more)}"
    return text + "."


def more_or_fewer(difference: float) -> str:
    """A difference in numbers of edges, to the digit that is shown."""
    if abs(difference) < 0.05:
        return "as many"
    return f"{abs(difference):.1f} {'more' if difference > 0 else 'fewer'}"


def counts(study: bn.Study) -> None:
    """Table 1: one number and one small histogram a method."""
    keys = study.keys
    for first in range(0, len(keys), _IN_A_ROW):
        row = keys[first : first + _IN_A_ROW]
        width = min(len(keys), _IN_A_ROW)
        for column, key in zip(st.columns(width, gap="small"), row, strict=False):
            with column:
                count(study, key)


def count(study: bn.Study, key: str) -> None:
    """One method's number of edges and its histogram."""
    if key not in study.ensembles:
        st.markdown(f"{TITLES[key]}  \n**{study.mean_edges('data'):.0f}** edges")
        st.caption("the line in the histograms")
        return
    ensemble = study.ensembles[key]
    found = f" · strength {ensemble.strength:.2f}" if ensemble.correction == "matched" else ""
    st.markdown(
        f"{TITLES[key]}  \n**{ensemble.mean_edges:.1f}** ± {ensemble.sd_edges:.1f}{found}",
        help=f"Number of edges, mean ± sd over {int(ensemble.multiplicities.sum()):,} replicates.",
    )
    show.chart(
        edge_count_figure(study, key, session.dark()),
        f"counts {key}",
        f"Histogram of the number of edges, {TITLES[key]}",
    )


def controls(experiment: bn.Experiment) -> None:
    """What acts on the picture."""
    left, middle, right = st.columns([5, 4, 4], gap="medium")
    left.slider(
        "correction strength, nats a parameter",
        0.0,
        2.0,
        step=0.05,
        **kept(Key.STRENGTH),
        help="½ is the paper's leading order (Eq. 7); 0 is the naive bootstrap. Moving it relearns every resample.",
    )
    choice(
        "what counts as an edge",
        KINDS,
        Key.KIND,
        middle,
        help="Under a score that is equal for equivalent graphs the data cannot tell the direction of a reversible "
        "edge. Each replicate draws it, unless ties are broken in column order, and both directions come out near one "
        "half. An adjacency counts an edge whichever way it points; a compelled edge counts only where all equivalent "
        "graphs agree on its direction.",
    )
    right.multiselect(
        "compare with",
        list(OPTIONAL),
        format_func=OPTIONAL.__getitem__,
        **kept(Key.METHODS),
        help="The exact-score correction subtracts each family's own expected bias, so that the score of every fixed "
        "graph is right on average; the graph that a search picks is still picked by luck, too. The matched one finds "
        "the strength at which the mean number of edges is that of the given data.",
    )
    picked = session.values.get(Key.METHODS) or []
    if "boot_exact" in picked and "boot_exact" not in experiment.methods:
        right.caption(f":material/info: {escaped(str(correction_refused(experiment.full_score, 'exact')))}.")


def take_away(study: bn.Study, experiment: bn.Experiment, kind: str) -> None:
    """Downloads, and the lines that repeat the run."""
    st.markdown("##### Take it with you")
    table = study.table1()
    with st.container(horizontal=True):
        csv_button("All edges with confidences", study.edge_table(kind), "edge_confidence.csv")
        csv_button("Table 1", table.reset_index(), "table1.csv")
        commands = [bn.command_line(experiment, command, kind) for command in ("confidence", "table1")]
        repeat_popover(experiment.python(kind), commands)
    shown = table.reset_index()
    shown["method"] = [TITLES[key] for key in study.keys]
    shown["edges"] = [
        f"{m:.1f} ± {s:.1f}" if not math.isnan(s) else f"{m:.1f}"
        for m, s in zip(shown["mean"], shown["sd"], strict=True)
    ]
    st.markdown("**Table 1**: number of edges, mean ± sd over the resamples")
    show.table(shown[["method", "edges", "replicates"]], width=420)


app_guard.through_app()
main()
