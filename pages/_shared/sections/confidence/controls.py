"""What acts on the Confidence page's pictures: the correction's strength, what counts as an edge, the methods."""

import streamlit as st

import bnengine as bn
from bnengine.scores.correction import correction_refused
from pages._shared import session
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import escaped
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

OPTIONAL = {key: TITLES[key] for key in ("jack_1", "jack_d", "boot_exact", "boot_matched", "para", "para_bc")}


def kind_of_edge() -> str:
    """What counts as an edge."""
    return str(session.values.get(Key.KIND))


def controls(experiment: bn.Experiment) -> None:
    """Draw them."""
    left, middle, right = st.columns([5, 4, 4], gap="medium")
    left.slider(
        "correction strength, nats a parameter",
        0.0,
        max(2.0, session.values.get(Key.STRENGTH)),
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
